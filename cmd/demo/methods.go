package main

import (
	"context"
	"errors"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

type addParams struct {
	A *float64 `json:"a"`
	B *float64 `json:"b"`
}

type slowParams struct {
	MS float64 `json:"ms"`
}

type subtractParams struct {
	Minuend    float64 `json:"minuend"`
	Subtrahend float64 `json:"subtrahend"`
}

type step struct {
	Step int `json:"step"`
}

// newMux has the methods that the demonstration, the executable cases and the
// examples of the JSON-RPC 2.0 specification call.
func newMux() *server.Mux {
	mux := server.NewMux()
	mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error {
		return w.Raw(r.Params())
	})
	server.Handle(mux, "add", func(_ context.Context, p addParams) (float64, error) {
		if p.A == nil || p.B == nil {
			return 0, codec.InvalidParams("a and b must both be numbers")
		}
		return *p.A + *p.B, nil
	})
	mux.HandleFunc("boom", func(context.Context, server.Reply, server.Request) error {
		return errors.New("boom")
	})
	mux.HandleFunc("panic", func(context.Context, server.Reply, server.Request) error {
		panic("a handler that panics")
	})
	server.Handle(mux, "slow", func(ctx context.Context, p slowParams) (string, error) {
		t := time.NewTimer(time.Duration(p.MS * float64(time.Millisecond)))
		defer t.Stop()
		select {
		case <-t.C:
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	mux.HandleFunc("progress", func(_ context.Context, w server.Reply, _ server.Request) error {
		for i := 1; i <= 2; i++ {
			if err := w.Notify("progress", step{i}); err != nil {
				return err
			}
		}
		return w.Encode("done")
	})
	server.Handle(mux, "greet", func(ctx context.Context, _ struct{}) (string, error) {
		var name string
		if err := server.FromContext(ctx).Call(ctx, "client/name", nil, &name); err != nil {
			return "", err
		}
		return "hello, " + name, nil
	})

	server.Handle(mux, "subtract", func(_ context.Context, p subtractParams) (float64, error) {
		return p.Minuend - p.Subtrahend, nil
	}, server.Positional("minuend", "subtrahend"))
	server.Handle(mux, "sum", func(_ context.Context, p []float64) (total float64, _ error) {
		for _, v := range p {
			total += v
		}
		return total, nil
	})
	server.Handle(mux, "get_data", func(context.Context, struct{}) ([]any, error) {
		return []any{"hello", 5}, nil
	})
	for _, name := range []string{"update", "notify_hello", "notify_sum"} {
		mux.HandleFunc(name, func(context.Context, server.Reply, server.Request) error { return nil })
	}
	return mux
}
