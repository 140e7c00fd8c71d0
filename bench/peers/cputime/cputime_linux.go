// Package cputime reads the clock of a process.
package cputime

import (
	"math"

	"golang.org/x/sys/unix"
)

// Micros gives the microseconds of CPU that all threads of a process have
// used, user and system; pid 0 is this process. The clock of a process is what
// clock_getcpuclockid(3) gives. It is the sum that getrusage(2) splits into
// user and system time, but it can be read for a child that lives and is not
// counted in ticks of 10 ms as its line in /proc is.
func Micros(pid int) float64 {
	const sched = 2 // CPUCLOCK_SCHED of <linux/posix-timers.h>
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &t); err != nil {
		return math.NaN()
	}
	return float64(t.Nano()) / 1e3
}
