package codec

import (
	"encoding/binary"
	"unicode/utf8"
)

// utf8 looks at the encoding of the whole text b, but only when a string in it
// had a byte of 0x80 or more: outside strings the grammar admits none.
func (s *scanner) utf8(b []byte) bool {
	if s.high&highBits == 0 {
		return true
	}
	n := validWords(b)
	for back := true; n > 0 && back; back = !utf8.RuneStart(b[n]) {
		n--
	}
	if utf8.Valid(b[n:]) {
		return true
	}
	for {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			s.fail(FaultUTF8, n)
			return false
		}
		n += size
	}
}

// validWords checks the encoding of b eight bytes at a time, without a branch
// that depends on the lengths of the characters: text that mixes them, as
// everything but English does, makes utf8.Valid mispredict at nearly every
// word. It returns how many bytes are valid, except that the last character may
// go on or go wrong behind them; where it is not sure it stops.
//
// A lane is one byte of the word, and its answers stand in its bit 7. The bytes
// that a character still owes are marked in owed, shifted up from its first
// byte: they have to be the continuation bytes, no more and no fewer.
func validWords(b []byte) int {
	var owed uint64 // by the words before this one
	i := 0
	for ; i < len(b)-8; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		high := w & highBits
		if high|owed == 0 {
			continue
		}
		first := high & (w << 1)  // 0xC0 or more: the first byte of a character
		three := first & (w << 2) // 0xE0 or more
		four := three & (w << 3)  // 0xF0 or more
		wrong := owed ^ (first<<8 | three<<16) ^ (high ^ first)
		owed = first>>56 | three>>48
		if four != 0 {
			wrong ^= four << 24
			owed |= four >> 40
			wrong |= fourths(four, w, binary.LittleEndian.Uint64(b[i+1:]))
		}
		few := first &^ (w&(lowBits*0x1e) + lowBits*0x7e)                   // 0xC0, 0xC1, 0xE0, 0xE1
		edge := three &^ ((w&(lowBits*0x0f) ^ lowBits*0x0d) + lowBits*0x7f) // 0xED and 0xFD
		if few|edge != 0 {
			wrong |= thirds(few, edge, w, binary.LittleEndian.Uint64(b[i+1:]))
		}
		if wrong != 0 {
			return i
		}
	}
	return i
}

// fourths marks the first bytes of four that can't go with the same lane of
// next, the text one byte on (RFC 3629 section 4). Only 0xF0, below U+40000, is
// looked at; what lies above is hardly used and never sure.
func fourths(four, w, next uint64) uint64 {
	return four & (w&(lowBits*0x0f) + lowBits*0x7f | ^(next<<2 | next<<3))
}

// thirds does the same for few, 0xC0 and 0xC1 that are never valid, 0xE0 that
// forbids what two bytes can say and 0xE1 that is harmless, and for edge, 0xED
// that forbids surrogates.
//
//go:noinline
func thirds(few, edge, w, next uint64) uint64 {
	n5 := next << 2
	return few&^(w<<2) | few&^(w<<7)&^n5 | edge&n5
}
