package codec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// A string is looked at eight bytes at a time up to shortString, then four words
// at a time up to longString, then by bytes.IndexByte: each is faster than the
// one before and costs more to start.
const (
	shortString = 96
	longString  = 512
)

// stops sets bit 7 in the lane of each byte of w that ends a run of plain ASCII
// characters: quote, backslash, below 0x20, 0x80 or more. Exchanging 0x20 with
// 0x22 and 0x21 with 0x23 puts the quote next to the control characters, so
// that one subtraction finds both. Borrows can mark a wrong lane only above a
// right one: the lowest mark is exact, and only that may be used.
func stops(w uint64) uint64 {
	return (marked(w) | w) & highBits
}

// marks is stops without the bytes of 0x80 or more.
func marks(w uint64) uint64 {
	return marked(w) &^ w & highBits
}

func marked(w uint64) uint64 {
	return ((w ^ lowBits*2) - lowBits*0x21) | ((w ^ lowBits*'\\') - lowBits)
}

// str checks a string from some b[i] behind its opening quote on and returns
// the position behind the closing quote, or -1.
func (s *scanner) str(b []byte, i int) int {
	var high uint64
	quote := -1 // where the next '"' is, once bytes.IndexByte has looked
	for {
		for limit := i + shortString; i < limit; {
			var w uint64
			if len(b)-i >= 8 {
				w = binary.LittleEndian.Uint64(b[i:])
			} else {
				w = lastWord(b, i)
			}
			high |= w
			m := marks(w)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
			if i >= len(b) {
				return s.fail(FaultSyntax, len(b))
			}
			if b[i] == '"' {
				s.high |= high
				return i + 1
			}
			if i = s.escape(b, i); i < 0 {
				return -1
			}
		}
		if quote < i {
			n := bytes.IndexByte(b[i:], '"')
			if n < 0 {
				return s.fail(FaultSyntax, len(b))
			}
			quote = i + n
		}
		run := b[i:quote]
		if n := bytes.IndexByte(run, '\\'); n >= 0 {
			run = run[:n]
		}
		if n := s.control(run); n >= 0 {
			return s.fail(FaultSyntax, i+n)
		}
		i += len(run)
		if i == quote {
			s.high |= high
			return quote + 1
		}
		if i = s.escape(b, i); i < 0 {
			return -1
		}
	}
}

// lastWord gives the fewer than eight bytes from b[i] on, if any, as a word
// whose upper lanes are zero: control characters, which end any string.
func lastWord(b []byte, i int) (w uint64) {
	if n := len(b); i < n && n >= 8 {
		return binary.LittleEndian.Uint64(b[n-8:]) >> (uint(i-n) * 8 & 63)
	}
	for j := len(b) - 1; j >= i; j-- {
		w = w<<8 | uint64(b[j])
	}
	return w
}

// escape checks the escape sequence at b[i] and returns the position behind
// it. A byte that is no backslash is a raw control character: never valid.
func (s *scanner) escape(b []byte, i int) int {
	if b[i] != '\\' || i+1 >= len(b) {
		return s.fail(FaultSyntax, i)
	}
	switch e := escapes[b[i+1]]; {
	case e == escapeShort:
		return i + 2
	case e == escapeUnicode && i+6 <= len(b) && hexes[b[i+2]]|hexes[b[i+3]]|hexes[b[i+4]]|hexes[b[i+5]] == 0:
		return i + 6
	}
	return s.fail(FaultSyntax, i)
}

// The kinds of escape sequences, by the byte behind the backslash.
const (
	escapeShort   = 1
	escapeUnicode = 2
)

var escapes = [256]uint8{
	'"': escapeShort, '\\': escapeShort, '/': escapeShort, 'b': escapeShort,
	'f': escapeShort, 'n': escapeShort, 'r': escapeShort, 't': escapeShort,
	'u': escapeUnicode,
}

// hexes is 0 for the hexadecimal digits.
var hexes = func() (t [256]uint8) {
	for c := range t {
		t[c] = 1
	}
	for _, c := range "0123456789abcdefABCDEF" {
		t[c] = 0
	}
	return t
}()

// control returns the position of the first byte below 0x20, or -1, and adds
// to s.high what it saw. The loop over four words has no branch in its body.
func (s *scanner) control(b []byte) int {
	i := 0
	for ; i+32 <= len(b); i += 32 {
		p := b[i : i+32]
		w0 := binary.LittleEndian.Uint64(p)
		w1 := binary.LittleEndian.Uint64(p[8:])
		w2 := binary.LittleEndian.Uint64(p[16:])
		w3 := binary.LittleEndian.Uint64(p[24:])
		s.high |= w0 | w1 | w2 | w3
		m := (w0-lowBits*' ')&^w0 | (w1-lowBits*' ')&^w1 | (w2-lowBits*' ')&^w2 | (w3-lowBits*' ')&^w3
		if m&highBits != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if b[i] < ' ' {
			return i
		}
		s.high |= uint64(b[i])
	}
	return -1
}
