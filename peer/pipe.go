package peer

import (
	"io"
	"sync"
)

// Pipe returns two connections that are joined in memory. Messages between
// them are encoded, framed and parsed for real. Run Serve on both; when one
// ends, the other reads the end of its input.
func Pipe(a, b Handler, ao, bo *Options) (*Conn, *Conn) {
	var toA, toB stream
	toA.init(streamSize)
	toB.init(streamSize)
	ca, cb := New(&toA, &toB, a, ao), New(&toB, &toA, b, bo)
	ca.atEnd = func() { toA.close(); toB.close() }
	cb.atEnd = ca.atEnd
	return ca, cb
}

// stream is one direction of a Pipe: it holds a bounded number of bytes.
type stream struct {
	mu     sync.Mutex
	more   sync.Cond // bytes came or left, or it was closed
	size   int
	buf    []byte
	closed bool
}

const streamSize = 64 << 10

func (s *stream) init(size int) { s.more.L, s.size = &s.mu, size }

func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.buf) == 0 {
		if s.closed {
			return 0, io.EOF
		}
		s.more.Wait()
	}
	n := copy(p, s.buf)
	s.buf = append(s.buf[:0], s.buf[n:]...)
	s.more.Broadcast()
	return n, nil
}

func (s *stream) Write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		for len(s.buf) >= s.size && !s.closed {
			s.more.Wait()
		}
		if s.closed {
			return n, io.ErrClosedPipe
		}
		k := min(len(p), s.size-len(s.buf))
		s.buf = append(s.buf, p[:k]...)
		p, n = p[k:], n+k
		s.more.Broadcast()
	}
	return n, nil
}

func (s *stream) close() {
	s.mu.Lock()
	s.closed = true
	s.more.Broadcast()
	s.mu.Unlock()
}
