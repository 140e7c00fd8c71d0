package peer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/linerpc/linerpc/peer"

	"go.uber.org/goleak"
)

// wire is one direction of a connection in memory, with room for whatever is
// under way. Once warm it allocates nothing.
type wire struct {
	mu     sync.Mutex
	moved  sync.Cond
	buf    []byte
	off    int // of buf, what was read
	closed bool
}

func newWire() *wire {
	w := &wire{buf: make([]byte, 0, 4<<20)}
	w.moved.L = &w.mu
	return w
}

func (w *wire) Read(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.off == len(w.buf) && !w.closed {
		w.moved.Wait()
	}
	if w.off == len(w.buf) {
		return 0, io.EOF
	}
	n := copy(p, w.buf[w.off:])
	if w.off += n; w.off == len(w.buf) {
		w.buf, w.off = w.buf[:0], 0
	}
	return n, nil
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, p...)
	w.moved.Signal()
	return len(p), nil
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.moved.Broadcast()
}

// count is a writer that counts lines and tells who waits for them.
type count struct {
	mu    sync.Mutex
	moved sync.Cond
	lines int
	last  []byte
}

func newCount() *count {
	c := new(count)
	c.moved.L = &c.mu
	return c
}

func (c *count) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines += bytes.Count(p, []byte("\n"))
	c.last = append(c.last[:0], p[:min(len(p), 200)]...)
	c.moved.Broadcast()
	return len(p), nil
}

func (c *count) wait(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.lines < n {
		c.moved.Wait()
	}
}

// fewest gives the allocations per run of what begin sets up, on a machine that
// others use as well: a handler that loses the processor for a millisecond is
// slow, and from then on its method costs. So the best of several attempts
// counts, each with connections of its own.
func fewest(t *testing.T, begin func() (run, end func())) float64 {
	t.Helper()
	if checked {
		t.Skip("this build allocates for its checks")
	}
	best := math.Inf(1)
	for range 10 {
		run, end := begin()
		for range 20 {
			run()
		}
		best = min(best, testing.AllocsPerRun(100, run))
		end()
		if best == 0 {
			break
		}
	}
	return best
}

// serving measures a server that is given lines.
func serving(t *testing.T, h peer.Handler, lines string, answers int) float64 {
	t.Helper()
	return fewest(t, func() (run, end func()) {
		in, out := newWire(), newCount()
		c := peer.New(in, out, h, nil)
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()
		line, want := []byte(lines), 0
		run = func() {
			in.Write(line)
			want += answers
			out.wait(want)
		}
		return run, func() {
			in.close()
			if err := <-served; err != nil {
				t.Error(err)
			}
			if strings.Contains(string(out.last), `"error"`) {
				t.Errorf("an error was measured: %s", out.last)
			}
		}
	})
}

func TestAllocationsOfServing(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
		switch r.Method() {
		case "progress":
			if err := w.NotifyRaw("progress", r.Params()); err != nil {
				return err
			}
		case "context":
			if err := peer.FromContext(ctx).NotifyRaw("progress", r.Params()); err != nil {
				return err
			}
		case "nothing":
			return nil
		}
		return w.Raw(r.Params())
	})
	big := func(n int) string { return `["` + strings.Repeat("x", n) + `"]` }
	for _, c := range []struct {
		name, lines string
		answers     int
	}{
		{"raw echo without params", call("1", "echo", ""), 1},
		{"raw echo of 64 B", call("1", "echo", big(64)), 1},
		{"raw echo of 16 KiB", call("1", "echo", big(16<<10)), 1},
		{"raw echo of 100 KiB", call("1", "echo", big(100<<10)), 1},
		{"raw echo of 1 MiB", call("1", "echo", big(1<<20)), 1},
		{"string id", call(`"abc-123"`, "echo", "[1]"), 1},
		{"another method each time", call("1", "a", "[1]") + call("2", "b", "[1]") + call("3", "c", "[1]"), 3},
		{"nothing but null", call("1", "nothing", ""), 1},
		{"100 in one read", strings.Repeat(call("1", "echo", big(64)), 100), 100},
		{"notification", note("note", "[1]") + call("1", "echo", "[1]"), 1},
		{"mid-call notification", call("1", "progress", "[1]"), 2},
		{"mid-call notification through the context", call("1", "context", "[1]"), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A lot of contexts serves 64 requests.
			if n := serving(t, h, c.lines, c.answers); n > float64(c.answers)/64 {
				t.Errorf("%v allocations, want at most one for 64 requests", n)
			}
		})
	}
}

func TestAllocationsOfTypedValues(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	type pair struct{ A, B float64 }
	var sink pair
	h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
		if err := r.Decode(&sink); err != nil {
			return err
		}
		return w.Encode(&sink)
	})
	if n := serving(t, h, call("1", "pair", `{"a":1.5,"b":2}`), 1); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestAllocationsOfCalls(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	echo := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error { return w.Raw(r.Params()) })
	for _, size := range []int{0, 64, 16 << 10, 1 << 20} {
		for _, notes := range []int{0, 1} {
			t.Run(fmt.Sprintf("size=%d/notifications=%d", size, notes), func(t *testing.T) {
				params := []byte(`["` + strings.Repeat("x", size) + `"]`)
				dst := make([]byte, 0, 2*size+64)
				n := fewest(t, func() (run, end func()) {
					toA, toB := newWire(), newWire()
					a, b := peer.New(toA, toB, nil, &peer.Options{Client: true}), peer.New(toB, toA, echo, nil)
					served := make(chan error, 2)
					for _, c := range []*peer.Conn{a, b} {
						go func() { served <- c.Serve(context.Background()) }()
					}
					ctx, cancel := context.WithCancel(context.Background())
					run = func() {
						for range notes {
							if err := a.NotifyRaw(ctx, "note", params); err != nil {
								t.Fatal(err)
							}
						}
						out, err := a.CallRaw(ctx, dst[:0], "echo", params)
						if err != nil || !bytes.Equal(out, params) {
							t.Fatalf("got %.100q, %v", out, err)
						}
					}
					return run, func() {
						cancel()
						toA.close()
						toB.close()
						for range 2 {
							if err := <-served; err != nil {
								t.Error(err)
							}
						}
					}
				})
				if n != 0 {
					t.Errorf("%v allocations, want none", n)
				}
			})
		}
	}
}
