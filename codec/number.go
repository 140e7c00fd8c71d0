package codec

// number checks the number whose first byte is c and whose next byte is b[i],
// or the byte behind the integer digits where value has read those (RFC 8259
// section 6). It returns the position behind the number, or -1.
func (s *scanner) number(b []byte, i int, c byte) int {
	if c == '-' {
		if i >= len(b) || b[i]-'0' > 9 {
			return s.fail(FaultSyntax, i)
		}
		c = b[i]
		i++
	}
	if c != '0' {
		i = digits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		j := digits(b, i+1)
		if j == i+1 {
			return s.fail(FaultSyntax, j)
		}
		i = j
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		j := digits(b, i)
		if j == i {
			return s.fail(FaultSyntax, j)
		}
		i = j
	}
	return i
}

// digits returns the position of the first byte from i on that is no digit.
func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
