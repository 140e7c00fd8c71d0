package frame

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/valyala/bytebufferpool"
)

// DefaultMaxLine is the bound on the bytes of a line where none is given.
const DefaultMaxLine = 64 << 20

// Reader reads lines. It is not safe for concurrent use.
type Reader struct {
	src  source
	br   *bufio.Reader
	size int    // of br's buffer
	max  int    // bytes of a line
	next []byte // what br holds and nobody was given yet; br is told before it reads

	line     []byte                     // what was returned last
	over     *bytebufferpool.ByteBuffer // holds line where it did not fit br
	long     *LongLineError             // the last one; nil as long as there was none
	lastLong int                        // bytes of the last line that did not fit br
	begun    bool                       // the start of the stream is behind us
	quiet    int                        // reads in a row that a smaller buffer would have served
}

// NewReader returns a Reader on r. A line may have up to maxLine bytes, its
// line end not counted: 0 means DefaultMaxLine, a negative value no limit.
func NewReader(r io.Reader, maxLine int) *Reader {
	const most = math.MaxInt - lineEnd
	switch {
	case maxLine == 0:
		maxLine = DefaultMaxLine
	case maxLine < 0 || maxLine > most:
		maxLine = most
	}
	f := &Reader{max: maxLine, size: minBuffer}
	f.src.r = r
	f.br = getBuffer(minBuffer, &f.src)
	return f
}

// lineEnd is the bytes of the longest line end, which the bound leaves out.
const lineEnd = 2

// Buffered returns the next line when it is there without reading: ok is false
// when the next ReadLine may have to wait. Otherwise it is as ReadLine.
func (f *Reader) Buffered() (line []byte, ok bool, err error) {
	f.release()
	for {
		n := bytes.IndexByte(f.next, '\n')
		if n < 0 {
			return nil, false, nil
		}
		line, f.next = f.next[:n], f.next[n+1:]
		if line, err = f.trim(line); line != nil || err != nil {
			return line, true, err
		}
	}
}

// ReadLine returns the next line that is not blank, without its line end. The
// slice is valid until the next call of ReadLine or Buffered.
//
// A *LongLineError means that a line above the bound was skipped: the next
// call goes on behind it. Any other error is the end of the stream: io.EOF, or
// the error of the underlying reader, in which case the unfinished line that
// came before it is dropped.
func (f *Reader) ReadLine() ([]byte, error) {
	for {
		if line, ok, err := f.Buffered(); ok {
			return line, err
		}
		f.ready()
		line, err := f.read()
		f.next, _ = f.br.Peek(f.br.Buffered())
		switch {
		case err == nil:
			line = line[:len(line)-1]
		case err == io.EOF && len(line) > 0:
		case err == io.ErrNoProgress:
			f.src.err = err // bufio's own, which the stream does not repeat
			fallthrough
		default:
			return nil, err
		}
		if line, err = f.trim(line); line != nil || err != nil {
			return line, err
		}
	}
}

// Fill reads once, what is there: it is for who knows that something is and
// must not wait for the rest of a line. It reports false when only ReadLine
// can go on: the line is longer than the buffer, or the stream has ended.
func (f *Reader) Fill() bool {
	f.release()
	var err error
	if f.begun {
		f.ready()
		_, err = f.br.Peek(f.br.Buffered() + 1)
	} else {
		f.ready() // which reads, to look for a byte order mark
	}
	f.next, _ = f.br.Peek(f.br.Buffered())
	return err == nil
}

// ready prepares for a read: br learns what was taken from it, and gives way
// to one of another size when the traffic asks for that.
func (f *Reader) ready() {
	f.br.Discard(f.br.Buffered() - len(f.next))
	if size := f.want(); size != f.size {
		f.resize(size)
	}
	if !f.begun {
		f.begun = true
		f.skipMark()
	}
}

// skipMark drops a byte order mark. It asks for one byte at a time, because a
// first line that is shorter than the mark must not wait for the second.
func (f *Reader) skipMark() {
	const mark = "\ufeff"
	for n := 1; n <= len(mark); n++ {
		if b, _ := f.br.Peek(n); string(b) != mark[:n] {
			return
		}
	}
	f.br.Discard(len(mark))
}

// read returns what ReadSlice would with a buffer of any size, or the
// LongLineError of a line that it skipped.
func (f *Reader) read() ([]byte, error) {
	line, err := f.br.ReadSlice('\n')
	for err == bufio.ErrBufferFull && f.size < maxBuffer {
		// The line may still fit the largest buffer: go on in one that
		// holds what was read so far.
		f.regrow(line)
		line, err = f.br.ReadSlice('\n')
	}
	if err == bufio.ErrBufferFull {
		return f.gather(line)
	}
	return line, err
}

// trim takes a CR off the end of a line and remembers the line as the one that
// is lent. It gives nil for a blank line.
func (f *Reader) trim(line []byte) ([]byte, error) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
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

// release hands the memory of the last line back. It is small so that it is
// inlined: most lines lie in br.
func (f *Reader) release() {
	if poisoned || f.over != nil {
		f.putLine()
	}
	f.line = nil
}

func (f *Reader) putLine() {
	if poisoned {
		scribble(f.line)
		if f.long != nil {
			f.long.scribble()
		}
	}
	if f.over != nil {
		putBytes(f.over)
		f.over = nil
	}
}

// Close hands all memory back. The Reader must not be used any more, nor any
// line it returned and did not detach.
func (f *Reader) Close() {
	f.release()
	if f.br != nil {
		putBuffer(f.br, f.size)
		f.br, f.next = nil, nil
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
		s.rest = nil // p has room for all of it: see move
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err == bufio.ErrBufferFull {
		err = fmt.Errorf("frame: %w", err) // not to be taken for br's own
	}
	s.n, s.full, s.err = n, n == len(p), err
	return n, err
}
