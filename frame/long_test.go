package frame

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"weak"
)

// borders are the sizes at which the way of a line changes: the read buffers,
// the largest buffer that is pooled, and where segments end behind that.
var borders = []int{KeptBytes, minBuffer, growth * minBuffer, maxBuffer, 2 * maxBuffer, maxPooled, 2*segmentSize + maxPooled}

// TestBoundAtEveryBorder reads a line that is exactly as long as the bound and
// one that is longer by one, at every place where its line end could fall into
// another buffer.
func TestBoundAtEveryBorder(t *testing.T) {
	const mark = "\ufeff"
	for _, border := range borders {
		for size := border - 3; size <= border+2; size++ {
			line := numbered(size)
			for _, end := range []string{"\n", "\r\n", ""} {
				for _, before := range []string{"", mark, numbered(5000) + "\n"} {
					in := before + line + end
					if end != "" {
						in += "next\n"
					}
					check := func(maxLine int, want event) {
						got, err := readAll(t, strings.NewReader(in), maxLine)
						if before != "" && before != mark {
							got = got[1:]
						}
						if end == "" {
							got = append(got, event{line: "next"})
						}
						if !reflect.DeepEqual(got, []event{want, {line: "next"}}) || err != io.EOF {
							t.Errorf("line of %d, bound %d, before %.4q, end %q: gave %.80v, %v", size, maxLine, before, end, got, err)
						}
					}
					check(max(size, 5000), event{line: line})
					if size > 5000 || len(before) <= len(mark) {
						check(size-1, longEvent(line))
					}
				}
			}
		}
	}
}

// TestLongLineError names the bound, and both ends of the line are right
// however its parts came.
func TestLongLineError(t *testing.T) {
	for _, size := range []int{11, KeptBytes - 1, KeptBytes, KeptBytes + 1, 3000, maxBuffer + 1, maxBuffer + KeptBytes, 200_001} {
		line := numbered(size)
		for name, r := range readers(line + "\r\n") {
			f := NewReader(r, 10)
			_, err := f.ReadLine()
			long, ok := errors.AsType[*LongLineError](err)
			if !ok {
				t.Fatalf("%s: gave %v for a line of %d", name, err, size)
			}
			want := longEvent(line)
			if long.Limit != 10 || long.Size != want.size || string(long.Head) != want.head || string(long.Tail) != want.tail {
				t.Errorf("%s: of a line of %d: limit %d, size %d, head %.20q of %d, tail %.20q of %d", name, size,
					long.Limit, long.Size, long.Head, len(long.Head), long.Tail, len(long.Tail))
			}
			if want := fmt.Sprintf("frame: line of %d bytes is above the bound of 10", size); err.Error() != want {
				t.Errorf("says %q; want %q", err, want)
			}
			f.Close()
		}
	}
}

// TestManyLongLines alternates lines of all lengths with short ones.
func TestManyLongLines(t *testing.T) {
	var (
		b    strings.Builder
		want []event
	)
	for i, size := range []int{3, 5000, 70_000, 200_001, 100, 3 << 20, 4096, 65_536, 2_100_000, 65_537, 4 << 20, 9} {
		b.WriteString(numbered(size) + []string{"\n", "\r\n"}[i%2])
		if size > 3<<20 {
			want = append(want, longEvent(numbered(size)))
		} else {
			want = append(want, event{line: numbered(size)})
		}
	}
	for range 3 { // the later ones in memory that the earlier ones left behind
		for _, r := range []io.Reader{
			strings.NewReader(b.String()),
			iotest.HalfReader(strings.NewReader(b.String())),
			&chunkReader{text: b.String(), sizes: []int{4095, 1, 30_000}, err: io.EOF},
		} {
			if got, err := readAll(t, r, 3<<20); !reflect.DeepEqual(got, want) || err != io.EOF {
				t.Fatalf("gave %d lines, %v; want %d, or they differ", len(got), err, len(want))
			}
		}
	}
}

