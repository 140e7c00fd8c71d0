package client

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerpc/linerpc/peer"
)

// pipes makes the two pipes of a child: the child's ends, which block as any
// program expects, and ours, which do not.
func pipes() (p pipeEnds, err error) {
	var in, out [2]int
	if err = unix.Pipe2(in[:], unix.O_CLOEXEC); err != nil {
		return p, os.NewSyscallError("pipe2", err)
	}
	unix.SetNonblock(in[1], true) // for NewFile to use the poller; if it fails, writes block
	p.stdin = os.NewFile(uintptr(in[0]), "stdin")
	w := &childInput{file: os.NewFile(uintptr(in[1]), "stdin of the child")}
	p.w = w
	if err = unix.Pipe2(out[:], unix.O_CLOEXEC); err != nil {
		p.stdin.Close()
		w.Close()
		return p, os.NewSyscallError("pipe2", err)
	}
	p.stdout = os.NewFile(uintptr(out[1]), "stdout")
	r, err := newPipeReader(out[0])
	if err != nil {
		p.stdin.Close()
		w.Close()
		p.stdout.Close()
		return p, err
	}
	p.r = r
	return p, nil
}

// pipeReader is our end of the child's standard output. Whoever waits for one
// answer alone polls the pipe on its own thread. A reader that may have to wait
// for long does so in the runtime's poller; but a descriptor that the poller
// knows wakes one of the poller's threads with every answer, also when nobody
// waits there. So the poller is shown another one: an epoll descriptor with
// the pipe in it, which is switched off while it is not needed.
type pipeReader struct {
	fd     int
	inner  int // the epoll descriptor
	epoll  *os.File
	raw    syscall.RawConn
	users  atomic.Int32 // reads and waits that are under way, and one until Close
	closed atomic.Bool
	free   sync.Once

	// Of who has the reading role.
	on       bool          // inner reports
	patience time.Duration // how long the next Read waits on its thread
	quick    bool          // what was waited for last was there at once
	poll     [1]unix.PollFd
	p        []byte
	n        int
	err      error
	try      func(uintptr) bool
}

var _ peer.Lender = (*pipeReader)(nil)

func newPipeReader(fd int) (*pipeReader, error) {
	inner, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	r := &pipeReader{fd: fd, inner: inner}
	r.users.Store(1)
	r.poll[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	r.try = r.attempt
	err = unix.SetNonblock(fd, true)
	if err == nil {
		err = unix.SetNonblock(inner, true)
	}
	r.epoll = os.NewFile(uintptr(inner), "stdout of the child")
	if err == nil {
		err = r.control(unix.EPOLL_CTL_ADD, 0)
	}
	if err == nil {
		r.raw, err = r.epoll.SyscallConn()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *pipeReader) control(op int, events uint32) error {
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(r.inner, op, r.fd, &unix.EpollEvent{Events: events, Fd: int32(r.fd)}))
}

// attempt is one read within the poller: it reports false to wait.
func (r *pipeReader) attempt(uintptr) bool {
	for {
		r.n, r.err = readOnce(r.fd, r.p)
		if r.err != unix.EAGAIN {
			return true
		}
		if r.on {
			return false
		}
		// From here on what comes is reported; what came meanwhile is read.
		if r.err = r.control(unix.EPOLL_CTL_MOD, unix.EPOLLIN); r.err != nil {
			return true
		}
		r.on = true
	}
}

func readOnce(fd int, p []byte) (int, error) {
	for {
		n, err := unix.Read(fd, p)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// Read reads what there is, and waits for something where there is nothing.
func (r *pipeReader) Read(p []byte) (n int, err error) {
	if !r.enter() {
		return 0, os.ErrClosed
	}
	defer r.leave()
	n, err = r.readHere(p)
	if err == unix.EAGAIN {
		r.p = p
		err = r.raw.Read(r.try)
		r.p = nil
		if err == nil {
			n, err = r.n, r.err
		}
	}
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// quickly is how long a wait takes at most in which the thread did not sleep.
const quickly = 2 * time.Microsecond

// readHere reads on the calling thread, and waits there for what is expected.
// While things come faster than they are taken, waiting for them would only be
// one more system call.
func (r *pipeReader) readHere(p []byte) (n int, err error) {
	d := r.patience
	r.patience = 0
	if d > 0 && (r.on || !r.quick) {
		t := time.Now()
		r.quick = r.await(d) && time.Since(t) < quickly
		d = 0
	}
	if r.on {
		return 0, unix.EAGAIN
	}
	n, err = readOnce(r.fd, p)
	if err == unix.EAGAIN && d > 0 {
		if r.quick = false; r.await(d) {
			n, err = readOnce(r.fd, p)
		}
	}
	return n, err
}

// Expect makes the next Read wait on its thread for so long.
func (r *pipeReader) Expect(d time.Duration) { r.patience = d }

// Await waits on the calling thread.
func (r *pipeReader) Await(d time.Duration) bool {
	if !r.enter() {
		return false
	}
	defer r.leave()
	return r.await(d)
}

func (r *pipeReader) await(d time.Duration) bool {
	if r.on {
		if r.control(unix.EPOLL_CTL_MOD, 0) != nil {
			return false
		}
		r.on = false
	}
	t := unix.NsecToTimespec(int64(d))
	n, err := unix.Ppoll(r.poll[:], &t, nil)
	if err == unix.EINTR {
		n, err = unix.Ppoll(r.poll[:], &t, nil)
	}
	return err == nil && n > 0
}

// SetReadDeadline makes a Read that waits return.
func (r *pipeReader) SetReadDeadline(t time.Time) error { return r.epoll.SetReadDeadline(t) }

// enter keeps the descriptors open, and with that their numbers from being
// given to something else.
func (r *pipeReader) enter() bool {
	r.users.Add(1)
	if r.closed.Load() {
		r.leave()
		return false
	}
	return true
}

func (r *pipeReader) leave() {
	if r.users.Add(-1) == 0 && r.closed.Load() {
		r.free.Do(func() {
			unix.Close(r.fd)
			r.epoll.Close()
		})
	}
}

// Close makes the reader unusable and ends a Read that waits.
func (r *pipeReader) Close() error {
	if r.closed.Swap(true) {
		return os.ErrClosed
	}
	r.epoll.SetReadDeadline(time.Unix(1, 0))
	r.leave()
	return nil
}
