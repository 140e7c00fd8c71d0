//go:build unix && !aix

package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stopChild stops the child and returns when it stands still.
func stopChild(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || !status.Stopped() {
			t.Fatalf("%v, %x", err, status)
		}
		return
	}
}

// TestLiveStopped: a child stands still with half a line in its pipe, callers
// give up, and it goes on: the stream is whole, the next call is answered, and
// the late answers are dropped and counted.
func TestLiveStopped(t *testing.T) {
	for _, before := range []int{0, 10} { // with a standby, or with a caller who reads for itself
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			c := live(t, "echo", nil)
			for range before {
				ping(t, c, "alone")
			}
			stopChild(t, c.Pid())
			const callers = 6
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
					defer cancel()
					size := 1 << 20
					if i%2 == 1 {
						size = 10
					}
					within(t, 2*time.Second, "the call", func() {
						if _, err := c.CallRaw(ctx, nil, "echo", big(size)); !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("%v, want the deadline", err)
						}
					})
				})
			}
			all.Wait()
			if s := c.Conn().Stats(); s.BytesOut == 0 || s.BytesOut > 1<<20 {
				t.Errorf("%d bytes were written, want half of a line", s.BytesOut)
			}
			if err := unix.Kill(c.Pid(), unix.SIGCONT); err != nil {
				t.Fatal(err)
			}
			ping(t, c, "goes on") // behind the late answers
			if late := c.Stats().Stray; late != callers {
				t.Errorf("%d late answers, want %d", late, callers)
			}
			for range 10 {
				ping(t, c, "again")
			}
		})
	}
}
