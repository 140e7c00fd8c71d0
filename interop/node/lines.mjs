// A reader and a writer of lines for vscode-jsonrpc, whose own framing is that
// of LSP.
import { AbstractMessageReader, AbstractMessageWriter } from 'vscode-jsonrpc/node'

export class LineReader extends AbstractMessageReader {
  // receive is given a function that takes messages.
  constructor(receive) {
    super()
    this.receive = receive
  }
  listen(take) {
    this.receive(take)
    return { dispose() {} }
  }
}

export class LineWriter extends AbstractMessageWriter {
  constructor(send) {
    super()
    this.send = send
  }
  async write(message) {
    this.send(message)
  }
  end() {}
}
