package frame

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/valyala/bytebufferpool"
)

// Defaults of WriterOptions.
const (
	DefaultMaxPending = 16 << 20
	DefaultStall      = 30 * time.Second
)

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
}

// Writer writes whole lines for any number of goroutines. Lines are appended
// to a pending buffer; whoever flushes writes all that is pending in one
// write, and others append meanwhile. One line is never torn by another.
//
//	buf := w.Begin()
//	buf = append(buf, line...)
//	buf = append(buf, '\n')
//	if w.Commit(buf) { err = w.Flush() }
//
// After an error of the underlying writer every call gives that error.
type Writer struct {
	w       io.Writer
	max     int
	stall   time.Duration
	mu      sync.Mutex
	pending *bytebufferpool.ByteBuffer // nil or not yet written, not empty when unlocked
	writing bool                       // somebody is in Flush and will see what is pending
	flying  int                        // bytes in the write that is under way
	err     error
	moved   chan struct{} // closed when bytes have left; made by who waits
	stats   WriterStats
}

// WriterStats counts what a Writer did.
type WriterStats struct {
	Writes uint64 // calls of the underlying writer
	Bytes  uint64 // bytes it took
}

// NewWriter returns a Writer on w. A write to w is one or more whole lines.
func NewWriter(w io.Writer, o WriterOptions) *Writer {
	f := &Writer{w: w, max: o.MaxPending, stall: o.Stall}
	if f.max == 0 {
		f.max = DefaultMaxPending
	}
	if f.max < 0 {
		f.max = int(^uint(0) >> 1)
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
	if f.pending == nil {
		f.pending = bytebufferpool.Get()
	}
	return f.pending.B
}

// Commit takes buf, what Begin gave with whole lines appended, and unlocks.
// It reports whether so much is pending that it should be flushed now.
func (f *Writer) Commit(buf []byte) bool {
	f.pending.B = buf
	if f.err != nil || len(buf) == 0 {
		f.dropLocked()
	}
	f.mu.Unlock()
	return len(buf) >= GatherBytes
}

// Abort unlocks and leaves what was pending as it was.
func (f *Writer) Abort() {
	if len(f.pending.B) == 0 {
		f.dropLocked()
	}
	f.mu.Unlock()
}

func (f *Writer) dropLocked() {
	if f.pending != nil {
		putBytes(f.pending)
		f.pending = nil
	}
}

// WriteLine appends one line, its newline left out, and flushes it. The line
// must hold no newline.
func (f *Writer) WriteLine(line []byte) error {
	if err := f.Wait(len(line), nil); err != nil {
		return err
	}
	buf := append(room(f.Begin(), len(line)+1), line...)
	f.Commit(append(buf, '\n'))
	return f.Flush()
}

// Flush writes what is pending. When another goroutine is writing already, it
// returns at once: that one goes on until nothing is pending.
func (f *Writer) Flush() error {
	f.mu.Lock()
	if f.writing || f.pending == nil {
		err := f.err
		f.mu.Unlock()
		return err
	}
	f.writing = true
	for f.pending != nil && f.err == nil {
		b := f.pending
		f.pending, f.flying = nil, len(b.B)
		f.mu.Unlock()
		n, err := f.w.Write(b.B)
		if err == nil && n < len(b.B) {
			err = io.ErrShortWrite
		}
		f.mu.Lock()
		f.stats.Writes++
		f.stats.Bytes += uint64(n)
		f.flying = 0
		putBytes(b)
		if err != nil {
			f.failLocked(err)
		}
		f.movedLocked()
	}
	f.writing = false
	f.movedLocked()
	err := f.err
	f.mu.Unlock()
	return err
}

// Wait waits until n more bytes may be appended, or until done is closed. It
// reports an error of the Writer, or ErrStalled. Without a wait it costs one
// lock.
func (f *Writer) Wait(n int, done <-chan struct{}) error {
	f.mu.Lock()
	for f.err == nil {
		waiting := f.flying
		if f.pending != nil {
			waiting += len(f.pending.B)
		}
		if waiting == 0 || waiting+n <= f.max {
			break
		}
		if !f.writing {
			f.mu.Unlock()
			f.Flush()
			f.mu.Lock()
			continue
		}
		if f.moved == nil {
			f.moved = make(chan struct{})
		}
		moved := f.moved
		f.mu.Unlock()
		if err := f.waitMoved(moved, done); err != nil {
			return err
		}
		f.mu.Lock()
	}
	err := f.err
	f.mu.Unlock()
	return err
}

func (f *Writer) waitMoved(moved, done <-chan struct{}) error {
	var stalled <-chan time.Time
	if f.stall > 0 {
		t := time.NewTimer(f.stall)
		defer t.Stop()
		stalled = t.C
	}
	select {
	case <-moved:
		return nil
	case <-done:
		return ErrGaveUp
	case <-stalled:
		f.Fail(ErrStalled)
		return ErrStalled
	}
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
	f.Flush()
	f.mu.Lock()
	for f.err == nil && (f.writing || f.pending != nil) {
		if f.moved == nil {
			f.moved = make(chan struct{})
		}
		moved := f.moved
		f.mu.Unlock()
		select {
		case <-moved:
		case <-done:
			return ErrGaveUp
		}
		f.Flush()
		f.mu.Lock()
	}
	err := f.err
	f.mu.Unlock()
	return err
}

// Stats returns the counts so far.
func (f *Writer) Stats() WriterStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}
