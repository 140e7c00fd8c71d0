package frame

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"sync"

	"github.com/valyala/bytebufferpool"
)

// KeptBytes is how much of each end of a skipped line is kept: enough to find
// the id of the message it was.
const KeptBytes = 1 << 10

// LongLineError reports a line above the bound that was skipped. It and its
// slices are valid until the next call of ReadLine or Buffered.
type LongLineError struct {
	Limit int    // the bound, in bytes
	Size  int64  // bytes of the line, its line end not counted
	Head  []byte // its first bytes, at most KeptBytes
	Tail  []byte // its last bytes, at most KeptBytes; may overlap Head

	head [KeptBytes]byte
	tail [KeptBytes + lineEnd]byte // until end, the line end is among them
}

// Error names the size and the bound.
func (e *LongLineError) Error() string {
	return "frame: line of " + strconv.FormatInt(e.Size, 10) + " bytes is above the bound of " + strconv.Itoa(e.Limit)
}

// start forgets the line before.
func (e *LongLineError) start(limit int) {
	e.Limit, e.Size, e.Head, e.Tail = limit, 0, e.head[:0], e.tail[:0]
}

// add takes note of the next part of the line.
func (e *LongLineError) add(part []byte) {
	e.Size += int64(len(part))
	e.Head = append(e.Head, part[:min(len(part), KeptBytes-len(e.Head))]...)
	if n := len(part); n >= len(e.tail) {
		e.Tail = append(e.tail[:0], part[n-len(e.tail):]...)
	} else {
		if excess := len(e.Tail) + n - len(e.tail); excess > 0 {
			e.Tail = e.tail[:copy(e.tail[:], e.Tail[excess:])]
		}
		e.Tail = append(e.Tail, part...)
	}
}

// end takes the line end off again.
func (e *LongLineError) end() {
	for _, c := range []byte("\n\r") {
		if n := len(e.Tail); n > 0 && e.Tail[n-1] == c {
			e.Tail = e.Tail[:n-1]
			e.Size--
		}
	}
	e.cut()
}

// cut leaves KeptBytes of the tail.
func (e *LongLineError) cut() {
	e.Tail = e.Tail[max(0, len(e.Tail)-KeptBytes):]
}

// scribble makes an error show itself that was kept for too long.
func (e *LongLineError) scribble() {
	scribble(e.Head)
	scribble(e.Tail)
}

// startLong begins a report. It is made when it is first needed: most readers
// never meet a line that is longer than their buffer.
func (f *Reader) startLong() {
	if f.long == nil {
		f.long = new(LongLineError)
	}
	f.long.start(f.max)
}

// tooLong reports a line that was read whole.
func (f *Reader) tooLong(line []byte) error {
	f.startLong()
	f.long.add(line)
	f.long.cut()
	return f.long
}

// skip reads to the end of a line of which f.long knows the beginning. Nothing
// of it is held meanwhile: that end may be far off.
func (f *Reader) skip() ([]byte, error) {
	putBytes(f.over)
	f.over = nil
	for {
		part, err := f.br.ReadSlice('\n')
		f.long.add(part)
		switch err {
		case bufio.ErrBufferFull:
		case nil, io.EOF: // which is reported next
			f.long.end()
			return nil, f.long
		default:
			return nil, err
		}
	}
}

// gather reads on where head, a full read buffer, is the beginning of a line.
func (f *Reader) gather(head []byte) ([]byte, error) {
	f.startLong()
	f.over = getBytes(f.lastLong)
	b := room(f.over.B, 2*len(head))
	part, inPlace, err := head, false, bufio.ErrBufferFull
	for {
		f.long.add(part)
		switch {
		case len(b)+len(part) > maxPooled:
			return f.gatherSegments(b, part, err)
		case inPlace:
			b = b[:len(b)+len(part)]
		default:
			b = append(room(b, len(part)), part...)
		}
		f.over.B = b
		if err != bufio.ErrBufferFull {
			f.lastLong = len(b)
			return b, err
		}
		if len(b) > f.max+lineEnd {
			return f.skip()
		}
		part, inPlace, err = f.more(b)
	}
}

// more reads the next part of a line that begins with b: straight into the room
// behind it when that is large enough, which spares a copy. What was read of
// the lines behind goes back to br.
func (f *Reader) more(b []byte) (part []byte, inPlace bool, err error) {
	if cap(b)-len(b) >= f.size && f.br.Buffered() == 0 {
		n, _ := f.br.Read(b[len(b) : len(b)+f.size]) // src remembers the error
		if n > 0 {
			part = b[len(b) : len(b)+n]
			i := bytes.IndexByte(part, '\n') + 1
			if i == 0 {
				return part, true, bufio.ErrBufferFull
			}
			if i < n {
				f.src.rest = part[i:]
				f.br.Peek(1) // reads all of the rest, and nothing else
			}
			return part[:i], true, nil
		}
	}
	part, err = f.br.ReadSlice('\n')
	return part, false, err
}

// segmentSize is the unit in which a line is gathered that even the largest
// pooled buffer does not hold: nothing is copied while it grows.
const segmentSize = 1 << 20

type segment [segmentSize]byte

var segments = sync.Pool{New: func() any { return new(segment) }}

func putSegments(parts [][]byte) {
	for _, p := range parts {
		segments.Put((*segment)(p[:segmentSize]))
	}
}

// gatherSegments goes on with a line that begins with b, which f.over holds,
// and part, which came with err. The segments are joined once, at the newline,
// in memory that no pool will see.
func (f *Reader) gatherSegments(b, part []byte, err error) ([]byte, error) {
	parts, total := [][]byte{b}, len(b)
	for {
		total += len(part)
		for len(part) > 0 {
			last := len(parts) - 1
			if last == 0 || len(parts[last]) == segmentSize {
				parts = append(parts, segments.Get().(*segment)[:0])
				last++
			}
			n := min(len(part), segmentSize-len(parts[last]))
			parts[last] = append(parts[last], part[:n]...)
			part = part[n:]
		}
		if err != bufio.ErrBufferFull {
			line := bytes.Join(parts, nil)
			putSegments(parts[1:])
			putBytes(f.over)
			f.over = &bytebufferpool.ByteBuffer{B: line}
			return line, err
		}
		if total > f.max+lineEnd {
			putSegments(parts[1:])
			return f.skip()
		}
		part, err = f.br.ReadSlice('\n')
		f.long.add(part)
	}
}
