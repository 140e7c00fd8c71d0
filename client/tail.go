package client

import (
	"bytes"
	"unicode/utf8"
)

// A tail keeps the last size bytes of what is written to it. It takes no more
// memory than has been needed so far.
type tail struct {
	size int
	// ring has the one byte before the tail as well: it tells whether the tail
	// starts a line.
	ring []byte
	next int // where the next byte goes once the ring is full
}

func (t *tail) write(b []byte) {
	room := t.size + 1
	if len(b) >= room {
		t.ring, t.next = append(t.ring[:0], b[len(b)-room:]...), 0
		return
	}
	n := min(room-len(t.ring), len(b))
	t.ring = append(t.ring, b[:n]...)
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = copy(t.ring[t.next:], b)
		t.next = (t.next + n) % room
	}
}

// bytes is a copy of the tail. When the beginning is missing it starts with a
// whole line if that costs at most half of it, and else with a whole
// character.
func (t *tail) bytes() []byte {
	b := append(bytes.Clone(t.ring[t.next:]), t.ring[:t.next]...)
	if len(b) <= t.size {
		return b
	}
	if i := bytes.IndexByte(b[:1+t.size/2], '\n'); i >= 0 {
		return b[i+1:]
	}
	b = b[1:]
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
