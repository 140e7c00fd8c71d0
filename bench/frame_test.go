package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/linerpc/linerpc/frame"
)

var lineSizes = []int{16, 100, 1 << 10, 16 << 10, 1 << 20}

// An endlessReader gives the same text over and over, as fast as memory does.
type endlessReader struct {
	text []byte
	rest []byte
}

// endlessLines gives lines of size bytes each.
func endlessLines(size int) *endlessReader {
	line := append(bytes.Repeat([]byte("x"), size), '\n')
	return &endlessReader{text: bytes.Repeat(line, max(1, 64<<10/len(line)))}
}

func (r *endlessReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// BenchmarkReadLine is the cost of a line from a stream that never makes the
// reader wait: what Buffered and ReadLine add to the search for the newline,
// and how often lines of this size are copied.
func BenchmarkReadLine(b *testing.B) {
	for _, size := range lineSizes {
		run := func(impl string, next func(r io.Reader) func() []byte) {
			b.Run(fmt.Sprintf("size=%d/impl=%s", size, impl), func(b *testing.B) {
				read := next(endlessLines(size))
				b.SetBytes(int64(size) + 1)
				b.ReportAllocs()
				for b.Loop() {
					if len(read()) != size {
						b.Fatal("not the line that was sent")
					}
				}
			})
		}
		run("linerpc", func(r io.Reader) func() []byte {
			f := frame.NewReader(r, 0)
			b.Cleanup(f.Close)
			return func() []byte { // as a connection does: first what needs no wait
				line, ok, _ := f.Buffered()
				if !ok {
					line, _ = f.ReadLine()
				}
				return line
			}
		})
		run("bufio.Scanner", func(r io.Reader) func() []byte {
			s := bufio.NewScanner(r)
			s.Buffer(nil, frame.DefaultMaxLine)
			return func() []byte {
				s.Scan()
				return s.Bytes()
			}
		})
	}
}

// BenchmarkWriteLine is the cost of a line on its way out: flushed each, and
// gathered as while more requests wait to be handled.
func BenchmarkWriteLine(b *testing.B) {
	for _, size := range lineSizes {
		line := bytes.Repeat([]byte("x"), size)
		run := func(how string, write func(w *frame.Writer)) {
			b.Run(fmt.Sprintf("size=%d/%s", size, how), func(b *testing.B) {
				w := frame.NewWriter(io.Discard, frame.WriterOptions{})
				b.SetBytes(int64(size) + 1)
				b.ReportAllocs()
				for b.Loop() {
					write(w)
				}
			})
		}
		run("flushed", func(w *frame.Writer) { w.WriteLine(line) })
		run("gathered", func(w *frame.Writer) {
			if w.Commit(append(append(w.Begin(), line...), '\n')) {
				w.Flush()
			}
		})
	}
}
