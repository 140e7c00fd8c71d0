package codec

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendUnquoted appends the value of a JSON string to dst. The text raw, its
// quotes included, must be valid. An unpaired surrogate becomes U+FFFD, as in
// encoding/json.
func AppendUnquoted(dst, raw []byte) []byte {
	return appendUnescaped(dst, raw[1:len(raw)-1])
}

func appendUnescaped(dst, s []byte) []byte {
	for {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:n]...)
		c := s[n+1]
		s = s[n+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex4(s)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					low = hex4(s[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					s = s[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
}

func hex4(s []byte) (r rune) {
	for _, c := range s[:4] {
		if c > '9' {
			c = c | 0x20 - 'a' + 10 + '0'
		}
		r = r<<4 | rune(c-'0')
	}
	return r
}
