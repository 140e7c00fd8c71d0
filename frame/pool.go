package frame

import (
	"bufio"
	"io"
	"sync"

	"github.com/valyala/bytebufferpool"
)

// Read buffers come in three sizes. A connection starts with the smallest, so
// that a thousand idle ones are cheap, and gets a larger one when a line or
// the traffic needs it.
const (
	minBuffer = 4 << 10
	maxBuffer = 64 << 10
	growth    = 4
)

// maxPooled is the largest capacity that goes back to a pool. It lets lines of
// 1 MiB and their answers stay free of allocation, and keeps one huge line
// from pinning its memory.
const maxPooled = 2<<20 + 64<<10

var buffers [3]sync.Pool // of *bufio.Reader, by class

func class(size int) int {
	c := 0
	for size > minBuffer {
		size /= growth
		c++
	}
	return c
}

func getBuffer(size int, r io.Reader) *bufio.Reader {
	if br, ok := buffers[class(size)].Get().(*bufio.Reader); ok {
		br.Reset(r)
		return br
	}
	return bufio.NewReaderSize(r, size)
}

func putBuffer(br *bufio.Reader, size int) {
	br.Reset(nil)
	buffers[class(size)].Put(br)
}

// lines holds the buffers of long lines and of what waits to be written. The
// pool of bytebufferpool itself would not do: it learns which sizes are common
// and drops the largest twentieth, which made one 20 KiB answer among 24 short
// ones an allocation each time.
var lines = sync.Pool{New: func() any { return new(bytebufferpool.ByteBuffer) }}

// getBytes gives a buffer for about n bytes; it may have to grow all the same.
func getBytes(n int) *bytebufferpool.ByteBuffer {
	if n >= largeBytes {
		if b := large.get(); b != nil {
			return b
		}
	}
	return lines.Get().(*bytebufferpool.ByteBuffer)
}

// Buffers from largeBytes on live on a list of their own. In a sync.Pool each
// collection would drop them, and making them again is what brings the next
// collection about. The list is short: it is all that a process holds for good
// of the large lines it has seen.
const (
	largeBytes = 256 << 10
	largeKept  = 4
)

type largeList struct {
	mu   sync.Mutex
	free []*bytebufferpool.ByteBuffer
}

var large largeList

func (l *largeList) get() *bytebufferpool.ByteBuffer {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free) - 1
	if n < 0 {
		return nil
	}
	b := l.free[n]
	l.free[n] = nil
	l.free = l.free[:n]
	return b
}

func (l *largeList) put(b *bytebufferpool.ByteBuffer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) < largeKept {
		l.free = append(l.free, b)
	}
}

// putBytes hands a pooled buffer back, or leaves it to the collector when it
// has grown out of proportion.
func putBytes(b *bytebufferpool.ByteBuffer) {
	if poisoned {
		scribble(b.B)
	}
	n := cap(b.B)
	b.Reset()
	switch {
	case n > maxPooled:
	case n >= largeBytes:
		large.put(b)
	default:
		lines.Put(b)
	}
}

// room makes sure that n more bytes fit b. It doubles rather than creeps, but
// never past maxPooled for what would have fitted a buffer that is kept.
func room(b []byte, n int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	size := max(need, 2*cap(b))
	if need <= maxPooled {
		size = min(size, maxPooled)
	}
	return append(make([]byte, 0, size), b...)
}

// scribble makes recycled memory show itself. It copies what it wrote so far,
// because the race detector looks at single bytes one by one.
func scribble(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = 0xdb
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// want is the buffer size that the reads so far ask for: a larger one after a
// read that filled a buffer to the brim, a smaller one after many that would
// not have needed it.
func (f *Reader) want() int {
	if f.src.n == 0 {
		return f.size
	}
	n := f.src.n
	f.src.n = 0
	switch {
	case f.src.full && f.size < maxBuffer:
		f.quiet = 0
		return f.size * growth
	case n > f.size/growth || f.size == minBuffer:
		f.quiet = 0
	default:
		f.quiet++
		if f.quiet >= quietReads && len(f.next) == 0 {
			f.quiet = 0
			return f.size / growth
		}
	}
	return f.size
}

// quietReads is how many reads in a row must have fitted a smaller buffer
// before the Reader goes back to one.
const quietReads = 32

// resize moves to a buffer of another size; unread bytes move along.
func (f *Reader) resize(size int) {
	old, oldSize := f.br, f.size
	f.move(size, f.next)
	putBuffer(old, oldSize)
}

// regrow moves to a larger buffer when head, all of the present one, is the
// beginning of a line that does not fit it.
func (f *Reader) regrow(head []byte) {
	old, oldSize := f.br, f.size
	f.move(f.size*growth, head)
	putBuffer(old, oldSize)
}

// move puts a fresh buffer in place of the present one, with unread, which
// fits it, as its content.
func (f *Reader) move(size int, unread []byte) {
	f.src.rest = unread
	f.br, f.size = getBuffer(size, &f.src), size
	f.next, _ = f.br.Peek(len(unread)) // one read of src
}
