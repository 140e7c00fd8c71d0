package peer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/peer"
)

// diary is what hooks were told, in order.
type diary struct {
	mu   sync.Mutex
	seen []string
}

func (d *diary) write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(d.seen, fmt.Sprintf(format, args...))
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.seen)
}

func TestBeginHook(t *testing.T) {
	type key struct{}
	for _, c := range []struct{ in, want string }{
		{call("1", "echo", `[1]`), "begin in echo 1 [1] false|handler|end <nil>"},
		{call(`"a"`, "boom", ``), `begin in boom "a"  false|handler|end boom`},
		{note("echo", `{}`), "begin in echo  {} true|handler|end <nil>"},
		{call("1", "panic", ``), "begin in panic 1  false|handler|end *panicked*"},
		{call("1", "goexit", ``), "begin in goexit 1  false|handler|end *goroutine*"},
		{call("1", "nosuch", ``), "begin in nosuch 1  false|handler|end *nosuch*"},
		{array(call("7", "echo", `[1]`)), "begin in echo 7 [1] false|handler|end <nil>"},
		{"oops\n", ""},
	} {
		inBubble(t, c.in, func(t *testing.T) {
			var d diary
			o := &peer.Options{Hooks: peer.Hooks{Begin: func(ctx context.Context, i *peer.Info) (context.Context, func(peer.Result)) {
				d.write("begin %v %s %s %s %v", i.Direction, i.Method, i.ID, i.Params, i.Notification)
				return context.WithValue(ctx, key{}, "mine"), func(r peer.Result) { d.write("end %v", r.Err) }
			}}}
			h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
				if ctx.Value(key{}) != "mine" {
					t.Error("the handler did not get the hook's context")
				}
				if peer.FromContext(ctx).Conn() == nil {
					t.Error("the hook's context lost the connection")
				}
				d.write("handler")
				return testHandler(ctx, w, r)
			})
			talk(t, h, o, c.in, whole)
			if got := strings.Join(d.read(), "|"); !matches(c.want, got) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	inBubble(t, "no end function", func(t *testing.T) {
		o := &peer.Options{Hooks: peer.Hooks{Begin: func(ctx context.Context, _ *peer.Info) (context.Context, func(peer.Result)) { return ctx, nil }}}
		compare(t, talk(t, testHandler, o, call("1", "echo", "[1]")+call("2", "panic", "")+note("boom", ""), whole),
			[]string{"1 result [1]", "2 error -32603 *"}, false)
	})
}

func TestBeginHookOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		p := meet(t, nil, peer.Options{Hooks: peer.Hooks{Begin: func(ctx context.Context, i *peer.Info) (context.Context, func(peer.Result)) {
			d.write("begin %v %s %s %v", i.Direction, i.Method, i.Params, i.Notification)
			return ctx, func(r peer.Result) { d.write("end %v", r.Err) }
		}}})
		got := p.ask(t)
		p.tell(`{"jsonrpc":"2.0","id":1,"result":1}` + "\n")
		<-got
		got = p.ask(t)
		p.tell(`{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"five"}}` + "\n")
		<-got
		got = p.ask(t)
		p.end(t)
		if o := <-got; !errors.Is(o.err, peer.ErrClosed) {
			t.Errorf("got %v", o.err)
		}
		want := "begin out ask [1] false|end <nil>|begin out ask [1] false|end five (5)|begin out ask [1] false|end *closed*"
		if got := strings.Join(d.read(), "|"); !matches(want, got) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestLineHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in, out []string
		var mu sync.Mutex
		o := &peer.Options{Hooks: peer.Hooks{Line: func(dir peer.Direction, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			if dir == peer.In {
				in = append(in, string(line))
			} else {
				out = append(out, string(line))
			}
		}}}
		sent := []string{
			strings.TrimSpace(call("1", "echo", "[1]")), "oops", strings.TrimSpace(note("progress", "")), strings.TrimSpace(array(call("2", "progress", ""), "5")),
			strings.TrimSpace(call("3", "boom", "")), `{"jsonrpc":"2.0","id":9,"result":1}`,
		}
		lines := talk(t, testHandler, o, "\ufeff"+strings.Join(sent, "\r\n\n")+"\n", whole)
		if !slices.Equal(in, sent) {
			t.Errorf("in: %q", in)
		}
		slices.Sort(lines)
		slices.Sort(out)
		if !slices.Equal(out, lines) {
			t.Errorf("told   %q\nwritten %q", out, lines)
		}
	})
}

func TestNoiseHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		o := &peer.Options{MaxLine: 2000, Hooks: peer.Hooks{Noise: func(line []byte, err error) { d.write("%.20s %d", line, errorCode(err)) }}}
		talk(t, testHandler, o, "oops\n{}\n[]\n[5,6]\n"+strings.Repeat("z", 3000)+"\n"+`{"id":1,"result":2}`+"\n"+call("1", "echo", ""), whole)
		want := "oops -32700|{} -32600|[] -32600|[5,6] -32600|[5,6] -32600|zzzzzzzzzzzzzzzzzzzz -32600|" + `{"id":1,"result":2} 0`
		if got := strings.Join(d.read(), "|"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestPanicAndLostHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		o := &peer.Options{Hooks: peer.Hooks{
			Panic: func(method string, v any, stack []byte) {
				d.write("%s: %v %v", method, v, bytes.Contains(stack, []byte("peer_test")))
			},
			Lost: func(method string, err error) { d.write("lost %s: %v", method, err) },
		}}
		h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
			if r.Method() == "late" {
				w.Raw(nil)
				return errors.New("late")
			}
			return testHandler(ctx, w, r)
		})
		p := meet(t, h, *o)
		for _, c := range []struct{ in, want string }{
			{call("1", "panic", ""), "panic: dropped a plate true"},
			{call("1", "goexit", ""), "goexit: <nil> true"},
			{note("panic", ""), "panic: dropped a plate true|lost panic: *"},
			{note("boom", ""), "lost boom: boom"},
			{call("1", "late", ""), "lost late: late"},
			{call("1", "boom", ""), ""},   // it was answered
			{note("nosuch", ""), ""},      // nobody is to blame
			{note("echo", `{"a":1}`), ""}, // nothing is lost but a result
			{call("1", "nosuch", "[1]"), ""},
		} {
			d.mu.Lock()
			d.seen = nil
			d.mu.Unlock()
			p.tell(c.in)
			if strings.Contains(c.in, `"id"`) {
				p.hear(t)
			}
			time.Sleep(time.Second)
			if got := strings.Join(d.read(), "|"); !matches(c.want, got) {
				t.Errorf("%s got  %q\nwant %q", c.in, got, c.want)
			}
		}
		p.end(t)
		if n := p.conn.Stats().Panics; n != 3 {
			t.Errorf("Panics = %d", n)
		}
	})
}

func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var d diary
		o := &peer.Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Hooks:  peer.Hooks{Noise: func([]byte, error) { d.write("noise") }, Lost: func(string, error) { d.write("lost") }},
		}
		talk(t, testHandler, o, "oops\n"+note("boom", "")+call("1", "panic", ""), whole)
		for _, want := range []string{"oops", "method=boom", "method=panic", "dropped a plate"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log has no %q:\n%s", want, &log)
			}
		}
		if got := d.read(); len(got) != 2 {
			t.Errorf("hooks beside a logger were told %q", got)
		}
	})
}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, testHandler, peer.Options{MaxLine: 1000})
		in := call("1", "echo", "[1]") + note("echo", "") + note("nosuch", "") + "oops\n" + `{"jsonrpc":"2.0","id":5,"result":1}` + "\n" +
			strings.Repeat("z", 2000) + "\n" + array(call("2", "echo", ""), note("echo", ""), "5", call("3", "panic", ""))
		go p.tell(in)
		for range 4 {
			p.hear(t)
		}
		p.end(t)
		s := p.conn.Stats()
		if s.Requests != 3 || s.Notifications != 3 || s.Refused != 3 || s.LongLines != 1 || s.Stray != 1 || s.Panics != 1 || s.Running != 0 || s.Waiting != 0 ||
			s.Noise != 0 || s.Overloaded != 0 || s.Cancelled != 0 || s.Unsent != 0 || s.Writes == 0 || s.BytesOut == 0 {
			t.Errorf("%+v", s)
		}
	})
}
