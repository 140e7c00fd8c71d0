// node mcp-v2.mjs visit|steps|large|close legacy|auto|VERSION command argument…
//
// The client of @modelcontextprotocol/client, version 2 of the TypeScript SDK,
// with the mode in which it finds out about the server's era.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { tasks, user } from './mcp-visit.mjs'

const [task, mode, command, ...args] = process.argv.slice(2)
const named = mode === 'legacy' || mode === 'auto'
const client = new Client(
  { name: 'interop', version: '1' },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: named ? mode : { pin: mode } } },
)
const { asked, answer } = user()
client.setRequestHandler('elicitation/create', answer)
await client.connect(new StdioClientTransport({ command, args }))
const callTool = (params, options) => client.callTool(params, options)
const version = () => client.getNegotiatedProtocolVersion()
const seen = await tasks[task]({ client, callTool, version, asked })
await client.close()
console.log(JSON.stringify(seen))
