package frame

import (
	"bufio"
	"slices"
	"strconv"
	"sync"

	"github.com/valyala/bytebufferpool"
)

// KeptBytes is how much of each end of a skipped line is kept: enough to find
// the id of the message it was.
const KeptBytes = 1 << 10

// LongLineError reports a line above the bound that was skipped. It and its
// slices are valid until the next ReadLine.
type LongLineError struct {
	Limit int    // the bound, in bytes
	Size  int64  // bytes of the line, its line end not counted
	Head  []byte // its first bytes, at most KeptBytes
	Tail  []byte // its last bytes, at most KeptBytes; may overlap Head

	head, tail [KeptBytes]byte
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
	if n := len(part); n >= KeptBytes {
		e.Tail = append(e.tail[:0], part[n-KeptBytes:]...)
	} else {
		if excess := len(e.Tail) + n - KeptBytes; excess > 0 {
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
}

// tooLong reports a line that was read whole.
func (f *Reader) tooLong(line []byte) error {
	f.long.start(f.max)
	f.long.add(line)
	return &f.long
}

// skip reads to the end of a line of which f.long knows the beginning, and
// hands back what was gathered of it.
func (f *Reader) skip() error {
	f.release()
	for {
		part, err := f.br.ReadSlice('\n')
		f.long.add(part)
		if err != bufio.ErrBufferFull {
			f.long.end()
			return &f.long // the end of the stream, if it was that, is reported next
		}
	}
}

// gather reads on where head, a full read buffer, is the beginning of a line.
// What it returns is what ReadSlice would with a buffer of any size, or the
// LongLineError of a line that it skipped.
func (f *Reader) gather(head []byte) ([]byte, error) {
	f.long.start(f.max)
	f.long.add(head)
	f.over = bytebufferpool.Get()
	b := append(room(f.over.B[:0], 2*len(head)), head...)
	for {
		f.over.B = b
		if len(b) > f.max+2 { // the bound is on the line without its line end
			return nil, f.skip()
		}
		part, err := f.br.ReadSlice('\n')
		f.long.add(part)
		if len(b)+len(part) > maxPooled && err == bufio.ErrBufferFull {
			return f.gatherSegments(part)
		}
		b = append(room(b, len(part)), part...)
		if err != bufio.ErrBufferFull {
			f.over.B = b
			return b, err
		}
	}
}

// segmentSize is the unit in which a line is gathered that even the largest
// pooled buffer does not hold: nothing is copied while it grows.
const segmentSize = 1 << 20

type segment [segmentSize]byte

var segments = sync.Pool{New: func() any { return new(segment) }}

// gatherSegments goes on with a line that begins with f.over and part. The
// segments are joined once, at the newline, in memory that no pool will see.
func (f *Reader) gatherSegments(part []byte) ([]byte, error) {
	var (
		parts []*segment
		used  = segmentSize // of the last of them
		total = len(f.over.B)
		err   = bufio.ErrBufferFull
	)
	defer func() {
		for _, p := range parts {
			segments.Put(p)
		}
	}()
	for {
		total += len(part)
		for len(part) > 0 {
			if used == segmentSize {
				parts = append(parts, segments.Get().(*segment))
				used = 0
			}
			n := copy(parts[len(parts)-1][used:], part)
			part, used = part[n:], used+n
		}
		if err != bufio.ErrBufferFull {
			break
		}
		if total > f.max+2 {
			return nil, f.skip()
		}
		part, err = f.br.ReadSlice('\n')
		f.long.add(part)
	}
	line := append(slices.Grow([]byte(nil), total), f.over.B...)
	for _, p := range parts {
		line = append(line, p[:min(segmentSize, total-len(line))]...)
	}
	f.release()
	return line, err
}
