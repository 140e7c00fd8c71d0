//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package client

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit waits until p has exited and leaves it to be reaped. It gives
// false at once where that is impossible.
//
// It asks a kernel queue: Darwin's waitid returns for a stopped child too,
// whatever it was asked for (https://go.dev/issue/19314).
func awaitExit(p *os.Process) bool {
	queue, err := unix.Kqueue()
	if err != nil {
		return false
	}
	defer unix.Close(queue)
	change := make([]unix.Kevent_t, 1)
	unix.SetKevent(&change[0], p.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change[0].Fflags = unix.NOTE_EXIT
	event := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(queue, change, event, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return err == unix.ESRCH
		case n == 0:
			continue
		case event[0].Flags&unix.EV_ERROR != 0:
			// One of our children that cannot be found has exited.
			return unix.Errno(event[0].Data) == unix.ESRCH
		}
		return true
	}
}
