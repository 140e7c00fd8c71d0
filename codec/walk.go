package codec

import (
	"encoding/binary"
	"math/bits"
)

// event is why walk stopped.
type event uint8

const (
	evInvalid    event = iota // the byte at the position can't stand there
	evClosed                  // the outermost level of the word was closed
	evFull                    // an array or object opens that the word has no room for
	evString                  // the rest of a value's string, which str checks
	evKey                     // the rest of a member's name, which str checks
	evWideString              // the first byte of 0x80 or more, in a value's string
	evWideKey                 // the same in a member's name
)

// entry is where walk begins, or goes on behind blanks.
type entry uint8

const (
	atValue  entry = iota // at an opening bracket
	atAfter               // behind a value
	atColon               // behind the name of a member
	atString              // in a value's string
	atName                // in a member's name
	atKey                 // where a member has to start
	atOpen                // behind an opening bracket
)

// walk checks arrays and objects from i on until the outermost one closes, or
// until it meets something rare that its caller does for it and then calls it
// again. It calls nothing, so that its state stays in registers. Blanks are
// looked for only where what compact text has is missing, but for the one that
// often follows a colon.
//
// The kinds of the open brackets are the bits of open, the innermost in bit 0,
// 1 for an object, below a sentinel bit; as long as open is less than limit
// another level may be opened. The argument wide has all bits 7 set where bytes
// of 0x80 or more are let pass; before that the first one is an event, so that
// text without any pays nothing for them.
func walk(b []byte, i int, open, limit, wide uint64, at entry) (int, uint64, event) {
	var (
		c    byte
		name bool // the string is a member's name
		stop int  // where a string is long enough for four words at a time
		w, m uint64
		back entry // where to go on behind blanks
	)
	switch at {
	case atAfter:
		goto after
	case atColon:
		goto colon
	case atString, atName:
		name = at == atName
		goto str
	}
value: // i is where a value has to start
	if uint(i) >= uint(len(b)) {
		return i, open, evInvalid
	}
	c = b[i]
	if c == '"' {
		// Most strings end within their first word, with a comma behind them:
		// one comparison of two bytes sees both.
		if wide == 0 && i >= 0 && i < len(b)-8 {
			w = binary.LittleEndian.Uint64(b[i+1:])
			if m = stops(w); m == 0 {
				i += 8
			} else if i += bits.TrailingZeros64(m) >> 3; i >= 0 && i < len(b)-2 {
				if u := binary.LittleEndian.Uint16(b[i+1:]); u == '"'|','<<8 {
					i += 3
					if open&1 == 0 {
						goto value
					}
					goto key
				} else if byte(u) == '"' {
					i += 2
					goto after
				}
			}
		}
		i++
		name = false
		goto str
	}
	switch c {
	case '{', '[':
		if open >= limit {
			return i, open, evFull
		}
		open = open<<1 | uint64(c>>5&1) // '{' is 0x7b, '[' is 0x5b
		i++
		goto opened
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		i++
		if c == '-' {
			if uint(i) >= uint(len(b)) || b[i]-'0' > 9 {
				return i, open, evInvalid
			}
			c = b[i]
			i++
		}
		if c != '0' {
			for ; uint(i) < uint(len(b)); i++ {
				if c = b[i]; c-'0' > 9 {
					break
				}
			}
			if c == ',' {
				goto comma
			}
		}
	case 't':
		if i < 0 || i >= len(b)-3 || string(b[i:i+4]) != "true" {
			return i, open, evInvalid
		}
		i += 4
		goto after
	case 'n':
		if i < 0 || i >= len(b)-3 || string(b[i:i+4]) != "null" {
			return i, open, evInvalid
		}
		i += 4
		goto after
	case 'f':
		if i < 0 || i >= len(b)-4 || string(b[i:i+5]) != "false" {
			return i, open, evInvalid
		}
		i += 5
		goto after
	case ' ':
		i++
		goto value
	default:
		back = atValue
		goto blank
	}
	// i is behind the integer part of a number.
	if uint(i) < uint(len(b)) && b[i] == '.' {
		i++
		if uint(i) >= uint(len(b)) || b[i]-'0' > 9 {
			return i, open, evInvalid
		}
		for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
			i++
		}
	}
	if uint(i) < uint(len(b)) && b[i]|0x20 == 'e' {
		i++
		if uint(i) < uint(len(b)) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if uint(i) >= uint(len(b)) || b[i]-'0' > 9 {
			return i, open, evInvalid
		}
		for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
			i++
		}
	}
