package peer_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/peer"
)

// row is a row of the table that says what the wire answers.
type row struct {
	name  string
	opts  *peer.Options
	in    string   // lines
	want  []string // patterns of rendered lines
	order bool     // they come in this order
	cut   bool     // only whole: the input is large
}

func runRows(t *testing.T, rows []row) {
	for _, r := range rows {
		for how, piece := range pieces {
			if r.cut && piece != whole {
				continue
			}
			inBubble(t, r.name+"/"+how, func(t *testing.T) {
				compare(t, talk(t, testHandler, r.opts, r.in, piece), r.want, r.order)
			})
		}
	}
}

var after = call(`"after"`, "echo", `["alive"]`)

// alive adds to each row a good call behind it, which must be answered as if
// nothing had been.
func alive(rows []row) []row {
	for i := range rows {
		rows[i].in += after
		rows[i].want = append(rows[i].want, `"after" result ["alive"]`)
	}
	return rows
}

func TestNotJSON(t *testing.T) {
	const parse = `null error -32700 Parse error*`
	var rows []row
	for name, line := range map[string]string{
		"a word":                  `oops`,
		"a log line":              `[INFO] ready to serve`,
		"cut short":               `{"jsonrpc":"2.0","id":1,"method":"echo"`,
		"cut in a string":         `{"jsonrpc":"2.0","id":1,"method":"ec`,
		"cut behind a backslash":  `{"jsonrpc":"2.0","id":1,"method":"ec\`,
		"trailing data":           strings.TrimSpace(call("1", "echo", "[1]")) + " x",
		"two objects":             strings.TrimSpace(call("1", "echo", "[1]")) + strings.TrimSpace(call("2", "echo", "[2]")),
		"trailing comma":          `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1,]}`,
		"raw control character":   strings.TrimSpace(call("1", "echo", "[\"a\x01b\"]")),
		"raw tab in a string":     strings.TrimSpace(call("1", "echo", "[\"a\tb\"]")),
		"NUL behind":              strings.TrimSpace(call("1", "echo", "[1]")) + "\x00",
		"NUL in front":            "\x00" + strings.TrimSpace(call("1", "echo", "[1]")),
		"invalid UTF-8 in params": strings.TrimSpace(call("1", "echo", "[\"\xff\"]")),
		"invalid UTF-8 in a name": "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"\xc0\xaf\":1}",
		"surrogate as UTF-8":      strings.TrimSpace(call("1", "echo", "[\"\xed\xa0\x80\"]")),
		"unknown escape":          strings.TrimSpace(call("1", "echo", `["\q"]`)),
		"leading zero in the id":  `{"jsonrpc":"2.0","id":01,"method":"echo"}`,
		"a number like +1":        strings.TrimSpace(call("1", "echo", "[+1]")),
		"NaN":                     strings.TrimSpace(call("1", "echo", "[NaN]")),
		"depth 10,001":            strings.TrimSpace(call("1", "echo", strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000))),
		"never closed":            strings.Repeat("[", 100_000),
		"BOM in a later line":     "\ufeff" + strings.TrimSpace(call("1", "echo", "[1]")),
		"a batch cut short":       `[{"jsonrpc":"2.0","id":1,"method":"echo"},{"jsonrpc":"2.0","method"]`,
	} {
		// Two of them in a row, and something good in front: the next line is
		// read fresh.
		rows = append(rows, row{
			name: name, in: call("0", "echo", "[0]") + line + "\n" + line + "\n", cut: len(line) > 1000,
			want: []string{`0 result [0]`, parse, parse},
		})
	}
	runRows(t, alive(rows))
}

func TestAcceptedAroundTheValue(t *testing.T) {
	one := strings.TrimSpace(call("1", "echo", "[1]"))
	runRows(t, alive([]row{
		{name: "CR LF", in: one + "\r\n", want: []string{`1 result [1]`}},
		{name: "blanks around", in: " \t " + one + " \t \r\n", want: []string{`1 result [1]`}},
		{name: "lone CR between tokens", in: strings.ReplaceAll(one, ",", ",\r") + "\n", want: []string{`1 result [1]`}},
		{name: "blank lines", in: "\n\r\n \t \n" + one + "\n\n\n", want: []string{`1 result [1]`}},
		{name: "BOM at the start", in: "\ufeff" + one + "\n", want: []string{`1 result [1]`}},
		{name: "BOM and blank lines at the start", in: "\ufeff\r\n\n" + one + "\n", want: []string{`1 result [1]`}},
		{name: "U+2028 and DEL in a string", in: call("1", "echo", "[\"a\u2028b\x7f\"]"), want: []string{"1 result [\"a\u2028b\x7f\"]"}},
		{name: "members in any order", in: `{"params":[1],"id":1,"method":"echo","jsonrpc":"2.0"}` + "\n", want: []string{`1 result [1]`}},
		{name: "id behind megabytes of params", cut: true,
			in:   `{"params":["` + strings.Repeat("x", 3<<20) + `"],"jsonrpc":"2.0","method":"nothing","id":7}` + "\n",
			want: []string{`7 result null`}},
		{name: "escaped member names", in: `{"jsonrpc":"2.0","\u0069d":1,"\u006dethod":"\u0065cho","p\u0061rams":[1]}` + "\n", want: []string{`1 result [1]`}},
		{name: "escaped version", in: `{"jsonrpc":"2\u002e0","id":1,"method":"echo","params":[1]}` + "\n", want: []string{`1 result [1]`}},
		{name: "unknown members are ignored", in: `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1],"trace":{"id":9},"_meta":null}` + "\n", want: []string{`1 result [1]`}},
		{name: "unknown members may stand there twice", in: `{"jsonrpc":"2.0","x":1,"id":1,"x":2,"method":"echo","params":[1]}` + "\n", want: []string{`1 result [1]`}},
		{name: "exact case", in: `{"jsonrpc":"2.0","id":1,"ID":2,"method":"echo","Method":"boom","params":[1],"PARAMS":[2]}` + "\n", want: []string{`1 result [1]`}},
		{name: "params null are absent", in: call("1", "echo", "null"), want: []string{`1 result null`}},
		{name: "params byte for byte", in: call("1", "echo", `{"a" :  1.50e+1,"\u0061":"\/\ud83d\ude42",  "b":3.141592653589793238462643383279}`),
			want: []string{`1 result {"a" :  1.50e+1,"\u0061":"\/\ud83d\ude42",  "b":3.141592653589793238462643383279}`}},
		{name: "depth 10,000", cut: true, in: call("1", "echo", strings.Repeat("[", 9_999)+strings.Repeat("]", 9_999)), want: []string{`1 result [[[*`}},
	}))
	inBubble(t, "a last line without a newline", func(t *testing.T) {
		compare(t, talk(t, testHandler, nil, one, whole), []string{`1 result [1]`}, true)
	})
	inBubble(t, "a last line of garbage without a newline", func(t *testing.T) {
		compare(t, talk(t, testHandler, nil, "{", whole), []string{`null error -32700 *`}, true)
	})
	inBubble(t, "no input", func(t *testing.T) {
		compare(t, talk(t, testHandler, nil, "", whole), nil, true)
	})
}

func TestNotARequest(t *testing.T) {
	line := func(s string) string { return s + "\n" }
	const invalid = `null error -32600 Invalid Request*`
	runRows(t, alive([]row{
		{name: "a number", in: line("5"), want: []string{invalid}},
		{name: "null", in: line("null"), want: []string{invalid}},
		{name: "a string", in: line(`"hello"`), want: []string{invalid}},
		{name: "an empty object", in: line("{}"), want: []string{invalid}},
		{name: "only an id", in: line(`{"jsonrpc":"2.0","id":1}`), want: []string{`1 error -32600 *`}},
		{name: "jsonrpc missing", in: line(`{"id":1,"method":"echo"}`), want: []string{`1 error -32600 *jsonrpc*`}},
		{name: "jsonrpc missing, no id", in: line(`{"method":"echo"}`), want: []string{`null error -32600 *jsonrpc*`}},
		{name: "jsonrpc 1.0", in: line(`{"jsonrpc":"1.0","id":1,"method":"echo"}`), want: []string{`1 error -32600 *jsonrpc*`}},
		{name: "jsonrpc a number", in: line(`{"jsonrpc":2.0,"id":"a","method":"echo"}`), want: []string{`"a" error -32600 *jsonrpc*`}},
		{name: "jsonrpc null", in: line(`{"jsonrpc":null,"id":1,"method":"echo"}`), want: []string{`1 error -32600 *jsonrpc*`}},
		{name: "method missing", in: line(`{"jsonrpc":"2.0","id":1,"params":[]}`), want: []string{`1 error -32600 *method*`}},
		{name: "method a number", in: line(`{"jsonrpc":"2.0","id":1,"method":1}`), want: []string{`1 error -32600 *method*`}},
		{name: "method null", in: line(`{"jsonrpc":"2.0","id":1,"method":null}`), want: []string{`1 error -32600 *method*`}},
		{name: "method a number, no id", in: line(`{"jsonrpc":"2.0","method":1}`), want: []string{`null error -32600 *method*`}},
		{name: "params a string", in: line(`{"jsonrpc":"2.0","id":1,"method":"echo","params":"bar"}`), want: []string{`1 error -32600 *params*`}},
		{name: "params a number", in: line(`{"jsonrpc":"2.0","id":1,"method":"echo","params":7}`), want: []string{`1 error -32600 *params*`}},
		{name: "params false", in: line(`{"jsonrpc":"2.0","id":1,"method":"echo","params":false}`), want: []string{`1 error -32600 *params*`}},
		{name: "empty method is unknown", in: call("1", "", ""), want: []string{`1 error -32601 *`}},
		{name: "jsonrpc twice", in: line(`{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"echo"}`), want: []string{`1 error -32600 *twice*`}},
		{name: "method twice", in: line(`{"jsonrpc":"2.0","method":"echo","id":1,"method":"boom"}`), want: []string{`1 error -32600 *twice*`}},
		{name: "params twice, once escaped", in: line(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[1],"p\u0061rams":[2]}`), want: []string{`1 error -32600 *twice*`}},
		{name: "id twice", in: line(`{"jsonrpc":"2.0","id":1,"id":1,"method":"echo"}`), want: []string{`null error -32600 *twice*`}},
	}))
}

