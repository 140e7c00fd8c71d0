//go:build unix && !aix

package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerpc/linerpc/codec"
)

func init() {
	// Never reads anything.
	roles["deaf"] = func() { <-make(chan struct{}) }
	// Reads one line and the beginning of the next, then closes its input and
	// stays.
	roles["closes stdin"] = func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		for m := range received() {
			m.answer(m.Params)
			break
		}
		os.Stdin.Read(make([]byte, 10))
		os.Stdin.Close()
		fmt.Println("closed")
		<-signals
	}
	// Does not care about anything but calls.
	roles["stubborn echo"] = func() {
		signal.Ignore(syscall.SIGTERM)
		for m := range received() {
			m.answer(m.Params)
		}
		<-make(chan struct{})
	}
	// Has somebody who is not of its group hold its standard output. The
	// first answer is the pid of that.
	roles["leaves somebody"] = func() {
		for m := range received() {
			switch m.Method {
			case "spawn":
				help("says its pid", &syscall.SysProcAttr{Setsid: true})
				m.answer(nil)
			case "exit":
				os.Stderr.WriteString("abandoned\n")
				os.Exit(5)
			}
		}
	}
}

// big is params of about n bytes.
func big(n int) codec.RawMessage {
	return codec.RawMessage(`["` + strings.Repeat("x", n) + `"]`)
}

// TestLiveDeaf: with a child that never reads, each call returns at its
// deadline, also when 16 MiB are queued, and so does Close.
func TestLiveDeaf(t *testing.T) {
	c := live(t, "deaf", hasty())
	params := big(300 << 10)
	const deadline = 30 * time.Millisecond
	calls := func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 5 {
					begun := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), deadline)
					_, err := c.CallRaw(ctx, nil, "echo", params)
					cancel()
					took := time.Since(begun)
					if !errors.Is(err, context.DeadlineExceeded) || took < deadline || took > deadline+5*time.Second {
						t.Errorf("%v after %v", err, took)
					}
				}
			})
		}
		all.Wait()
	}
	calls()
	// Fill what is left of the room.
	notes := 0
	for ; notes < 20; notes++ {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		err := c.Notify(ctx, "note", big(1<<20))
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if notes == 20 {
		t.Error("the bound was not reached")
	}
	calls()
	within(t, 2*time.Second, "Close", func() { c.Close() })
}

// TestLiveDeafWaiting: Close ends calls that have no deadline and wait for
// room, or for the answer to what was never read.
func TestLiveDeafWaiting(t *testing.T) {
	o := hasty()
	o.MaxPending = 256 << 10
	c := live(t, "deaf", o)
	written := Go[any](context.Background(), c, "echo", big(200<<10))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := c.Notify(ctx, "note", big(200<<10)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the bound was not reached: %v", err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := c.CallRaw(context.Background(), nil, "echo", big(200<<10)); !errors.Is(err, ErrClosed) {
				t.Errorf("%v, want ErrClosed", err)
			}
		})
	}
	within(t, 2*time.Second, "Close", func() {
		c.Close()
		if _, err := written.Get(context.Background()); !errors.Is(err, ErrClosed) {
			t.Errorf("%v, want ErrClosed", err)
		}
		all.Wait()
	})
}

// TestLiveClosesStdin: what can't be written any more ends the connection and
// with it the calls that wait: for one that is in the middle of being written
// when the child closes its input, and for those behind it.
func TestLiveClosesStdin(t *testing.T) {
	for _, size := range []int{10, 300 << 10} {
		for _, callers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%d bytes, %d callers", size, callers), func(t *testing.T) {
				o := hasty()
				closed := make(chan struct{})
				o.Hooks.Noise = func([]byte, error) { close(closed) }
				c := live(t, "closes stdin", o)
				ping(t, c, "first")
				within(t, 2*time.Second, "the end of the calls", func() {
					var all sync.WaitGroup
					for range callers {
						all.Go(func() {
							_, err := c.CallRaw(context.Background(), nil, "echo", big(size))
							if !errors.Is(err, ErrClosed) || !errors.Is(err, syscall.EPIPE) {
								t.Errorf("%v, want ErrClosed because of EPIPE", err)
							}
						})
					}
					select {
					case <-closed:
					case <-c.Done():
					}
					if size < 1<<10 {
						// All may have been written before. This is not, though
						// it may be left to somebody who is writing.
						if err := c.Notify(t.Context(), "note", nil); err != nil && !errors.Is(err, ErrClosed) {
							t.Errorf("%v, want ErrClosed", err)
						}
					}
					all.Wait()
				})
			})
		}
	}
}

// TestLiveStubborn: a child that ignores the end of its input and TERM is
// killed and reaped, in bounded time.
func TestLiveStubborn(t *testing.T) {
	c := live(t, "stubborn echo", hasty())
	ping(t, c, "there")
	errs := waitingCalls(t, c, 0)
	within(t, 2*time.Second, "Close", func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	errs()
	if err := unix.Kill(c.Pid(), 0); err != unix.ESRCH {
		t.Errorf("the child is still there: %v", err)
	}
	e := c.Err().(*ClosedError)
	if w, ok := e.State.Sys().(syscall.WaitStatus); !ok || w.Signal() != syscall.SIGKILL {
		t.Errorf("%v, want a KILL", e)
	}
}

// TestLiveGrandchild: somebody who has left the group and keeps the standard
// output of a child that has exited holds up neither calls nor Close.
func TestLiveGrandchild(t *testing.T) {
	for _, by := range []string{"itself", "Close"} {
		t.Run(by, func(t *testing.T) {
			pids := make(chan int, 1)
			c := live(t, "leaves somebody", &Options{Hooks: Hooks{Noise: func(line []byte, _ error) {
				if pid, err := strconv.Atoi(string(line)); err == nil {
					pids <- pid
				}
			}}})
			if _, err := c.CallRaw(t.Context(), nil, "spawn", nil); err != nil {
				t.Fatal(err)
			}
			pid := <-pids
			defer unix.Kill(pid, unix.SIGKILL)
			errs := waitingCalls(t, c, 3)
			code, said := 0, ""
			within(t, time.Second, "the end of the calls", func() {
				if by == "itself" {
					code, said = 5, "abandoned"
					if err := c.Notify(t.Context(), "exit", nil); err != nil {
						t.Error(err)
					}
				} else {
					go c.Close()
				}
				for _, err := range errs() {
					wantClosed(t, err, code, said)
				}
			})
			within(t, time.Second, "Close", func() { c.Close() })
			if err := unix.Kill(pid, 0); err != nil {
				t.Errorf("the grandchild is gone: %v", err)
			}
		})
	}
}
