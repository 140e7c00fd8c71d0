//go:build linux

package peer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"go.uber.org/goleak"
)

// TestServeReturnsThoughInputIsIdle cancels the context while a read of an
// idle input is under way, on the kinds of descriptor that a process may find
// as its standard input, all of them blocking.
func TestServeReturnsThoughInputIsIdle(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	open := map[string]func(t *testing.T) (in, other *os.File){
		"pipe": func(t *testing.T) (*os.File, *os.File) {
			var p [2]int
			check(t, unix.Pipe(p[:]))
			return os.NewFile(uintptr(p[0]), "in"), os.NewFile(uintptr(p[1]), "other")
		},
		"socket": func(t *testing.T) (*os.File, *os.File) {
			p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			check(t, err)
			return os.NewFile(uintptr(p[0]), "in"), os.NewFile(uintptr(p[1]), "other")
		},
		"terminal": func(t *testing.T) (*os.File, *os.File) {
			fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
			if err != nil {
				t.Skip("no pseudo-terminals here:", err)
			}
			check(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
			n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
			check(t, err)
			in, err := unix.Open("/dev/pts/"+strconv.Itoa(n), unix.O_RDWR|unix.O_NOCTTY, 0)
			check(t, err)
			return os.NewFile(uintptr(in), "in"), os.NewFile(uintptr(fd), "other")
		},
	}
	for kind, pair := range open {
		t.Run(kind, func(t *testing.T) {
			in, other := pair(t)
			out, err := os.Create(filepath.Join(t.TempDir(), "out"))
			check(t, err)
			defer out.Close()
			_, err = other.WriteString(callLine(1, "a", "") + "\n")
			check(t, err)
			answered := make(chan struct{})
			c := New(in, out, HandlerFunc(func(context.Context, Reply, Request) error {
				close(answered)
				return nil
			}), nil)
			ctx, cancel := context.WithCancelCause(context.Background())
			served := make(chan error)
			go func() { served <- c.Serve(ctx) }()
			<-answered
			why := errors.New("told to stop")
			cancel(why)
			select {
			case err := <-served:
				if err != why {
					t.Errorf("Serve: %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("Serve did not return")
			}
			other.Close() // ends the read that may be under way
			<-c.readerGone()
			in.Close()
		})
	}
}

// readerGone is closed when no goroutine has the reading role any more.
func (c *Conn) readerGone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		<-c.ended
		close(gone)
	}()
	return gone
}

func TestARegularFileAsInputIsLeftAsItIs(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	name := filepath.Join(t.TempDir(), "in")
	text := callLine(1, "slow", `{"ms":100000}`) + "\n" + callLine(2, "fast", "") + "\n"
	check(t, os.WriteFile(name, []byte(text), 0o600))
	in, err := os.OpenFile(name, os.O_RDWR, 0)
	check(t, err)
	defer in.Close()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	check(t, err)
	defer out.Close()
	ctx, cancel := context.WithCancel(context.Background())
	c := New(in, out, HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
		if r.Method() == "fast" {
			cancel()
		}
		<-ctx.Done()
		return nil
	}), nil)
	if err := c.Serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	if after, _ := os.ReadFile(name); string(after) != text {
		t.Errorf("the file changed: %q", after)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
