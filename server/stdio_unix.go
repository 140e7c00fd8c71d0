//go:build unix

package server

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// claimStdout moves descriptor 1 to a new number, which children do not
// inherit, and puts standard error in its place. On a number above 2 a write
// to a pipe that nobody reads is an error and does not kill the process.
func claimStdout() (out *os.File, restore func(), err error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, nil, fmt.Errorf("server: standard output: %w", err)
	}
	var a, b unix.Stat_t
	stray := 2
	if unix.Fstat(1, &a) != nil || unix.Fstat(2, &b) != nil || a.Dev == b.Dev && a.Ino == b.Ino && a.Rdev == b.Rdev {
		if stray, err = unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0); err != nil {
			unix.Close(fd)
			return nil, nil, fmt.Errorf("server: %s: %w", os.DevNull, err)
		}
		defer unix.Close(stray)
	}
	if err := unix.Dup2(stray, 1); err != nil {
		unix.Close(fd)
		return nil, nil, fmt.Errorf("server: standard output: %w", err)
	}
	out = os.NewFile(uintptr(fd), "|stdout")
	return out, func() {
		unix.Dup2(fd, 1)
		out.Close()
	}, nil
}
