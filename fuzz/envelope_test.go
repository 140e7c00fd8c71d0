package fuzz

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/linerpc/linerpc/codec"
)

// repaired is a text with each byte that is not UTF-8 replaced.
func repaired(s string) string { return string([]rune(s)) }

// oneLine is valid JSON as AppendRaw leaves it.
func oneLine(raw []byte) string { return string(bytes.ReplaceAll(raw, []byte{'\n'}, []byte{' '})) }

// FuzzEnvelope writes messages with every method, id, params, error text and
// data, and reads them back with the Parser and with encoding/json.
func FuzzEnvelope(f *testing.F) {
	for i, text := range texts(f) {
		f.Add("m", []byte(`"id"`), []byte(text), -32603, "message", []byte(text), i%2 == 0)
		f.Add(text, []byte(text), []byte("["+text+"]"), i, text, []byte(nil), i%2 == 0)
	}
	f.Add("a\nb\x00\xff\"\\\u2028", []byte("\n 1 "), []byte("{\n\"a\":\n1}"), 1<<40, "\xed\xa0\x80", []byte("{\n}"), false)
	f.Add("", []byte(`null`), []byte(nil), 0, "", []byte("1 2"), true)
	parsers := map[bool]*codec.Parser{false: codec.NewParser(codec.Limits{}), true: codec.NewParser(codec.Limits{Bare: true})}
	f.Fuzz(func(t *testing.T, method string, id, value []byte, code int, message string, data []byte, bare bool) {
		id, value = bytes.Trim(id, " \t\r\n"), bytes.Trim(value, " \t\r\n")
		if !codec.Valid(id) || bytes.ContainsRune([]byte("{[tf"), rune(id[0])) || len(id) > codec.DefaultMaxID {
			id = []byte("1")
		}
		if !codec.Valid(value) || depth(value) > 9000 {
			value = []byte("[]")
		}
		if codec.Valid(data) && depth(data) > 9000 {
			data = nil
		}
		form, p := codec.V2, parsers[bare]
		if bare {
			form = codec.Bare
		}
		read := func(line []byte) *codec.Message {
			if bytes.IndexByte(line, '\n') >= 0 || !json.Valid(line) || !utf8.Valid(line) {
				t.Fatalf("wrote %q", line)
			}
			m := p.Parse(line)
			if m.Fault != codec.FaultNone {
				t.Fatalf("%q: %v", line, m.Fault)
			}
			return m
		}
		params := value
		if params[0] != '{' && params[0] != '[' {
			params = nil
		}

		line := form.AppendRequest(nil, id, method, params)
		m := read(line)
		if m.Kind != codec.Request || !bytes.Equal(m.ID, id) || string(m.Method) != repaired(method) || string(m.Params) != oneLine(params) {
			t.Fatalf("request %q read as %v %q %q %q", line, m.Kind, m.ID, m.Method, m.Params)
		}
		var std struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
		}
		if err := json.Unmarshal(line, &std); err != nil || std.Method != repaired(method) || !bytes.Equal(std.ID, id) || (std.Version == "2.0") == bare {
			t.Fatalf("encoding/json read %q as %+v, %v", line, std, err)
		}

		line = form.AppendNotification(nil, method, params)
		if m := read(line); m.Kind != codec.Notification || m.ID != nil || string(m.Method) != repaired(method) || string(m.Params) != oneLine(params) {
			t.Fatalf("notification %q read as %v %q %q", line, m.Kind, m.Method, m.Params)
		}

		line = form.AppendResult(nil, id, value)
		if m := read(line); m.Kind != codec.Response || !bytes.Equal(m.ID, id) || string(m.Result) != oneLine(value) || m.Error != nil {
			t.Fatalf("result %q read as %v %q %q", line, m.Kind, m.ID, m.Result)
		}

		line = form.AppendError(nil, id, &codec.Error{Code: code, Message: message, Data: data})
		m = read(line)
		if m.Kind != codec.Response || !bytes.Equal(m.ID, id) || m.Result != nil {
			t.Fatalf("error %q read as %v %q %q", line, m.Kind, m.ID, m.Result)
		}
		e, err := codec.DecodeError(m.Error)
		if err != nil || e.Code != code || e.Message != repaired(message) {
			t.Fatalf("error %q read as %v, %v", line, e, err)
		}
		want := oneLine(bytes.Trim(data, " \t\r\n"))
		if data != nil && !codec.Valid(data) {
			want = string(codec.AppendQuote(nil, string(data)))
			if back := codec.AppendUnquoted(nil, []byte(want)); string(back) != repaired(string(data)) {
				t.Fatalf("data %q came back as %q", data, back)
			}
		}
		if string(e.Data) != want {
			t.Fatalf("error %q: data %q, want %q", line, e.Data, want)
		}
	})
}
