package fuzz

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/linerpc/linerpc/codec"
)

// texts reads the vectors of the codec's own tests.
func texts(tb testing.TB) []string {
	tb.Helper()
	data, err := os.ReadFile("../codec/testdata/rfc8259.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for l := range strings.SplitSeq(string(data), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		text, err := strconv.Unquote(l[2:])
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

// envelopes are lines with something for each rule about members.
var envelopes = []string{
	`{"jsonrpc":"2.0","id":1,"method":"m","params":[1,"a",{"b":null}]}`,
	`{"jsonrpc": "2.0", "id": "x", "method": "m", "params": {"id": 2}}`,
	`{"params":[1],"method":"m","jsonrpc":"2.0","id":9007199254740993}`,
	`{"jsonrpc":"2.0","method":"a\/b\u00e9","params":null}`,
	`{"\u006asonrpc":"\u0032.0","\u0069d":null,"m\u0065thod":"m"}`,
	`{"jsonrpc":"2.0","id":1,"result":null,"error":null}`,
	`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[]}}`,
	`{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"m"}`,
	`{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}`,
	`{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}`,
	`{"jsonrpc":"2.0","id":{},"method":"m"}`,
	`{"jsonrpc":"2.0","id":true,"result":1}`,
	`{"jsonrpc":"2.0","id":-1.5e-3,"method":1,"params":"s"}`,
	`{"jsonrpc":"1.0","id":"an id that is rather long","method":"m"}`,
	`{"jsonrpc":"2.0","id":1}`,
	`{"id":1,"method":"m","x":"unknown"}`,
	"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"m\",\n  \"params\": {\n    \"a\": [\n      1\n    ]\n  }\n}",
	`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"result":{}},1,[],{}]`,
	`[]`, ` [ ] `, `[1,2,3,4,5]`, `{}`, `[{"id":1},{"id":1}]`,
	"{\"jsonrpc\":\"2.0\",\"id\":\"漢字\",\"method\":\"ключ\",\"params\":[\"😀 naïve\"]}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"m\"}",
	`{"jsonrpc":"2.0","id":1,"method":"` + "\\ud800" + `","params":["` + strings.Repeat("x", 140) + `\n"]}`,
	`{"params":` + strings.Repeat(`[{"a":`, 40) + `1` + strings.Repeat(`}]`, 40) + `}`,
}

// limits turns a byte into bounds, so that small ones are met.
func limits(options byte) codec.Limits {
	l := codec.Limits{Bare: options&1 != 0, NoBatch: options&2 != 0}
	if options&4 != 0 {
		l.MaxItems = 3
	}
	if options&8 != 0 {
		l.MaxID = 6
	}
	if options&16 != 0 {
		l.MaxDepth = 1 + int(options>>5)*10
	}
	return l
}

// FuzzSniff holds every line against encoding/json: the same lines are JSON,
// and the members found are those that a token walk finds.
func FuzzSniff(f *testing.F) {
	for _, text := range texts(f) {
		f.Add([]byte(text), byte(0))
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":`+text+`}`), byte(0))
		f.Add([]byte(`[`+text+`]`), byte(4))
	}
	for _, l := range envelopes {
		for _, options := range []byte{0, 1, 2, 4 | 8, 16, 16 | 32} {
			f.Add([]byte(l), options)
		}
	}
	p := map[byte]*codec.Parser{}
	f.Fuzz(func(t *testing.T, line []byte, options byte) {
		l := limits(options)
		if p[options] == nil {
			p[options] = codec.NewParser(l)
		}
		m := p[options].Parse(line)
		if m.Offset < 0 || m.Offset > len(line) {
			t.Fatalf("offset %d of %d", m.Offset, len(line))
		}
		valid := json.Valid(line) && utf8.Valid(line)
		if got := codec.Valid(line); got != valid {
			t.Fatalf("Valid = %v, encoding/json and unicode/utf8 say %v", got, valid)
		}
		if valid && l.MaxDepth != 0 && depth(line) > l.MaxDepth {
			if m.Fault != codec.FaultDepth {
				t.Fatalf("%v at a depth of %d", m.Fault, depth(line))
			}
			return
		}
		if got := m.Fault.Code() != codec.CodeParseError; got != valid {
			t.Fatalf("%v at %d, encoding/json and unicode/utf8 say %v", m.Fault, m.Offset, valid)
		}
		if !valid {
			if m.Kind != codec.Invalid || m.ID != nil {
				t.Fatalf("a line that is not JSON left %v with id %q", m.Kind, m.ID)
			}
			return
		}
		switch text := bytes.TrimLeft(line, " \t\r\n"); text[0] {
		case '{':
			compare(t, m, text, l)
		case '[':
			compareBatch(t, m, text, l)
		default:
			if m.Kind != codec.Invalid || m.Fault != codec.FaultNotObject {
				t.Fatalf("%v, %v", m.Kind, m.Fault)
			}
		}
	})
}

// depth counts the levels of valid JSON.
func depth(line []byte) (deepest int) {
	level := 0
	dec := json.NewDecoder(bytes.NewReader(line))
	for {
		tok, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch tok {
		case json.Delim('['), json.Delim('{'):
			level++
			deepest = max(deepest, level)
		case json.Delim(']'), json.Delim('}'):
			level--
		}
	}
}

func compareBatch(t *testing.T, m *codec.Message, text []byte, l codec.Limits) {
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		t.Fatal(err)
	}
	bound := l.MaxItems
	if bound == 0 {
		bound = codec.DefaultMaxItems
	}
	want := codec.FaultNone
	switch {
	case l.NoBatch:
		want = codec.FaultNoBatch
	case len(items) == 0:
		want = codec.FaultEmptyBatch
	case len(items) > bound:
		want = codec.FaultItems
	}
	if m.Fault != want {
		t.Fatalf("%d items: %v, want %v", len(items), m.Fault, want)
	}
	if want != codec.FaultNone {
		if m.Kind != codec.Invalid || m.Items != nil {
			t.Fatalf("refused, and yet %v with %d items", m.Kind, len(m.Items))
		}
		return
	}
	if m.Kind != codec.Batch || len(m.Items) != len(items) {
		t.Fatalf("%v with %d items, want %d", m.Kind, len(m.Items), len(items))
	}
	for i, item := range items {
		if item[0] == '{' {
			compare(t, &m.Items[i], item, l)
		} else if m.Items[i].Kind != codec.Invalid || m.Items[i].Fault != codec.FaultNotObject {
			t.Fatalf("item %d: %v, %v", i, m.Items[i].Kind, m.Items[i].Fault)
		}
	}
}

// members walks the tokens of an object and gives the raw values of each name.
func members(t *testing.T, object []byte) map[string][]json.RawMessage {
	found := map[string][]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		found[name.(string)] = append(found[name.(string)], raw)
	}
	return found
}