// TestMarkBehindALongLine: the start of the stream is behind it, however it was
// skipped.
func TestMarkBehindALongLine(t *testing.T) {
	for _, border := range borders {
		long := numbered(border + 1)
		got, err := readAll(t, strings.NewReader(long+"\n\ufeffb\n"), 1000)
		if !reflect.DeepEqual(got, []event{longEvent(long), {line: "\ufeffb"}}) || err != io.EOF {
			t.Errorf("behind a line of %d: gave %.80v, %v", len(long), got, err)
		}
	}
}

// A hugeReader gives size bytes without a newline, then rest.
type hugeReader struct {
	size int
	rest string
}

func (r *hugeReader) Read(p []byte) (int, error) {
	if r.size == 0 {
		n := copy(p, r.rest)
		r.rest = r.rest[n:]
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
	n := min(len(p), r.size)
	r.size -= n
	return copy(p[:n], numbered(n)), nil
}

// TestSkippingIsBounded: 200 MiB without a newline, under a bound of 8 MiB,
// cost no more memory than a line at the bound; and the next line is read.
func TestSkippingIsBounded(t *testing.T) {
	const size, bound = 200 << 20, 8 << 20
	var before, after runtime.MemStats
	numbered(1) // is not what is measured
	runtime.GC()
	runtime.ReadMemStats(&before)
	f := NewReader(&hugeReader{size: size, rest: "\nnext\n"}, bound)
	defer f.Close()
	_, err := f.ReadLine()
	if long, ok := errors.AsType[*LongLineError](err); !ok || long.Size != size {
		t.Fatalf("gave %v", err)
	}
	runtime.ReadMemStats(&after)
	// One buffer that doubles up to maxPooled, and segments up to the bound.
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(2*maxPooled+bound+1<<20); got > most {
		t.Errorf("%d bytes were allocated in all; want at most %d", got, most)
	}
	if got := int64(after.HeapSys - before.HeapSys); got > 2*bound {
		t.Errorf("the heap grew by %d bytes", got)
	}
	if line, err := f.ReadLine(); err != nil || string(line) != "next" {
		t.Errorf("then gave %q, %v", line, err)
	}
}

// TestSkippingHoldsNothing: while the rest of a line above the bound is awaited,
// perhaps for ever, what came of it is not held.
func TestSkippingHoldsNothing(t *testing.T) {
	const bound = 8 << 20
	numbered(1) // is not what is measured
	live := func() int64 {
		for range 3 { // a sync.Pool lets go after two
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	r, w := io.Pipe()
	f := NewReader(io.MultiReader(&hugeReader{size: 2 * bound}, r), bound)
	defer f.Close()
	ended := make(chan error)
	go func() {
		_, err := f.ReadLine()
		ended <- err
	}()
	io.WriteString(w, "x") // returns when it was read: the Reader waits now
	if got := live() - before; got > 1<<20 {
		t.Errorf("%d bytes are held", got)
	}
	w.Close()
	if _, ok := errors.AsType[*LongLineError](<-ended); !ok {
		t.Error("the line was not reported")
	}
}

// TestHugeLineIsLetGo: the Reader does not pin the memory of a huge line once
// the next call was made, be it one that still waits.
func TestHugeLineIsLetGo(t *testing.T) {
	for _, size := range []int{maxPooled + 1, 32 << 20} {
		f := NewReader(&hugeReader{size: size, rest: "\nnext\n"}, 0)
		huge := func() weak.Pointer[byte] {
			line, err := f.ReadLine()
			if err != nil || len(line) != size {
				t.Fatalf("gave %d bytes, %v", len(line), err)
			}
			return weak.Make(&line[0])
		}()
		runtime.GC()
		if huge.Value() == nil {
			t.Error("the line was freed while it is lent")
		}
		if line, _, _ := f.Buffered(); string(line) != "next" {
			t.Errorf("then gave %q", line)
		}
		for range 3 {
			runtime.GC()
		}
		if huge.Value() != nil {
			t.Errorf("a line of %d bytes is held by what read it", size)
		}
		f.Close()
	}
}
