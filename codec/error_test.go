package codec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/codec"
)

func TestErrorIsByCode(t *testing.T) {
	err := fmt.Errorf("while calling: %w", fmt.Errorf("again: %w", codec.MethodNotFound("x")))
	if !errors.Is(err, &codec.Error{Code: codec.CodeMethodNotFound}) {
		t.Error("the code is the same, the message is not looked at")
	}
	for _, other := range []error{&codec.Error{Code: codec.CodeInternalError}, &codec.Error{}, context.Canceled, nil} {
		if errors.Is(err, other) {
			t.Errorf("errors.Is(err, %v)", other)
		}
	}
}

func TestErrorAs(t *testing.T) {
	inner := codec.InvalidParams("because").WithData(7)
	err := errors.Join(context.Canceled, fmt.Errorf("outer: %w", inner))
	e, ok := errors.AsType[*codec.Error](err)
	if !ok || e != inner || e.Code != codec.CodeInvalidParams || string(e.Data) != "7" {
		t.Errorf("AsType gave %+v, %v", e, ok)
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err     *codec.Error
		code    int
		message string
	}{
		{codec.ParseError(""), -32700, "Parse error"},
		{codec.InvalidRequest("no"), -32600, "Invalid Request: no"},
		{codec.MethodNotFound("m"), -32601, "Method not found: m"},
		{codec.InvalidParams("at a"), -32602, "Invalid params: at a"},
		{codec.InternalError("boom"), -32603, "Internal error: boom"},
	} {
		if c.err.Code != c.code || c.err.Message != c.message || c.err.Data != nil {
			t.Errorf("%+v, want %d %q", c.err, c.code, c.message)
		}
		if want := fmt.Sprintf("%s (%d)", c.message, c.code); c.err.Error() != want {
			t.Errorf("Error() = %q, want %q", c.err.Error(), want)
		}
	}
}

// An unknown name is echoed, but a long one is cut at 256 bytes.
func TestMethodNotFoundCutsTheName(t *testing.T) {
	for _, n := range []int{255, 256} {
		name := strings.Repeat("m", n)
		if e := codec.MethodNotFound(name); !strings.HasSuffix(e.Message, ": "+name) {
			t.Errorf("%d bytes: %q", n, e.Message)
		}
	}
	e := codec.MethodNotFound(strings.Repeat("m", 257))
	if strings.Count(e.Message, "m") != 256 || len(e.Message) > 300 {
		t.Errorf("257 bytes: %q", e.Message)
	}
	// A cut in the middle of a character leaves valid JSON all the same.
	line := codec.V2.AppendError(nil, nil, codec.MethodNotFound(strings.Repeat("漢", 100)))
	if m := codec.NewParser(codec.Limits{}).Parse(line); m.Kind != codec.Response || m.Fault != codec.FaultNone {
		t.Errorf("%s: %v", line, m.Fault)
	}
}

type failing struct{}

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("cannot") }

func TestWithData(t *testing.T) {
	plain := codec.InternalError("")
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"}, {"s", `"s"`}, {"<&>", `"<&>"`}, {map[string]int{"a": 1}, `{"a":1}`}, {json.RawMessage(`[1, 2]`), `[1,2]`},
	} {
		if e := plain.WithData(c.v); string(e.Data) != c.want || e.Code != plain.Code || e.Message != plain.Message {
			t.Errorf("WithData(%v) = %+v", c.v, e)
		}
	}
	for _, v := range []any{math.NaN(), make(chan int), failing{}, json.RawMessage(`{`)} {
		var text string
		if e := plain.WithData(v); json.Unmarshal(e.Data, &text) != nil || !strings.HasPrefix(text, "data could not be encoded: ") {
			t.Errorf("WithData(%v) = %s", v, e.Data)
		}
	}
	if plain.Data != nil {
		t.Error("WithData changed its receiver")
	}
}

func TestDecodeError(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want codec.Error
	}{
		{`{"code":-32601,"message":"no"}`, codec.Error{Code: -32601, Message: "no"}},
		{`{"message":"","code":0}`, codec.Error{}},
		{`{"code":1,"message":"m","data":{"a": [1]}}`, codec.Error{Code: 1, Message: "m", Data: codec.RawMessage(`{"a": [1]}`)}},
		{`{"code":1,"message":"m","data":null}`, codec.Error{Code: 1, Message: "m", Data: codec.RawMessage(`null`)}},
		{`{"code":1,"message":"m","other":true}`, codec.Error{Code: 1, Message: "m"}},
	} {
		raw := []byte(c.raw)
		e, err := codec.DecodeError(raw)
		clear(raw) // what was decoded must not alias the line
		if err != nil || e.Code != c.want.Code || e.Message != c.want.Message || string(e.Data) != string(c.want.Data) {
			t.Errorf("%s: %+v, %v", c.raw, e, err)
		}
	}
	for _, raw := range []string{
		`{}`, `{"code":1}`, `{"message":"m"}`, `{"code":"1","message":"m"}`, `{"code":1.5,"message":"m"}`,
		`{"code":1,"message":2}`, `{"code":null,"message":"m"}`, `{"code":1,"message":null}`,
		`{"code":1e99,"message":"m"}`, `"text"`, `[]`, `1`, `true`, `null`, ``, `{`,
	} {
		if e, err := codec.DecodeError([]byte(raw)); err == nil || e != nil {
			t.Errorf("%s: %+v, %v", raw, e, err)
		}
	}
}

// Whatever AppendError writes, DecodeError reads back.
func TestErrorRoundTrip(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	for _, e := range []*codec.Error{
		{}, {Code: math.MinInt, Message: "\x00\n\"\\é😀"}, codec.InvalidParams("p").WithData([]string{"a\nb", "<&>"}),
		{Code: 1, Data: codec.RawMessage("{\n\"a\":\t1\r\n}")},
	} {
		m := p.Parse(codec.V2.AppendError(nil, []byte("1"), e))
		got, err := codec.DecodeError(m.Error)
		if err != nil || got.Code != e.Code || got.Message != e.Message || (got.Data == nil) != (e.Data == nil) {
			t.Errorf("%+v came back as %+v, %v", e, got, err)
		}
	}
}
