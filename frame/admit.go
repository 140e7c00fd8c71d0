package frame

// Admit is Begin for a line of about n bytes: ok is false, and the Writer not
// locked, when the line would go above the bound. Then Wait. One line larger
// than the bound is admitted when nothing waits.
func (f *Writer) Admit(n int) (buf []byte, ok bool) { return f.AdmitOver(n, 0) }

// AdmitOver is Admit with a bound that is higher by over, for lines that must
// not wait for others to leave. Then Wait for over bytes less.
func (f *Writer) AdmitOver(n, over int) (buf []byte, ok bool) {
	f.mu.Lock()
	if p := f.pending; p != nil && len(p.B) < writeUnit && cap(p.B)-len(p.B) >= n && f.flying+f.pile+len(p.B) <= f.max-n {
		return p.B, true // as nearly always when answers gather
	}
	buf = f.openLocked(n)
	if !f.fitsLocked(n - over) {
		f.Abort()
		return nil, false
	}
	return room(buf, n), true
}

// Insist is Begin for a small line of about n bytes that has to go out though
// the bound is reached. Who uses it sees to it that such lines are few.
func (f *Writer) Insist(n int) []byte {
	f.mu.Lock()
	return room(f.openLocked(n), n)
}
