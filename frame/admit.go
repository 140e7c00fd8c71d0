package frame

// Admit is Begin for a line of about n bytes: ok is false, and the Writer not
// locked, when the line would go above the bound. Then Wait. One line larger
// than the bound is admitted when nothing waits.
func (f *Writer) Admit(n int) (buf []byte, ok bool) {
	buf = f.Begin()
	if !f.fitsLocked(n) {
		f.Abort()
		return nil, false
	}
	return room(buf, n), true
}
