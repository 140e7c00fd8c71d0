package frame

import (
	"bufio"

	"github.com/valyala/bytebufferpool"
)

// Held is the memory of one line that was given away. The zero value holds
// nothing.
type Held struct {
	line []byte
	br   *bufio.Reader
	size int
	over *bytebufferpool.ByteBuffer
}

// Detach gives away the memory of the line that was returned last: the line
// stays valid until Release, whatever the Reader does. The Reader goes on with
// other memory and takes the unread bytes along. Detach neither moves nor
// writes the line, so it may run while others read it.
func (f *Reader) Detach() Held {
	h := Held{line: f.line}
	switch {
	case f.over != nil:
		h.over = f.over
		f.over = nil
	case f.line != nil:
		h.br, h.size = f.br, f.size
		f.move(f.size, f.next)
	}
	f.line = nil
	return h
}

// Release hands the line's memory back. It may be called once, from any
// goroutine.
func (h Held) Release() {
	switch {
	case h.over != nil:
		putBytes(h.over)
	case h.br != nil:
		if poisoned {
			scribble(h.line)
		}
		putBuffer(h.br, h.size)
	}
}
