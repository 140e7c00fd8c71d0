package codec

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanner checks JSON text against RFC 8259. It remembers why and where it
// stopped; its positions are offsets into the text.
type scanner struct {
	maxDepth int
	high     uint64   // a bit 7 set in any byte lane: a byte of 0x80 or more was seen in a string
	spill    []uint64 // nesting beyond the innermost 64 levels, 64 to a word
	fault    Fault
	at       int
}

// fail notes the fault and returns -1, the position that says "stopped".
func (s *scanner) fail(f Fault, at int) int {
	s.fault, s.at = f, at
	return -1
}

// blanks returns the position of the first byte from i on that is no JSON
// whitespace, or len(b).
func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// value checks the one value that starts at or behind i, blanks in front of it
// allowed, at a nesting of base levels. It returns the positions of its first
// byte and of the byte behind it; an end below 0 means that the text is wrong.
//
// It is one loop without recursion. Which kind of bracket is open is kept as
// one bit a level, the innermost in bit 0 of open: 1 for an object. Most
// strings end within their first eight bytes: those are read here, the others
// in str.
func (s *scanner) value(b []byte, i, base int) (start, end int) {
	var (
		open  uint64
		high  uint64
		depth = base
		c     byte
	)
	if i < len(b) && b[i] <= ' ' {
		i = blanks(b, i)
	}
	start = i
value:
	if i >= len(b) {
		return start, s.fail(FaultSyntax, i)
	}
	c = b[i]
dispatch: // c is b[i]
	if c == '"' {
		i++
		if len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			high |= w
			if m := marks(w); m == 0 {
				i += 8
			} else if i += bits.TrailingZeros64(m) >> 3; b[i] == '"' {
				i++
				goto after
			}
		}
		if i = s.str(b, i); i < 0 {
			return start, -1
		}
		goto after
	}
	switch c {
	case '{', '[':
		if depth >= s.maxDepth {
			return start, s.fail(FaultDepth, i)
		}
		if (depth-base)&63 == 0 && depth != base {
			s.spill = append(s.spill, open)
		}
		depth++
		open = open<<1 | uint64(c>>5&1) // '{' is 0x7b, '[' is 0x5b
		if i++; i < len(b) && b[i] <= ' ' {
			i = blanks(b, i)
		}
		if i < len(b) && b[i] == c+2 {
			i++
			goto pop
		}
		if c == '{' {
			goto key
		}
		goto value
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		i++
		if c != '-' && c != '0' {
			for i < len(b) && b[i]-'0' <= 9 {
				i++
			}
			if i < len(b) && (b[i] == ',' || b[i] == '}' || b[i] == ']') {
				goto after
			}
		}
		if i = s.number(b, i, c); i < 0 {
			return start, -1
		}
	case 't', 'n':
		if len(b)-i < 4 || string(b[i:i+4]) != "true" && string(b[i:i+4]) != "null" {
			return start, s.fail(FaultSyntax, i)
		}
		i += 4
	case 'f':
		if len(b)-i < 5 || string(b[i:i+5]) != "false" {
			return start, s.fail(FaultSyntax, i)
		}
		i += 5
	default:
		return start, s.fail(FaultSyntax, i)
	}
after:
	if depth == base {
		s.high |= high
		return start, i
	}
	if i >= len(b) {
		return start, s.fail(FaultSyntax, i)
	}
	if c = b[i]; c <= ' ' {
		if i = blanks(b, i); i >= len(b) {
			return start, s.fail(FaultSyntax, i)
		}
		c = b[i]
	}
	if c == ',' {
		if i++; i < len(b) && b[i] <= ' ' {
			i = blanks(b, i)
		}
		if open&1 == 0 {
			goto value
		}
		goto key
	}
	if c != byte(']'+open&1<<5) {
		return start, s.fail(FaultSyntax, i)
	}
	i++
pop:
	depth--
	open >>= 1
	if (depth-base)&63 == 0 && depth != base {
		open = s.spill[len(s.spill)-1]
		s.spill = s.spill[:len(s.spill)-1]
	}
	goto after
key:
	if i >= len(b) || b[i] != '"' {
		return start, s.fail(FaultSyntax, i)
	}
	i++
	if len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		high |= w
		if m := marks(w); m == 0 {
			i += 8
		} else if i += bits.TrailingZeros64(m) >> 3; b[i] == '"' {
			i++
			goto colon
		}
	}
	if i = s.str(b, i); i < 0 {
		return start, -1
	}
colon:
	if i < len(b) && b[i] <= ' ' {
		i = blanks(b, i)
	}
	if i >= len(b) || b[i] != ':' {
		return start, s.fail(FaultSyntax, i)
	}
	if i++; i >= len(b) {
		return start, s.fail(FaultSyntax, i)
	}
	if c = b[i]; c > ' ' {
		goto dispatch
	}
	i = blanks(b, i)
	goto value
}

// reset prepares the scanner for a new text.
func (s *scanner) reset() {
	s.high, s.fault, s.at = 0, FaultNone, 0
	s.spill = s.spill[:0]
}

// utf8 looks at the encoding of the whole text b, but only when a string in it
// had a byte of 0x80 or more: outside strings the grammar admits none.
func (s *scanner) utf8(b []byte) bool {
	if s.high&highBits == 0 || utf8.Valid(b) {
		return true
	}
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	s.fail(FaultUTF8, at)
	return false
}

// Valid reports whether b is exactly one JSON value by RFC 8259, UTF-8
// included, nested no deeper than DefaultMaxDepth, blanks around it allowed.
func Valid(b []byte) bool {
	s := scanner{maxDepth: DefaultMaxDepth}
	_, i := s.value(b, 0, 0)
	return i >= 0 && blanks(b, i) == len(b) && s.utf8(b)
}
