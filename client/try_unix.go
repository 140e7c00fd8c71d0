//go:build unix

package client

import (
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerpc/linerpc/frame"
)

// tryWriter writes to a descriptor that does not block. One goroutine writes at
// a time, as a frame.Writer has it.
type tryWriter struct {
	io.Writer
	raw  syscall.RawConn
	gone *atomic.Bool // of a childInput

	// The TryWrite that is under way.
	p   []byte
	n   int
	err error
	try func(fd uintptr) bool
}

var _ frame.TryWriter = (*tryWriter)(nil)

// trying gives a frame.TryWriter on w where w is a pipe or a socket of this
// program that the runtime's poller knows, and w itself otherwise. Deadlines
// tell: they work for exactly those.
func trying(w io.Writer) io.Writer {
	var to any = w
	t := &tryWriter{Writer: w, gone: new(atomic.Bool)}
	if in, ok := w.(*childInput); ok {
		to, t.gone = in.file, &in.closed
	}
	d, ok := to.(interface {
		syscall.Conn
		SetWriteDeadline(time.Time) error
	})
	if !ok || d.SetWriteDeadline(time.Time{}) != nil {
		return w
	}
	var err error
	if t.raw, err = d.SyscallConn(); err != nil {
		return w
	}
	t.try = func(fd uintptr) bool {
		for {
			t.n, t.err = unix.Write(int(fd), t.p)
			if t.err != unix.EINTR {
				return true
			}
		}
	}
	return t
}

// TryWrite writes what the descriptor has room for.
func (t *tryWriter) TryWrite(p []byte) (int, error) {
	t.p = p
	err := t.raw.Write(t.try)
	t.p = nil
	switch {
	case err != nil && t.gone.Load():
		return len(p), nil
	case err != nil:
		return 0, err
	case t.err == unix.EAGAIN:
		return 0, nil
	}
	return max(t.n, 0), os.NewSyscallError("write", t.err)
}
