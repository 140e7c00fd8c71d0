package frame

import (
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A gate is a writer whose other side reads only when it is told to.
type gate struct {
	open   chan struct{} // one write may pass for each value, all when closed
	writes []string
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.writes = append(g.writes, string(p))
	return len(p), nil
}

// trickle lets one write pass in each interval, until stop is called.
func (g *gate) trickle(interval time.Duration) (stop func()) {
	stopped := make(chan struct{})
	tick := time.NewTicker(interval)
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-stopped:
				return
			}
			select {
			case g.open <- struct{}{}:
			case <-stopped:
				return
			}
		}
	}()
	return func() { close(stopped) }
}

// stuck starts a Writer on a gate, and a line of 100 bytes that is stuck in it.
func stuck(o WriterOptions) (*gate, *Writer) {
	g := newGate()
	w := NewWriter(g, o)
	go w.WriteLine([]byte(numbered(99)))
	synctest.Wait()
	return g, w
}

// TestGathering: what comes while a write is under way leaves in one.
func TestGathering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{})
		for range 50 {
			if err := w.WriteLine([]byte("b")); err != nil {
				t.Fatal(err)
			}
		}
		close(g.open)
		if err := w.Drain(nil); err != nil || len(g.writes) != 2 || len(g.writes[1]) != 100 {
			t.Errorf("%d writes, %v; want 2", len(g.writes), err)
		}
	})
}

// TestBoundOfWaitingBytes: however many write at once, no more bytes wait than
// the bound allows; and all get through in the end.
func TestBoundOfWaitingBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 350})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := w.WriteLine([]byte(numbered(99))); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		w.mu.Lock()
		if got := w.flying + len(w.pending.B); got != 300 {
			t.Errorf("%d bytes wait; want 300", got)
		}
		w.mu.Unlock()
		close(g.open)
		wg.Wait()
		w.Drain(nil)
		if got := w.Stats().Bytes; got != 2100 {
			t.Errorf("%d bytes were written; want 2100", got)
		}
	})
}

// TestBoundIsExact: the newline counts, and the last byte fits.
func TestBoundIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 200})
		gaveUp := make(chan struct{})
		close(gaveUp)
		if err := w.Wait(101, gaveUp); err != ErrGaveUp {
			t.Errorf("201 bytes: %v", err)
		}
		if err := w.Wait(100, gaveUp); err != nil {
			t.Errorf("200 bytes: %v", err)
		}
		if err := w.WriteLine([]byte(numbered(99))); err != nil {
			t.Error(err)
		}
		close(g.open)
		w.Drain(nil)
	})
}

// TestAdmitKeepsTheBound even where several found room at once, and leaves the
// Writer unlocked when it refuses.
func TestAdmitKeepsTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 350})
		line := []byte(numbered(99) + "\n")
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for {
					if buf, ok := w.Admit(len(line)); ok {
						w.Commit(append(buf, line...))
						return
					}
					if err := w.Wait(len(line), nil); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		synctest.Wait()
		w.mu.Lock()
		if got := w.flying + len(w.pending.B); got != 300 {
			t.Errorf("%d bytes wait; want 300", got)
		}
		w.mu.Unlock()
		close(g.open)
		wg.Wait()
		if err := w.Drain(nil); err != nil || w.Stats().Bytes != 2100 {
			t.Errorf("%d bytes were written, %v; want 2100", w.Stats().Bytes, err)
		}
		if buf, ok := w.Admit(1000); !ok || cap(buf) < 1000 {
			t.Errorf("a larger line was refused, or has no room: %d", cap(buf))
		}
		w.Abort()
	})
}

// TestLargerLineIsAdmitted when nothing waits, and only then.
func TestLargerLineIsAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := NewWriter(g, WriterOptions{MaxPending: 10})
		appendLine(w, "a")
		written := make(chan error, 1)
		go func() { written <- w.WriteLine([]byte(numbered(99))) }()
		synctest.Wait()
		w.mu.Lock()
		if w.flying != 2 || w.pending != nil {
			t.Error("it was admitted although something waits")
		}
		w.mu.Unlock()
		close(g.open)
		if err := <-written; err != nil || len(g.writes) != 2 {
			t.Errorf("%d writes, %v", len(g.writes), err)
		}
	})
}

// TestNoLimits: a negative bound admits all, a negative stall waits for ever.
func TestNoLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: -1})
		for range 300 {
			if err := w.WriteLine([]byte(numbered(100_000))); err != nil {
				t.Fatal(err)
			}
		}
		close(g.open)
		w.Drain(nil)
	})
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 1, Stall: -1})
		time.AfterFunc(1000*time.Hour, func() { close(g.open) })
		if err := w.Wait(1, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestStall: when somebody waits for room and nothing leaves, all fail, after
// that time and not before.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 100})
		start := time.Now()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := w.Wait(1, nil); err != ErrStalled {
					t.Errorf("Wait gave %v", err)
				}
				if got := time.Since(start); got != DefaultStall {
					t.Errorf("after %v", got)
				}
			})
		}
		wg.Wait()
		if err := w.WriteLine(nil); err != ErrStalled {
			t.Errorf("then WriteLine gave %v", err)
		}
		close(g.open)
		synctest.Wait()
		if len(g.writes) != 1 {
			t.Errorf("%d writes; want the one that was under way", len(g.writes))
		}
	})
}

