//go:build unix

package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/linerpc/linerpc/server"
)

func init() {
	roles["stdio"] = func() int {
		mux := conformanceMux()
		server.Handle(mux, "stray", func(context.Context, struct{}) (string, error) {
			fmt.Println("stray: fmt")
			os.Stdout.WriteString("stray: os.Stdout\n")
			syscall.Write(1, []byte("stray: descriptor 1\n"))
			child := exec.Command("sh", "-c", "echo stray: child; echo stray: child, inherited >&1")
			child.Stdout = os.Stdout
			return "quiet", child.Run()
		})
		server.Handle(mux, "orphan", func(context.Context, struct{}) (int, error) {
			child := exec.Command("sleep", "60")
			if err := child.Start(); err != nil {
				return 0, err
			}
			return child.Process.Pid, nil
		})
		mux.HandleFunc("stubborn", func(ctx context.Context, w server.Reply, _ server.Request) error {
			w.Notify("started", nil)
			<-ctx.Done()
			w.Notify("cancelled", nil)
			select {}
		})
		server.Handle(mux, "wait", func(ctx context.Context, _ struct{}) (any, error) {
			server.FromContext(ctx).Notify("started", nil)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		o := &server.Options{}
		if os.Getenv("LINERPC_TEST_GRACE") != "" {
			o.Grace = time.Hour
		}
		o.CrashOnPanic = os.Getenv("LINERPC_TEST_CRASH") != ""
		if err := server.Stdio(context.Background(), mux, o); err != nil {
			fmt.Fprintln(os.Stderr, "ended:", err)
			return 1
		}
		return 0
	}
}

// child is a process that serves its standard input and output.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	outEnd *os.File
	errs   bytes.Buffer
}

// start starts a child. With oneFile its standard error is its standard output.
func start(t *testing.T, oneFile bool, env ...string) *child {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c := &child{t: t, cmd: exec.CommandContext(ctx, os.Args[0])}
	c.cmd.Env = append(append(os.Environ(), roleVariable+"=stdio"), env...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.outEnd, c.out = r, bufio.NewScanner(r)
	c.out.Buffer(nil, 4<<20)
	c.cmd.Stdout, c.cmd.Stderr = w, &c.errs
	if oneFile {
		c.cmd.Stderr = w
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		r.Close()
		c.in.Close()
		c.cmd.Wait()
	})
	return c
}

func (c *child) tell(s string) { io.WriteString(c.in, s) }

func (c *child) hear(want string) {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("no more lines, want %s; stderr: %s", want, &c.errs)
	}
	if got := render(c.out.Text()); !matches(want, got) {
		c.t.Errorf("heard %q, want %q", got, want)
	}
}

// end waits for the end of the process and checks that nothing more was said.
func (c *child) end() *os.ProcessState {
	c.t.Helper()
	for c.out.Scan() {
		c.t.Errorf("unexpected: %s", c.out.Text())
	}
	c.cmd.Wait()
	return c.cmd.ProcessState
}

func TestStdioKeepsStraysAway(t *testing.T) {
	for _, oneFile := range []bool{false, true} {
		t.Run(fmt.Sprintf("stderr is stdout: %v", oneFile), func(t *testing.T) {
			c := start(t, oneFile)
			for range 3 {
				c.tell(call("1", "stray", ""))
				c.hear(`1 result "quiet"`)
			}
			c.in.Close()
			if s := c.end(); s.ExitCode() != 0 {
				t.Errorf("%v; stderr: %s", s, &c.errs)
			}
			want := 3
			if oneFile {
				want = 0
			}
			for _, stray := range []string{"fmt", "os.Stdout", "descriptor 1", "child", "child, inherited"} {
				if n := strings.Count(c.errs.String(), "stray: "+stray+"\n"); n != want {
					t.Errorf("%d times %q on standard error, want %d", n, stray, want)
				}
			}
		})
	}
}

