package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A sink remembers each write, and that no two met.
type sink struct {
	t      *testing.T
	busy   atomic.Bool
	writes []string
}

func (s *sink) Write(p []byte) (int, error) {
	if s.busy.Swap(true) {
		s.t.Error("two writes at once")
	}
	s.writes = append(s.writes, string(p))
	s.busy.Store(false)
	return len(p), nil
}

// appendLine is what a caller does between Begin and Commit.
func appendLine(w *Writer, line string) (full bool) {
	return w.Commit(append(append(w.Begin(), line...), '\n'))
}

func TestWritesAreWholeLines(t *testing.T) {
	s := &sink{t: t}
	w := NewWriter(s, WriterOptions{})
	w.WriteLine([]byte("a"))
	w.WriteLine(nil)
	appendLine(w, "b")
	appendLine(w, "c")
	w.Flush()
	w.Flush() // has nothing to do
	appendLine(w, "d")
	w.WriteLine([]byte("e"))
	if want := []string{"a\n", "\n", "b\nc\n", "d\ne\n"}; !reflect.DeepEqual(s.writes, want) {
		t.Errorf("wrote %q; want %q", s.writes, want)
	}
	if got, want := w.Stats(), (WriterStats{Writes: 4, Bytes: 11}); got != want {
		t.Errorf("counted %+v; want %+v", got, want)
	}
}

func TestAbortLeavesWhatWasPending(t *testing.T) {
	s := &sink{t: t}
	w := NewWriter(s, WriterOptions{})
	_ = append(w.Begin(), "never"...)
	w.Abort()
	w.Flush()
	appendLine(w, "a")
	_ = append(w.Begin(), "never"...)
	w.Abort()
	w.Commit(w.Begin()) // nothing was appended
	appendLine(w, "b")
	w.Flush()
	if want := []string{"a\nb\n"}; !reflect.DeepEqual(s.writes, want) {
		t.Errorf("wrote %q; want %q", s.writes, want)
	}
}

func TestCommitAsksForAFlush(t *testing.T) {
	w := NewWriter(io.Discard, WriterOptions{})
	line := numbered(GatherBytes/2 - 1)
	if appendLine(w, line) {
		t.Error("with half of GatherBytes")
	}
	if !appendLine(w, line) {
		t.Error("not with GatherBytes")
	}
}

