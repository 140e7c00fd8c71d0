// node vscode-jsonrpc-server.mjs
//
// The connection of vscode-jsonrpc as a server, with the methods of
// json-rpc-2.0-server.mjs, and slow, which tells of its progress as LSP does.
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { ProgressType, ResponseError, createMessageConnection } from 'vscode-jsonrpc/node'
import { LineReader, LineWriter } from './lines.mjs'

const input = createInterface({ input: process.stdin })
const connection = createMessageConnection(
  new LineReader(take => input.on('line', line => take(JSON.parse(line)))),
  new LineWriter(message => console.log(JSON.stringify(message))),
)
const steps = new ProgressType()

connection.onRequest('echo', params => params)
// A handler is called with the params and, behind them, a token.
connection.onRequest('sum', (...terms) => terms.slice(0, -1).reduce((a, b) => a + b, 0))
connection.onRequest('greet', async () => 'hello, ' + (await connection.sendRequest('client/name')))
connection.onRequest('boom', () => {
  throw new Error('boom')
})
connection.onRequest('slow', async ({ steps: last, workDoneToken }, cancelled) => {
  console.error('slow: begun')
  for (let step = 1; step <= last; step++) {
    if (workDoneToken !== undefined) connection.sendProgress(steps, workDoneToken, { step })
    await setTimeout(5)
    if (cancelled.isCancellationRequested) return new ResponseError(-32800, 'cancelled')
  }
  return 'done'
})
connection.onNotification('update', text => {
  console.error('update: %s', text)
  connection.sendNotification('updated', { text })
})
connection.listen()
