// node json-rpc-2.0.mjs command argument…
//
// The client and server of json-rpc-2.0 against cmd/demo, with batches.
import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient, createJSONRPCNotification, createJSONRPCRequest } from 'json-rpc-2.0'
import { start } from './process.mjs'

const server = start(process.argv.slice(2))
const peer = new JSONRPCServerAndClient(new JSONRPCServer(), new JSONRPCClient(message => server.send(message)))
server.receive(message => peer.receiveAndSend(message))
const steps = []
peer.addMethod('client/name', () => 'Ada')
peer.addMethod('progress', params => steps.push(params.step))

const code = promise =>
  promise.then(
    () => 0,
    error => error.code,
  )
const seen = {
  Echo: await peer.request('echo', { text: 'h\u00e9llo \u2028', n: 1.5 }),
  Add: await peer.request('add', { a: 2, b: 3 }),
  Positional: await peer.request('subtract', [42, 23]),
  Progress: await peer.request('progress'),
  Greet: await peer.request('greet'),
  Unknown: await code(peer.request('brew')),
  Failed: await code(peer.request('boom')),
  Scalar: await code(peer.request('echo', 'scalar')),
}
seen.Steps = steps
peer.notify('update', [1, 2])
const batch = await peer.client.requestAdvanced([
  createJSONRPCRequest('a', 'sum', [1, 2, 4]),
  createJSONRPCNotification('update', [1]),
  createJSONRPCRequest('b', 'brew'),
  createJSONRPCRequest(10.5, 'add', { a: 1, b: 1 }),
])
seen.Batch = batch.map(({ id, result, error }) => [id, result ?? error.code])
await server.close()
console.log(JSON.stringify(seen))
