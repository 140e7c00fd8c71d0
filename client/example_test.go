package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// connect is a client of a server in this process. For a program there is
// client.Command, for an address client.Dial.
func connect(h server.Handler, o *client.Options) *client.Client {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() {
		defer toClient.Close()
		server.Serve(context.Background(), fromClient, toClient, h, nil)
	}()
	c, err := client.New(fromServer, toServer, o)
	if err != nil {
		panic(err) // only where Options.Start can fail
	}
	return c
}

func Example() {
	type AddParams struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	mux := server.NewMux()
	server.Handle(mux, "math.add", func(_ context.Context, p AddParams) (float64, error) { return p.A + p.B, nil })
	c := connect(mux, nil)
	defer c.Close()
	fmt.Println(client.Call[float64](context.Background(), c, "math.add", AddParams{2, 3}))
	// Output: 5 <nil>
}

func ExampleCall_errors() {
	mux := server.NewMux()
	server.Handle(mux, "open", func(context.Context, struct{ Door string }) (string, error) {
		return "", &server.Error{Code: 423, Message: "locked", Data: []byte(`{"by":"Ada"}`)}
	})
	c := connect(mux, nil)
	defer c.Close()
	_, err := client.Call[string](context.Background(), c, "open", map[string]string{"door": "back"})
	if e, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(e.Code, e.Message, string(e.Data))
	}
	// Output: 423 locked {"by":"Ada"}
}

// When its context ends, so does the call, and the handler on the other side
// learns of it.
func ExampleCall_deadline() {
	mux := server.NewMux()
	told := make(chan error, 1)
	server.Handle(mux, "sleep", func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		told <- ctx.Err()
		return "", ctx.Err()
	})
	c := connect(mux, nil)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := client.Call[string](ctx, c, "sleep", nil)
	fmt.Println(err)
	fmt.Println(<-told)
	// Output:
	// context deadline exceeded
	// context canceled
}

// JSON text on both ends: nothing is decoded, and nothing is allocated where
// the buffer has room.
func ExampleClient_CallRaw() {
	mux := server.NewMux()
	mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error { return w.Raw(r.Params()) })
	c := connect(mux, nil)
	defer c.Close()
	var buf []byte
	for _, params := range []string{`{"n": 1.0e+2}`, `[18446744073709551616]`} {
		var err error
		buf, err = c.CallRaw(context.Background(), buf[:0], "echo", []byte(params))
		fmt.Println(string(buf), err)
	}
	// Output:
	// {"n": 1.0e+2} <nil>
	// [18446744073709551616] <nil>
}