// TestConcurrentLinesAreNeverTorn: every goroutine's lines arrive whole and in
// its order, whichever way they were written.
func TestConcurrentLinesAreNeverTorn(t *testing.T) {
	const writers, each = 8, 1000
	s := &sink{t: t}
	w := NewWriter(s, WriterOptions{MaxPending: 50_000})
	line := func(g, i int) string { return fmt.Sprintf("%d:%d:%s", g, i, numbered(g*i%3000)) }
	var wg sync.WaitGroup
	for g := range writers {
		wg.Go(func() {
			for i := range each {
				var err error
				if l := line(g, i); i%2 == 0 {
					err = w.WriteLine([]byte(l))
				} else if err = w.Wait(len(l)+1, nil); err == nil {
					appendLine(w, l)
					if i%3 == 0 {
						err = w.Flush()
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := w.Drain(nil); err != nil {
		t.Fatal(err)
	}
	var next [writers]int
	for _, write := range s.writes {
		if !strings.HasSuffix(write, "\n") {
			t.Fatalf("a write ends with %.40q", write[max(0, len(write)-40):])
		}
		for l := range strings.Lines(write) {
			var g, i int
			fmt.Sscanf(l, "%d:%d:", &g, &i)
			if i != next[g] || l != line(g, i)+"\n" {
				t.Fatalf("line %d of %d is %.40q", next[g], g, l)
			}
			next[g]++
		}
	}
	for g, n := range next {
		if n != each {
			t.Errorf("%d lines of %d; want %d", n, g, each)
		}
	}
}

// TestPilesLeaveInParts: a pile is cut between lines, so that one sees that it
// moves; only a line that is larger than a write is torn, and nothing is lost.
func TestPilesLeaveInParts(t *testing.T) {
	for _, size := range []int{100, 100_000, writeUnit - 1, writeUnit, writeUnit + 1, 2*writeUnit - 1, 2 * writeUnit, 5*writeUnit + 1} {
		s := &sink{t: t}
		w := NewWriter(s, WriterOptions{})
		line := numbered(size)
		count := max(1, 3<<20/size)
		for range count {
			appendLine(w, line)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if strings.Join(s.writes, "") != strings.Repeat(line+"\n", count) {
			t.Errorf("lines of %d: something else was written", size)
		}
		for _, write := range s.writes {
			if size < writeUnit && !strings.HasSuffix(write, "\n") {
				t.Errorf("lines of %d: one is torn", size)
			}
			if len(write) > 2*writeUnit {
				t.Errorf("lines of %d: a write of %d", size, len(write))
			}
		}
		if got := w.Stats(); got.Bytes != uint64(count*(size+1)) || got.Writes != uint64(len(s.writes)) {
			t.Errorf("counted %+v", got)
		}
	}
}

// A brokenWriter takes so many bytes, and then gives err.
type brokenWriter struct {
	room  int
	err   error
	calls int
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	w.calls++
	if len(p) <= w.room {
		w.room -= len(p)
		return len(p), nil
	}
	n := w.room
	w.room = 0
	return n, w.err
}

// TestWriterErrorsStay: after an error every call gives it, and nothing more is
// written.
func TestWriterErrorsStay(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		err  error // of the underlying writer
		want error
	}{
		{"error", broken, broken},
		{"short write without an error", nil, io.ErrShortWrite},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := &brokenWriter{room: 5, err: tt.err}
			w := NewWriter(u, WriterOptions{})
			if err := w.WriteLine([]byte("ab")); err != nil {
				t.Fatal(err)
			}
			appendLine(w, "cdef")
			for name, call := range map[string]func() error{
				"Flush":     w.Flush,
				"WriteLine": func() error { return w.WriteLine([]byte("g")) },
				"Wait":      func() error { return w.Wait(1, nil) },
				"Drain":     func() error { return w.Drain(nil) },
				"Commit":    func() error { appendLine(w, "h"); return w.Flush() },
				"Fail":      func() error { w.Fail(io.EOF); return w.Flush() },
			} {
				w.Flush()
				if err := call(); err != tt.want {
					t.Errorf("%s gave %v; want %v", name, err, tt.want)
				}
			}
			if got, want := w.Stats(), (WriterStats{Writes: 2, Bytes: 5}); got != want || u.calls != 2 {
				t.Errorf("counted %+v after %d writes; want %+v", got, u.calls, want)
			}
			if w.pending != nil {
				t.Error("bytes that can't leave are held")
			}
		})
	}
}

// TestPileStopsAtAnError: the parts behind the one that failed are not written.
func TestPileStopsAtAnError(t *testing.T) {
	u := &brokenWriter{room: 0, err: io.ErrClosedPipe}
	w := NewWriter(u, WriterOptions{})
	if err := w.WriteLine([]byte(numbered(5 * writeUnit))); err != io.ErrClosedPipe || u.calls != 1 {
		t.Errorf("gave %v after %d writes", err, u.calls)
	}
}

func TestFailDropsWhatIsPending(t *testing.T) {
	s := &sink{t: t}
	w := NewWriter(s, WriterOptions{})
	appendLine(w, "a")
	w.Fail(io.EOF)
	if err := w.Flush(); err != io.EOF || len(s.writes) > 0 {
		t.Errorf("gave %v and wrote %q", err, s.writes)
	}
}

// TestWriterLetsGo: what a large line needed is not kept for the next, and an
// idle Writer holds nothing.
func TestWriterLetsGo(t *testing.T) {
	w := NewWriter(io.Discard, WriterOptions{})
	w.WriteLine(bytes.Repeat([]byte("x"), 8<<20))
	if w.pending != nil {
		t.Error("an idle Writer holds a buffer")
	}
	for range 100 {
		if got := cap(w.Begin()); got > maxPooled {
			t.Errorf("a buffer of %d came from the pool", got)
		}
		w.Abort()
	}
}

// TestRoomStaysPoolable: whatever fits a buffer that is kept gets one that is.
func TestRoomStaysPoolable(t *testing.T) {
	for _, tt := range []struct{ held, more, want int }{
		{0, 10, 10},
		{10, 1, 20},
		{10, 100, 110},
		{maxPooled/2 + 1, 100, maxPooled},
		{maxPooled - 1, 1, maxPooled},
		{maxPooled, 1, 2 * maxPooled},
		{0, 3 * maxPooled, 3 * maxPooled},
	} {
		b := room([]byte(numbered(tt.held))[:tt.held:tt.held], tt.more)
		if string(b) != numbered(tt.held) || cap(b) != tt.want {
			t.Errorf("%d held and %d more: %d bytes in a buffer of %d; want %d", tt.held, tt.more, len(b), cap(b), tt.want)
		}
	}
}
