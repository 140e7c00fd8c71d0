package peer_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
	"github.com/linerpc/linerpc/peer"
)

// other is the other side of a connection, played by a test.
type other struct {
	conn   *peer.Conn
	say    *io.PipeWriter
	lines  *bufio.Scanner
	noise  []string // what the noise hook was told: one entry "line: error" each
	served chan error
}

// meet starts a connection whose other side is the test. Call it in a bubble.
func meet(t *testing.T, h peer.Handler, o peer.Options) *other {
	in, say := io.Pipe()
	hear, out := io.Pipe()
	p := &other{say: say, lines: bufio.NewScanner(hear), served: make(chan error, 1)}
	p.lines.Buffer(nil, 8<<20)
	o.Hooks.Noise = func(line []byte, err error) { p.noise = append(p.noise, string(line)+": "+err.Error()) }
	p.conn = peer.New(in, out, h, &o)
	go func() {
		p.served <- p.conn.Serve(context.Background())
		out.Close()
	}()
	t.Cleanup(func() { say.Close() })
	return p
}

func (p *other) tell(s string) { io.WriteString(p.say, s) }

// hear gives the next line of the connection, rendered.
func (p *other) hear(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("the connection said nothing more: %v", p.lines.Err())
	}
	return render(p.lines.Text())
}

