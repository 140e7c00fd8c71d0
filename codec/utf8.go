package codec

import (
	"encoding/binary"
	"unicode/utf8"
)

// utf8 looks at the encoding of the whole text b, but only when a string in it
// had a byte of 0x80 or more: outside strings the grammar admits none.
func (s *scanner) utf8(b []byte) bool {
	if s.high&highBits == 0 || validUTF8(b) {
		return true
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n < 2 {
			s.fail(FaultUTF8, at)
			return false
		}
		at += n
	}
}

// The states of the automaton in validUTF8, as the bit at which a state's next
// one stands in an entry of utf8Steps. Nothing leads out of utf8Wrong.
const (
	utf8Wrong = iota * 6
	utf8Start // at the first byte of a character
	utf8Last  // one more byte has to follow
	utf8Two   // two more
	utf8Three // three more
	utf8E0    // two more, no overlong form
	utf8ED    // two more, no surrogate
	utf8F0    // three more, no overlong form
	utf8F4    // three more, nothing beyond U+10FFFF
)

// utf8Steps has for every byte what it makes of each state (RFC 3629 section 4).
var utf8Steps = func() (t [256]uint64) {
	for _, s := range []struct{ from, to, first, last int }{
		{utf8Start, utf8Start, 0x00, 0x7f},
		{utf8Start, utf8Last, 0xc2, 0xdf},
		{utf8Start, utf8E0, 0xe0, 0xe0},
		{utf8Start, utf8Two, 0xe1, 0xec},
		{utf8Start, utf8ED, 0xed, 0xed},
		{utf8Start, utf8Two, 0xee, 0xef},
		{utf8Start, utf8F0, 0xf0, 0xf0},
		{utf8Start, utf8Three, 0xf1, 0xf3},
		{utf8Start, utf8F4, 0xf4, 0xf4},
		{utf8Last, utf8Start, 0x80, 0xbf},
		{utf8Two, utf8Last, 0x80, 0xbf},
		{utf8Three, utf8Two, 0x80, 0xbf},
		{utf8E0, utf8Last, 0xa0, 0xbf},
		{utf8ED, utf8Last, 0x80, 0x9f},
		{utf8F0, utf8Two, 0x90, 0xbf},
		{utf8F4, utf8Two, 0x80, 0x8f},
	} {
		for c := s.first; c <= s.last; c++ {
			t[c] |= uint64(s.to) << s.from
		}
	}
	return t
}()

// validUTF8 is utf8.Valid for text whose characters differ in length, which is
// all that is not English: there a branch for each length is mispredicted at
// nearly every word. A step of this automaton is a load and a shift, whatever
// the byte. Runs of ASCII are skipped.
func validUTF8(b []byte) bool {
	state := uint64(utf8Start)
	for len(b) >= 32 {
		p := b[:32]
		b = b[32:]
		if state&63 == utf8Start && (binary.LittleEndian.Uint64(p)|binary.LittleEndian.Uint64(p[8:])|
			binary.LittleEndian.Uint64(p[16:])|binary.LittleEndian.Uint64(p[24:]))&highBits == 0 {
			continue
		}
		for ; len(p) >= 8; p = p[8:] {
			state = utf8Steps[p[0]] >> (state & 63)
			state = utf8Steps[p[1]] >> (state & 63)
			state = utf8Steps[p[2]] >> (state & 63)
			state = utf8Steps[p[3]] >> (state & 63)
			state = utf8Steps[p[4]] >> (state & 63)
			state = utf8Steps[p[5]] >> (state & 63)
			state = utf8Steps[p[6]] >> (state & 63)
			state = utf8Steps[p[7]] >> (state & 63)
		}
	}
	for _, c := range b {
		state = utf8Steps[c] >> (state & 63)
	}
	return state&63 == utf8Start
}
