package codec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/codec"
)

// want is what a line has to turn out to be. Absent members are empty strings.
type want struct {
	kind   codec.Kind
	fault  codec.Fault
	id     string
	method string
	params string
	result string
	err    string
}

type sniffCase struct {
	name string
	line string
	want want
}

func same(t *testing.T, m *codec.Message, w want) {
	t.Helper()
	got := want{m.Kind, m.Fault, string(m.ID), string(m.Method), string(m.Params), string(m.Result), string(m.Error)}
	if got != w {
		t.Errorf("\n got %+v\nwant %+v", got, w)
	}
	if m.HasID() != (w.id != "") || m.NullID() != (w.id == "null") {
		t.Errorf("HasID %v, NullID %v for id %q", m.HasID(), m.NullID(), w.id)
	}
}

// run checks each case alone, with blanks around it and as the middle item of a
// batch, where single messages follow the same rules (DESIGN section 4).
func run(t *testing.T, l codec.Limits, cases []sniffCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := codec.NewParser(l)
			same(t, p.Parse([]byte(c.line)), c.want)
			same(t, p.Parse([]byte(" \t"+c.line+"\r\n")), c.want)
			const neighbour = `{"jsonrpc":"2.0","id":"n","method":"neighbour"}`
			m := p.Parse([]byte("[" + neighbour + " , " + c.line + "," + neighbour + "]"))
			if m.Kind != codec.Batch || len(m.Items) != 3 {
				t.Fatalf("as an item: %v, %v, %d items", m.Kind, m.Fault, len(m.Items))
			}
			same(t, &m.Items[1], c.want)
			for _, i := range []int{0, 2} {
				same(t, &m.Items[i], want{kind: codec.Request, id: `"n"`, method: "neighbour"})
			}
		})
	}
}