// compare decides by DESIGN section 4 what an object is, the slow way.
func compare(t *testing.T, m *codec.Message, object []byte, l codec.Limits) {
	found := members(t, object)
	last := func(name string) json.RawMessage {
		if v := found[name]; len(v) > 0 {
			return v[len(v)-1]
		}
		return nil
	}
	notNull := func(raw json.RawMessage) json.RawMessage {
		if string(raw) == "null" {
			return nil
		}
		return raw
	}
	text := func(raw json.RawMessage) (string, bool) {
		var s *string
		if json.Unmarshal(raw, &s) != nil || s == nil {
			return "", false
		}
		return *s, true
	}
	id, params, result, failure := last("id"), notNull(last("params")), last("result"), notNull(last("error"))
	method, methodOK := text(last("method"))
	version, _ := text(last("jsonrpc"))
	maxID := l.MaxID
	if maxID == 0 {
		maxID = codec.DefaultMaxID
	}

	kind := codec.Invalid
	switch {
	case found["method"] != nil && id != nil:
		kind = codec.Request
	case found["method"] != nil:
		kind = codec.Notification
	case found["result"] != nil || found["error"] != nil:
		kind = codec.Response
	}
	twice := false
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		twice = twice || len(found[name]) > 1
	}
	fault := codec.FaultNone
	switch {
	case len(found["id"]) > 1:
		fault, id = codec.FaultDuplicate, nil
	case id != nil && strings.ContainsRune("{[tf", rune(id[0])):
		fault, id = codec.FaultID, nil
	case len(id) > maxID:
		fault, id = codec.FaultIDLong, nil
	case twice:
		fault = codec.FaultDuplicate
	case !l.Bare && version != "2.0":
		fault = codec.FaultVersion
	case kind == codec.Response:
		both := result != nil && string(result) != "null" && failure != nil
		if id == nil || both || result == nil && failure == nil {
			fault = codec.FaultResponse
		}
	case kind == codec.Invalid:
		fault = codec.FaultEmpty
	case !methodOK:
		fault = codec.FaultMethod
	case params != nil && params[0] != '{' && params[0] != '[':
		fault = codec.FaultParams
	}
	if fault != codec.FaultNone && kind != codec.Response {
		kind = codec.Invalid
	}
	if m.Kind != kind || m.Fault != fault || !bytes.Equal(m.ID, id) || (m.ID == nil) != (id == nil) {
		t.Fatalf("%s:\n got %v, %v, id %q\nwant %v, %v, id %q", object, m.Kind, m.Fault, m.ID, kind, fault, id)
	}
	if fault != codec.FaultNone {
		return
	}
	if kind != codec.Response && string(m.Method) != method {
		t.Fatalf("%s: method %q, want %q", object, m.Method, method)
	}
	if !bytes.Equal(m.Params, params) || !bytes.Equal(m.Result, result) || !bytes.Equal(m.Error, failure) ||
		(m.Params == nil) != (params == nil) || (m.Result == nil) != (result == nil) || (m.Error == nil) != (failure == nil) {
		t.Fatalf("%s: params %q, result %q, error %q", object, m.Params, m.Result, m.Error)
	}
}
