package codec

import (
	"encoding/binary"
	"math/bits"
)

// Envelope members, as bits of a set.
const (
	memberVersion = 1 << iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
)

// The names of the envelope members as the eight bytes that start with their
// opening quote; nameID is five bytes, with the colon.
const (
	nameVersion = 0x6370726e6f736a22 // "jsonrpc
	nameMethod  = 0x22646f6874656d22 // "method"
	nameParams  = 0x22736d6172617022 // "params"
	nameResult  = 0x22746c7573657222 // "result"
	nameError   = 0x3a22726f72726522 // "error":
	nameID      = 0x3a22646922       // "id":
	maskID      = 1<<40 - 1
)

// quickMember recognizes a member whose name is written as nearly everybody
// writes it: no escapes, the colon right behind. It returns the position
// behind the colon.
func quickMember(b []byte, i int) (member uint8, next int) {
	if i < 0 || i >= len(b)-15 {
		return 0, i
	}
	switch w := binary.LittleEndian.Uint64(b[i:]); w {
	case nameMethod:
		member = memberMethod
	case nameParams:
		member = memberParams
	case nameResult:
		member = memberResult
	case nameError:
		return memberError, i + 8
	case nameVersion:
		if b[i+8] == '"' && b[i+9] == ':' {
			return memberVersion, i + 10
		}
		return 0, i
	default:
		if w&maskID == nameID {
			return memberID, i + 5
		}
		return 0, i
	}
	if b[i+8] != ':' {
		return 0, i
	}
	return member, i + 9
}

// member reads a name and its colon, however they are written.
func (p *Parser) member(b []byte, i int) (member uint8, next int) {
	if i >= len(b) || b[i] != '"' {
		return 0, p.scan.fail(FaultSyntax, i)
	}
	key := i + 1
	if i = p.scan.str(b, key); i < 0 {
		return 0, -1
	}
	member = memberOf(b[key : i-1])
	if i = blanks(b, i); i >= len(b) || b[i] != ':' {
		return 0, p.scan.fail(FaultSyntax, i)
	}
	return member, i + 1
}

// plainString returns the position behind the closing quote of a string whose
// first byte behind the opening one is b[i], if it is short, of ASCII and
// without escapes, else 0.
func plainString(b []byte, i int) int {
	for stop := i + shortString; i < stop; i += 8 {
		var w uint64
		if i >= 0 && i < len(b)-7 {
			w = binary.LittleEndian.Uint64(b[i:])
		} else {
			w = lastWord(b, i)
		}
		if m := stops(w); m != 0 {
			if i += bits.TrailingZeros64(m) >> 3; i < len(b) && b[i] == '"' {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// plainNumber returns the position behind a number that starts at b[i] and has
// nothing but digits, as ids do, else 0.
func plainNumber(b []byte, i int) int {
	if i < len(b) && b[i] != '0' {
		j := digits(b, i)
		if j > i && j < len(b) && (b[j] == ',' || b[j] == '}') {
			return j
		}
	}
	return 0
}

// openingLen returns the length of the opening that nearly every message has
// behind its brace, or 0 if b[i:] has none or nothing behind it.
func openingLen(b []byte, i int) int {
	const compact, spaced = `"jsonrpc":"2.0",`, `"jsonrpc": "2.0", `
	switch {
	case i < len(b)-len(compact) && string(b[i:i+len(compact)]) == compact:
		return len(compact)
	case i < len(b)-len(spaced) && string(b[i:i+len(spaced)]) == spaced:
		return len(spaced)
	}
	return 0
}

var versionValue = []byte(`"2.0"`)

// object reads one envelope that opens at b[i], at a nesting of depth levels,
// and returns the position behind it.
func (p *Parser) object(b []byte, i, depth int, m *Message) int {
	if depth >= p.scan.maxDepth {
		return p.scan.fail(FaultDepth, i)
	}
	var seen, twice uint8
	var method, version []byte
	plain := false // the method is known to have no escapes
	if i++; i < len(b) && b[i] <= ' ' {
		i = blanks(b, i)
	}
	if i < len(b) && b[i] == '}' {
		p.classify(m, 0, 0, nil, nil, false)
		return i + 1
	}
	if n := openingLen(b, i); n != 0 {
		seen, version = memberVersion, versionValue
		if i += n; b[i] <= ' ' {
			i = blanks(b, i)
		}
	}
	for {
		member, start := quickMember(b, i)
		if member == 0 {
			if member, start = p.member(b, i); start < 0 {
				return -1
			}
		}
		if start < len(b) && b[start] <= ' ' {
			if start = blank(b, start); start < len(b) && b[start] <= ' ' {
				start = blanks(b, start)
			}
		}
		if start >= len(b) {
			return p.scan.fail(FaultSyntax, start)
		}
		quick := false
		if c := b[start]; c == '"' {
			if i = plainString(b, start+1); i != 0 {
				quick = true
			} else {
				i = p.scan.str(b, start+1)
			}
		} else if c == '{' || c == '[' {
			i = p.scan.container(b, start, depth+1)
		} else if i = plainNumber(b, start); i == 0 {
			i = p.scan.scalar(b, start)
		}
		if i < 0 {
			return -1
		}
		if member != 0 {
			twice |= seen & member
			seen |= member
			raw := b[start:i:i]
			switch member {
			case memberVersion:
				version = raw
			case memberID:
				m.ID = raw
			case memberMethod:
				method, plain = raw, quick
			case memberParams:
				m.Params = raw
			case memberResult:
				m.Result = raw
			case memberError:
				m.Error = raw
			}
		}
		if i < len(b) && b[i] <= ' ' {
			i = blanks(b, i)
		}
		if i >= len(b) {
			return p.scan.fail(FaultSyntax, i)
		}
		if b[i] != ',' {
			break
		}
		if i++; i < len(b) && b[i] <= ' ' {
			if i = blank(b, i); i < len(b) && b[i] <= ' ' {
				i = blanks(b, i)
			}
		}
	}
	if b[i] != '}' {
		return p.scan.fail(FaultSyntax, i)
	}
	p.classify(m, seen, twice, version, method, plain)
	return i + 1
}
