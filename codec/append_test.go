package codec_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/linerpc/linerpc/codec"
)

func TestForms(t *testing.T) {
	id, e := []byte("7"), &codec.Error{Code: -1, Message: "no"}
	for _, c := range []struct {
		name string
		line func(f codec.Form, dst []byte) []byte
		want string // behind the member jsonrpc
	}{
		{"request", func(f codec.Form, d []byte) []byte { return f.AppendRequest(d, id, "m", []byte(`[1]`)) }, `"id":7,"method":"m","params":[1]}`},
		{"request without params", func(f codec.Form, d []byte) []byte { return f.AppendRequest(d, id, "m", nil) }, `"id":7,"method":"m"}`},
		{"notification", func(f codec.Form, d []byte) []byte { return f.AppendNotification(d, "m", []byte(`{}`)) }, `"method":"m","params":{}}`},
		{"notification without params", func(f codec.Form, d []byte) []byte { return f.AppendNotification(d, "m", nil) }, `"method":"m"}`},
		{"result", func(f codec.Form, d []byte) []byte { return f.AppendResult(d, id, []byte(`"r"`)) }, `"id":7,"result":"r"}`},
		{"no result", func(f codec.Form, d []byte) []byte { return f.AppendResult(d, id, nil) }, `"id":7,"result":null}`},
		{"error", func(f codec.Form, d []byte) []byte { return f.AppendError(d, id, e) }, `"id":7,"error":{"code":-1,"message":"no"}}`},
		{"error without id", func(f codec.Form, d []byte) []byte { return f.AppendError(d, nil, e) }, `"id":null,"error":{"code":-1,"message":"no"}}`},
		{"open request", func(f codec.Form, d []byte) []byte { return append(f.OpenRequest(d, id, "m"), '}') }, `"id":7,"method":"m"}`},
		{"open notification", func(f codec.Form, d []byte) []byte { return append(f.OpenNotification(d, "m"), '}') }, `"method":"m"}`},
		{"open result", func(f codec.Form, d []byte) []byte { return append(f.OpenResult(d, id), "1}"...) }, `"id":7,"result":1}`},
	} {
		for f, open := range map[codec.Form]string{codec.V2: `{"jsonrpc":"2.0",`, codec.Bare: `{`} {
			const before = "what was there"
			if got := string(c.line(f, []byte(before))); got != before+open+c.want {
				t.Errorf("%s: %s, want %s", c.name, got, open+c.want)
			}
			m := codec.NewParser(codec.Limits{Bare: f == codec.Bare}).Parse(c.line(f, nil))
			if m.Fault != codec.FaultNone {
				t.Errorf("%s: %v", c.name, m.Fault)
			}
		}
	}
}

// No writer puts a raw newline into a line, whatever it is given.
func TestNoRawNewline(t *testing.T) {
	raw := []byte("{\n\"a\"\r\n:\n[1,\n2]\n}\n")
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		t.Fatal(err)
	}
	text := "a\nb\r\nc\u2028d"
	for _, line := range [][]byte{
		codec.V2.AppendRequest(nil, []byte(`"i"`), text, raw),
		codec.V2.AppendNotification(nil, text, raw),
		codec.V2.AppendResult(nil, []byte("1"), raw),
		codec.V2.AppendError(nil, []byte("1"), &codec.Error{Message: text, Data: raw}),
		codec.V2.AppendError(nil, []byte("1"), &codec.Error{Message: text, Data: codec.RawMessage("not\njson")}),
		codec.AppendRaw(nil, raw),
		codec.AppendQuote(nil, text),
	} {
		if bytes.ContainsAny(line, "\n") {
			t.Errorf("%q", line)
		}
		if !json.Valid(line) {
			t.Errorf("%q is not JSON", line)
		}
	}
	got := codec.AppendRaw([]byte("\n"), raw)
	var again bytes.Buffer
	if err := json.Compact(&again, got[1:]); err != nil || again.String() != compact.String() || got[0] != '\n' {
		t.Errorf("AppendRaw: %q, %v", got, err)
	}
}

// Data that is no JSON is not lost: it goes out as a string.
func TestErrorData(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"a":1}`, `{"a":1}`}, {`null`, `null`}, {``, `""`}, {`{`, `"{"`}, {`1 2`, `"1 2"`}, {`}}`, `"}}"`},
		{`1},"id":2,{`, `"1},\"id\":2,{"`}, {"\"\xff\"", `"\"` + "\ufffd" + `\""`},
	} {
		line := codec.V2.AppendError(nil, []byte("1"), &codec.Error{Data: codec.RawMessage(c.data)})
		if want := `"data":` + c.want + "}}"; !strings.HasSuffix(string(line), want) {
			t.Errorf("data %q: %s", c.data, line)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`}, {"abc", `"abc"`}, {`"`, `"\""`}, {`\`, `"\\"`}, {"/", `"/"`}, {"<&>", `"<&>"`},
		{"\n\r\t", `"\n\r\t"`}, {"\b\f", `"\u0008\u000c"`}, {"\x00\x1f", `"\u0000\u001f"`}, {"\x7f", "\"\x7f\""},
		{"é漢😀", `"é漢😀"`}, {"\u2028\u2029", "\"\u2028\u2029\""}, {"\ufffd", "\"\ufffd\""},
		{"\xff", "\"\ufffd\""}, {"a\xc3", "\"a\ufffd\""}, {"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""}, {"\xe6\xbcx", "\"\ufffd\ufffdx\""},
	} {
		got := codec.AppendQuote(nil, c.in)
		if string(got) != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != string([]rune(c.in)) {
			t.Errorf("%q came back as %q, %v", c.in, back, err)
		}
		if back := codec.AppendUnquoted([]byte("x"), got); string(back) != "x"+string([]rune(c.in)) {
			t.Errorf("%q: AppendUnquoted %q", c.in, back)
		}
	}
	for c := range utf8.RuneSelf {
		for _, pad := range []int{0, 7, 8, 63} {
			in := strings.Repeat("p", pad) + string(rune(c)) + "tail"
			if back := codec.AppendUnquoted(nil, codec.AppendQuote(nil, in)); string(back) != in {
				t.Errorf("%q came back as %q", in, back)
			}
		}
	}
}

// The value of a string is what encoding/json makes of it.
func TestUnquoted(t *testing.T) {
	for _, v := range vectors(t) {
		if !v.valid || !strings.HasPrefix(v.text, `"`) {
			continue
		}
		var want string
		if err := json.Unmarshal([]byte(v.text), &want); err != nil {
			t.Fatal(err)
		}
		if got := codec.AppendUnquoted(nil, []byte(v.text)); string(got) != want {
			t.Errorf("%s: %q, want %q", v.text, got, want)
		}
	}
	for r := range rune(0x1_0000) {
		raw := `"\u` + strings.Repeat("0", 4-len(strconv.FormatInt(int64(r), 16))) + strconv.FormatInt(int64(r), 16) + `\udc00"`
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		if got := codec.AppendUnquoted(nil, []byte(raw)); string(got) != want {
			t.Fatalf("%s: %q, want %q", raw, got, want)
		}
	}
}