func TestMessages(t *testing.T) {
	const v = `{"jsonrpc":"2.0",`
	run(t, codec.Limits{}, []sniffCase{
		{"request", v + `"id":1,"method":"m","params":[1]}`, want{kind: codec.Request, id: "1", method: "m", params: "[1]"}},
		{"request without params", v + `"id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"notification", v + `"method":"m","params":{"a":1}}`, want{kind: codec.Notification, method: "m", params: `{"a":1}`}},
		{"empty method", v + `"id":1,"method":""}`, want{kind: codec.Request, id: "1"}},
		{"result", v + `"id":1,"result":{"a":[]}}`, want{kind: codec.Response, id: "1", result: `{"a":[]}`}},
		{"error", v + `"id":1,"error":{"code":1}}`, want{kind: codec.Response, id: "1", err: `{"code":1}`}},

		// Members in any order; the id may come last.
		{"id last", `{"params":[1],"method":"m","jsonrpc":"2.0","id":7}`, want{kind: codec.Request, id: "7", method: "m", params: "[1]"}},
		{"id last behind much", `{"method":"m","params":["` + strings.Repeat("x", 1<<16) + `"],"jsonrpc":"2.0","id":7}`,
			want{kind: codec.Request, id: "7", method: "m", params: `["` + strings.Repeat("x", 1<<16) + `"]`}},
		{"result first", `{"result":"r","id":7,"jsonrpc":"2.0"}`, want{kind: codec.Response, id: "7", result: `"r"`}},
		{"jsonrpc last", `{"id":"a","method":"m","jsonrpc":"2.0"}`, want{kind: codec.Request, id: `"a"`, method: "m"}},
		{"blanks everywhere", "{ \"jsonrpc\" :\t\"2.0\" ,\r\"id\" : 1 , \"method\" : \"m\" , \"params\" : [ 1 ] }",
			want{kind: codec.Request, id: "1", method: "m", params: "[ 1 ]"}},
		{"spaced opening", `{"jsonrpc": "2.0", "id": 1, "method": "m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"two blanks", `{"jsonrpc": "2.0",  "id":  1,  "method":  "m"  }`, want{kind: codec.Request, id: "1", method: "m"}},

		// Unknown members are ignored, whatever they are.
		{"unknown members", v + `"x":1,"id":1,"y":{"id":2,"method":"no"},"method":"m","z":[{"id":3}],"":null}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"unknown twice", v + `"x":1,"x":2,"id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"nearly known", v + `"id":1,"method":"m","methods":1,"metho":2,"ids":3,"i":4,"params2":5,"param":6,"jsonrp":7,"jsonrpcs":8,"errors":9,"results":0}`,
			want{kind: codec.Request, id: "1", method: "m"}},
		{"exact case", v + `"ID":2,"Method":"x","PARAMS":1,"id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"members of params", v + `"id":1,"method":"m","params":{"id":2,"method":"n","jsonrpc":"1.0","id":3}}`,
			want{kind: codec.Request, id: "1", method: "m", params: `{"id":2,"method":"n","jsonrpc":"1.0","id":3}`}},

		// Escapes in names and methods are understood.
		{"escaped id", v + `"\u0069d":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"escaped names", `{"\u006asonrpc":"2.0","i\u0064":1,"\u006d\u0065\u0074\u0068\u006f\u0064":"m","para\u006Ds":[]}`,
			want{kind: codec.Request, id: "1", method: "m", params: "[]"}},
		{"wholly escaped jsonrpc", `{"\u006a\u0073\u006f\u006e\u0072\u0070\u0063":"\u0032\u002e\u0030","id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"escaped result", v + `"id":1,"r\u0065sult":2}`, want{kind: codec.Response, id: "1", result: "2"}},
		{"escaped error", v + `"id":1,"\u0065rror":{}}`, want{kind: codec.Response, id: "1", err: "{}"}},
		{"an escape that is another name", v + `"\u0049d":2,"i\\d":3,"id\u0000":4,"\u0069\u0064\u0064":5,"id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"escaped method", v + `"id":1,"method":"a\/b\n\u00e9\ud83d\ude00\"\\"}`, want{kind: codec.Request, id: "1", method: "a/b\né😀\"\\"}},
		{"method with a lone surrogate", v + `"id":1,"method":"\ud800x"}`, want{kind: codec.Request, id: "1", method: "\ufffdx"}},
		{"method in UTF-8", v + `"id":1,"method":"метод/漢字"}`, want{kind: codec.Request, id: "1", method: "метод/漢字"}},
		{"long method", v + `"id":1,"method":"` + strings.Repeat("m", 5000) + `"}`, want{kind: codec.Request, id: "1", method: strings.Repeat("m", 5000)}},
		{"method with a late escape", v + `"id":1,"method":"` + strings.Repeat("m", 300) + `\t"}`, want{kind: codec.Request, id: "1", method: strings.Repeat("m", 300) + "\t"}},
	})
}

func TestIDs(t *testing.T) {
	var cases []sniffCase
	// A string or any number is kept byte for byte; null is present.
	for _, id := range []string{
		`1`, `0`, `-1`, `-0`, `1.5`, `1e3`, `1E+3`, `-0.0e-1`, `9007199254740993`, `99999999999999999999`, `12345678`,
		`"a"`, `""`, `"1"`, `"null"`, `"\u0061"`, `"\"\\\/"`, `"日本"`, `" "`, `"a-long-identifier-0123456789-0123456789"`, `null`,
	} {
		cases = append(cases,
			sniffCase{"request " + id, `{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`, want{kind: codec.Request, id: id, method: "m"}},
			sniffCase{"at the end " + id, `{"jsonrpc":"2.0","method":"m","id":` + id + `}`, want{kind: codec.Request, id: id, method: "m"}},
			sniffCase{"blanks " + id, `{"jsonrpc":"2.0","id" : ` + id + ` ,"method":"m"}`, want{kind: codec.Request, id: id, method: "m"}},
			sniffCase{"response " + id, `{"jsonrpc":"2.0","id":` + id + `,"result":0}`, want{kind: codec.Response, id: id, result: "0"}},
			// A fault elsewhere leaves the id usable.
			sniffCase{"wrong version " + id, `{"jsonrpc":"1.0","id":` + id + `,"method":"m"}`, want{kind: codec.Invalid, fault: codec.FaultVersion, id: id}},
			sniffCase{"wrong method " + id, `{"jsonrpc":"2.0","method":1,"id":` + id + `}`, want{kind: codec.Invalid, fault: codec.FaultMethod, id: id}},
			sniffCase{"wrong params " + id, `{"jsonrpc":"2.0","method":"m","id":` + id + `,"params":1}`, want{kind: codec.Invalid, fault: codec.FaultParams, id: id, params: "1"}},
			sniffCase{"no method " + id, `{"jsonrpc":"2.0","id":` + id + `}`, want{kind: codec.Invalid, fault: codec.FaultEmpty, id: id}},
		)
	}
	for _, id := range []string{`true`, `false`, `{}`, `[]`, `{"a":1}`, `[1]`} {
		cases = append(cases,
			sniffCase{"request " + id, `{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`, want{kind: codec.Invalid, fault: codec.FaultID}},
			sniffCase{"before the version " + id, `{"jsonrpc":"1.0","id":` + id + `,"method":"m"}`, want{kind: codec.Invalid, fault: codec.FaultID}},
			sniffCase{"alone " + id, `{"id":` + id + `}`, want{kind: codec.Invalid, fault: codec.FaultID}},
			sniffCase{"response " + id, `{"jsonrpc":"2.0","id":` + id + `,"result":0}`, want{kind: codec.Response, fault: codec.FaultID, result: "0"}},
		)
	}
	run(t, codec.Limits{}, cases)
}

func TestIDBound(t *testing.T) {
	for _, c := range []struct{ max, bound int }{{0, codec.DefaultMaxID}, {1, 1}, {5, 5}, {100, 100}} {
		p := codec.NewParser(codec.Limits{MaxID: c.max})
		for n := c.bound - 1; n <= c.bound+1; n++ {
			for _, id := range []string{`"` + strings.Repeat("i", max(n-2, 0)) + `"`, strings.Repeat("7", n)} {
				if n == 0 || len(id) != n {
					continue
				}
				for _, line := range []string{`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`, `{"jsonrpc":"2.0","method":"m","id":` + id + `}`} {
					w := want{kind: codec.Request, id: id, method: "m"}
					if n > c.bound {
						w = want{kind: codec.Invalid, fault: codec.FaultIDLong}
					}
					same(t, p.Parse([]byte(line)), w)
				}
			}
		}
	}
	long := `"` + strings.Repeat("i", 1<<20) + `"`
	m := codec.NewParser(codec.Limits{MaxID: -1}).Parse([]byte(`{"jsonrpc":"2.0","id":` + long + `,"method":"m"}`))
	same(t, m, want{kind: codec.Request, id: long, method: "m"})
}

func TestInvalidRequests(t *testing.T) {
	const v = `{"jsonrpc":"2.0",`
	invalid := func(f codec.Fault, id string) want { return want{kind: codec.Invalid, fault: f, id: id} }
	run(t, codec.Limits{}, []sniffCase{
		{"empty", `{}`, invalid(codec.FaultVersion, "")},
		{"empty with a blank", `{ }`, invalid(codec.FaultVersion, "")},
		{"only the version", `{"jsonrpc":"2.0"}`, invalid(codec.FaultEmpty, "")},
		{"only an id", `{"id":1}`, invalid(codec.FaultVersion, "1")},
		{"only params", v + `"params":[1]}`, want{kind: codec.Invalid, fault: codec.FaultEmpty, params: "[1]"}},

		{"no version", `{"id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version 1.0", `{"jsonrpc":"1.0","id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version 2", `{"jsonrpc":"2","id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version a number", `{"jsonrpc":2.0,"id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version null", `{"jsonrpc":null,"id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version an object", `{"jsonrpc":{},"id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version with a blank", `{"jsonrpc":"2.0 ","id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version with other escapes", `{"jsonrpc":"\u0032.1","id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version with too many escapes", `{"jsonrpc":"\u0032\u002e\u0030\u0030","id":1,"method":"m"}`, invalid(codec.FaultVersion, "1")},
		{"version of a notification", `{"jsonrpc":"3.0","method":"m"}`, invalid(codec.FaultVersion, "")},

		{"method a number", v + `"id":1,"method":1}`, invalid(codec.FaultMethod, "1")},
		{"method null", v + `"id":1,"method":null}`, invalid(codec.FaultMethod, "1")},
		{"method an array", v + `"id":1,"method":["m"]}`, invalid(codec.FaultMethod, "1")},
		{"method an object without id", v + `"method":{}}`, invalid(codec.FaultMethod, "")},

		{"params a number", v + `"id":1,"method":"m","params":1}`, want{kind: codec.Invalid, fault: codec.FaultParams, id: "1", params: "1"}},
	})
	for _, params := range []string{`1`, `-1`, `"s"`, `true`, `false`, `""`} {
		m := codec.NewParser(codec.Limits{}).Parse([]byte(v + `"id":1,"method":"m","params":` + params + `}`))
		if m.Kind != codec.Invalid || m.Fault != codec.FaultParams || string(m.ID) != "1" {
			t.Errorf("params %s: %v %v %s", params, m.Kind, m.Fault, m.ID)
		}
	}
	// Params null is as absent.
	for _, line := range []string{v + `"id":1,"method":"m","params":null}`, v + `"params": null ,"id":1,"method":"m"}`} {
		same(t, codec.NewParser(codec.Limits{}).Parse([]byte(line)), want{kind: codec.Request, id: "1", method: "m"})
	}
	for _, line := range []string{`1`, `"s"`, `true`, `null`, `-1.5e3`, ` "" `, `"` + strings.Repeat("s", 300) + `"`} {
		same(t, codec.NewParser(codec.Limits{}).Parse([]byte(line)), want{kind: codec.Invalid, fault: codec.FaultNotObject})
	}
}

// An envelope member twice is refused, however its name is written and whether
// or not the values are the same; the id survives unless it is the duplicate.
func TestDuplicates(t *testing.T) {
	members := map[string]string{"jsonrpc": `"2.0"`, "id": `1`, "method": `"m"`, "params": `[]`, "result": `1`, "error": `{}`}
	escaped := map[string]string{"jsonrpc": `j\u0073onrpc`, "id": `\u0069d`, "method": `metho\u0064`, "params": `\u0070arams`, "result": `resul\u0074`, "error": `err\u006fr`}
	for name, value := range members {
		for _, second := range []string{name, escaped[name]} {
			for _, nullToo := range []string{value, "null"} {
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"m","%s":%s,"x":0,"%s":%s}`, name, value, second, nullToo)
				m := codec.NewParser(codec.Limits{}).Parse([]byte(line))
				if m.Kind != codec.Invalid || m.Fault != codec.FaultDuplicate {
					t.Errorf("%s: %v, %v", line, m.Kind, m.Fault)
				}
				if (m.ID == nil) != (name == "id") {
					t.Errorf("%s: id %q", line, m.ID)
				}
			}
		}
	}
	m := codec.NewParser(codec.Limits{}).Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":1,"result":2}`))
	if m.Kind != codec.Response || m.Fault != codec.FaultDuplicate || string(m.ID) != "1" {
		t.Errorf("a response with two results: %v, %v, id %s", m.Kind, m.Fault, m.ID)
	}
	m = codec.NewParser(codec.Limits{}).Parse([]byte(`{"jsonrpc":"2.0","id":1,"id":1,"result":1}`))
	if m.Kind != codec.Response || m.Fault != codec.FaultDuplicate || m.ID != nil {
		t.Errorf("a response with two ids: %v, %v, id %s", m.Kind, m.Fault, m.ID)
	}
}

