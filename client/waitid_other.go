//go:build unix && !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package client

import "os"

// awaitExit gives false: the exit is noticed when the process is reaped.
func awaitExit(*os.Process) bool { return false }
