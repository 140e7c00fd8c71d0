package peer

import (
	"bufio"
	"context"
	"net"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"
)

// TestIdleConnectionsAreCheap opens a thousand connections, has traffic on
// each, and looks at what they hold when nothing happens any more.
func TestIdleConnectionsAreCheap(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	if poisoned {
		t.Skip("the race detector needs memory for itself")
	}
	const n = 1000
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip("no unix sockets here:", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, n)
	conns := make(chan *Conn, n)
	go func() {
		for range n {
			s, err := l.Accept()
			if err != nil {
				return
			}
			c := New(s, s, HandlerFunc(timed), nil)
			conns <- c
			go func() {
				defer s.Close()
				served <- c.Serve(ctx)
			}()
		}
	}()
	before := inUse()
	goroutines := runtime.NumGoroutine()
	var far []net.Conn
	for range n {
		s, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far = append(far, s)
		lines := bufio.NewReader(s)
		for i := range 20 {
			method := "fast"
			if i == 10 {
				method = "slow"
			}
			if _, err := s.Write([]byte(callLine(i, method, `{"ms":0}`) + "\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := lines.ReadSlice('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range n {
		c := <-conns
		for c.watch.awake.Load() { // it falls asleep a few ticks after the traffic
			runtime.Gosched()
		}
	}

	per := (inUse() - before) / n
	t.Logf("%d bytes of heap and stack, %.1f goroutines each", per, float64(runtime.NumGoroutine()-goroutines)/n)
	if per > 16<<10 {
		t.Errorf("%d bytes of heap and stack each", per)
	}
	if more := runtime.NumGoroutine() - goroutines; more > 2*n+10 {
		t.Errorf("%d goroutines for %d connections", more, n)
	}
	cancel()
	for range n {
		<-served
	}
	for _, s := range far {
		s.Close()
	}
	l.Close()
}

// inUse is the heap and stack in use once the garbage is gone.
func inUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}
