package client_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
	"github.com/linerpc/linerpc/peer"
)

// TestResponses: what the other side may answer a call with, and what it makes
// of the call.
func TestResponses(t *testing.T) {
	malformed := func(o outcome) bool { return errors.Is(o.err, peer.ErrMalformed) }
	result := func(want string) func(outcome) bool {
		return func(o outcome) bool { return o.result == want && o.err == nil }
	}
	failed := func(code int, message, data string) func(outcome) bool {
		return func(o outcome) bool {
			e, ok := errors.AsType[*codec.Error](o.err)
			return ok && e.Code == code && e.Message == message && string(e.Data) == data
		}
	}
	long := func(o outcome) bool {
		e, ok := errors.AsType[*frame.LongLineError](o.err)
		return ok && strings.Contains(e.Error(), "1000")
	}
	body := `"` + strings.Repeat("x", 5000) + `"`
	for _, c := range []struct {
		name, line string // of which ID stands for the id
		ok         func(outcome) bool
	}{
		{"a result", `{"jsonrpc":"2.0","id":ID,"result":{"a" : 1.50}}`, result(`{"a" : 1.50}`)},
		{"null", `{"jsonrpc":"2.0","id":ID,"result":null}`, result(`null`)},
		{"error null beside a result", `{"jsonrpc":"2.0","id":ID,"error":null,"result":[1]}`, result(`[1]`)},
		{"result null beside an error", `{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":5,"message":"m"}}`, failed(5, "m", "")},
		{"an error with data", `{"error":{"code":-1,"message":"m","data":[ 1 ]},"id":ID,"jsonrpc":"2.0"}`, failed(-1, "m", "[ 1 ]")},
		{"neither", `{"jsonrpc":"2.0","id":ID}`, malformed},
		{"neither but error null", `{"jsonrpc":"2.0","id":ID,"error":null}`, malformed},
		{"both", `{"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":1,"message":"m"}}`, malformed},
		{"an error that is a string", `{"jsonrpc":"2.0","id":ID,"error":"no"}`, malformed},
		{"an error without a code", `{"jsonrpc":"2.0","id":ID,"error":{"message":"m"}}`, malformed},
		{"an error whose code is a string", `{"jsonrpc":"2.0","id":ID,"error":{"code":"5","message":"m"}}`, malformed},
		{"no version", `{"id":ID,"result":1}`, malformed},
		{"too long, id in front", `{"jsonrpc":"2.0","id":ID,"result":` + body + `}`, long},
		{"too long, id behind", `{"jsonrpc":"2.0","result":` + body + `,"id":ID}`, long},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, client.Options{MaxLine: 1000})
			for range 2 {
				got := p.ask()
				p.tell(strings.ReplaceAll(c.line, "ID", fmt.Sprint(p.lastID)))
				synctest.Wait()
				select {
				case o := <-got:
					if !c.ok(o) {
						t.Errorf("got %.100q, %v", o.result, o.err)
					}
				default:
					t.Fatal("the call still waits")
				}
			}
			p.end()
		})
	}
}

// TestNoise on the other side's output is passed over: told, counted, and
// never answered.
func TestNoise(t *testing.T) {
	lines := []string{
		"Listening on stdio …", "\x1b[32mready\x1b[0m", "{", "half a li", "[]", "5", "null", "{}", "\x00", "\xff\xfe",
		`{"level":"info","msg":"ready"}`, `{"jsonrpc":"2.0","id":true,"method":"ask"}`, `{"id":3,"method":"ask"}`,
		`{"jsonrpc":"2.0","id":5}`, `{"jsonrpc":"2.0","method":7}`, strings.Repeat("log ", 1000),
	}
	for _, profile := range []*client.Profile{client.JSONRPC, client.MCP} {
		inBubble(t, profile.Name, func(t *testing.T) {
			p := meet(t, client.Options{Profile: profile, MaxLine: 1000})
			p.tell("\ufeff")
			got := p.ask()
			for _, line := range lines {
				p.tell(line)
				p.tell(strings.Repeat(" ", len(line)%3) + "\r")
			}
			p.tell(answer(1, "5"))
			if o := <-got; o.result != "5" || o.err != nil {
				t.Errorf("got %q, %v", o.result, o.err)
			}
			p.end()
			if len(p.noise) != len(lines) {
				t.Errorf("the hook was told %d lines of %d: %q", len(p.noise), len(lines), p.noise)
			}
			if s := p.Stats(); s.Noise != uint64(len(lines)) || s.Refused != 0 || s.LongLines != 1 || s.BytesOut == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestStrays: responses that nobody waits for are told and counted.
func TestStrays(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		strays := []string{
			answer(7, "1"), `{"jsonrpc":"2.0","id":"1","result":1}`, `{"jsonrpc":"2.0","id":1.0,"result":1}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		}
		got := p.ask()
		for _, line := range strays {
			p.tell(line)
		}
		p.tell(answer(1, "5"))
		p.tell(answer(1, "6"))
		if o := <-got; o.result != "5" || o.err != nil {
			t.Errorf("got %q, %v", o.result, o.err)
		}
		p.end()
		if s := p.Stats(); s.Stray != uint64(len(strays)+1) || len(p.noise) != len(strays)+1 {
			t.Errorf("%+v, %q", s, p.noise)
		}
	})
}

func TestClosedErrorTellsAllInOneLine(t *testing.T) {
	for _, c := range []struct {
		e    client.ClosedError
		want string
	}{
		{client.ClosedError{}, "client: the connection is closed"},
		{client.ClosedError{Cause: io.ErrUnexpectedEOF}, "client: the connection is closed: unexpected EOF"},
		{client.ClosedError{Stderr: []byte("one\ntwo\n\n")}, `client: the connection is closed; it said "two"`},
		{client.ClosedError{Cause: io.ErrNoProgress, Stderr: []byte("one")}, `client: the connection is closed: multiple Read calls return no data or error; it said "one"`},
	} {
		err := fmt.Errorf("call: %w", &c.e)
		if c.e.Error() != c.want {
			t.Errorf("got %s, want %s", &c.e, c.want)
		}
		if !errors.Is(err, client.ErrClosed) || c.e.Cause != nil && !errors.Is(err, c.e.Cause) || errors.Is(err, io.EOF) {
			t.Errorf("%v is something else", err)
		}
	}
}
