package frame

import (
	"bytes"
	"io"
	"math"

	"github.com/valyala/bytebufferpool"
)

// Flush writes what is pending. When another goroutine is writing already, it
// returns at once: that one goes on until nothing is pending, or hands over to
// a goroutine of the Writer's when others keep it from its own work.
func (f *Writer) Flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flushLocked()
	return f.err
}

// anyLocked reports whether something is pending.
func (f *Writer) anyLocked() bool { return f.pending != nil || f.pile > 0 }

func (f *Writer) flushLocked() {
	if !f.writing && f.anyLocked() {
		f.writing = true
		f.writeAllLocked(len(f.closed) + 1 + favours)
	}
}

// flushAsideLocked flushes on a goroutine of its own, because who asks for it
// may have to leave before a write returns.
func (f *Writer) flushAsideLocked() {
	if !f.writing && f.anyLocked() {
		f.writing = true
		go f.goOn(nil, nil)
	}
}

// favours is how many chunks one goroutine writes for others, beyond what was
// pending when it began, before one takes over that has nothing else to do.
const favours = 4

const allChunks = math.MaxInt

// goOn is the life of a goroutine that writes until nothing is pending: first
// the rest of a chunk, if that was begun.
func (f *Writer) goOn(b *bytebufferpool.ByteBuffer, rest []byte) {
	if err := f.goOnUntilDone(b, rest); err != nil && f.failed != nil {
		f.failed(err)
	}
}

func (f *Writer) goOnUntilDone(b *bytebufferpool.ByteBuffer, rest []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b != nil {
		f.writeChunkLocked(rest)
		f.doneLocked(b)
	}
	f.writeAllLocked(allChunks)
	return f.err
}

// writeAllLocked writes until nothing is pending, up to a number of chunks. It
// unlocks for each write. Who does not have all the time does not wait either,
// where the writer can tell that it would.
func (f *Writer) writeAllLocked(chunks int) {
	wait := f.try == nil || chunks == allChunks
	for ; f.anyLocked() && f.err == nil; chunks-- {
		if chunks == 0 {
			go f.goOn(nil, nil)
			return
		}
		b := f.nextLocked()
		f.flying, f.last = len(b.B), len(b.B)
		if rest := b.B; wait {
			f.writeChunkLocked(rest)
		} else if rest = f.tryLocked(rest); len(rest) > 0 && f.err == nil {
			go f.goOn(b, rest)
			return
		}
		f.doneLocked(b)
	}
	f.writing = false
	f.movedLocked()
}

func (f *Writer) doneLocked(b *bytebufferpool.ByteBuffer) {
	f.flying = 0
	putBytes(b)
}

func (f *Writer) writeChunkLocked(rest []byte) {
	for len(rest) > 0 && f.err == nil {
		var part []byte
		part, rest = cut(rest)
		f.writeLocked(part)
	}
}

// tryLocked gives what would have to wait.
func (f *Writer) tryLocked(rest []byte) []byte {
	n, err := f.unlockedTry(rest)
	f.wroteLocked(n, err)
	return rest[n:]
}

func (f *Writer) unlockedTry(part []byte) (int, error) {
	f.mu.Unlock()
	defer f.mu.Lock()
	return f.try.TryWrite(part)
}

// cut takes the next write off lines: up to the first line end behind
// writeUnit. Only a line that is itself larger is torn.
func cut(lines []byte) (part, rest []byte) {
	n := len(lines)
	if n > 2*writeUnit {
		n = writeUnit
		if i := bytes.IndexByte(lines[n:2*writeUnit], '\n'); i >= 0 {
			n += i + 1
		}
	}
	return lines[:n], lines[n:]
}

func (f *Writer) writeLocked(part []byte) {
	n, err := f.unlockedWrite(part)
	if err == nil && n < len(part) {
		err = io.ErrShortWrite
	}
	f.wroteLocked(n, err)
}

func (f *Writer) wroteLocked(n int, err error) {
	f.stats.Writes++
	f.stats.Bytes += uint64(n)
	if err != nil {
		f.failLocked(err)
	}
	f.movedLocked()
}

func (f *Writer) unlockedWrite(part []byte) (int, error) {
	f.mu.Unlock()
	defer f.mu.Lock()
	return f.w.Write(part)
}
