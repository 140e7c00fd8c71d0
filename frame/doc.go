// Package frame turns bytes into lines and lines into bytes. It never looks
// inside a line: that is package codec's work.
//
// Read it in this order:
//
//	reader.go   Reader: one line after the other, none of them fatal
//	long.go     lines that do not fit the read buffer, and those above the bound
//	detach.go   Detach: a line that outlives the next read
//	writer.go   Writer: whole lines from many goroutines, few writes
//	flush.go    who writes, and who need not wait
//	admit.go    Admit: Begin where there is room, for who must not wait
//	pool.go     where buffers come from and when they are let go
//
// # Lines
//
// A line ends with LF; a CR in front of it belongs to the line end. Lines that
// hold nothing but blanks (space, tab, CR) are skipped. A UTF-8 byte order
// mark at the very start of the stream is dropped (RFC 8259 section 8.1
// allows it). A last line without LF counts, unless an error of the underlying
// reader cut it short. How the stream is cut into reads makes no difference.
// What is written ends with one LF.
//
// # Lifetimes
//
// The slice that [Reader.ReadLine] or [Reader.Buffered] returns is borrowed: it
// is valid until the next call of one of them. [Reader.Detach] gives the line's
// memory away for longer. In builds with the race detector or the tag poison,
// memory that was handed back is scribbled over, so that a slice that was kept
// shows itself.
//
// # Limits
//
// A line above the bound, be it of blanks, is skipped to its newline in bounded
// memory and reported as a [LongLineError]; the stream goes on. A large line
// lies in memory of its own, which the next call lets go. The Writer holds at
// most its bound of bytes that wait to be written, or one larger line.
package frame
