package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/server"
)

// heard is a list of what came, in the order it came.
type heard struct {
	mu   sync.Mutex
	list []string
}

func (h *heard) add(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, fmt.Sprintf(format, args...))
}

// take gives the list and starts a new one.
func (h *heard) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}

func (h *heard) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := h.take(); !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// subscriber leaves what it is given in the list.
func (h *heard) subscriber(name string) client.Subscriber {
	return func(_ context.Context, r client.Request) { h.add("%s: %s%s", name, r.Method(), r.Params()) }
}

func TestSubscribe(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		var h heard
		p := meet(t, client.Options{Handler: client.HandlerFunc(func(_ context.Context, w client.Reply, r client.Request) error {
			h.add("handler: %s%s", r.Method(), r.Params())
			return w.Raw([]byte("1"))
		})})
		tell := func(methods ...string) {
			for i, m := range methods {
				p.tell(note(m, fmt.Sprintf("[%d]", i)))
			}
		}
		tell("log", "list")
		h.want(t, "handler: log[0]", "handler: list[1]")

		first := p.Subscribe("log", h.subscriber("first"))
		second := p.Subscribe("log", h.subscriber("second"))
		other := p.Subscribe("list", h.subscriber("other"))
		tell("log", "list", "log", "else")
		h.want(t, "first: log[0]", "second: log[0]", "other: list[1]", "first: log[2]", "second: log[2]", "handler: else[3]")

		// A request is the handler's, whoever subscribes to its name.
		p.tell(`{"jsonrpc":"2.0","id":"a","method":"log"}`)
		p.want(`{"id":"a","result":1}`)
		h.want(t, "handler: log")

		first()
		first()
		tell("log")
		h.want(t, "second: log[0]")
		second()
		tell("log", "list")
		h.want(t, "handler: log[0]", "other: list[1]")
		other()
		p.end()
	})
}

// TestSubscribersFollowTheWire: a slow one holds up what stands behind, and no
// answer.
func TestSubscribersFollowTheWire(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		var h heard
		p := meet(t, client.Options{})
		goOn := make(chan struct{})
		defer p.Subscribe("slow", func(context.Context, client.Request) {
			h.add("begun")
			<-goOn
			h.add("ended")
		})()
		defer p.Subscribe("fast", h.subscriber("s"))()
		got := p.ask()
		p.tell(note("slow", "[]"))
		p.tell(note("fast", "[1]"))
		p.tell(answer(1, "5"))
		if o := <-got; o.result != "5" || o.err != nil {
			t.Errorf("got %q, %v", o.result, o.err)
		}
		h.want(t, "begun")
		close(goOn)
		h.want(t, "ended", "s: fast[1]")
		p.end()
	})
}

// TestSubscribersComeAndGo: also while they are called, and from within.
func TestSubscribersComeAndGo(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					var stop func()
					var once sync.Once
					gone := make(chan struct{})
					ready := make(chan struct{})
					stop = p.Subscribe("m", func(context.Context, client.Request) {
						<-ready
						once.Do(func() {
							stop()
							close(gone)
						})
					})
					close(ready)
					<-gone
				}
			})
		}
		done := make(chan struct{})
		go func() {
			all.Wait()
			close(done)
		}()
		for ended := false; !ended; {
			p.tell(note("m", "[]"))
			select {
			case <-done:
				ended = true
			default:
			}
		}
		p.end()
	})
}

// TestHandlerServesTheOtherSide: a client is a whole connection.
func TestHandlerServesTheOtherSide(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		own := tools()
		server.Handle(own, "back", func(ctx context.Context, p struct{ N int }) (int, error) {
			if p.N == 0 {
				return 0, nil
			}
			var n int
			err := server.FromContext(ctx).Call(ctx, "forth", map[string]int{"n": p.N - 1}, &n)
			return n + 1, err
		})
		theirs := server.NewMux()
		server.Handle(theirs, "forth", func(ctx context.Context, p struct{ N int }) (int, error) {
			var n int
			err := server.FromContext(ctx).Call(ctx, "back", map[string]int{"n": p.N}, &n)
			return n + 1, err
		})
		c := joined(t, theirs, &client.Options{Handler: own, MaxHandlers: 1})
		if n, err := client.Call[int](t.Context(), c, "forth", map[string]int{"n": 10}); n != 21 || err != nil {
			t.Errorf("got %v, %v", n, err)
		}
	})
	for _, c := range []struct {
		name string
		h    client.Handler
		ask  string
		want string
	}{
		{"a result", tools(), `{"jsonrpc":"2.0","id":"x","method":"echo","params":{"a" : 1}}`, `{"id":"x","result":{"a" : 1}}`},
		{"an error", tools(), `{"jsonrpc":"2.0","id":1.50,"method":"fail"}`, `{"id":1.50,"error":{"code":423,"message":"locked","data":{"by":"Ada"}}}`},
		{"no such method", tools(), `{"jsonrpc":"2.0","id":7,"method":"nosuch"}`, `{"id":7,"error":{"code":-32601,"message":"Method not found: nosuch"}}`},
		{"no handler", nil, `{"jsonrpc":"2.0","id":7,"method":"echo"}`, `{"id":7,"error":{"code":-32601,"message":"Method not found: echo"}}`},
		{"a panic", client.HandlerFunc(func(context.Context, client.Reply, client.Request) error { panic("mine") }), `{"jsonrpc":"2.0","id":7,"method":"m"}`,
			`{"id":7,"error":{"code":-32603,"message":"Internal error: the handler panicked","data":{"exception":"panic","detail":"mine"}}}`},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, client.Options{Handler: c.h})
			p.tell(c.ask)
			p.want(c.want)
			p.end()
		})
	}
}

// TestHandlersEndWithTheConnection: their contexts do.
func TestHandlersEndWithTheConnection(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		begun, ended := make(chan struct{}), make(chan error, 1)
		p := meet(t, client.Options{Handler: client.HandlerFunc(func(ctx context.Context, _ client.Reply, _ client.Request) error {
			close(begun)
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		})})
		p.tell(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		<-begun
		go func() {
			for p.lines.Scan() {
			}
		}()
		p.Close()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the context gave %v", err)
		}
	})
}
