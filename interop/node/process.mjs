// A server as a process: lines in both directions, and an orderly end.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export function start([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = new Promise(resolve => child.once('close', resolve))
  return {
    child,
    send: message => child.stdin.write(JSON.stringify(message) + '\n'),
    receive: take => createInterface({ input: child.stdout }).on('line', line => take(JSON.parse(line))),
    close() {
      child.stdin.end()
      return closed
    },
  }
}
