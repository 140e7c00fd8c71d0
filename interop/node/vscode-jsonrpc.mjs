// node vscode-jsonrpc.mjs command argument…
//
// The connection of vscode-jsonrpc against cmd/demo.
import { CancellationTokenSource, ParameterStructures, createMessageConnection } from 'vscode-jsonrpc/node'
import { LineReader, LineWriter } from './lines.mjs'
import { start } from './process.mjs'

const server = start(process.argv.slice(2))
const connection = createMessageConnection(new LineReader(server.receive), new LineWriter(server.send))
const steps = []
connection.onNotification('progress', params => steps.push(params.step))
connection.onRequest('client/name', () => 'Ada')
connection.listen()

const code = promise =>
  promise.then(
    () => 0,
    error => error.code,
  )
const cancel = new CancellationTokenSource()
const slow = code(connection.sendRequest('slow', { ms: 600_000 }, cancel.token))
const seen = {
  Echo: await connection.sendRequest('echo', { text: 'h\u00e9llo \u2028', n: 1.5 }),
  Add: await connection.sendRequest('add', { a: 2, b: 3 }),
  Positional: await connection.sendRequest('subtract', 42, 23),
  One: await connection.sendRequest('echo', 'scalar'),
  Array: await connection.sendRequest('echo', [1, 2]),
  Null: await connection.sendRequest('echo', ParameterStructures.byPosition, null),
}
cancel.cancel()
seen.Slow = await slow
seen.Progress = await connection.sendRequest('progress')
seen.Steps = steps
seen.Greet = await connection.sendRequest('greet')
seen.Unknown = await code(connection.sendRequest('brew'))
seen.Failed = await code(connection.sendRequest('boom'))
await connection.sendNotification('update', 1, 2)
connection.dispose()
await server.close()
console.log(JSON.stringify(seen))