// end ends the input and makes sure that the connection has nothing to say.
func (p *other) end(t *testing.T) {
	t.Helper()
	p.say.Close()
	for p.lines.Scan() {
		t.Errorf("unexpected: %s", render(p.lines.Text()))
	}
	if err := <-p.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// outcome of a call.
type outcome struct {
	result string
	err    error
}

// ask makes a call and hears it; the answer is to be told.
func (p *other) ask(t *testing.T) <-chan outcome {
	t.Helper()
	got := make(chan outcome, 1)
	go func() {
		raw, err := p.conn.CallRaw(context.Background(), nil, "ask", []byte(`[1]`))
		got <- outcome{string(raw), err}
	}()
	if line := p.hear(t); !matches("* call ask [1]", line) {
		t.Fatalf("heard %q", line)
	}
	return got
}

func TestResponses(t *testing.T) {
	malformed := func(t *testing.T, o outcome) {
		if !errors.Is(o.err, peer.ErrMalformed) {
			t.Errorf("got %q, %v; want ErrMalformed", o.result, o.err)
		}
	}
	result := func(want string) func(*testing.T, outcome) {
		return func(t *testing.T, o outcome) {
			if o.result != want || o.err != nil {
				t.Errorf("got %q, %v; want %q", o.result, o.err, want)
			}
		}
	}
	answered := func(code int, message, data string) func(*testing.T, outcome) {
		return func(t *testing.T, o outcome) {
			e, ok := errors.AsType[*codec.Error](o.err)
			if !ok || e.Code != code || e.Message != message || string(e.Data) != data {
				t.Errorf("got %q, %v; want %d %q %s", o.result, o.err, code, message, data)
			}
		}
	}
	for _, c := range []struct {
		name, line string // of which ID stands for the id
		check      func(*testing.T, outcome)
	}{
		{"a result, byte for byte", `{"jsonrpc":"2.0","id":ID,"result":{"a" : 1.50,"b":"\u0041"}}`, result(`{"a" : 1.50,"b":"\u0041"}`)},
		{"id last", `{"result":[1],"jsonrpc":"2.0","id":ID}`, result(`[1]`)},
		{"null", `{"jsonrpc":"2.0","id":ID,"result":null}`, result(`null`)},
		{"error null beside a result", `{"jsonrpc":"2.0","id":ID,"result":1,"error":null}`, result(`1`)},
		{"error null beside a null", `{"jsonrpc":"2.0","id":ID,"result":null,"error":null}`, result(`null`)},
		{"result null beside an error", `{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":5,"message":"m"}}`, answered(5, "m", "")},
		{"an error with data", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no","data":{"a":[1]}}}`, answered(-32000, "no", `{"a":[1]}`)},
		{"neither", `{"jsonrpc":"2.0","id":ID}`, malformed},
		{"neither but an unknown member", `{"jsonrpc":"2.0","id":ID,"reslut":1}`, malformed},
		{"only error null", `{"jsonrpc":"2.0","id":ID,"error":null}`, malformed},
		{"both", `{"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":1,"message":"m"}}`, malformed},
		{"result twice", `{"jsonrpc":"2.0","id":ID,"result":1,"result":2}`, malformed},
		{"no jsonrpc", `{"id":ID,"result":1}`, malformed},
		{"wrong jsonrpc", `{"jsonrpc":"1.0","id":ID,"result":1}`, malformed},
		{"error a string", `{"jsonrpc":"2.0","id":ID,"error":"plain text"}`, malformed},
		{"error false", `{"jsonrpc":"2.0","id":ID,"error":false}`, malformed},
		{"error empty", `{"jsonrpc":"2.0","id":ID,"error":{}}`, malformed},
		{"error without code", `{"jsonrpc":"2.0","id":ID,"error":{"message":"m"}}`, malformed},
		{"error without message", `{"jsonrpc":"2.0","id":ID,"error":{"code":1}}`, malformed},
		{"code a string", `{"jsonrpc":"2.0","id":ID,"error":{"code":"1","message":"m"}}`, malformed},
		{"code a fraction", `{"jsonrpc":"2.0","id":ID,"error":{"code":1.5,"message":"m"}}`, malformed},
		{"message a number", `{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":2}}`, malformed},
		{"in a batch", `[{"jsonrpc":"2.0","id":77,"result":0},{"jsonrpc":"2.0","id":ID,"result":[2]}]`, result(`[2]`)},
		{"neither, in a batch", `[{"jsonrpc":"2.0","id":ID}]`, malformed},
		{"both, in a batch", `[{"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":1,"message":"m"}}]`, malformed},
	} {
		for _, client := range []bool{true, false} {
			name := c.name + "/client"
			if !client {
				name = c.name + "/server"
			}
			inBubble(t, name, func(t *testing.T) {
				p := meet(t, testHandler, peer.Options{Client: client})
				got := p.ask(t)
				p.tell(strings.ReplaceAll(c.line, "ID", "1") + "\n")
				select {
				case o := <-got:
					c.check(t, o)
				case <-time.After(time.Second):
					t.Error("the call still waits")
				}
				p.tell(call(`"after"`, "echo", `["alive"]`))
				if line := p.hear(t); line != `"after" result ["alive"]` {
					t.Errorf("heard %q", line)
				}
				p.end(t)
			})
		}
	}
}

func TestLongResponses(t *testing.T) {
	body := `["` + strings.Repeat("x", 1<<20) + `"]`
	for name, line := range map[string]string{
		"id in the head":                    `{"jsonrpc":"2.0","id":1,"result":` + body + `}`,
		"id in the tail":                    `{"jsonrpc":"2.0","result":` + body + `,"id":1}`,
		"id before the version in the tail": `{"result":` + body + `,"id":1,"jsonrpc":"2.0"}`,
		"spaced":                            `{ "id": 1, "jsonrpc": "2.0", "result": ` + body + ` }`,
		"a long error":                      `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":` + body + `}}`,
	} {
		inBubble(t, name, func(t *testing.T) {
			p := meet(t, nil, peer.Options{Client: true, MaxLine: 1000})
			got := p.ask(t)
			p.tell(line + "\n")
			o := <-got
			long, ok := errors.AsType[*frame.LongLineError](o.err)
			if !ok {
				t.Fatalf("got %.100q, %v; want a LongLineError", o.result, o.err)
			}
			before := long.Error()
			if !strings.Contains(before, "1000") {
				t.Errorf("%q does not name the bound", before)
			}
			// The error belongs to the caller: later lines must not change it.
			got = p.ask(t)
			p.tell(`{"jsonrpc":"2.0","id":2,"result":"` + strings.Repeat("y", 5000) + `"}` + "\n")
			if o := <-got; o.err == nil {
				t.Error("the second long response was taken")
			}
			if long.Error() != before {
				t.Errorf("the error changed from %q to %q", before, long.Error())
			}
			p.end(t)
			if n := p.conn.Stats().LongLines; n != 2 {
				t.Errorf("LongLines = %d", n)
			}
		})
	}
	inBubble(t, "a long line that is no response", func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true, MaxLine: 1000})
		got := p.ask(t)
		p.tell(call("1", "ask", body))
		p.tell(`{"jsonrpc":"2.0","id":1,"result":5}` + "\n")
		if o := <-got; o.result != "5" || o.err != nil {
			t.Errorf("got %q, %v", o.result, o.err)
		}
		p.end(t)
		if len(p.noise) != 1 {
			t.Errorf("noise: %.200q", p.noise)
		}
	})
}

