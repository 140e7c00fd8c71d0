package peer

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestAllocationsBesideTheReader counts what a request costs whose role was
// given away, with and without a look at its context's Done, and that it stays
// the same over many.
func TestAllocationsBesideTheReader(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	if poisoned {
		t.Skip("the race detector and poison builds allocate for themselves")
	}
	for _, done := range []bool{false, true} {
		limit := 3.0
		if done {
			limit = 5
		}
		t.Run(fmt.Sprintf("done=%v", done), func(t *testing.T) {
			h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
				w.x.method.slow.Store(maxRuns) // whatever the clock says
				if done {
					ctx.Done()
				}
				return w.Raw(r.Params())
			})
			in, out := newFeed(callLine(1, "beside", `{"a":1}`)), newSink()
			c := New(in, out, h, &Options{Drain: time.Minute})
			served := make(chan error)
			go func() { served <- c.Serve(context.Background()) }()
			run := func(n int) uint64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range n {
					in.next <- struct{}{}
					<-out.lines
				}
				runtime.ReadMemStats(&after)
				return after.Mallocs - before.Mallocs
			}
			run(1000)
			const n = 10_000
			first := float64(run(n)) / n
			for range 8 {
				run(n)
			}
			last := float64(run(n)) / n
			t.Logf("%.2f allocations a request, %.2f after 100,000", first, last)
			if first > limit+0.1 || last > limit+0.1 {
				t.Errorf("%.2f and %.2f allocations a request, want at most %v", first, last, limit)
			}
			close(in.next)
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// feed is an input that gives one line each time it is told to.
type feed struct {
	line []byte
	next chan struct{}
}

func newFeed(line string) *feed {
	return &feed{[]byte(line + "\n"), make(chan struct{})}
}

func (f *feed) Read(p []byte) (int, error) {
	if _, ok := <-f.next; !ok {
		return 0, io.EOF
	}
	return copy(p, f.line), nil
}

// sink is an output that tells of every line.
type sink struct{ lines chan struct{} }

func newSink() *sink { return &sink{make(chan struct{}, 16)} }

func (s *sink) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == '\n' {
			s.lines <- struct{}{}
		}
	}
	return len(p), nil
}
