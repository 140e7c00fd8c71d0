package frame

import (
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/valyala/bytebufferpool"
)

// Defaults of WriterOptions.
const (
	DefaultMaxPending = 16 << 20
	DefaultStall      = 30 * time.Second
)

// writeUnit is about how much of a pile goes into one write. When it leaves
// slowly one sees that it moves: it must not be taken for stalled.
const writeUnit = 256 << 10

// GatherBytes is how many bytes of lines a Writer gathers before it asks for
// a Flush (see Commit).
const GatherBytes = 64 << 10

var (
	// ErrStalled means that the other side has not read for as long as
	// WriterOptions.Stall while the bound of waiting bytes was reached.
	ErrStalled = errors.New("frame: the other side does not read: too many bytes wait to be written")
	// ErrGaveUp means that the done channel of Wait or Drain was closed first.
	ErrGaveUp = errors.New("frame: gave up waiting for bytes to leave")
)

// WriterOptions bounds a Writer. A zero field means the default, a negative
// one no limit.
type WriterOptions struct {
	MaxPending int           // bytes waiting to be written; DefaultMaxPending. A larger line is admitted when nothing waits
	Stall      time.Duration // how long nothing may leave while somebody waits for room; DefaultStall

	// Failed, when set, is told of an error that a goroutine of the Writer's
	// has met: nobody else may ever ask. It is called without a lock.
	Failed func(error)
}

// Writer writes whole lines for any number of goroutines. Lines are appended
// to a pending buffer; whoever flushes writes all that is pending in one
// write (a pile of it in a few), and others append meanwhile. One line is never
// torn by another.
//
//	buf := w.Begin()
//	buf = append(buf, line...)
//	buf = append(buf, '\n')
//	if w.Commit(buf) { err = w.Flush() }
//
// After an error of the underlying writer every call gives that error.
type Writer struct {
	w       io.Writer
	try     TryWriter // w, or nil
	max     int
	stall   time.Duration
	failed  func(error)
	mu      sync.Mutex
	pending *bytebufferpool.ByteBuffer   // the chunk that lines are appended to: nil, or not empty when unlocked
	closed  []*bytebufferpool.ByteBuffer // chunks in front of it
	pile    int                          // bytes in closed
	writing bool                         // somebody writes and will see what is pending
	flying  int                          // bytes in the buffer that is being written
	last    int                          // bytes of the buffer that was written last
	err     error
	moved   chan struct{} // closed when bytes have left; made by who waits
	stats   WriterStats
}

// TryWriter is a writer that can write without waiting. TryWrite takes as much
// of p as it can at once; n < len(p) with a nil error says that the rest would
// have to wait. A Writer on a TryWriter never makes who flushes wait: what is
// not taken at once is written, in order, by a goroutine of the Writer's.
type TryWriter interface {
	io.Writer
	TryWrite(p []byte) (n int, err error)
}

// WriterStats counts what a Writer did.
type WriterStats struct {
	Writes uint64 // calls of the underlying writer
	Bytes  uint64 // bytes it took
}

// NewWriter returns a Writer on w. A write to w is one or more whole lines, or
// part of a line of more than 256 KiB.
func NewWriter(w io.Writer, o WriterOptions) *Writer {
	f := &Writer{w: w, max: o.MaxPending, stall: o.Stall, failed: o.Failed}
	f.try, _ = w.(TryWriter)
	if f.max == 0 {
		f.max = DefaultMaxPending
	}
	if f.max < 0 {
		f.max = math.MaxInt
	}
	if f.stall == 0 {
		f.stall = DefaultStall
	}
	return f
}

// Begin locks the Writer and returns the pending buffer, to be appended to
// and given to Commit or Abort. No user code may run and no I/O may happen
// in between.
func (f *Writer) Begin() []byte {
	f.mu.Lock()
	return f.openLocked(0)
}

// openLocked gives the chunk that lines are appended to. A chunk that is as
// long as a write should be is closed, so that a pile is made of buffers that
// go back to the pool; and so is one that a large line of n bytes would make
// grow.
func (f *Writer) openLocked(n int) []byte {
	if p := f.pending; p != nil && len(p.B) == 0 && n >= largeBytes {
		f.dropOpenLocked()
	}
	if p := f.pending; p != nil && (len(p.B) >= writeUnit || n >= largeBytes && cap(p.B)-len(p.B) < n) {
		f.closed = append(f.closed, f.pending)
		f.pile += len(f.pending.B)
		f.pending = nil
	}
	if f.pending == nil {
		f.pending = getBytes(max(n, f.last))
	}
	return f.pending.B
}

