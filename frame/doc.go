// Package frame turns bytes into lines and lines into bytes. It never looks
// inside a line: that is package codec's work.
//
// Read it in this order:
//
//	reader.go   Reader: one line after the other, none of them fatal
//	long.go     lines that do not fit the read buffer, and those above the bound
//	detach.go   Detach: a line that outlives the next read
//	writer.go   Writer: whole lines from many goroutines, few writes
//	pool.go     where buffers come from and when they are let go
//
// # Lines
//
// A line ends with LF; a CR in front of it belongs to the line end. Lines that
// hold nothing but blanks (space, tab, CR) are skipped. A UTF-8 byte order
// mark at the very start of the stream is dropped (RFC 8259 section 8.1
// allows it). A last line without LF counts. What is written ends with one LF.
//
// # Lifetimes
//
// The slice that [Reader.ReadLine] returns is borrowed: it is valid until the
// next ReadLine. [Reader.Detach] gives the line's memory away for longer. In
// builds with the race detector or the tag poison, memory that was handed back
// is scribbled over, so that a slice that was kept shows itself.
//
// # Limits
//
// A line above the bound is skipped to its newline in bounded memory and
// reported as a [LongLineError]; the stream goes on. The Writer holds at most
// its bound of bytes that wait to be written, plus one larger line.
package frame
