package codec

import (
	"encoding/binary"
	"math/bits"
)

// scanner checks JSON text against RFC 8259. It remembers why and where it
// stopped; its positions are offsets into the text.
type scanner struct {
	maxDepth int
	high     uint64   // a bit 7 set in any byte lane: a byte of 0x80 or more was seen in a string
	spill    []uint64 // the words of levels that walk has put aside, the outermost first
	fault    Fault
	at       int
}

// fail notes the fault and returns -1, the position that says "stopped".
func (s *scanner) fail(f Fault, at int) int {
	s.fault, s.at = f, at
	return -1
}

// reset prepares the scanner for a new text.
func (s *scanner) reset() {
	s.high, s.fault, s.at = 0, FaultNone, 0
	if cap(s.spill) > maxSpill {
		s.spill = nil
	}
	s.spill = s.spill[:0]
}

// value checks the one value that starts at or behind i, blanks in front of it
// allowed, at a nesting of base levels. It returns the positions of its first
// byte and of the byte behind it; an end below 0 means that the text is wrong.
func (s *scanner) value(b []byte, i, base int) (start, end int) {
	if i < len(b) && b[i] <= ' ' {
		i = blanks(b, i)
	}
	if i >= len(b) {
		return i, s.fail(FaultSyntax, i)
	}
	switch b[i] {
	case '{', '[':
		return i, s.container(b, i, base)
	case '"':
		return i, s.str(b, i+1)
	}
	return i, s.scalar(b, i)
}

// scalar checks the number or the literal that starts at b[i].
func (s *scanner) scalar(b []byte, i int) int {
	switch b[i] {
	case 't':
		return s.literal(b, i, "true")
	case 'f':
		return s.literal(b, i, "false")
	case 'n':
		return s.literal(b, i, "null")
	}
	return s.number(b, i)
}

func (s *scanner) literal(b []byte, i int, text string) int {
	if len(b)-i < len(text) || string(b[i:i+len(text)]) != text {
		return s.fail(FaultSyntax, i)
	}
	return i + len(text)
}

// wordLevels is how many levels of nesting fit in one word beside the sentinel.
const wordLevels = 63

// container checks the array or object that opens at b[i]: it lets walk run and
// does what walk leaves to it.
func (s *scanner) container(b []byte, i, base int) int {
	var (
		left = s.maxDepth - base // levels that may still be opened, those of the current word included
		open = uint64(1)
		wide uint64
		at   = atValue
	)
	for {
		var ev event
		i, open, ev = walk(b, i, open, 1<<uint(min(max(left, 0), wordLevels)), wide, at)
		at = atAfter
		switch ev {
		case evClosed:
			if len(s.spill) == 0 {
				return i
			}
			open = s.spill[len(s.spill)-1]
			s.spill = s.spill[:len(s.spill)-1]
			left += wordLevels
		case evFull:
			if left <= wordLevels {
				return s.fail(FaultDepth, i)
			}
			s.spill = append(s.spill, open)
			open = 1
			left -= wordLevels
			at = atValue
		case evString, evKey:
			if i = s.str(b, i); i < 0 {
				return -1
			}
			if ev == evKey {
				at = atColon
			}
		case evWideString, evWideKey:
			wide, s.high = highBits, highBits
			at = atString
			if ev == evWideKey {
				at = atName
			}
		default:
			return s.fail(FaultSyntax, i)
		}
	}
}

// blanks returns the position of the first byte from i on that is no JSON
// whitespace, or len(b). Text that is laid out over lines has a newline and a
// run of blanks before most tokens: those are skipped eight at a time.
//
//go:noinline
func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
		for i >= 0 && i < len(b)-7 {
			w := binary.LittleEndian.Uint64(b[i:]) ^ lowBits*' '
			i += bits.TrailingZeros64(w) >> 3
			if w != 0 {
				break
			}
		}
	}
	return i
}

// blank is blanks for one space, without a call.
func blank(b []byte, i int) int {
	if i < len(b) && b[i] == ' ' {
		i++
	}
	return i
}

// Valid reports whether b is exactly one JSON value by RFC 8259, UTF-8
// included, nested no deeper than DefaultMaxDepth, blanks around it allowed.
func Valid(b []byte) bool {
	s := scanner{maxDepth: DefaultMaxDepth}
	_, i := s.value(b, 0, 0)
	return i >= 0 && blanks(b, i) == len(b) && s.utf8(b)
}