// TestNobodyWaits: without somebody who waits for room nothing is a stall.
func TestNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{Stall: time.Second})
		time.Sleep(time.Hour) // of the bubble's clock
		close(g.open)
		if err := w.Drain(nil); err != nil {
			t.Error(err)
		}
	})
}

// TestSlowIsNotStalled: of a pile that takes far longer than Stall to leave,
// something leaves in time.
func TestSlowIsNotStalled(t *testing.T) {
	for _, size := range []int{1000, 100_000, 4 << 20} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate()
			w := NewWriter(g, WriterOptions{})
			for range DefaultMaxPending / (size + 1) {
				appendLine(w, numbered(size))
			}
			stop := g.trickle(DefaultStall - time.Second)
			defer stop()
			start := time.Now()
			if err := w.WriteLine([]byte(numbered(4 << 20))); err != nil {
				t.Errorf("lines of %d: %v after %v", size, err, time.Since(start))
			}
			if err := w.Drain(nil); err != nil || time.Since(start) < 10*DefaultStall {
				t.Errorf("lines of %d: left after %v, %v", size, time.Since(start), err)
			}
		})
	}
}

// TestWaitGivesUp, be it that it has to flush first: it is not the one who is
// stuck in the write.
func TestWaitGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := NewWriter(g, WriterOptions{MaxPending: 10})
		appendLine(w, "12345678")
		done := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(done) })
		start := time.Now()
		if err := w.Wait(5, done); err != ErrGaveUp || time.Since(start) != time.Second {
			t.Errorf("gave %v after %v", err, time.Since(start))
		}
		close(g.open)
		if err := w.Wait(5, nil); err != nil {
			t.Errorf("later gave %v: giving up is no error of the Writer", err)
		}
	})
}

// TestWaitStallsWhereItFlushes: the same with nobody else in sight.
func TestWaitStallsWhereItFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := NewWriter(g, WriterOptions{MaxPending: 10})
		appendLine(w, "12345678")
		if err := w.WriteLine([]byte("12345678")); err != ErrStalled {
			t.Errorf("gave %v", err)
		}
		close(g.open)
	})
}

// TestFailWakes all who wait, while a write is stuck.
func TestFailWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 100})
		var wg sync.WaitGroup
		for _, call := range []func() error{
			func() error { return w.Wait(1, nil) },
			func() error { return w.WriteLine(nil) },
			func() error { return w.Drain(nil) },
		} {
			wg.Go(func() {
				if err := call(); err != io.ErrClosedPipe {
					t.Errorf("gave %v", err)
				}
			})
		}
		synctest.Wait()
		w.Fail(io.ErrClosedPipe)
		wg.Wait()
		close(g.open)
	})
}

// TestWakeUpsAreNotLost: many who wait for little room, a slow other side; a
// lost wake-up would end in a stall or a deadlock.
func TestWakeUpsAreNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := NewWriter(g, WriterOptions{MaxPending: 64})
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				for i := range 30 {
					if err := w.Wait(20, nil); err != nil {
						t.Error(err)
					}
					if full := appendLine(w, numbered(19)); full || i%4 == 0 {
						w.Flush()
					}
				}
			})
		}
		stop := g.trickle(time.Second)
		defer stop()
		wg.Wait()
		if err := w.Drain(nil); err != nil {
			t.Error(err)
		}
		if got := w.Stats().Bytes; got != 30*30*20 {
			t.Errorf("%d bytes left; want %d", got, 30*30*20)
		}
	})
}

// TestDrain flushes what nobody flushed, waits for the write of another, and
// sees what comes meanwhile.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{})
		appendLine(w, "b")
		drained := make(chan error, 1)
		go func() { drained <- w.Drain(nil) }()
		synctest.Wait()
		appendLine(w, "c")
		g.open <- struct{}{}
		synctest.Wait()
		select {
		case <-drained:
			t.Fatal("ended with bytes that wait")
		default:
		}
		close(g.open)
		if err := <-drained; err != nil || w.Stats().Bytes != 104 {
			t.Errorf("%v with %d bytes written; want 104", err, w.Stats().Bytes)
		}
		if err := w.Drain(nil); err != nil {
			t.Errorf("with nothing to do: %v", err)
		}
	})
}

// TestDrainGivesUp, whether it finds the write stuck or would be the one to
// write.
func TestDrainGivesUp(t *testing.T) {
	for _, flushed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate()
			w := NewWriter(g, WriterOptions{})
			appendLine(w, "a")
			if flushed {
				go w.Flush()
				synctest.Wait()
			}
			done := make(chan struct{})
			time.AfterFunc(time.Second, func() { close(done) })
			start := time.Now()
			if err := w.Drain(done); err != ErrGaveUp || time.Since(start) != time.Second {
				t.Errorf("gave %v after %v", err, time.Since(start))
			}
			close(g.open)
		})
	}
}
