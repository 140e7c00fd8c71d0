package codec

// number checks the number that starts at b[i] (RFC 8259 section 6) and
// returns the position behind it, or -1.
func (s *scanner) number(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		j := digits(b, i)
		if j == i {
			return s.fail(FaultSyntax, j)
		}
		i = j
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