func TestClientIgnoresNoise(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, testHandler, peer.Options{Client: true, MaxLine: 1000})
		got := p.ask(t)
		lines := []string{
			"Listening on stdio…", "{", "[", "[]", "5", "{}", "\x00", "[1,2]",
			`{"level":"info","msg":"ready"}`, `{"jsonrpc":"2.0","id":true,"method":"echo"}`, `{"id":3,"method":"echo"}`,
			`{"jsonrpc":"2.0","id":5}`, strings.Repeat("log ", 1000),
		}
		for _, line := range lines {
			p.tell(line + "\n")
		}
		p.tell(`{"jsonrpc":"2.0","id":1,"result":5}` + "\n")
		if o := <-got; o.result != "5" || o.err != nil {
			t.Errorf("got %q, %v", o.result, o.err)
		}
		p.end(t)
		// An array has one entry for each bad item.
		if want := len(lines) + 1; len(p.noise) != want {
			t.Errorf("%d lines of noise were told, want %d: %q", len(p.noise), want, p.noise)
		}
		if s := p.conn.Stats(); s.Noise != uint64(len(lines)+1) || s.Refused != 0 || s.LongLines != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestStraysAreCountedAndTold(t *testing.T) {
	for _, client := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := meet(t, testHandler, peer.Options{Client: client})
			strays := []string{
				`{"jsonrpc":"2.0","id":1,"result":1}`, // nothing was asked yet
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
				`{"jsonrpc":"2.0","id":"1","result":1}`,
				`{"jsonrpc":"2.0","id":1.0,"result":1}`,
				`{"jsonrpc":"2.0","id":99999999999999999999,"result":1}`,
				`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`,
			}
			for _, line := range strays {
				p.tell(line + "\n")
			}
			p.tell("[" + strays[0] + "]\n")
			synctest.Wait()
			got := p.ask(t)
			p.tell(`{"jsonrpc":"2.0","id":1,"result":2}` + "\n")
			if o := <-got; o.result != "2" || o.err != nil {
				t.Errorf("a stray was taken for the answer: %q, %v", o.result, o.err)
			}
			p.tell(`{"jsonrpc":"2.0","id":1,"result":3}` + "\n") // once more
			p.end(t)
			want := uint64(len(strays) + 2)
			if s := p.conn.Stats(); s.Stray != want || s.Noise != 0 || s.Refused != 0 {
				t.Errorf("%+v, want %d strays", s, want)
			}
			if len(p.noise) != int(want) {
				t.Fatalf("the hook was told %q", p.noise)
			}
			for i, line := range append(strays, "["+strays[0]+"]") {
				if !strings.HasPrefix(p.noise[i], line) {
					t.Errorf("the hook was told %q of %q", p.noise[i], line)
				}
			}
		})
	}
}

func TestClientServesCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, testHandler, peer.Options{Client: true})
		for _, c := range []struct{ in, want string }{
			{call("1", "echo", `{"a" : 1}`), `1 result {"a" : 1}`},
			{call(`"s"`, "nosuch", ""), `"s" error -32601 *nosuch`},
			{call("2.50", "boom", ""), `2.50 error -32603 *`},
			{array(call("1", "echo", "[1]"), call("2", "echo", "[2]")), `[1 result [1]; 2 result [2]]`},
		} {
			p.tell(c.in)
			if line := p.hear(t); !matches(c.want, line) {
				t.Errorf("heard %q, want %q", line, c.want)
			}
		}
		p.tell(note("boom", ""))
		p.end(t)
	})
}

func TestLateResponseIsAStray(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := make(chan error, 1)
		go func() { got <- p.conn.Call(ctx, "ask", nil, nil) }()
		if line := p.hear(t); line != "1 call ask" {
			t.Errorf("heard %q", line)
		}
		if line := p.hear(t); line != `note $/cancelRequest {"id":1}` {
			t.Errorf("heard %q", line)
		}
		if err := <-got; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		p.tell(`{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}` + "\n")
		p.end(t)
		if s := p.conn.Stats(); s.Stray != 1 {
			t.Errorf("%+v", s)
		}
	})
}