// TestStdioIsNotInherited: a child that outlives the server must not keep its
// output open.
func TestStdioIsNotInherited(t *testing.T) {
	c := start(t, false)
	c.tell(call("1", "orphan", ""))
	if !c.out.Scan() {
		t.Fatal("no answer")
	}
	var pid int
	if _, err := fmt.Sscanf(render(c.out.Text()), "1 result %d", &pid); err != nil || pid <= 1 {
		t.Fatalf("%v: %s", err, c.out.Text())
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	c.in.Close()
	c.outEnd.SetReadDeadline(time.Now().Add(20 * time.Second))
	for c.out.Scan() {
		t.Errorf("unexpected: %s", c.out.Text())
	}
	if err := c.out.Err(); err != nil {
		t.Errorf("the output stays open: %v", err)
	}
}

func TestStdioEndOfInput(t *testing.T) {
	c := start(t, false)
	c.tell(call("1", "slow", `{"ms":100}`) + strings.TrimSpace(call("2", "echo", "[2]"))) // no newline
	c.in.Close()
	c.hear("2 result [2]")
	c.hear(`1 result "done"`)
	if s := c.end(); s.ExitCode() != 0 {
		t.Errorf("%v; stderr: %s", s, &c.errs)
	}
	c = start(t, false)
	c.in.Close()
	if s := c.end(); s.ExitCode() != 0 {
		t.Errorf("no input: %v; stderr: %s", s, &c.errs)
	}
}

func TestStdioSignals(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			c := start(t, false) // idle, its input open
			c.tell(call("1", "echo", "[1]"))
			c.hear("1 result [1]")
			c.cmd.Process.Signal(sig)
			if s := c.end(); s.ExitCode() != 0 {
				t.Errorf("idle: %v; stderr: %s", s, &c.errs)
			}
			c = start(t, false) // a handler runs
			c.tell(call("1", "wait", ""))
			c.hear("note started")
			c.cmd.Process.Signal(sig)
			c.hear("1 error -32800 *")
			if s := c.end(); s.ExitCode() != 0 {
				t.Errorf("busy: %v; stderr: %s", s, &c.errs)
			}
		})
	}
	t.Run("a handler that does not end", func(t *testing.T) {
		c := start(t, false)
		c.tell(call("1", "stubborn", ""))
		c.hear("note started")
		c.cmd.Process.Signal(syscall.SIGTERM)
		c.hear("note cancelled")
		if s := c.end(); s.ExitCode() != 0 {
			t.Errorf("%v; stderr: %s", s, &c.errs)
		}
	})
	t.Run("a second one", func(t *testing.T) {
		c := start(t, false, "LINERPC_TEST_GRACE=1")
		c.tell(call("1", "stubborn", ""))
		c.hear("note started")
		c.cmd.Process.Signal(syscall.SIGTERM)
		c.hear("note cancelled")
		c.cmd.Process.Signal(syscall.SIGTERM)
		s := c.end()
		if w, ok := s.Sys().(syscall.WaitStatus); !ok || !w.Signaled() || w.Signal() != syscall.SIGTERM {
			t.Errorf("%v; stderr: %s", s, &c.errs)
		}
	})
}

func TestStdioReaderGone(t *testing.T) {
	c := start(t, false)
	c.tell(call("1", "echo", "[1]"))
	c.hear("1 result [1]")
	c.outEnd.Close()
	c.tell(call("2", "echo", "[2]"))
	c.cmd.Wait() // by itself: the input is still open
	s := c.cmd.ProcessState
	if s.ExitCode() != 1 || !strings.Contains(c.errs.String(), "ended: ") || !strings.Contains(c.errs.String(), syscall.EPIPE.Error()) {
		t.Errorf("%v; stderr: %s", s, &c.errs)
	}
}

func TestCrashOnPanic(t *testing.T) {
	c := start(t, false, "LINERPC_TEST_CRASH=1")
	c.tell(call("1", "echo", "[1]"))
	c.hear("1 result [1]")
	c.tell(call("2", "panic", ""))
	c.out.Scan() // it may or may not be answered
	c.cmd.Wait()
	if s := c.cmd.ProcessState; s.ExitCode() != 2 || !strings.Contains(c.errs.String(), "panic: ") || !strings.Contains(c.errs.String(), "conformanceMux") {
		t.Errorf("%v; stderr: %.500s", s, &c.errs)
	}
}
