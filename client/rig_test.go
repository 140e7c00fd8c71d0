package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/server"
)

// inBubble runs a test with a clock of its own. That no goroutine is left
// behind is part of what a bubble checks.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// other is the other side of a client, played by a test line by line.
type other struct {
	*client.Client
	t     *testing.T
	say   *io.PipeWriter
	lines *bufio.Scanner

	lastID int // of ask

	mu    sync.Mutex
	noise []string // what the noise hook was told, as "line: error"
}

// meet makes a client whose other side is the test. Call it in a bubble.
func meet(t *testing.T, o client.Options) *other {
	t.Helper()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	p := &other{t: t, say: say, lines: bufio.NewScanner(hear)}
	p.lines.Buffer(nil, 8<<20)
	o.Hooks.Noise = func(line []byte, err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.noise = append(p.noise, string(line)+": "+err.Error())
	}
	c, err := client.New(in, out, &o)
	if err != nil {
		t.Fatal(err)
	}
	p.Client = c
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *other) tell(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.say, line+"\n"); err != nil {
		p.t.Error(err)
	}
}

// hear gives the next line of the client, without the member that all have.
func (p *other) hear() string {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the client said nothing more: %v", p.lines.Err())
	}
	return strings.ReplaceAll(p.lines.Text(), `"jsonrpc":"2.0",`, "")
}

func (p *other) want(line string) {
	p.t.Helper()
	if got := p.hear(); got != line {
		p.t.Fatalf("heard %s\nwant  %s", got, line)
	}
}

// end hangs up, and makes sure that the client has nothing more to say.
func (p *other) end() {
	p.t.Helper()
	p.say.Close()
	for p.lines.Scan() {
		p.t.Errorf("unexpected: %s", p.lines.Text())
	}
	<-p.Done()
}

// outcome of a call.
type outcome struct {
	result string
	err    error
}

// ask makes a call and hears it; the answer is to be told, for the id lastID.
func (p *other) ask() <-chan outcome {
	p.t.Helper()
	got := make(chan outcome, 1)
	go func() {
		raw, err := p.CallRaw(context.Background(), nil, "ask", []byte(`[1]`))
		got <- outcome{string(raw), err}
	}()
	if line := p.hear(); !strings.HasSuffix(line, `,"method":"ask","params":[1]}`) {
		p.t.Fatalf("heard %s", line)
	} else if _, err := fmt.Sscanf(line, `{"id":%d,`, &p.lastID); err != nil {
		p.t.Fatal(err)
	}
	return got
}

// answer is the line of a result.
func answer(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// note is the line of a notification.
func note(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// joined gives a client of a server in memory. Both are gone when the test has
// ended.
func joined(t *testing.T, h server.Handler, o *client.Options) *client.Client {
	t.Helper()
	var so *server.Options
	if o != nil {
		so = &server.Options{Profile: o.Profile}
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := server.Serve(context.Background(), fromClient, toClient, h, so)
		toClient.Close()
		served <- err
	}()
	c, err := client.New(fromServer, toServer, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		// An answer that comes after Close has nowhere to go.
		if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the server: %v", err)
		}
	})
	return c
}

// echo answers with its params.
func echo(_ context.Context, p json.RawMessage) (json.RawMessage, error) { return p, nil }

// tools is the server of most tests.
func tools() *server.Mux {
	mux := server.NewMux()
	server.Handle(mux, "echo", echo)
	server.Handle(mux, "add", func(_ context.Context, p struct{ A, B float64 }) (float64, error) { return p.A + p.B, nil })
	server.Handle(mux, "fail", func(context.Context, struct{}) (int, error) {
		return 0, &server.Error{Code: 423, Message: "locked", Data: []byte(`{"by":"Ada"}`)}
	})
	server.Handle(mux, "wait", func(ctx context.Context, _ struct{}) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	})
	return mux
}
