// node mcp-v1.mjs visit|steps|large|close command argument…
//
// The client of @modelcontextprotocol/sdk, version 1 of the TypeScript SDK.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { tasks, user } from './mcp-visit.mjs'

const [task, command, ...args] = process.argv.slice(2)
const client = new Client({ name: 'interop', version: '1' }, { capabilities: { elicitation: {} } })
const { asked, answer } = user()
client.setRequestHandler(ElicitRequestSchema, answer)
let version
const transport = new StdioClientTransport({ command, args })
transport.setProtocolVersion = v => (version = v)
await client.connect(transport)
const callTool = (params, options) => client.callTool(params, undefined, options)
const seen = await tasks[task]({ client, callTool, version: () => version, asked })
await client.close()
console.log(JSON.stringify(seen))
