package peer_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// add asks a tool server for a sum. For a server that is a process of its own,
// stdin and stdout are what StdinPipe and StdoutPipe of its exec.Cmd returned.
func add(ctx context.Context, stdin io.Writer, stdout io.Reader) (sum float64, err error) {
	conn := peer.New(stdout, stdin, nil, &peer.Options{Client: true})
	defer conn.Close()
	go conn.Serve(ctx)
	err = conn.Call(ctx, "add", map[string]float64{"a": 2, "b": 3}, &sum)
	return sum, err
}

// adder is a server in the same process, in place of one that was started.
func adder(stdin io.Reader, stdout io.WriteCloser) {
	defer stdout.Close()
	h := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error {
		var p struct{ A, B float64 }
		if err := r.Decode(&p); err != nil {
			return err
		}
		return w.Encode(p.A + p.B)
	})
	peer.New(stdin, stdout, h, nil).Serve(context.Background())
}

func Example() {
	fromClient, stdin := io.Pipe()
	stdout, fromServer := io.Pipe()
	go adder(fromClient, fromServer)
	defer stdin.Close()
	fmt.Println(add(context.Background(), stdin, stdout))
	// Output: 5 <nil>
}

// Both ends may call: here the one that was called asks back.
func ExamplePipe() {
	ctx := context.Background()
	user := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error {
		return w.Encode("Ada")
	})
	greeter := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
		var name string
		if err := peer.FromContext(ctx).Call(ctx, "name", nil, &name); err != nil {
			return err
		}
		return w.Encode("hello, " + name)
	})
	a, b := peer.Pipe(user, greeter, nil, nil)
	go a.Serve(ctx)
	go b.Serve(ctx)
	defer a.Close()
	var text string
	err := a.Call(ctx, "greet", nil, &text)
	fmt.Println(text, err)
	// Output: hello, Ada <nil>
}

func ExampleConn_Call_errors() {
	ctx := context.Background()
	a, b := peer.Pipe(nil, nil, nil, nil) // neither end knows a method
	go a.Serve(ctx)
	go b.Serve(ctx)
	defer a.Close()
	err := a.Call(ctx, "greet", nil, nil)
	if e, ok := errors.AsType[*codec.Error](err); ok {
		fmt.Println(e.Code, e.Message)
	}
	fmt.Println(errors.Is(err, &codec.Error{Code: codec.CodeMethodNotFound}))
	// Output:
	// -32601 Method not found: greet
	// true
}

// One message, without a stream: what an HTTP handler or a queue would do.
func ExampleExchange() {
	h := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error {
		if err := w.Notify("progress", []int{50}); err != nil {
			return err
		}
		return w.Raw(r.Params())
	})
	o := &peer.ExchangeOptions{Notify: func(method string, params []byte) {
		fmt.Printf("%s %s\n", method, params)
	}}
	request := []byte(`{"jsonrpc":"2.0","id":7,"method":"echo","params":["hi"]}`)
	fmt.Printf("%s\n", peer.Exchange(context.Background(), h, request, nil, o))
	// Output:
	// progress [50]
	// {"jsonrpc":"2.0","id":7,"result":["hi"]}
}

// Hooks see what happens on a connection; the library itself prints nothing.
func ExampleHooks() {
	ctx := context.Background()
	o := &peer.Options{Hooks: peer.Hooks{
		Line: func(dir peer.Direction, line []byte) { fmt.Printf("%-3s %s\n", dir, line) },
	}}
	a, b := peer.Pipe(nil, peer.HandlerFunc(func(context.Context, peer.Reply, peer.Request) error {
		return nil
	}), o, nil)
	go a.Serve(ctx)
	go b.Serve(ctx)
	defer a.Close()
	if err := a.Call(ctx, "ping", nil, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// out {"jsonrpc":"2.0","id":1,"method":"ping"}
	// in  {"jsonrpc":"2.0","id":1,"result":null}
}
