package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The tests in the files live_*_test.go are of a client with somebody at the
// other end who misbehaves. The roles speak by hand, with encoding/json: a
// mistake of ours shall not be made on both sides.

func init() {
	roles["echo"] = func() {
		for m := range received() {
			m.answer(m.Params)
		}
	}
}

// A received message, as a role sees it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// received are the messages that come, to the end of the input. What is no
// message at all ends the child.
func received() iter.Seq[message] {
	return func(yield func(message) bool) {
		lines := bufio.NewReader(os.Stdin)
		for {
			line, err := lines.ReadBytes('\n')
			if err == io.EOF && len(line) == 0 {
				return
			}
			var m message
			if err != nil || json.Unmarshal(line, &m) != nil {
				fmt.Fprintf(os.Stderr, "torn: %.100q, %v\n", line, err)
				os.Exit(98)
			}
			if !yield(m) {
				return
			}
		}
	}
}

// answer answers a request; a notification has no answer.
func (m message) answer(result []byte) {
	if m.ID == nil || m.Method == "" {
		return
	}
	if result == nil {
		result = []byte("null")
	}
	os.Stdout.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result))
}

// live is a client with a child that plays a role. At the end of the test it
// is closed, and nothing may be left.
func live(t *testing.T, role string, o *Options) *Client {
	t.Helper()
	leavesNothing(t)
	c, err := Command(t.Context(), playing(role), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// leavesNothing has the goroutines looked at when all else of the test is over.
func leavesNothing(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t) })
}

// hasty are options with a close ladder that is climbed at once.
func hasty() *Options {
	return &Options{CloseWait: 20 * time.Millisecond, TermWait: 20 * time.Millisecond}
}

// ping makes a call of the method echo and checks the answer.
func ping(t *testing.T, c *Client, text string) {
	t.Helper()
	want := fmt.Sprintf("[%q]", text)
	got, err := c.CallRaw(t.Context(), nil, "echo", []byte(want))
	if err != nil || string(got) != want {
		t.Fatalf("%.100q, %v; want %.100q", got, err, want)
	}
}

// within is the time that something may take, on a busy machine under the race
// detector, and its end.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	begun := time.Now()
	f()
	if took := time.Since(begun); took > d {
		t.Errorf("%s took %v, more than %v", what, took, d)
	}
}

// waitingCalls makes n calls that are not answered, and gives what became of
// them when they have ended. They have been sent when it returns.
func waitingCalls(t *testing.T, c *Client, n int) (errs func() []error) {
	t.Helper()
	futures := make([]*Future[any], n)
	for i := range futures {
		futures[i] = Go[any](context.Background(), c, "silence", nil)
	}
	if err := c.Conn().Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return func() (all []error) {
		for _, f := range futures {
			_, err := f.Get(context.Background())
			all = append(all, err)
		}
		return all
	}
}

// wantClosed checks that err tells of a child that has exited with that code
// after it said something.
func wantClosed(t *testing.T, err error, code int, said string) {
	t.Helper()
	e, ok := errors.AsType[*ClosedError](err)
	switch {
	case !ok || !errors.Is(err, ErrClosed):
		t.Errorf("%v, want a ClosedError", err)
	case e.State == nil || e.State.ExitCode() != code:
		t.Errorf("the state is %v, want exit status %d", e.State, code)
	case !strings.Contains(string(e.Stderr), said):
		t.Errorf("the tail is %q, want %q in it", e.Stderr, said)
	}
}