// Whatever is wrong with a response, it stays one: responses are never answered.
func TestResponses(t *testing.T) {
	const v = `{"jsonrpc":"2.0",`
	ok := func(id, result, err string) want {
		return want{kind: codec.Response, id: id, result: result, err: err}
	}
	bad := func(f codec.Fault, id, result, err string) want {
		return want{kind: codec.Response, fault: f, id: id, result: result, err: err}
	}
	run(t, codec.Limits{}, []sniffCase{
		{"result", v + `"id":1,"result":2}`, ok("1", "2", "")},
		{"result null", v + `"id":1,"result":null}`, ok("1", "null", "")},
		{"result false", v + `"id":1,"result":false}`, ok("1", "false", "")},
		{"error", v + `"id":1,"error":{}}`, ok("1", "", "{}")},
		{"result beside error null", v + `"id":1,"result":2,"error":null}`, ok("1", "2", "")},
		{"error null before result", v + `"error":null,"result":2,"id":1}`, ok("1", "2", "")},
		{"error beside result null", v + `"id":1,"result":null,"error":{}}`, ok("1", "null", "{}")},
		{"both null", v + `"id":1,"result":null,"error":null}`, ok("1", "null", "")},
		{"error with id null", v + `"id":null,"error":{}}`, ok("null", "", "{}")},
		{"an error that is no object", v + `"id":1,"error":"x"}`, ok("1", "", `"x"`)},

		{"both", v + `"id":1,"result":2,"error":{}}`, bad(codec.FaultResponse, "1", "2", "{}")},
		{"both, falsy", v + `"id":1,"result":0,"error":false}`, bad(codec.FaultResponse, "1", "0", "false")},
		{"error null alone", v + `"id":1,"error":null}`, bad(codec.FaultResponse, "1", "", "")},
		{"result without id", v + `"result":2}`, bad(codec.FaultResponse, "", "2", "")},
		{"error without id", v + `"error":{}}`, bad(codec.FaultResponse, "", "", "{}")},
		{"no version", `{"id":1,"result":2}`, bad(codec.FaultVersion, "1", "2", "")},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"error":{}}`, bad(codec.FaultVersion, "1", "", "{}")},
	})
	// Method beside result is a request: what it is called is what counts.
	same(t, codec.NewParser(codec.Limits{}).Parse([]byte(v+`"id":1,"method":"m","result":2}`)),
		want{kind: codec.Request, id: "1", method: "m", result: "2"})
}

// With Bare the version is neither required nor looked at.
func TestBare(t *testing.T) {
	run(t, codec.Limits{Bare: true}, []sniffCase{
		{"request", `{"id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"notification", `{"method":"m","params":[]}`, want{kind: codec.Notification, method: "m", params: "[]"}},
		{"response", `{"id":1,"result":{}}`, want{kind: codec.Response, id: "1", result: "{}"}},
		{"with the version", `{"jsonrpc":"2.0","id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"with another version", `{"jsonrpc":1,"id":1,"method":"m"}`, want{kind: codec.Request, id: "1", method: "m"}},
		{"the version twice", `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}`, want{kind: codec.Invalid, fault: codec.FaultDuplicate, id: "1"}},
		{"empty", `{}`, want{kind: codec.Invalid, fault: codec.FaultEmpty}},
		{"method a number", `{"id":1,"method":1}`, want{kind: codec.Invalid, fault: codec.FaultMethod, id: "1"}},
	})
}

// Faults are decided for the whole line: a later syntax error wins over all.
func TestSyntaxFirst(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m"`,
		`{"jsonrpc":"2.0","id":1,"method":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m"} {}`,
		`{"jsonrpc":"2.0",`,
		`{"jsonrpc":"2.0", `,
		`{"jsonrpc":"2.0",}`,
		`{"jsonrpc":"2.0"`,
		`{"jsonrpc":"2.0","id":1,"id":1,"x":tru}`,
		`{"id":{},"x":01}`,
		`{"id":12`,
		`{"id":12,`,
		`{"id":01}`,
		`{"method":"m`,
		`[{"jsonrpc":"2.0","id":1,"method":"m"},]`,
		`[{"jsonrpc":"2.0","id":1,"method":"m"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"m"}}`,
		`[1,2`,
		`[1 2]`,
		`[`,
		`[]]`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\x00",
		"\ufeff{}",
	} {
		same(t, p.Parse([]byte(line)), want{kind: codec.Invalid, fault: codec.FaultSyntax})
	}
	same(t, p.Parse([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}")), want{kind: codec.Invalid, fault: codec.FaultUTF8})
	same(t, p.Parse([]byte("[{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\",\"method\":\"m\"}]")), want{kind: codec.Invalid, fault: codec.FaultUTF8})
}

func TestOffsets(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	for _, c := range []struct {
		line string
		at   int
	}{
		{``, 0}, {`  `, 2}, {`x`, 0}, {`{"a":x}`, 5}, {`[1,]`, 3}, {`{"a":1]`, 6}, {`{} x`, 3}, {`{"a" 1}`, 5},
		{"{\"a\":\"b\tc\"}", 7}, {`{"a":"b\xc"}`, 7}, {`["é", "\u00g0"]`, 8}, {"[\"é\xff\"]", 4}, {`{"a":"b`, 7}, {`[truf]`, 1},
		{`{"id":1,"x":-}`, 13}, {`[1.]`, 3},
	} {
		if m := p.Parse([]byte(c.line)); m.Offset != c.at || m.Fault.Code() != codec.CodeParseError {
			t.Errorf("%q: %v at %d, want %d", c.line, m.Fault, m.Offset, c.at)
		} else if e := m.FaultError(); !strings.HasSuffix(e.Message, fmt.Sprintf("at byte %d", c.at)) || e.Code != codec.CodeParseError {
			t.Errorf("%q: %v", c.line, e)
		}
	}
}

// A Parser works the same after any line, above all after one that stopped it
// and one whose memory it gives up.
func TestParserForgets(t *testing.T) {
	p := codec.NewParser(codec.Limits{MaxItems: -1})
	good := []byte(`{"jsonrpc":"2.0","id":1,"method":"a\u0062","params":{"a":[[[1]]]}}`)
	w := want{kind: codec.Request, id: "1", method: "ab", params: `{"a":[[[1]]]}`}
	for _, line := range []string{
		strings.Repeat("[", 500), strings.Repeat(`{"a":`, 20_000), "[\"\xff", "[\"\xff\"]", `["`, `{"method":"\u00`, "",
		`[` + strings.Repeat(`{"method":"\n"},`, 4000) + `1]`, `{"jsonrpc":"2.0","method":"` + strings.Repeat(`\n`, 1<<17) + `"}`,
	} {
		p.Parse([]byte(line))
		same(t, p.Parse(good), w)
	}
}

func TestNames(t *testing.T) {
	for k, name := range map[codec.Kind]string{
		codec.Invalid: "invalid", codec.Request: "request", codec.Notification: "notification",
		codec.Response: "response", codec.Batch: "batch", 99: "Kind(99)",
	} {
		if k.String() != name {
			t.Errorf("%d: %s", k, k)
		}
	}
	for f := codec.FaultNone; f <= codec.FaultResponse; f++ {
		text, code := f.String(), f.Code()
		switch {
		case strings.HasPrefix(text, "Parse error"):
			if code != codec.CodeParseError {
				t.Errorf("%s: %d", text, code)
			}
		case strings.HasPrefix(text, "Invalid Request"), f == codec.FaultResponse:
			if code != codec.CodeInvalidRequest {
				t.Errorf("%s: %d", text, code)
			}
		case f != codec.FaultNone || code != 0:
			t.Errorf("fault %d: %q, %d", f, text, code)
		}
	}
	if codec.Fault(99).String() != "Fault(99)" {
		t.Error(codec.Fault(99))
	}
	m := codec.NewParser(codec.Limits{}).Parse([]byte(`{}`))
	if e := m.FaultError(); e.Code != codec.CodeInvalidRequest || e.Message != codec.FaultVersion.String() {
		t.Error(e)
	}
}
