package server_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/server"

	"go.uber.org/goleak"
)

func constant(s string) server.HandlerFunc {
	return func(_ context.Context, w server.Reply, _ server.Request) error { return w.Raw([]byte(s)) }
}

func TestMux(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mux server.Mux // the zero value is ready
		compare(t, talk(t, &mux, nil, call("1", "a", "")+note("a", ""), whole), []string{"1 error -32601 *a"}, true)
		if names := mux.Methods(); len(names) != 0 {
			t.Errorf("Methods() = %q", names)
		}
		mux.Handle("b", constant("1"))
		mux.Handle("a", constant("2"))
		mux.Handle("a/é\n", constant("3"))
		mux.HandleFunc("", constant("4"))
		mux.Handle("a", constant("5"))
		mux.Handle("b", nil)
		mux.Handle("never there", nil)
		if names := mux.Methods(); !slices.Equal(names, []string{"", "a", "a/é\n"}) {
			t.Errorf("Methods() = %q", names)
		}
		in := call("1", "a", "") + call("2", "b", "") + call("3", `a\/é\n`, "") + call("4", "", "") + call("5", "A", "")
		compare(t, talk(t, &mux, nil, in, whole), []string{"1 result 5", "2 error -32601 *b", "3 result 3", "4 result 4", "5 error -32601 *A"}, false)
	})
}

// TestRegisterWhileServing is worth most under the race detector.
func TestRegisterWhileServing(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	mux := server.NewMux()
	mux.Handle("m", constant("0"))
	var in strings.Builder
	const n = 2000
	for i := range n {
		in.WriteString(call(fmt.Sprint(i), "m", "") + call(`"`+fmt.Sprint(i)+`"`, fmt.Sprintf("m%d", i%10), ""))
	}
	var registering sync.WaitGroup
	for who := range 4 {
		registering.Go(func() {
			for i := range 200 {
				mux.Handle("m", constant(fmt.Sprint(i)))
				mux.Handle(fmt.Sprintf("m%d", i%10), constant("1"))
				if who == 0 {
					mux.Handle(fmt.Sprintf("m%d", i%10), nil)
				}
				mux.Methods()
			}
		})
	}
	var out bytes.Buffer
	if err := server.Serve(context.Background(), strings.NewReader(in.String()), &out, mux, nil); err != nil {
		t.Fatal(err)
	}
	registering.Wait()
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range answers {
		if r := render(line); !strings.Contains(r, " result ") && !matches(`"*" error -32601 *`, r) {
			t.Fatalf("got %s", r)
		}
	}
	if len(answers) != 2*n {
		t.Errorf("%d answers, want %d", len(answers), 2*n)
	}
}

func TestWrap(t *testing.T) {
	type key string
	synctest.Test(t, func(t *testing.T) {
		var steps []string
		layer := func(name string) server.Middleware {
			return func(next server.Handler) server.Handler {
				return server.HandlerFunc(func(ctx context.Context, w server.Reply, r server.Request) error {
					steps = append(steps, name+" in "+r.Method())
					err := next.ServeRPC(context.WithValue(ctx, key(name), true), w, r)
					steps = append(steps, name+" out")
					return err
				})
			}
		}
		mux := server.NewMux()
		server.Handle(mux, "m", func(ctx context.Context, _ struct{}) (bool, error) {
			steps = append(steps, "handler")
			return ctx.Value(key("a")) == true && ctx.Value(key("b")) == true && ctx.Value(key("c")) == nil, nil
		})
		h := server.Wrap(mux, layer("a"), layer("b"))
		compare(t, talk(t, h, nil, call("1", "m", ""), whole), []string{"1 result true"}, true)
		if got := strings.Join(steps, ", "); got != "a in m, b in m, handler, b out, a out" {
			t.Error(got)
		}
		if server.Wrap(mux) != server.Handler(mux) {
			t.Error("Wrap without middleware changed the handler")
		}
	})
}

func TestMiddleware(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := server.NewMux()
		seen[point](mux, "point")
		mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error { return w.Raw(r.Params()) })
		h := server.Wrap(mux, func(next server.Handler) server.Handler {
			return server.HandlerFunc(func(ctx context.Context, w server.Reply, r server.Request) error {
				switch {
				case strings.HasPrefix(r.Method(), "secret."):
					return &server.Error{Code: -32001, Message: "not for you"}
				case r.Method() == "hidden":
					return w.Raw([]byte(`"answered here"`))
				case bytes.Contains(r.Params(), []byte("rewrite")):
					return next.ServeRPC(ctx, w, r.WithParams([]byte(`{"x":7}`)))
				}
				return next.ServeRPC(ctx, w, r)
			})
		})
		in := call("1", "secret.x", "") + call("2", "hidden", "") + call("3", "point", `{"rewrite":1}`) + call("4", "echo", `{"rewrite":1}`) +
			call("5", "point", `{"x":1}`) + call("6", "unknown", "")
		compare(t, talk(t, h, nil, in, whole), []string{
			"1 error -32001 not for you", `2 result "answered here"`, `3 result "{X:7 Y:0}"`, `4 result {"x":7}`, `5 result "{X:1 Y:0}"`, "6 error -32601 *unknown",
		}, false)
	})
}
