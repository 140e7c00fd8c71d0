package bench

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goccy/go-json"
	"github.com/linerpc/linerpc/codec"
)

// A sample makes the params of a request of about size bytes.
type sample struct {
	kind string
	make func(r *rand.Rand, size int) string
}

var samples = []sample{
	{"mixed", func(r *rand.Rand, size int) string { return list(r, size, record) }},
	{"pretty", func(r *rand.Rand, size int) string { return indent(list(r, size, record)) }},
	{"spaced", func(r *rand.Rand, size int) string { return spaced(list(r, size, record)) }},
	{"strings", func(r *rand.Rand, size int) string {
		return list(r, size, func(r *rand.Rand) string { return quote(words(r, latin, 1+r.IntN(12))) })
	}},
	{"escapes", func(r *rand.Rand, size int) string {
		return list(r, size, func(r *rand.Rand) string {
			return quote(words(r, latin, 1+r.IntN(8)) + "\n\t\"" + words(r, latin, 2) + "\"\\\u0001")
		})
	}},
	{"numbers", func(r *rand.Rand, size int) string { return list(r, size, number) }},
	{"literals", func(r *rand.Rand, size int) string { return list(r, size, literal) }},
	{"nested", func(r *rand.Rand, size int) string {
		return list(r, size, func(r *rand.Rand) string { return tree(r, 6) })
	}},
	{"blob", func(_ *rand.Rand, size int) string { return `{"data":"` + strings.Repeat("x", size) + `"}` }},
	{"cjk", func(r *rand.Rand, size int) string { return text(r, cjk, size) }},
	{"cyrillic", func(r *rand.Rand, size int) string { return text(r, cyrillic, size) }},
	{"phrases", func(r *rand.Rand, size int) string { // short strings, names of members too
		return list(r, size, func(r *rand.Rand) string {
			return `{"имя":` + quote(words(r, cyrillic, 1+r.IntN(3))) + `,"name":` + quote(words(r, cjk, 1)) + `}`
		})
	}},
	{"emoji", func(r *rand.Rand, size int) string { return text(r, emoji, size) }},
	{"french", func(r *rand.Rand, size int) string { return text(r, french, size) }},
}

var (
	latin    = strings.Fields("the a of tool server handler request transport line and message in to with stream buffered identification x")
	french   = strings.Fields("élève où déjà la forêt garçon naïve le vingt très façade à")
	cyrillic = strings.Fields("привет мир и строка запрос на сервер в сообщение передача, код")
	cjk      = strings.Fields("漢字かな 交じり文 請求と応答、 的 服务器 서버 요청과 응답")
	emoji    = strings.Fields("😀😃 🚀 👩‍💻 🎉🎉🎉 ok ❤️ 🇫🇷")
)

func words(r *rand.Rand, from []string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

func quote(s string) string { return string(codec.AppendQuote(nil, s)) }

func list(r *rand.Rand, size int, item func(*rand.Rand) string) string {
	var b strings.Builder
	b.WriteString(`{"items":[` + item(r))
	for b.Len() < size {
		b.WriteString("," + item(r))
	}
	return b.String() + `]}`
}

func text(r *rand.Rand, from []string, size int) string {
	return list(r, size, func(r *rand.Rand) string { return quote(words(r, from, 1+r.IntN(40))) })
}

func number(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return fmt.Sprint(r.IntN(10))
	case 1:
		return fmt.Sprint(-r.IntN(1000))
	case 2:
		return fmt.Sprintf("%.3f", r.Float64()*1000)
	case 3:
		return fmt.Sprintf("%.2e", r.NormFloat64()*1e30)
	}
	return fmt.Sprint(r.IntN(1 << 40))
}

func literal(r *rand.Rand) string { return []string{"true", "false", "null"}[r.IntN(3)] }

func record(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"name":%s`, r.IntN(100_000), quote(words(r, latin, 1+r.IntN(4))))
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, `,"tags":[%s,%s]`, quote(words(r, latin, 1)), quote(words(r, latin, 1)))
	}
	fmt.Fprintf(&b, `,"price":%s,"inStock":%s`, number(r), literal(r))
	switch r.IntN(3) {
	case 0:
		fmt.Fprintf(&b, `,"position":{"line":%d,"character":%d}`, r.IntN(1000), r.IntN(80))
	case 1:
		fmt.Fprintf(&b, `,"note":%s`, quote(words(r, latin, 3)+` "`+words(r, latin, 2)+`"`))
	}
	return b.String() + "}"
}

func tree(r *rand.Rand, depth int) string {
	switch {
	case depth == 0 || r.IntN(6) == 0:
		return number(r)
	case r.IntN(2) == 0:
		return "[" + tree(r, depth-1) + "," + tree(r, depth-1) + "]"
	}
	return `{"k":` + tree(r, depth-1) + `,"child":` + tree(r, depth-1) + "}"
}

// indent lays valid JSON out over lines, two blanks a level.
func indent(s string) string {
	var v any
	if err := stdjson.Unmarshal([]byte(s), &v); err != nil {
		panic(err)
	}
	out, err := stdjson.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

// spaced puts a blank behind each comma and colon, as Python does.
func spaced(s string) string {
	return strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(s)
}

func line(kind func(*rand.Rand, int) string, size int) []byte {
	const head, tail = `{"jsonrpc":"2.0","id":1234,"method":"tools/call","params":`, `}`
	return []byte(head + kind(rand.New(rand.NewPCG(1, 2)), max(size-len(head)-len(tail)-12, 0)) + tail)
}

// calls is what a hundred bytes usually are.
var calls = []string{
	`{"jsonrpc":"2.0","id":123,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello world"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"abc-17","progress":50,"total":100}}`,
	`{"jsonrpc":"2.0","id":42,"result":{"content":[{"type":"text","text":"The answer is 42."}],"isError":false}}`,
	`{"method":"textDocument/hover","params":{"position":{"line":10,"character":4}},"jsonrpc":"2.0","id":"req-000017"}`,
	`{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "hello"}}}`,
}

// BenchmarkSniff compares one pass of the Parser, envelope included, with the
// validators of the two JSON libraries on the same bytes.
func BenchmarkSniff(b *testing.B) {
	for i, c := range calls {
		sniff(b, fmt.Sprintf("size=110B/kind=call%d", i), []byte(c))
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"1KiB", 1 << 10}, {"16KiB", 16 << 10}, {"1MiB", 1 << 20}} {
		for _, s := range samples {
			sniff(b, "size="+size.name+"/kind="+s.kind, line(s.make, size.n))
		}
	}
}

func sniff(b *testing.B, name string, line []byte) {
	p := codec.NewParser(codec.Limits{})
	if m := p.Parse(line); m.Fault != codec.FaultNone {
		b.Fatalf("%s: %v at %d", name, m.Fault, m.Offset)
	}
	b.Run(name+"/linerpc", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			p.Parse(line)
		}
	})
	for _, v := range []struct {
		name  string
		valid func([]byte) bool
	}{{"goccy", json.Valid}, {"encoding", stdjson.Valid}} {
		b.Run(name+"/"+v.name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				v.valid(line)
			}
		})
	}
}