func TestIDs(t *testing.T) {
	long := `"` + strings.Repeat("i", 16<<10-2) + `"`
	var rows []row
	for name, id := range map[string]string{
		"zero": "0", "minus zero": "-0", "negative": "-1", "fraction": "1.5", "fraction of zero": "2.0", "exponent": "1e3", "capital exponent": "1E+03",
		"2^53+1": "9007199254740993", "beyond 64 bits": "99999999999999999999", "string": `"abc"`, "digits in a string": `"007"`,
		"empty string": `""`, "escapes": `"\u0061\/\n\ud83d\ude42"`, "lone surrogate": `"\ud800"`, "raw UTF-8": `"é🙂"`, "16 KiB": long,
	} {
		rows = append(rows,
			row{name: name, in: call(id, "echo", "[1]"), want: []string{id + " result [1]"}, cut: len(id) > 1000},
			row{name: name + "/in an error", in: `{"id":` + id + `,"jsonrpc":"2.0","method":{}}` + "\n", want: []string{id + " error -32600 *"}, cut: len(id) > 1000},
			row{name: name + "/in a batch", in: `[` + strings.TrimSpace(call(id, "id", "")) + "]\n", want: []string{"[" + id + " result " + id + "]"}, cut: len(id) > 1000})
	}
	for name, id := range map[string]string{"true": "true", "false": "false", "object": `{"a":1}`, "array": "[1]", "above its bound": long[:1] + "i" + long[1:]} {
		rows = append(rows, row{name: name, in: call(id, "echo", "[1]"), want: []string{"null error -32600 *id*"}, cut: len(id) > 1000})
	}
	rows = append(rows,
		row{name: "null is a request", in: call("null", "echo", "[1]"), want: []string{"null result [1]"}},
		row{name: "null is exempt from the duplicate check", in: call("null", "slow", "") + call("null", "slow", ""), want: []string{`null result "slow"`, `null result "slow"`}},
		row{name: "another bound", opts: &peer.Options{MaxID: 7}, in: call("1234567", "echo", "[1]") + call("12345678", "echo", "[1]") + call(`"123456"`, "echo", ""),
			want: []string{`1234567 result [1]`, `null error -32600 *`, `null error -32600 *`}},
		row{name: "no bound", opts: &peer.Options{MaxID: -1}, cut: true, in: call(long[:1]+long[1:16000]+long[1:], "echo", "[1]"), want: []string{`"iii* result [1]`}})
	runRows(t, alive(rows))
}

