package server_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// join runs two connections in memory and ends them when the test has ended.
// Call it in a bubble.
func join(t *testing.T, a, b server.Handler, ao, bo *server.Options) (*peer.Conn, *peer.Conn) {
	ca, cb := peer.Pipe(a, b, ao, bo)
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

func TestFromContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := server.NewMux()
		server.Handle(mux, "count", func(ctx context.Context, p struct{ To int }) (string, error) {
			// A derived context leads there as well.
			ctx, cancel := context.WithTimeout(context.WithValue(ctx, point{}, 1), time.Minute)
			defer cancel()
			for i := range p.To {
				if err := server.FromContext(ctx).Notify("step", []int{i}); err != nil {
					return "", err
				}
			}
			return "counted", server.FromContext(ctx).NotifyRaw("last", []byte(`{"a" : 1}`))
		})
		compare(t, talk(t, mux, nil, call("1", "count", `{"to":2}`), whole), []string{
			"note step [0]", "note step [1]", `note last {"a" : 1}`, `1 result "counted"`,
		}, true)
		compare(t, talk(t, mux, nil, note("count", `{"to":1}`), whole), []string{"note step [0]", `note last {"a" : 1}`}, true)
	})
}

func TestFromAnotherContext(t *testing.T) {
	r := server.FromContext(t.Context())
	for i, err := range []error{
		r.Notify("a", nil), r.NotifyRaw("a", nil), r.Call(t.Context(), "a", nil, nil),
		server.Remote{}.Notify("a", nil), server.Remote{}.Call(t.Context(), "a", nil, nil),
	} {
		if !errors.Is(err, peer.ErrNoPeer) {
			t.Errorf("%d: got %v", i, err)
		}
	}
	if r.Conn() != nil {
		t.Error("a connection from nowhere")
	}
}

func TestAfterReturn(t *testing.T) {
	for _, method := range []string{"fast", "slow", "derived"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				type kept struct {
					remote server.Remote
					w      server.Reply
					r      server.Request
					clone  server.Request
					ctx    context.Context
				}
				keep := make(chan kept, 1)
				h := server.HandlerFunc(func(ctx context.Context, w server.Reply, r server.Request) error {
					if r.Method() == "other" {
						return nil
					}
					if r.Method() == "slow" {
						time.Sleep(time.Second)
					}
					if r.Method() == "derived" {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, time.Hour)
						t.Cleanup(cancel)
					}
					keep <- kept{server.FromContext(ctx), w, r, r.Clone(), ctx}
					return nil
				})
				a, _ := join(t, nil, h, nil, nil)
				for range 3 { // the last ones run inline
					var n any
					if err := a.Call(t.Context(), method, []int{1}, &n); err != nil {
						t.Fatal(err)
					}
					k := <-keep
					synctest.Wait() // the answer may be here before the handler is seen off
					for range 20 {  // whoever reuses what was kept
						a.Call(t.Context(), "other", []int{2}, nil)
					}
					var v []int
					for i, err := range []error{
						k.remote.Notify("late", nil), k.remote.NotifyRaw("late", nil), k.remote.Call(t.Context(), "late", nil, nil),
						k.w.Raw([]byte("1")), k.w.Encode(1), k.w.Notify("late", nil), k.w.NotifyRaw("late", nil), k.r.Decode(&v),
					} {
						if !errors.Is(err, peer.ErrDone) {
							t.Errorf("%d: got %v, want ErrDone", i, err)
						}
					}
					if err := k.clone.Decode(&v); err != nil || len(v) != 1 || v[0] != 1 || string(k.clone.Params()) != "[1]" || len(k.clone.ID()) == 0 {
						t.Errorf("the clone: %v, %v", v, err)
					}
					if k.r.Method() != method {
						t.Errorf("the name of the method became %q", k.r.Method())
					}
					if method == "derived" && k.ctx.Err() == nil {
						t.Error("a derived context is not done though its handler has returned")
					}
				}
			})
		})
	}
}

// TestCallBackAndForth: A calls B, whose handler calls A, and so on, with room
// for one handler at a time on either side.
func TestCallBackAndForth(t *testing.T) {
	for _, limit := range []int{1, 2, 0} {
		for _, depth := range []int{1, 4, 60} {
			t.Run(fmt.Sprintf("handlers=%d/depth=%d", limit, depth), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					mux := server.NewMux()
					server.Handle(mux, "down", func(ctx context.Context, p []int) (int, error) {
						if p[0] == 0 {
							return 0, nil
						}
						remote := server.FromContext(ctx)
						if err := remote.Notify("passing", p); err != nil {
							return 0, err
						}
						var n int
						if err := remote.Call(ctx, "down", []int{p[0] - 1}, &n); err != nil {
							return 0, err
						}
						return n + 1, nil
					})
					server.HandleNotification(mux, "passing", func(context.Context, []int) error { return nil })
					o := &server.Options{MaxHandlers: limit}
					a, b := join(t, mux, mux, o, o)
					for _, c := range []*peer.Conn{a, b, a} {
						var n int
						if err := c.Call(t.Context(), "down", []int{depth}, &n); err != nil || n != depth {
							t.Errorf("got %d, %v", n, err)
						}
					}
				})
			})
		}
	}
}

// TestCallBackFromNotification: a notification is a barrier, but not for the
// answer it waits for, nor for what comes in its stead meanwhile.
func TestCallBackFromNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		done := make(chan struct{})
		mux := server.NewMux()
		server.HandleNotification(mux, "ask", func(ctx context.Context, _ struct{}) error {
			var s string
			err := server.FromContext(ctx).Call(ctx, "name", nil, &s)
			order = append(order, fmt.Sprint("asked ", s, " ", err))
			close(done)
			return nil
		})
		server.Handle(mux, "name", func(ctx context.Context, _ struct{}) (s string, err error) {
			return "A", server.FromContext(ctx).Call(ctx, "inner", nil, &s)
		})
		server.Handle(mux, "inner", func(context.Context, struct{}) (string, error) { return "B", nil })
		o := &server.Options{MaxHandlers: 1}
		a, _ := join(t, mux, mux, o, o)
		if err := a.Notify(t.Context(), "ask", nil); err != nil {
			t.Fatal(err)
		}
		<-done
		if len(order) != 1 || order[0] != "asked A <nil>" {
			t.Errorf("got %q", order)
		}
	})
}

// TestErrorsTravel: the error of an inner call is the answer of the outer one.
func TestErrorsTravel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := server.NewMux()
		server.Handle(mux, "outer", func(ctx context.Context, _ struct{}) (any, error) {
			if err := server.FromContext(ctx).Call(ctx, "inner", nil, nil); err != nil {
				return nil, fmt.Errorf("inner: %w", err)
			}
			return nil, nil
		})
		server.Handle(mux, "inner", func(context.Context, struct{}) (any, error) {
			return nil, &server.Error{Code: 42, Message: "no", Data: codec.RawMessage(`{"why" : 1}`)}
		})
		a, _ := join(t, mux, mux, nil, nil)
		err := a.Call(t.Context(), "outer", nil, nil)
		e, ok := errors.AsType[*server.Error](err)
		if !ok || e.Code != 42 || e.Message != "no" || string(e.Data) != `{"why" : 1}` || !errors.Is(err, &server.Error{Code: 42}) {
			t.Errorf("got %#v", err)
		}
	})
}
