// node acp-agent.mjs
//
// An agent of @agentclientprotocol/sdk that does what the one in
// party_acp_test.go does: it repeats words, asks for permission, and then reads
// one of the client's files and writes to another.
import { Readable, Writable } from 'node:stream'
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk'

let turn = new AbortController()

const app = agent({ name: 'interop-ts' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: 'interop-ts', version: '1' },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: 'session-1' }))
  .onNotification(methods.agent.session.cancel, () => turn.abort())
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
    turn = new AbortController()
    const stopped = AbortSignal.any([turn.signal, signal])
    const update = update => client.notify(methods.client.session.update, { sessionId, update })
    const say = text => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
    for (const word of prompt[0].text.split(' ')) await say(word + ' ')
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      {
        sessionId,
        toolCall: { toolCallId: 'call-1' },
        options: [
          { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
          { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
        ],
      },
      { cancellationSignal: stopped },
    )
    signal.throwIfAborted() // by $/cancel_request, and not by session/cancel
    if (outcome.outcome === 'cancelled') return { stopReason: 'cancelled' }
    if (outcome.optionId === 'reject') {
      await say('I left it.')
      return { stopReason: 'end_turn' }
    }
    const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path: '/diary' })
    await client.request(methods.client.fs.writeTextFile, { sessionId, path: '/copy', content })
    await say('It is written.')
    return { stopReason: 'end_turn' }
  })

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