func ExampleWithProgress() {
	mux := server.NewMux()
	server.Handle(mux, "index", func(ctx context.Context, p struct{ WorkDoneToken json.RawMessage }) (string, error) {
		for _, file := range []string{"a.go", "b.go"} {
			report := map[string]any{"token": p.WorkDoneToken, "value": file}
			if err := server.FromContext(ctx).Notify("$/progress", report); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	c := connect(mux, nil)
	defer c.Close()
	ctx := client.WithProgress(context.Background(), func(params []byte) { fmt.Println(string(params)) })
	fmt.Println(client.Call[string](ctx, c, "index", nil))
	// Output:
	// {"token":1,"value":"a.go"}
	// {"token":1,"value":"b.go"}
	// done <nil>
}

func ExampleClient_Subscribe() {
	mux := server.NewMux()
	server.Handle(mux, "touch", func(ctx context.Context, p struct{ File string }) (any, error) {
		return nil, server.FromContext(ctx).Notify("changed", p)
	})
	c := connect(mux, nil)
	defer c.Close()
	changes := make(chan string)
	stop := c.Subscribe("changed", func(_ context.Context, r client.Request) { changes <- string(r.Params()) })
	defer stop()
	if _, err := client.Call[any](context.Background(), c, "touch", map[string]string{"file": "a.go"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(<-changes)
	// Output: {"File":"a.go"}
}

// The other side may call as well: here it asks before it acts.
func ExampleOptions_handler() {
	agent := server.NewMux()
	server.Handle(agent, "delete", func(ctx context.Context, p struct{ File string }) (string, error) {
		var allowed bool
		if err := server.FromContext(ctx).Call(ctx, "permit", p, &allowed); err != nil || !allowed {
			return "left alone", err
		}
		return "deleted", nil
	})
	own := server.NewMux()
	server.Handle(own, "permit", func(_ context.Context, p struct{ File string }) (bool, error) {
		return p.File != "/etc/passwd", nil
	})
	c := connect(agent, &client.Options{Handler: own})
	defer c.Close()
	for _, file := range []string{"a.tmp", "/etc/passwd"} {
		fmt.Println(client.Call[string](context.Background(), c, "delete", map[string]string{"file": file}))
	}
	// Output:
	// deleted <nil>
	// left alone <nil>
}

func ExampleOptions_middleware() {
	retry := func(next client.Invoker) client.Invoker {
		return func(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
			dst, err := next(ctx, dst, method, params)
			if errors.Is(err, &client.Error{Code: -32000}) { // overloaded
				return next(ctx, dst, method, params)
			}
			return dst, err
		}
	}
	mux := server.NewMux()
	attempts := 0
	server.Handle(mux, "work", func(context.Context, struct{}) (string, error) {
		if attempts++; attempts == 1 {
			return "", &server.Error{Code: -32000, Message: "busy"}
		}
		return "done", nil
	})
	c := connect(mux, &client.Options{Middleware: []func(client.Invoker) client.Invoker{retry}})
	defer c.Close()
	fmt.Println(client.Call[string](context.Background(), c, "work", nil))
	// Output: done <nil>
}

// The handshake of a protocol comes before any other call, and again with each
// child that takes the place of one that has ended.
func ExampleOptions_start() {
	mux := server.NewMux()
	server.Handle(mux, "initialize", func(context.Context, struct{}) (string, error) { return "2.1", nil })
	server.Handle(mux, "ping", func(context.Context, struct{}) (string, error) { return "pong", nil })
	c := connect(mux, &client.Options{Start: func(ctx context.Context, c *peer.Conn) error {
		var version string
		if err := c.Call(ctx, "initialize", nil, &version); err != nil {
			return err
		}
		fmt.Println("version", version)
		return c.Notify(ctx, "initialized", nil)
	}})
	defer c.Close()
	fmt.Println(client.Call[string](context.Background(), c, "ping", nil))
	// Output:
	// version 2.1
	// pong <nil>
}

func ExampleGo() {
	mux := server.NewMux()
	server.Handle(mux, "square", func(_ context.Context, p []int) (int, error) { return p[0] * p[0], nil })
	c := connect(mux, nil)
	defer c.Close()
	ctx := context.Background()
	var futures []*client.Future[int]
	for n := range 4 {
		futures = append(futures, client.Go[int](ctx, c, "square", []int{n}))
	}
	for _, f := range futures {
		fmt.Println(f.Get(ctx))
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 4 <nil>
	// 9 <nil>
}

func ExampleBatch() {
	mux := server.NewMux()
	server.Handle(mux, "square", func(_ context.Context, p []int) (int, error) { return p[0] * p[0], nil })
	server.Handle(mux, "name", func(context.Context, struct{}) (string, error) { return "Ada", nil })
	c := connect(mux, nil)
	defer c.Close()
	ctx := context.Background()
	b := c.NewBatch()
	square := client.Add[int](b, "square", []int{3})
	name := client.Add[string](b, "name", nil)
	if err := b.Send(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(square.Get(ctx))
	fmt.Println(name.Get(ctx))
	// Output:
	// 9 <nil>
	// Ada <nil>
}

// crashing is a program that writes "going" to its standard error and exits
// with status 3.
func crashing() *exec.Cmd { return client.Playing("exit") }

// A child that ends takes its calls with it, and leaves word.
func ExampleClosedError() {
	ctx := context.Background()
	c, err := client.Command(ctx, crashing(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	_, err = client.Call[any](ctx, c, "anything", nil)
	if e, ok := errors.AsType[*client.ClosedError](err); ok {
		fmt.Printf("status %d, %q\n", e.State.ExitCode(), e.Stderr)
	}
	// Output: status 3, "going\n"
}
