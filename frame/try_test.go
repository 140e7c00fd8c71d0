package frame

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A narrow writer takes a number of bytes at once, and the rest when it is let.
type narrow struct {
	mu    sync.Mutex
	got   []byte
	room  int
	tried int
	err   error
	open  chan struct{} // a Write waits for it
}

var _ TryWriter = (*narrow)(nil)

func (n *narrow) TryWrite(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tried++
	k := min(n.room, len(p))
	n.room -= k
	n.got = append(n.got, p[:k]...)
	return k, n.err
}

func (n *narrow) Write(p []byte) (int, error) {
	<-n.open
	n.mu.Lock()
	defer n.mu.Unlock()
	n.got = append(n.got, p...)
	return len(p), n.err
}

// TestFlushDoesNotWait: on a TryWriter who flushes comes back though nobody
// reads, and the lines are whole and in order once somebody does.
func TestFlushDoesNotWait(t *testing.T) {
	for _, room := range []int{0, 1, 50, 101, 150, 1 << 20} {
		synctest.Test(t, func(t *testing.T) {
			n := &narrow{room: room, open: make(chan struct{})}
			w := NewWriter(n, WriterOptions{})
			var want strings.Builder
			for i := range 10 {
				line := aLine(i, 100)
				want.WriteString(line + "\n")
				if err := w.WriteLine([]byte(line)); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if got := string(n.got); got != want.String()[:min(room, want.Len())] {
				t.Errorf("room for %d: %d bytes were taken at once", room, len(got))
			}
			close(n.open)
			if err := w.Drain(nil); err != nil {
				t.Fatal(err)
			}
			if string(n.got) != want.String() {
				t.Errorf("room for %d: what was written is not what was sent", room)
			}
		})
	}
}

// TestTryWriterFails: the error of a write that was tried is that of the Writer.
func TestTryWriterFails(t *testing.T) {
	n := &narrow{room: 10, err: io.ErrClosedPipe}
	w := NewWriter(n, WriterOptions{})
	if err := w.WriteLine([]byte("0123456789abcdef")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the line: %v", err)
	}
	if err := w.Flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("afterwards: %v", err)
	}
}

// favourWriter appends a line to its own Writer during each write, as others do.
type favourWriter struct {
	w      *Writer
	left   atomic.Int64 // a goroutine of the Writer's may be at it already
	writes int
}

func (f *favourWriter) Write(p []byte) (int, error) {
	f.writes++
	if f.left.Add(-1) >= 0 {
		buf := f.w.Begin()
		f.w.Commit(append(buf, "another\n"...))
	}
	return len(p), nil
}

// TestFavoursEnd: who flushes does not write for others for ever.
func TestFavoursEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &favourWriter{}
		f.left.Store(1000)
		f.w = NewWriter(f, WriterOptions{})
		done := make(chan int64)
		go func() {
			f.w.WriteLine([]byte("mine"))
			done <- f.left.Load()
		}()
		if left := <-done; left < 900 {
			t.Errorf("the flush of one line lasted until %d lines of others were left", left)
		}
		if err := f.w.Drain(nil); err != nil || f.writes != 1001 {
			t.Errorf("%d writes, %v", f.writes, err)
		}
	})
}

// TestInsist: a line may go out though the bound is reached.
func TestInsist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, w := stuck(WriterOptions{MaxPending: 100})
		if _, ok := w.Admit(10); ok {
			t.Fatal("the bound is not reached")
		}
		w.Commit(append(w.Insist(8), "urgent!\n"...))
		close(g.open)
		if err := w.Drain(nil); err != nil {
			t.Fatal(err)
		}
		if last := g.writes[len(g.writes)-1]; last != "urgent!\n" {
			t.Errorf("written last: %q", last)
		}
	})
}

// stepReader gives its parts one by one and counts the reads.
type stepReader struct {
	parts []string
	reads int
}

func (r *stepReader) Read(p []byte) (int, error) {
	r.reads++
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.parts[0])
	if r.parts[0] = r.parts[0][n:]; r.parts[0] == "" {
		r.parts = r.parts[1:]
	}
	return n, nil
}

// TestFill: each Fill is one read, a part of a line is kept, and what ReadLine
// gives in the end is the same.
func TestFill(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	want := []string{`{"a":1}`, "second", "third", long, "last"}
	r := &stepReader{parts: []string{`{"a"`, ":1}\nsec", "ond\nthird", "\n", long, "\nlast"}}
	f := NewReader(r, 0)
	defer f.Close()
	var got []string
	for {
		line, ok, err := f.Buffered()
		if ok {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line))
			continue
		}
		before := r.reads
		if f.Fill() {
			if r.reads != before+1 {
				t.Errorf("one Fill made %d reads", r.reads-before)
			}
			continue
		}
		// Only ReadLine goes on: a line longer than the buffer, or the end.
		text, err := f.ReadLine()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(bytes.Clone(text)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("line %d: %.40q, want %.40q", i, got[i], want[i])
			}
		}
	}
}
