//go:build unix

package client

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerpc/linerpc/frame"
)

// tryWriter writes to a descriptor that does not block. One goroutine writes at
// a time, as a frame.Writer has it.
type tryWriter struct {
	io.Writer
	raw syscall.RawConn

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
	d, ok := w.(interface {
		syscall.Conn
		SetWriteDeadline(time.Time) error
	})
	if !ok || d.SetWriteDeadline(time.Time{}) != nil {
		return w
	}
	raw, err := d.SyscallConn()
	if err != nil {
		return w
	}
	t := &tryWriter{Writer: w, raw: raw}
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
	case err != nil: // it is closed
		return t.Writer.Write(p)
	case t.err == unix.EAGAIN:
		return 0, nil
	}
	return max(t.n, 0), os.NewSyscallError("write", t.err)
}
