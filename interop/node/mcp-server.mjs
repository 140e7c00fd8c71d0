// node mcp-server.mjs
//
// A server of @modelcontextprotocol/server, version 2 of the TypeScript SDK, for
// both eras. Its tools are those of party_mcpgo_test.go: echo, slow and ask.
import { McpServer, acceptedContent, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { setTimeout } from 'node:timers/promises'

const schema = (properties, ...required) => fromJsonSchema({ type: 'object', properties, required })
const text = text => ({ content: [{ type: 'text', text }] })
const string = { type: 'string' }
const integer = { type: 'integer' }

serveStdio(({ era }) => {
  const server = new McpServer({ name: 'interop-ts', version: '1' }, { capabilities: { tools: {} } })
  const tool = (name, inputSchema, run) => server.registerTool(name, { description: name, inputSchema }, run)
  tool('echo', schema({ message: string }, 'message'), ({ message }) => text(message))
  tool('slow', schema({ steps: integer, ms: integer }, 'steps', 'ms'), async ({ steps, ms }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (let progress = 1; progress <= steps; progress++) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: steps } })
      }
      await setTimeout(ms, undefined, { signal: mcpReq.signal }).catch(error => {
        console.error('slow: cancelled in step %d', progress)
        throw error
      })
    }
    return text(`${steps} steps`)
  })
  tool('ask', schema({ question: string }, 'question'), async ({ question }, { mcpReq }) => {
    const request = { message: question, requestedSchema: { type: 'object', properties: { answer: string } } }
    if (era === 'legacy') {
      return text('the user says: ' + (await mcpReq.elicitInput({ mode: 'form', ...request })).content.answer)
    }
    const accepted = acceptedContent(mcpReq.inputResponses, 'question')
    if (accepted) return text('the user says: ' + accepted.answer)
    return inputRequired({ inputRequests: { question: inputRequired.elicit(request) } })
  })
  return server
})
