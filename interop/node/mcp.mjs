// What every MCP client of Node does with examples/mcp-tools; see visit_test.go.
// Both SDKs have the same methods for it. The server's command follows after
// the arguments that are named here.

export const greeting = 'h\u00e9llo <&> \u2028 "\\ \u{1F600}'
const after = 'still here'
const question = 'Tea?'

export async function visit(client, version, asked) {
  const seen = { Version: version(), Server: client.getServerVersion()?.name ?? '' }
  const call = async (name, args, options) => client.callTool({ name, arguments: args }, ...options)
  const text = async (name, args, ...options) => (await call(name, args, options)).content[0].text
  if (seen.Version < '2026') await client.ping()
  seen.Tools = (await client.listTools()).tools.map(tool => tool.name)
  seen.Echo = await text('echo', { message: greeting })
  seen.Sum = (await call('add', { a: 2, b: 3 }, [])).structuredContent.sum
  seen.Progress = []
  const onprogress = p => seen.Progress.push(p.progress)
  seen.Slow = await client.slow({ steps: 3, ms: 5 }, { onprogress })
  const stop = new AbortController()
  seen.Gone = await client
    .slow({ steps: 100_000, ms: 10 }, { onprogress: () => stop.abort(), signal: stop.signal })
    .then(() => false, () => true)
  seen.After = await text('echo', { message: after })
  seen.Answer = await text('ask', { question })
  seen.Asked = asked()
  seen.Unknown = await call('brew', {}, []).then(() => 0, error => error.code)
  return seen
}