after: // i is behind a value
	if uint(i) >= uint(len(b)) {
		return i, open, evInvalid
	}
	if c = b[i]; c == ',' {
		goto comma
	}
	if c != byte(']'+open&1<<5) {
		back = atAfter
		goto blank
	}
pop: // b[i] closes the innermost level
	i++
	if open >>= 1; open == 1 {
		return i, open, evClosed
	}
	goto after
comma: // b[i] is the comma behind a value
	i++
	if open&1 == 0 {
		goto value
	}
	goto key
opened: // i is behind an opening bracket
	if uint(i) >= uint(len(b)) {
		return i, open, evInvalid
	}
	if c = b[i]; c <= ' ' {
		back = atOpen
		goto blank
	}
	if c == byte(']'+open&1<<5) {
		goto pop
	}
	if open&1 == 0 {
		goto value
	}
key: // i is where a member has to start
	if uint(i) >= uint(len(b)) {
		return i, open, evInvalid
	}
	if c = b[i]; c != '"' {
		if c == ' ' {
			i++
			goto key
		}
		back = atKey
		goto blank
	}
	for wide == 0 && i >= 0 && i < len(b)-8 {
		w = binary.LittleEndian.Uint64(b[i+1:])
		if m = stops(w); m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if i >= 0 && i < len(b)-2 && binary.LittleEndian.Uint16(b[i+1:]) == '"'|':'<<8 {
			if i += 3; uint(i) < uint(len(b)) && b[i] == ' ' {
				i++
			}
			goto value
		}
		break
	}
	i++
	name = true
str: // i is somewhere in a string, behind its opening quote
	stop = i + shortString
	for {
		if i >= 0 && i < len(b)-7 {
			w = binary.LittleEndian.Uint64(b[i:])
		} else if i >= len(b) {
			return i, open, evInvalid
		} else if len(b) < 8 {
			goto rest
		} else {
			// Lanes behind the end are zero: control characters.
			w = binary.LittleEndian.Uint64(b[len(b)-8:]) >> (uint(i-len(b)) * 8 & 63)
		}
		if m = stops(w) &^ (w & wide); m == 0 {
			if i += 8; i < stop {
				continue
			}
			for i >= 0 && i < len(b)-31 {
				w = binary.LittleEndian.Uint64(b[i:])
				m = (marked(w) | w) &^ (w & wide)
				w = binary.LittleEndian.Uint64(b[i+8:])
				m |= (marked(w) | w) &^ (w & wide)
				w = binary.LittleEndian.Uint64(b[i+16:])
				m |= (marked(w) | w) &^ (w & wide)
				w = binary.LittleEndian.Uint64(b[i+24:])
				m |= (marked(w) | w) &^ (w & wide)
				if m&highBits != 0 {
					break
				}
				if i += 32; i >= stop+longString {
					goto rest
				}
			}
			stop = i + shortString
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if uint(i) >= uint(len(b)) {
			return i, open, evInvalid
		}
		if b[i] == '"' {
			i++
			if name {
				goto colon
			}
			goto after
		}
		if b[i] >= 0x80 {
			if name {
				return i, open, evWideKey
			}
			return i, open, evWideString
		}
		if b[i] != '\\' || uint(i+1) >= uint(len(b)) {
			return i, open, evInvalid
		}
		if e := escapes[b[i+1]]; e == escapeShort {
			i += 2
		} else if e == escapeUnicode && i+1 < len(b)-5 && hexes[b[i+2]]|hexes[b[i+3]]|hexes[b[i+4]]|hexes[b[i+5]] == 0 {
			i += 6
		} else {
			return i, open, evInvalid
		}
	}
rest:
	if name {
		return i, open, evKey
	}
	return i, open, evString
colon: // i is behind a member's name
	if uint(i) >= uint(len(b)) {
		return i, open, evInvalid
	}
	if c = b[i]; c != ':' {
		back = atColon
		goto blank
	}
	i++
	goto value
blank: // c is b[i] and not what compact text has there
	if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
		return i, open, evInvalid
	}
	i++
	for i >= 0 && i < len(b)-7 {
		w = binary.LittleEndian.Uint64(b[i:]) ^ lowBits*' '
		i += bits.TrailingZeros64(w) >> 3
		if w != 0 {
			break
		}
	}
	switch back {
	case atKey:
		goto key
	case atAfter:
		goto after
	case atOpen:
		goto opened
	case atColon:
		goto colon
	}
	goto value
}
