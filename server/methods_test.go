package server_test

import (
	"context"
	"errors"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

type operands struct {
	A *float64 `json:"a"`
	B *float64 `json:"b"`
}

type difference struct{ Minuend, Subtrahend float64 }

// conformanceMux has the methods that the cases call.
func conformanceMux() *server.Mux {
	mux := server.NewMux()
	mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error {
		return w.Raw(r.Params())
	})
	server.Handle(mux, "add", func(_ context.Context, p operands) (float64, error) {
		if p.A == nil || p.B == nil {
			return 0, codec.InvalidParams("two numbers")
		}
		return *p.A + *p.B, nil
	})
	mux.HandleFunc("boom", func(context.Context, server.Reply, server.Request) error {
		return errors.New("boom")
	})
	mux.HandleFunc("panic", func(context.Context, server.Reply, server.Request) error {
		panic("panic")
	})
	server.Handle(mux, "slow", func(ctx context.Context, p struct{ MS int64 }) (string, error) {
		select {
		case <-time.After(time.Duration(p.MS) * time.Millisecond):
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	mux.HandleFunc("progress", func(_ context.Context, w server.Reply, _ server.Request) error {
		for step := 1; step <= 2; step++ {
			if err := w.Notify("progress", map[string]int{"step": step}); err != nil {
				return err
			}
		}
		return w.Encode("done")
	})

	// Those of the examples in section 7 of the specification.
	server.Handle(mux, "subtract", func(_ context.Context, p difference) (float64, error) {
		return p.Minuend - p.Subtrahend, nil
	}, server.Positional("minuend", "subtrahend"))
	server.Handle(mux, "sum", func(_ context.Context, numbers []float64) (sum float64, _ error) {
		for _, n := range numbers {
			sum += n
		}
		return sum, nil
	})
	server.Handle(mux, "get_data", func(context.Context, struct{}) ([]any, error) {
		return []any{"hello", 5}, nil
	})
	for _, name := range []string{"update", "notify_hello", "notify_sum"} {
		server.HandleNotification(mux, name, func(context.Context, []float64) error { return nil })
	}
	return mux
}
