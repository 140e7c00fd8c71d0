package client

import (
	"io"
	"math"
	"os"
	"sync"
)

// stderr is the reading end of a child's standard error. It is read whether
// anybody wants it or not: a child that writes to a full pipe stops working.
type stderr struct {
	r       *os.File
	sinks   []io.Writer
	drained chan struct{} // closed when drain has ended

	mu   sync.Mutex // guards kept
	kept tail
}

// newStderr gives the reading end, which keeps the last n bytes and passes all
// of them to the sinks that are not nil, and the end for the child.
func newStderr(n int, sinks ...io.Writer) (*stderr, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	e := &stderr{r: r, drained: make(chan struct{}), kept: tail{size: min(n, math.MaxInt-1)}}
	for _, s := range sinks {
		if s != nil {
			e.sinks = append(e.sinks, s)
		}
	}
	return e, w, nil
}

// drain reads until the end, or until close.
func (e *stderr) drain() {
	defer close(e.drained)
	// A child that cannot be read any more gets an error, not a full pipe.
	defer e.r.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := e.r.Read(buf)
		e.mu.Lock()
		e.kept.write(buf[:n])
		e.mu.Unlock()
		e.pass(buf[:n])
		if err != nil {
			return
		}
	}
}

// pass gives b to the sinks and drops those that fail.
func (e *stderr) pass(b []byte) {
	if len(b) == 0 {
		return
	}
	working := e.sinks[:0]
	for _, s := range e.sinks {
		if _, err := s.Write(b); err == nil {
			working = append(working, s)
		}
	}
	e.sinks = working
}

// last is a copy of the last bytes that were read.
func (e *stderr) last() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kept.bytes()
}

// close ends drain, also while it waits for more.
func (e *stderr) close() { e.r.Close() }
