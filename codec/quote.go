package codec

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// AppendQuote appends s as a JSON string: quotes, backslashes and control
// characters escaped, nothing else (no HTML escaping); a byte that is not
// UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[done:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, "\ufffd"...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}
