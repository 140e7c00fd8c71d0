// What the MCP clients of Node do with examples/mcp-tools; see visit_test.go.

const greeting = 'h\u00e9llo <&> \u2028 "\\ \u{1F600}'
const after = 'still here'
const question = 'Tea?'

// how the two SDKs differ is in what they are given: client is connected,
// callTool takes params and options, version and asked are known by then.
async function visit({ client, callTool, version, asked }) {
  const call = (name, args, options) => callTool({ name, arguments: args }, options)
  const text = async (...args) => (await call(...args)).content[0].text
  const seen = { Version: version(), Server: client.getServerVersion().name }
  if (seen.Version < '2026') await client.ping()
  seen.Tools = (await client.listTools()).tools.map(tool => tool.name)
  seen.Echo = await text('echo', { message: greeting })
  seen.Sum = (await call('add', { a: 2, b: 3 })).structuredContent.sum
  seen.Progress = []
  seen.Slow = await text('slow', { steps: 3, ms: 5 }, { onprogress: p => seen.Progress.push(p.progress) })
  const stop = new AbortController()
  const onprogress = () => stop.abort()
  seen.Gone = await call('slow', { steps: 100_000, ms: 10 }, { onprogress, signal: stop.signal }).then(
    () => false,
    () => true,
  )
  seen.After = await text('echo', { message: after })
  seen.Answer = await text('ask', { question })
  seen.Asked = asked()
  seen.Unknown = await call('brew', {}).then(
    () => 0,
    error => error.code,
  )
  return seen
}

// steps follows slow through three steps.
async function steps({ callTool }) {
  const told = []
  await callTool({ name: 'slow', arguments: { steps: 3, ms: 5 } }, { onprogress: p => told.push(p.progress) })
  return told
}

// large echoes messages of some MiB, and says for each whether it came back.
async function large({ callTool }) {
  const whole = []
  for (const size of [9, 11]) {
    const message = 'x'.repeat(size << 20)
    whole.push(
      await callTool({ name: 'echo', arguments: { message } }).then(
        result => result.content[0].text === message,
        () => false,
      ),
    )
  }
  return whole
}

export const tasks = { visit, steps, large, close: async () => null }

// user answers questions, and remembers the last one.
export function user() {
  let last = ''
  return {
    asked: () => last,
    answer: async request => {
      last = request.params.message
      return { action: 'accept', content: { answer: 'yes, please' } }
    },
  }
}
