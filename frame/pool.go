package frame

import (
	"bufio"
	"io"
	"slices"
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

// putBytes hands a pooled buffer back, or leaves it to the collector when it
// has grown out of proportion.
func putBytes(b *bytebufferpool.ByteBuffer) {
	if poisoned {
		scribble(b.B)
	}
	if cap(b.B) <= maxPooled {
		bytebufferpool.Put(b)
	}
}

// room makes sure that n more bytes fit b, doubling rather than creeping.
func room(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return slices.Grow(b, max(n, len(b)))
}

// scribble makes recycled memory show itself.
func scribble(b []byte) {
	for i := range b {
		b[i] = 0xdb
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
		if f.quiet >= quietReads && f.br.Buffered() == 0 {
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
	f.move(size, nil)
	putBuffer(old, oldSize)
}

// regrow moves to a larger buffer when head, all of the present one, is the
// beginning of a line that does not fit it.
func (f *Reader) regrow(head []byte) {
	old, oldSize := f.br, f.size
	f.move(f.size*growth, head)
	putBuffer(old, oldSize)
}

// move puts a fresh buffer in place of the present one. It starts with head,
// or with what the present one has not given out yet.
func (f *Reader) move(size int, head []byte) {
	if head == nil {
		head, _ = f.br.Peek(f.br.Buffered())
	}
	br := getBuffer(size, &f.src)
	if len(head) > 0 {
		f.src.rest = head
		br.Peek(len(head)) // one read of src, which copies head
	}
	f.br, f.size = br, size
}
