package peer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/peer"
)

// lent is an input that a caller may read from, and the output beside it, for
// a server that a test plays.
type lent struct {
	in    chan []byte
	left  []byte
	lines chan []byte // what was written
	sizes chan int    // lines of each write
}

func newLent() *lent {
	return &lent{in: make(chan []byte, 64), lines: make(chan []byte, 1024), sizes: make(chan int, 1024)}
}

func (l *lent) Read(p []byte) (int, error) {
	if len(l.left) == 0 {
		b, ok := <-l.in
		if !ok {
			return 0, io.EOF
		}
		l.left = b
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

func (l *lent) Await(d time.Duration) bool {
	if len(l.left) > 0 {
		return true
	}
	select {
	case l.left = <-l.in:
		return len(l.left) > 0
	case <-time.After(d):
		return false
	}
}

func (l *lent) Expect(time.Duration) {}

func (l *lent) Write(p []byte) (int, error) { return l.TryWrite(p) }

func (l *lent) TryWrite(p []byte) (int, error) {
	lines := bytes.SplitAfter(bytes.Clone(p), []byte("\n"))
	l.sizes <- len(lines) - 1
	for _, line := range lines[:len(lines)-1] {
		l.lines <- line
	}
	return len(p), nil
}

// answer answers requests, all in one read.
func (l *lent) answer(t *testing.T, requests [][]byte) {
	var all []byte
	for _, r := range requests {
		var m struct{ ID uint64 }
		if err := json.Unmarshal(r, &m); err != nil {
			t.Fatal(err)
		}
		all = fmt.Appendf(all, `{"jsonrpc":"2.0","id":%d,"result":[%d]}`+"\n", m.ID, m.ID)
	}
	l.in <- all
}

// take gives the requests that have left, and how many writes that took.
func (l *lent) take() (requests [][]byte, writes int) {
	synctest.Wait()
	for range len(l.lines) {
		requests = append(requests, <-l.lines)
	}
	for range len(l.sizes) {
		<-l.sizes
		writes++
	}
	return requests, writes
}

func (l *lent) serve(t *testing.T) (c *peer.Conn, end func()) {
	c = peer.New(l, l, nil, &peer.Options{Client: true})
	served := make(chan error, 1)
	go func() { served <- c.Serve(t.Context()) }()
	synctest.Wait()
	return c, func() {
		close(l.in)
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
}

// What callers send that are woken together leaves together, in two halves so
// that the other side can begin: never a write for each.
func TestWokenCallersShareWrites(t *testing.T) {
	const callers, rounds = 16, 40
	synctest.Test(t, func(t *testing.T) {
		l := newLent()
		c, end := l.serve(t)
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range rounds {
					if _, err := c.CallRaw(t.Context(), nil, "ask", nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writes := 0
		for i := range rounds {
			requests, n := l.take()
			if len(requests) != callers {
				t.Fatalf("round %d: %d requests have left", i, len(requests))
			}
			if i > 0 {
				writes += n
			}
			l.answer(t, requests)
		}
		wg.Wait()
		t.Logf("%.2f writes for %d requests", float64(writes)/(rounds-1), callers)
		if writes > (rounds-1)*callers/2 || writes < (rounds-1)*3/2 {
			t.Errorf("%d writes for %d requests", writes, (rounds-1)*callers)
		}
		end()
	})
}

// A request does not wait for those that the other callers never make.
func TestGatheredRequestLeavesThoughOthersAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLent()
		c, end := l.serve(t)
		for again := range 8 {
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					for range 1 + min(1, max(0, again-i)) {
						if _, err := c.CallRaw(t.Context(), nil, "ask", nil); err != nil {
							t.Error(err)
						}
					}
				})
			}
			for _, want := range []int{8, again} {
				requests, _ := l.take()
				if len(requests) != want {
					t.Fatalf("%d of 8 call again: %d requests have left, not %d", again, len(requests), want)
				}
				l.answer(t, requests)
			}
			wg.Wait()
		}
		end()
	})
}

// Callers whose answer and whose context's end come at once all come by, or
// nobody would read any more.
func TestRoleComesBackPastCancelledCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLent()
		c, end := l.serve(t)
		for range 200 {
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					call := t.Context()
					if i%2 == 0 {
						call = ctx
					}
					if _, err := c.CallRaw(call, nil, "ask", nil); err != nil && err != context.Canceled {
						t.Error(err)
					}
				})
			}
			requests, _ := l.take()
			go cancel()
			l.answer(t, requests)
			wg.Wait()
			l.take() // the notices
		}
		end()
	})
}

// A caller that waits for room to send does not keep the role from coming back,
// though a child that guesses its id has answered it.
func TestRoleComesBackPastACallerThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, out := newLent(), &gated{gate: make(chan struct{})}
		heard := make(chan string, 1)
		h := peer.HandlerFunc(func(_ context.Context, _ peer.Reply, r peer.Request) error {
			heard <- r.Method()
			return nil
		})
		c := peer.New(l, out, h, &peer.Options{Client: true, MaxPending: 4000})
		served := make(chan error, 1)
		go func() { served <- c.Serve(t.Context()) }()
		var wg sync.WaitGroup
		call := func() {
			wg.Go(func() {
				if raw, err := c.CallRaw(t.Context(), nil, "ask", nil); err != nil || string(raw) != "true" {
					t.Errorf("%s, %v", raw, err)
				}
			})
			synctest.Wait()
		}
		call()
		call()
		for range 2 {
			if err := c.NotifyRaw(t.Context(), "note", []byte(`["`+strings.Repeat("x", 1900)+`"]`)); err != nil {
				t.Fatal(err)
			}
		}
		call() // for which there is no room
		var answers string
		for _, id := range []int{1, 3, 2} {
			answers += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":true}`+"\n", id)
		}
		l.in <- []byte(answers)
		synctest.Wait()
		l.in <- []byte(`{"jsonrpc":"2.0","method":"still there"}` + "\n")
		synctest.Wait()
		select {
		case <-heard:
		default:
			t.Error("nobody reads")
		}
		close(out.gate)
		wg.Wait()
		close(l.in)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