// nextLocked takes the chunk off that is to be written next.
func (f *Writer) nextLocked() (b *bytebufferpool.ByteBuffer) {
	if len(f.closed) == 0 {
		b, f.pending = f.pending, nil
		return b
	}
	b = f.closed[0]
	f.pile -= len(b.B)
	f.closed = slices.Delete(f.closed, 0, 1)
	return b
}

// Commit takes buf, what Begin gave with whole lines appended, and unlocks.
// It reports whether so much is pending that it should be flushed now.
func (f *Writer) Commit(buf []byte) bool {
	f.pending.B = buf
	full := len(buf) >= GatherBytes || f.pile > 0
	switch {
	case f.err != nil:
		f.dropLocked()
	case len(buf) == 0:
		f.dropOpenLocked()
	}
	f.mu.Unlock()
	return full
}

// Abort unlocks and leaves what was pending as it was.
func (f *Writer) Abort() {
	if len(f.pending.B) == 0 {
		f.dropOpenLocked()
	}
	f.mu.Unlock()
}

func (f *Writer) dropLocked() {
	f.dropOpenLocked()
	for _, b := range f.closed {
		putBytes(b)
	}
	f.closed, f.pile = nil, 0
}

func (f *Writer) dropOpenLocked() {
	if f.pending != nil {
		putBytes(f.pending)
		f.pending = nil
	}
}

// WriteLine appends one line, its newline left out, and flushes it. It waits
// for room without end, but for ErrStalled. The line must hold no newline.
func (f *Writer) WriteLine(line []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.waitLocked(len(line)+1, nil); err != nil {
		return err
	}
	buf := append(room(f.openLocked(len(line)+1), len(line)+1), line...)
	f.pending.B = append(buf, '\n')
	f.flushLocked()
	return f.err
}

// Wait waits until n more bytes may be appended, or until done is closed. It
// reports an error of the Writer, or ErrStalled. Without a wait it costs one
// lock. The room is not set aside: of several that wait at once, each may get
// the same.
func (f *Writer) Wait(n int, done <-chan struct{}) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waitLocked(n, done)
}

// waitLocked is Wait, at the end of which the Writer is locked still.
func (f *Writer) waitLocked(n int, done <-chan struct{}) error {
	for f.err == nil && !f.fitsLocked(n) {
		f.flushAsideLocked()
		if err := f.awaitLocked(f.stall, done); err != nil {
			return err
		}
	}
	return f.err
}

// fitsLocked reports whether n more bytes may be appended.
func (f *Writer) fitsLocked(n int) bool {
	waiting := f.flying + f.pile
	if f.pending != nil {
		waiting += len(f.pending.B)
	}
	return waiting == 0 || waiting+n <= f.max
}

// awaitLocked unlocks until bytes have left or the Writer failed. It gives up
// when done is closed, and fails the Writer when nothing left for as long as
// stall; zero or less is no limit.
func (f *Writer) awaitLocked(stall time.Duration, done <-chan struct{}) error {
	if f.moved == nil {
		f.moved = make(chan struct{})
	}
	moved := f.moved
	f.mu.Unlock()
	defer f.mu.Lock()
	var stalled <-chan time.Time
	if stall > 0 {
		t := time.NewTimer(stall)
		defer t.Stop()
		stalled = t.C
	}
	select {
	case <-moved:
		return nil
	case <-done:
		return ErrGaveUp
	case <-stalled:
	}
	select {
	case <-moved: // in the same moment
	default:
		f.Fail(ErrStalled)
	}
	return nil
}

func (f *Writer) movedLocked() {
	if f.moved != nil {
		close(f.moved)
		f.moved = nil
	}
}

// Fail makes err the error of all calls from now on and drops what is
// pending; a write that is under way is not interrupted. The first error
// stays.
func (f *Writer) Fail(err error) {
	f.mu.Lock()
	f.failLocked(err)
	f.movedLocked()
	f.mu.Unlock()
}

func (f *Writer) failLocked(err error) {
	if f.err == nil {
		f.err = err
	}
	f.dropLocked()
}

// Drain flushes and waits until nothing is pending and no write is under way.
// It gives up when done is closed.
func (f *Writer) Drain(done <-chan struct{}) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.err == nil && (f.writing || f.anyLocked()) {
		f.flushAsideLocked()
		if err := f.awaitLocked(0, done); err != nil {
			return err
		}
	}
	return f.err
}

// Err is the error that every call gives; nil while the Writer works.
func (f *Writer) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Stats returns the counts so far.
func (f *Writer) Stats() WriterStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}