func TestNotificationsAreNeverAnswered(t *testing.T) {
	var rows []row
	for _, method := range []string{"echo", "nosuch", "boom", "panic", "goexit", "nothing", "slow"} {
		rows = append(rows, row{name: method, in: note(method, `{"a":1}`) + note(method, "") + note(method, "null")})
	}
	rows = append(rows,
		row{name: "member ID is not id", in: `{"jsonrpc":"2.0","ID":1,"method":"echo"}` + "\n"},
		row{name: "what it sends goes out", in: note("progress", ""), want: []string{"note progress [1]", "note progress [2]"}, order: true})
	runRows(t, alive(rows))
}

func TestDuplicateIDs(t *testing.T) {
	runRows(t, alive([]row{
		{name: "running", in: call("1", "slow", "") + call("1", "echo", "[2]"), want: []string{`1 error -32600 *`, `1 result "slow"`}},
		{name: "running, three times", in: call(`"x"`, "slow", "") + call(`"x"`, "slow", "") + call(`"x"`, "echo", "[2]"),
			want: []string{`"x" error -32600 *`, `"x" error -32600 *`, `"x" result "slow"`}},
		{name: "waiting", opts: &peer.Options{MaxHandlers: 1}, in: call("1", "slow", "") + call("2", "slow", "") + call("2", "echo", "[2]"),
			want: []string{`2 error -32600 *`, `1 result "slow"`, `2 result "slow"`}},
		{name: "1 and 1.0 are two", in: call("1", "slow", "") + call("1.0", "echo", "[2]"), want: []string{`1 result "slow"`, `1.0 result [2]`}},
		{name: `1 and "1" are two`, in: call("1", "slow", "") + call(`"1"`, "echo", "[2]"), want: []string{`1 result "slow"`, `"1" result [2]`}},
		{name: "in one batch", in: "[" + strings.TrimSpace(call("1", "slow", "")) + "," + strings.TrimSpace(call("1", "echo", "[2]")) + "]\n",
			want: []string{`[1 result "slow"; 1 error -32600 *]`}},
	}))
}

func TestAnsweredIDIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, testHandler, peer.Options{})
		for range 3 { // the first runs beside the reader, the others inline
			for _, method := range []string{"echo", "boom", "nosuch", "panic", "goexit", "slow", "progress"} {
				p.tell(call("1", method, "[1]"))
				line := p.hear(t)
				for strings.HasPrefix(line, "note") {
					line = p.hear(t)
				}
				if !strings.HasPrefix(line, "1 ") || strings.Contains(line, "-32600") {
					t.Errorf("%s: heard %q", method, line)
				}
			}
		}
		p.end(t)
	})
}

func TestLongLines(t *testing.T) {
	small := &peer.Options{MaxLine: 100}
	pad := func(n int) string { // a request of n bytes without its newline
		s := call("1", "echo", `["`+`"]`)
		return call("1", "echo", `["`+strings.Repeat("x", n+1-len(s))+`"]`)
	}
	runRows(t, alive([]row{
		{name: "at the bound", opts: small, in: pad(100), want: []string{`1 result ["xxx*`}},
		{name: "at the bound with CR LF", opts: small, in: strings.TrimSpace(pad(100)) + "\r\n", want: []string{`1 result ["xxx*`}},
		{name: "above", opts: small, in: pad(101), want: []string{`null error -32600 *100*`}},
		{name: "far above, twice", opts: small, cut: true, in: pad(200_000) + pad(5<<20), want: []string{`null error -32600 *100*`, `null error -32600 *100*`}},
		{name: "a line of blanks", opts: small, in: strings.Repeat(" ", 300) + "\n", want: []string{`null error -32600 *100*`}},
		{name: "default", cut: true, in: pad(64<<20 + 1), want: []string{`null error -32600 *67108864*`}},
	}))
}

func TestUnknownMethods(t *testing.T) {
	long := strings.Repeat("m", 1000)
	runRows(t, alive([]row{
		{name: "named", in: call("1", "no.such", `{"a":1}`), want: []string{`1 error -32601 *no.such`}},
		{name: "cut at 256 bytes", in: call("1", long, ""), want: []string{`1 error -32601 Method not found: ` + long[:256] + "…"}},
		{name: "cut inside a character", in: call("1", strings.Repeat("é🙂", 100), ""), want: []string{`1 error -32601 Method not found: é🙂*`}},
		{name: "escapes resolved", in: call("1", `\u0061\n\"`, ""), want: []string{"1 error -32601 *a\n\""}},
		{name: "an escaped name is the same name", in: call("1", `\u00e9\"\\`, "[1]"), want: []string{"1 result [1]"}},
		{name: "lone surrogate", in: call("1", `\ud800x`, ""), want: []string{"1 error -32601 *x"}},
		{name: "reserved", in: call("1", "rpc.discover", ""), want: []string{"1 error -32601 *rpc.discover"}},
	}))
}

func TestResponsesNobodyWaitsFor(t *testing.T) {
	var rows []row
	for name, line := range map[string]string{
		"a result":             `{"jsonrpc":"2.0","id":1,"result":1}`,
		"an error":             `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`,
		"an error, id null":    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		"an error, no id":      `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`,
		"both":                 `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`,
		"malformed error":      `{"jsonrpc":"2.0","id":1,"error":"plain text"}`,
		"no jsonrpc":           `{"id":1,"result":1}`,
		"a bad id":             `{"jsonrpc":"2.0","id":[],"result":1}`,
		"an id twice":          `{"jsonrpc":"2.0","id":1,"id":2,"result":1}`,
		"only responses":       `[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}]`,
		"an id that is a word": `{"jsonrpc":"2.0","id":"one","result":1}`,
	} {
		rows = append(rows, row{name: name, in: line + "\n"})
	}
	runRows(t, alive(rows))
}

func TestMemberBesideMethod(t *testing.T) {
	// Whatever has a method is a call: its answer can't hurt, silence might.
	runRows(t, alive([]row{
		{name: "result", in: `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1],"result":2}` + "\n", want: []string{"1 result [1]"}},
		{name: "error", in: `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1],"error":{}}` + "\n", want: []string{"1 result [1]"}},
	}))
}
