package frame

import (
	"bufio"
	"bytes"
	"io"

	"github.com/valyala/bytebufferpool"
)

// DefaultMaxLine is the bound on the bytes of a line where none is given.
const DefaultMaxLine = 64 << 20

// Reader reads lines. It is not safe for concurrent use.
type Reader struct {
	src  source
	br   *bufio.Reader
	size int // of br's buffer
	max  int // bytes of a line

	line  []byte                     // what ReadLine returned last
	over  *bytebufferpool.ByteBuffer // holds line where it did not fit br
	long  LongLineError
	begun bool // the start of the stream is behind us
	quiet int  // reads in a row that a smaller buffer would have served
}

// NewReader returns a Reader on r. A line may have up to maxLine bytes, its
// line end not counted: 0 means DefaultMaxLine, a negative value no limit.
func NewReader(r io.Reader, maxLine int) *Reader {
	switch {
	case maxLine == 0:
		maxLine = DefaultMaxLine
	case maxLine < 0:
		maxLine = int(^uint(0)>>1) - 2 // room for a line end
	}
	f := &Reader{max: maxLine, size: minBuffer}
	f.src.r = r
	f.br = getBuffer(minBuffer, &f.src)
	return f
}

// Buffered returns the next line when it is there without reading: ok is false
// when the next ReadLine may have to wait. Otherwise it is as ReadLine.
func (f *Reader) Buffered() (line []byte, ok bool, err error) {
	f.release()
	for {
		line, _ = f.br.Peek(f.br.Buffered())
		n := bytes.IndexByte(line, '\n')
		if n < 0 {
			return nil, false, nil
		}
		line = line[:n+1]
		f.br.Discard(n + 1)
		if line, err = f.trim(line); line != nil || err != nil {
			return line, true, err
		}
	}
}

// ReadLine returns the next line that is not blank, without its line end. The
// slice is valid until the next call.
//
// A *LongLineError means that a line above the bound was skipped: the next
// call goes on behind it. Any other error is the end of the stream: io.EOF, or
// the error of the underlying reader, in which case the unfinished line that
// came before it is dropped.
func (f *Reader) ReadLine() ([]byte, error) {
	f.release()
	if size := f.want(); f.size != size {
		f.resize(size)
	}
	for {
		line, err := f.br.ReadSlice('\n')
		for err == bufio.ErrBufferFull && f.size < maxBuffer {
			// The line may still fit the largest buffer: go on in one
			// that holds what was read so far.
			f.regrow(line)
			line, err = f.br.ReadSlice('\n')
		}
		if err == bufio.ErrBufferFull {
			line, err = f.gather(line)
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		if line, err = f.trim(line); line != nil || err != nil {
			return line, err
		}
		f.release()
	}
}

// trim takes the line end and a byte order mark off and remembers the line as
// the one that is lent. It gives nil for a blank line.
func (f *Reader) trim(line []byte) ([]byte, error) {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if !f.begun {
		f.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if len(line) > f.max {
		return nil, f.tooLong(line)
	}
	if blank(line) {
		return nil, nil
	}
	f.line = line[:len(line):len(line)]
	return f.line, nil
}

// blank reports whether a line holds nothing but blanks.
func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// release hands the memory of the last line back.
func (f *Reader) release() {
	if f.over != nil {
		putBytes(f.over)
		f.over = nil
	} else if poisoned {
		scribble(f.line)
	}
	f.line = nil
}

// Close hands all memory back. The Reader must not be used any more, nor any
// line it returned and did not detach.
func (f *Reader) Close() {
	f.release()
	if f.br != nil {
		putBuffer(f.br, f.size)
		f.br = nil
	}
}

// source is what the bufio.Reader reads from: bytes that are carried over from
// the buffer before, then the stream.
type source struct {
	r    io.Reader
	rest []byte
	n    int   // bytes of the last read of the stream
	full bool  // that read filled the room it was given
	err  error // the end of the stream, remembered: it is not read again
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.rest) > 0 {
		n := copy(p, s.rest)
		s.rest = s.rest[n:]
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.n, s.full, s.err = n, n == len(p), err
	return n, err
}
