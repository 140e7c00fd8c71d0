// node acp.mjs command argument…
//
// The client of @agentclientprotocol/sdk against examples/acp-agent: a turn that
// is allowed, one that is rejected, one that is ended by session/cancel, and one
// whose request is cancelled.
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import { start } from './process.mjs'

const server = start(process.argv.slice(2))
let seen
let whenAsked

const app = client({ name: 'interop' })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    seen.Updates.push(update.sessionUpdate + ':' + (update.content?.text ?? update.status))
  })
  .onRequest(methods.client.session.requestPermission, context => {
    seen.Asked = context.params.toolCall.toolCallId
    return whenAsked(context)
  })

const selected = optionId => ({ outcome: { outcome: 'selected', optionId } })

// What the user decides when the agent has taken its question back.
const withdrawn = signal =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } })))

await app.connectWith(
  ndJsonStream(Writable.toWeb(server.child.stdin), Readable.toWeb(server.child.stdout)),
  async agent => {
    const { protocolVersion, agentInfo } = await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
    })
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: '/', mcpServers: [] })
    const turn = async (decide, options) => {
      seen = { Updates: [] }
      whenAsked = decide
      await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'dear diary' }] }, options).then(
        ({ stopReason }) => (seen.Stop = stopReason),
        error => (seen.Code = error.code),
      )
      return seen
    }
    const abort = new AbortController()
    const turns = [
      await turn(() => selected('allow')),
      await turn(() => selected('reject')),
      await turn(async ({ signal }) => {
        await agent.notify(methods.agent.session.cancel, { sessionId })
        return withdrawn(signal)
      }),
      await turn(
        ({ signal }) => {
          abort.abort()
          return withdrawn(signal)
        },
        { cancellationSignal: abort.signal },
      ),
    ]
    // By the answer to one more request, that to the last question has left.
    await agent.request(methods.agent.session.new, { cwd: '/', mcpServers: [] })
    console.log(JSON.stringify({ Version: protocolVersion, Agent: agentInfo.name, Session: sessionId, Turns: turns }))
  },
)
await server.close()
