package peer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"

	"go.uber.org/goleak"
)

// pair runs two joined connections until the test has ended. Call it in a
// bubble.
func pair(t *testing.T, a, b peer.Handler, o *peer.Options) (*peer.Conn, *peer.Conn) {
	ca, cb := peer.Pipe(a, b, o, o)
	served := make(chan error, 2)
	for _, c := range []*peer.Conn{ca, cb} {
		go func() { served <- c.Serve(context.Background()) }()
	}
	t.Cleanup(func() {
		ca.Close()
		for range 2 {
			if err := <-served; err != nil {
				t.Errorf("Serve: %v", err)
			}
		}
	})
	return ca, cb
}

func TestCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, nil, testHandler, nil)
		ctx := t.Context()
		var p struct{ A, B float64 }
		if err := c.Call(ctx, "echo", map[string]int{"a": 1, "b": 2}, &p); err != nil || p.A != 1 || p.B != 2 {
			t.Errorf("got %v, %v", p, err)
		}
		if err := c.Call(ctx, "echo", []int{1}, nil); err != nil {
			t.Errorf("without a place for the result: %v", err)
		}
		if err := c.Call(ctx, "nothing", nil, &p); err != nil {
			t.Errorf("null into a struct: %v", err)
		}
		q := &p
		if err := c.Call(ctx, "nothing", nil, &q); err != nil || q != nil {
			t.Errorf("null into a pointer: %v, %v", q, err)
		}
		var raw codec.RawMessage
		if err := c.Call(ctx, "echo", codec.RawMessage(`{"a" : 1.0}`), &raw); err != nil || string(raw) != `{"a" : 1.0}` {
			t.Errorf("raw: %s, %v", raw, err)
		}
		if err := c.Call(ctx, "echo", []string{"x"}, &p); err == nil {
			t.Error("an array went into a struct")
		}
		err := c.Call(ctx, "nosuch", nil, nil)
		if e, ok := errors.AsType[*codec.Error](err); !ok || e.Code != codec.CodeMethodNotFound || !errors.Is(err, codec.MethodNotFound("")) {
			t.Errorf("unknown method: %v", err)
		}
		out, err := c.CallRaw(ctx, []byte("kept"), "echo", []byte(`[1, 2]`))
		if string(out) != "kept[1, 2]" || err != nil {
			t.Errorf("CallRaw: %s, %v", out, err)
		}
		out, err = c.CallRaw(ctx, []byte("kept"), "boom", nil)
		if string(out) != "kept" || err == nil {
			t.Errorf("CallRaw of an error: %s, %v", out, err)
		}
	})
}

// TestBadParamsAreNotSent: nothing that would make a bad line leaves, and no
// call stays behind.
func TestBadParamsAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true})
		ctx := t.Context()
		for _, params := range []any{5, "text", true, math.NaN(), make(chan int), lying("1},{"), codec.RawMessage("5"), codec.RawMessage("[1"), codec.RawMessage("[1]\n{}")} {
			if err := p.conn.Call(ctx, "m", params, nil); err == nil {
				t.Errorf("Call with %v went out", params)
			}
			if err := p.conn.Notify(ctx, "m", params); err == nil {
				t.Errorf("Notify with %v went out", params)
			}
		}
		for raw, want := range map[string]error{
			"5": peer.ErrParams, ` "text"`: peer.ErrParams, "true": peer.ErrParams,
			"": peer.ErrNotJSON, "[1": peer.ErrNotJSON, "[1]}": peer.ErrNotJSON, "{} {}": peer.ErrNotJSON, "[\"\xff\"]": peer.ErrNotJSON,
		} {
			if _, err := p.conn.CallRaw(ctx, nil, "m", []byte(raw)); !errors.Is(err, want) {
				t.Errorf("CallRaw with %q: %v", raw, err)
			}
			if err := p.conn.NotifyRaw(ctx, "m", []byte(raw)); !errors.Is(err, want) {
				t.Errorf("NotifyRaw with %q: %v", raw, err)
			}
			if _, err := p.conn.Start(ctx, "m", []byte(raw)); !errors.Is(err, want) {
				t.Errorf("Start with %q: %v", raw, err)
			}
			if _, err := p.conn.StartBatch(ctx, []peer.BatchItem{{Method: "m", Params: []byte(raw)}}); !errors.Is(err, want) {
				t.Errorf("StartBatch with %q: %v", raw, err)
			}
		}
		p.end(t)
	})
}

func TestCallForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true})
		ctx, cancel := context.WithCancel(t.Context())
		for i, params := range []any{nil, (*struct{})(nil), struct{}{}, []int{}, codec.RawMessage("{\n}")} {
			go p.conn.Call(ctx, "m\"\n", params, nil)
			want := strings.TrimRight(fmt.Sprintf("%d call m\"\n %s", i+1, []string{"", "", "{}", "[]", "{ }"}[i]), " ")
			if got := p.hear(t); got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		}
		go func() {
			for range 5 { // what is cancelled is told so
				p.hear(t)
			}
		}()
		cancel()
		synctest.Wait()
		p.end(t)
	})
}

func TestCallWithContextThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true})
		mine := errors.New("mine")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(mine)
		if err := p.conn.Call(ctx, "m", nil, nil); !errors.Is(err, mine) {
			t.Errorf("got %v", err)
		}
		p.end(t) // nothing was sent, no cancellation either
	})
}

func TestCallCancelledReachesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		})
		c, other := pair(t, nil, h, nil)
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			begun := time.Now()
			if err := c.Call(ctx, "m", nil, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute {
				t.Errorf("got %v after %v", err, time.Since(begun))
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the handler's context gave %v", err)
			}
			cancel()
		}
		synctest.Wait()
		if s := other.Stats(); s.Cancelled != 3 {
			t.Errorf("%+v", s)
		}
		if s := c.Stats(); s.Stray != 3 { // the answers to what nobody waits for any more
			t.Errorf("%+v", s)
		}
	})
}

func TestCallsFailWhenTheConnectionEnds(t *testing.T) {
	end := map[string]func(p *other, cancel func()){
		"end of input": func(p *other, _ func()) { p.say.Close() },
		"read error":   func(p *other, _ func()) { p.say.CloseWithError(io.ErrNoProgress) },
		"Close":        func(p *other, _ func()) { p.conn.Close() },
	}
	for name, how := range end {
		inBubble(t, name, func(t *testing.T) {
			p := meet(t, nil, peer.Options{Client: true})
			got := []<-chan outcome{p.ask(t), p.ask(t), p.ask(t)}
			how(p, nil)
			for _, g := range got {
				if o := <-g; !errors.Is(o.err, peer.ErrClosed) || name == "read error" && !errors.Is(o.err, io.ErrNoProgress) {
					t.Errorf("got %v", o.err)
				}
			}
			<-p.conn.Done()
			if err := p.conn.Call(t.Context(), "m", nil, nil); !errors.Is(err, peer.ErrClosed) {
				t.Errorf("a call behind the end: %v", err)
			}
			err := <-p.served
			if want := name == "read error"; (err != nil) != want {
				t.Errorf("Serve gave %v", err)
			}
			p.say.Close()
		})
	}
}

func TestCallsAtOnceGetTheirOwnAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, d := pair(t, testHandler, testHandler, nil)
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				conn := c
				if i%2 == 1 {
					conn = d
				}
				params := []byte(fmt.Sprintf(`["%s"]`, strings.Repeat(fmt.Sprint(i), 10*i)))
				var dst []byte
				for j := range 100 {
					var err error
					if dst, err = conn.CallRaw(t.Context(), dst[:0], "echo", params); err != nil || string(dst) != string(params) {
						t.Errorf("got %.100q, %v", dst, err)
						return
					}
					if j%10 == 0 {
						conn.Notify(t.Context(), "echo", []int{j})
					}
				}
			})
		}
		all.Wait()
	})
}

// TestAnswersOutOfOrder: ids decide, not the order.
func TestAnswersOutOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true})
		got := []<-chan outcome{p.ask(t), p.ask(t), p.ask(t)}
		for _, id := range []int{3, 1, 2} {
			p.tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`+"\n", id, id*11))
		}
		for i, g := range got {
			if o := <-g; o.err != nil || o.result != fmt.Sprint((i+1)*11) {
				t.Errorf("call %d got %q, %v", i+1, o.result, o.err)
			}
		}
		p.end(t)
	})
}

// TestServeTwice and before Serve: a Conn runs once.
func TestServeTwice(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	c := peer.New(strings.NewReader(""), io.Discard, nil, nil)
	if err := c.Serve(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Serve(t.Context()); err == nil {
		t.Error("Serve ran twice")
	}
	select {
	case <-c.Done():
	default:
		t.Error("Done is open though Serve has returned")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Call(t.Context(), "m", nil, nil); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestNotifyBehindTheEnd: nobody is told that what went nowhere was sent.
func TestNotifyBehindTheEnd(t *testing.T) {
	for _, how := range []string{"Close", "a broken writer"} {
		inBubble(t, how, func(t *testing.T) {
			in, say := io.Pipe()
			hear, out := io.Pipe()
			c := peer.New(in, out, nil, &peer.Options{Client: true})
			go c.Serve(context.Background())
			if how == "Close" {
				c.Close()
			} else {
				hear.CloseWithError(io.ErrNoProgress)
				c.Notify(t.Context(), "m", nil)
			}
			<-c.Done()
			can, cancel := context.WithCancel(t.Context())
			defer cancel()
			for _, ctx := range []context.Context{context.Background(), can} {
				if err := c.Notify(ctx, "m", nil); !errors.Is(err, peer.ErrClosed) {
					t.Errorf("Notify gave %v", err)
				}
				if _, err := c.StartBatch(ctx, []peer.BatchItem{{Method: "m", Notification: true}}); !errors.Is(err, peer.ErrClosed) {
					t.Errorf("StartBatch gave %v", err)
				}
			}
			say.Close()
		})
	}
}
