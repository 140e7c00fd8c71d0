package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/linerpc/linerpc/server"
)

// answer serves lines as Stdio would, and prints what comes back: every answer
// when it is ready, so not always in the order of the calls.
func answer(h server.Handler, lines ...string) {
	in := strings.NewReader(strings.Join(lines, "\n"))
	if err := server.Serve(context.Background(), in, os.Stdout, h, nil); err != nil {
		fmt.Println(err)
	}
}

func Example() {
	type AddParams struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	mux := server.NewMux()
	server.Handle(mux, "math.add", func(_ context.Context, p AddParams) (float64, error) {
		return p.A + p.B, nil
	})
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"math.add","params":{"a":2,"b":3}}`)
	if err := server.Serve(context.Background(), in, os.Stdout, mux, nil); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":5}
}

// A returned *Error is the answer; any other error is answered with -32603.
func ExampleHandle_errors() {
	mux := server.NewMux()
	server.Handle(mux, "open", func(_ context.Context, p struct{ Door string }) (string, error) {
		switch p.Door {
		case "front":
			return "open", nil
		case "back":
			return "", fmt.Errorf("open: %w", &server.Error{Code: 423, Message: "locked"})
		}
		return "", errors.New("no such door")
	})
	answer(mux,
		`{"jsonrpc":"2.0","id":1,"method":"open","params":{"door":"front"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"open","params":{"door":"back"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"open","params":{"door":"side"}}`,
	)
	// Unordered output:
	// {"jsonrpc":"2.0","id":1,"result":"open"}
	// {"jsonrpc":"2.0","id":2,"error":{"code":423,"message":"locked"}}
	// {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error","data":{"exception":"*errors.errorString","detail":"no such door"}}}
}

// A nil pointer tells a handler that there were no params.
func ExampleHandle_optionalParams() {
	type page struct{ Cursor string }
	mux := server.NewMux()
	server.Handle(mux, "list", func(_ context.Context, p *page) (string, error) {
		if p == nil {
			return "the first page", nil
		}
		return "the page at " + p.Cursor, nil
	})
	answer(mux,
		`{"jsonrpc":"2.0","id":1,"method":"list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"list","params":{"cursor":"k"}}`,
	)
	// Unordered output:
	// {"jsonrpc":"2.0","id":1,"result":"the first page"}
	// {"jsonrpc":"2.0","id":2,"result":"the page at k"}
}

func ExamplePositional() {
	type params struct{ Minuend, Subtrahend float64 }
	mux := server.NewMux()
	server.Handle(mux, "subtract", func(_ context.Context, p params) (float64, error) {
		return p.Minuend - p.Subtrahend, nil
	}, server.Positional("minuend", "subtrahend"))
	answer(mux,
		`{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}`,
		`{"jsonrpc":"2.0","id":2,"method":"subtract","params":{"subtrahend":23,"minuend":42}}`,
	)
	// Unordered output:
	// {"jsonrpc":"2.0","id":1,"result":19}
	// {"jsonrpc":"2.0","id":2,"result":19}
}

func ExampleFromContext() {
	type progress struct {
		Step int `json:"step"`
	}
	mux := server.NewMux()
	server.Handle(mux, "index", func(ctx context.Context, _ struct{}) (string, error) {
		client := server.FromContext(ctx)
		for i := 1; i <= 2; i++ {
			if err := client.Notify("progress", progress{i}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	answer(mux, `{"jsonrpc":"2.0","id":1,"method":"index"}`)
	// Output:
	// {"jsonrpc":"2.0","method":"progress","params":{"step":1}}
	// {"jsonrpc":"2.0","method":"progress","params":{"step":2}}
	// {"jsonrpc":"2.0","id":1,"result":"done"}
}

// A raw handler may pass JSON on as it is. Nothing is decoded on the way, so
// nothing is rounded, reordered or reformatted.
func ExampleMux_HandleFunc() {
	mux := server.NewMux()
	mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error {
		return w.Raw(r.Params())
	})
	answer(mux, `{"jsonrpc":"2.0","id":"a","method":"echo","params":{"n": 1.0e+2, "big": 18446744073709551616}}`)
	// Output: {"jsonrpc":"2.0","id":"a","result":{"n": 1.0e+2, "big": 18446744073709551616}}
}

func ExampleWrap() {
	allow := func(methods ...string) server.Middleware {
		return func(next server.Handler) server.Handler {
			return server.HandlerFunc(func(ctx context.Context, w server.Reply, r server.Request) error {
				for _, m := range methods {
					if m == r.Method() {
						return next.ServeRPC(ctx, w, r)
					}
				}
				return &server.Error{Code: -32001, Message: "not allowed: " + r.Method()}
			})
		}
	}
	mux := server.NewMux()
	server.Handle(mux, "read", func(context.Context, struct{}) (string, error) { return "text", nil })
	server.Handle(mux, "erase", func(context.Context, struct{}) (string, error) { return "gone", nil })
	answer(server.Wrap(mux, allow("read")),
		`{"jsonrpc":"2.0","id":1,"method":"read"}`,
		`{"jsonrpc":"2.0","id":2,"method":"erase"}`,
	)
	// Unordered output:
	// {"jsonrpc":"2.0","id":1,"result":"text"}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"not allowed: erase"}}
}
