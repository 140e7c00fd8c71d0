// node json-rpc-2.0-server.mjs
//
// A server of json-rpc-2.0, which also calls its client: greet asks for its name.
import { createInterface } from 'node:readline'
import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient } from 'json-rpc-2.0'

const peer = new JSONRPCServerAndClient(
  new JSONRPCServer({ errorListener: (text, error) => console.error(text, error.message) }),
  new JSONRPCClient(message => console.log(JSON.stringify(message))),
)
peer.addMethod('echo', params => params ?? null)
peer.addMethod('sum', params => params.reduce((a, b) => a + b, 0))
peer.addMethod('greet', async () => 'hello, ' + (await peer.request('client/name')))
peer.addMethod('boom', () => {
  throw new Error('boom')
})
peer.addMethod('slow', () => {
  console.error('slow: begun')
  return new Promise(() => {}) // for ever
})
peer.addMethod('update', ([text]) => {
  console.error('update: %s', text)
  peer.notify('updated', { text })
})

for await (const line of createInterface({ input: process.stdin })) {
  peer.receiveAndSend(JSON.parse(line))
}
