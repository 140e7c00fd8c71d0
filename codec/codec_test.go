package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/linerpc/linerpc/codec"
)

var codecs = map[string]codec.Codec{"Goccy": codec.Goccy, "Std": codec.Std}

// each runs a test with both libraries: they keep the same promises.
func each(t *testing.T, f func(t *testing.T, c codec.Codec)) {
	for name, c := range codecs {
		t.Run(name, func(t *testing.T) { f(t, c) })
	}
}

type marshaler struct {
	out []byte
	err error
}

func (m marshaler) MarshalJSON() ([]byte, error) { return m.out, m.err }

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }

type point struct {
	X    int    `json:"x"`
	Y    *int   `json:"y,omitempty"`
	Name string `json:"name"`
}

func TestCodecAppend(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		for _, v := range []struct {
			v    any
			want string
		}{
			{nil, `null`}, {1, `1`}, {"a", `"a"`}, {true, `true`}, {[]int{1, 2}, `[1,2]`},
			{point{X: 1, Name: "p"}, `{"x":1,"name":"p"}`}, {&point{}, `{"x":0,"name":""}`},
			{map[string]any{"a": []any{nil, 1.5}}, `{"a":[null,1.5]}`},
			{"<script>&'", `"<script>&'"`},                   // no HTML escaping
			{map[string]string{"<": ">"}, `{"<":">"}`},       // in names neither
			{"a\nb", `"a\nb"`},                               // no raw newline
			{json.RawMessage("{\n \"a\" : 1\n}"), `{"a":1}`}, // nor from raw text
			{marshaler{out: []byte("[1,\n2]")}, `[1,2]`},     // nor from a method
			{[]any{marshaler{out: []byte(`"<"`)}}, `["<"]`},  // nor escaping there
			{"bad \xff utf-8", "\"bad \ufffd utf-8\""},       // strings are repaired
			{[]byte("hi"), `"aGk="`},
		} {
			dst := []byte("before ")
			out, err := c.Append(dst, v.v)
			got := strings.ReplaceAll(strings.TrimPrefix(string(out), "before "), `\ufffd`, "\ufffd")
			if err != nil || got != v.want || !bytes.HasPrefix(out, dst) {
				t.Errorf("%#v: %q, %v, want %q", v.v, out, err, v.want)
			}
			if bytes.ContainsRune(out, '\n') {
				t.Errorf("%#v: a raw newline in %q", v.v, out)
			}
		}
	})
}

// On an error the bytes that were there are as they were, and the next call
// works as if nothing had happened.
func TestCodecAppendFails(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		for _, v := range []any{
			math.NaN(), math.Inf(1), []any{1, "two", math.NaN()}, make(chan int), func() {},
			map[string]any{"a": strings.Repeat("x", 5000), "b": math.NaN()},
			marshaler{err: errors.New("no")}, marshaler{out: []byte(`{"a":`)}, marshaler{out: []byte(`1 2`)}, marshaler{},
			json.RawMessage(`{`), json.RawMessage("\"\x01\""),
			// Both libraries let these bytes through; a line has to be UTF-8.
			marshaler{out: []byte("\"\xff\"")}, json.RawMessage("\"caf\xe9\""), []any{json.RawMessage("{\"\xc3\":1}")},
		} {
			const before = "what was there"
			buf := append(make([]byte, 0, 256), before...)
			out, err := c.Append(buf, v)
			if err == nil {
				t.Errorf("%#v: no error, %q", v, out)
			}
			if string(out) != before || string(buf) != before {
				t.Errorf("%#v: left %q, buffer %q", v, out, buf)
			}
			if out, err := c.Append(nil, 1); err != nil || string(out) != "1" {
				t.Errorf("behind %#v: %q, %v", v, out, err)
			}
		}
	})
}

func TestCodecPanicPasses(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		buf := append(make([]byte, 0, 256), "before"...)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = c.Append(buf, []any{1, panicking{}})
		}()
		if string(buf) != "before" {
			t.Errorf("left %q", buf)
		}
		if out, err := c.Append(buf, "x"); err != nil || string(out) != `before"x"` {
			t.Errorf("afterwards: %q, %v", out, err)
		}
	})
}

// Append writes into spare capacity and keeps nothing of it for later calls.
func TestCodecAppendOwnsNothing(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		first, err := c.Append(make([]byte, 0, 64), "first")
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := c.Append(nil, "other"); err != nil {
				t.Fatal(err)
			}
		}
		if string(first) != `"first"` {
			t.Errorf("overwritten: %q", first)
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				text := strings.Repeat(string(rune('a'+g)), 100)
				for range 200 {
					if out, err := c.Append(nil, text); err != nil || string(out) != `"`+text+`"` {
						t.Errorf("%q, %v", out, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// What Decode stores are copies: the line is used again.
func TestCodecDecodeDoesNotAlias(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		type all struct {
			S   string
			M   map[string]string
			A   any
			R   json.RawMessage
			L   []string
			B   []byte
			N   json.Number
			Ptr *string
		}
		line := []byte(`{"S":"string","M":{"key":"value"},"A":{"a":["x"]},"R":{"raw":1},"L":["l"],"B":"aGk=","N":12.5,"Ptr":"p"}`)
		var v all
		if err := c.Decode(line, &v); err != nil {
			t.Fatal(err)
		}
		for i := range line {
			line[i] = 'X'
		}
		if v.S != "string" || v.M["key"] != "value" || v.L[0] != "l" || string(v.B) != "hi" || v.N != "12.5" || *v.Ptr != "p" ||
			string(v.R) != `{"raw":1}` || v.A.(map[string]any)["a"].([]any)[0] != "x" {
			t.Errorf("overwritten: %+v", v)
		}
	})
}

// Names match without regard to case and the last of two wins.
func TestCodecDecodeNames(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		var p point
		if err := c.Decode([]byte(`{"NAME":"a","x":1,"X":2,"other":{"name":"b"}}`), &p); err != nil || p.Name != "a" || p.X != 2 {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

func TestCodecDecodeFails(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		for _, text := range []string{``, `{`, `{"x":"text"}`, `[]`, `{"x":1}x`, `{"x":1.5}`, `"s"`} {
			if err := c.Decode([]byte(text), new(point)); err == nil {
				t.Errorf("%s decoded", text)
			}
		}
		if err := c.Decode([]byte(`1`), nil); err == nil {
			t.Error("decoded into nil")
		}
	})
}

// Text that the Parser accepts is never malformed for the libraries, so that
// what is relayed decodes at its end.
func TestCodecsAcceptWhatParses(t *testing.T) {
	each(t, func(t *testing.T, c codec.Codec) {
		for _, v := range vectors(t) {
			var out any
			err := c.Decode([]byte(v.text), &out)
			if _, tooBig := errors.AsType[*json.UnmarshalTypeError](err); v.valid && err != nil && !tooBig && !strings.Contains(err.Error(), "999999") {
				t.Errorf("%s: %v", v.text, err)
			}
		}
	})
}
