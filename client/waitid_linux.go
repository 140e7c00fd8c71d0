package client

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit waits until p has exited and leaves it to be reaped. It gives
// false at once where that is impossible; and also after the exit, when the
// system or somebody else has reaped p already.
func awaitExit(p *os.Process) bool {
	for {
		switch unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) {
		case nil:
			return true
		case unix.EINTR:
		default:
			return false
		}
	}
}
