package server_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"sync"
	"testing"

	"github.com/linerpc/linerpc/server"

	"go.uber.org/goleak"
)

// pingPong is the two streams of a server in memory: a line goes in when the
// answer to the one before is out. It allocates nothing once it is warm.
type pingPong struct {
	mu     sync.Mutex
	moved  sync.Cond
	rest   []byte
	closed bool
	out    []byte
	lines  int
}

func (p *pingPong) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.rest) == 0 && !p.closed {
		p.moved.Wait()
	}
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pingPong) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = append(p.out[:0], b...)
	p.lines += bytes.Count(b, []byte("\n"))
	p.moved.Broadcast()
	return len(b), nil
}

func (p *pingPong) exchange(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines, p.rest = 0, line
	p.moved.Broadcast()
	for p.lines == 0 {
		p.moved.Wait()
	}
}

func (p *pingPong) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.moved.Broadcast()
}

// TestAllocationsOfTypedHandlers: the best of several attempts counts, because
// a handler that loses the processor for a millisecond is slow, which costs.
func TestAllocationsOfTypedHandlers(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	if checked {
		t.Skip("this build allocates for its checks")
	}
	type texts struct{ A, B string }
	mux := server.NewMux()
	server.Handle(mux, "point", func(_ context.Context, p point) (float64, error) { return p.X + p.Y, nil })
	server.Handle(mux, "points", func(_ context.Context, p point) (point, error) { return p, nil })
	server.Handle(mux, "none", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	server.Handle(mux, "texts", func(_ context.Context, p texts) (texts, error) { return p, nil })
	server.HandleNotification(mux, "note", func(context.Context, point) error { return nil })
	for _, c := range []struct {
		name, lines string
		most        float64
	}{
		{"two floats", call("1", "point", `{"x":1.5,"y":2}`), 0},
		{"two floats back", call("1", "points", `{"x":1.5,"y":2}`), 0},
		{"nothing", call("1", "none", ""), 0},
		{"two strings", call("1", "texts", `{"a":"some text","b":"some more text"}`), 2},
		{"notification", note("note", `{"x":1,"y":2}`) + call("1", "none", ""), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			best := math.Inf(1)
			for attempt := 0; attempt < 10 && best > c.most; attempt++ {
				var p pingPong
				p.moved.L = &p.mu
				served := make(chan error, 1)
				go func() { served <- server.Serve(context.Background(), &p, &p, mux, nil) }()
				line := []byte(c.lines)
				for range 20 {
					p.exchange(line)
				}
				best = min(best, testing.AllocsPerRun(100, func() { p.exchange(line) }))
				p.close()
				if err := <-served; err != nil || bytes.Contains(p.out, []byte("error")) {
					t.Fatalf("%v: %s", err, p.out)
				}
			}
			if best > c.most {
				t.Errorf("%v allocations, want at most %v", best, c.most)
			}
		})
	}
}
