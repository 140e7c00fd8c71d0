//go:build unix && !aix

package client

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	roles["ignores EOF"] = func() {
		signals, eof := make(chan os.Signal, 1), make(chan struct{})
		signal.Notify(signals, syscall.SIGTERM)
		go func() {
			io.Copy(io.Discard, os.Stdin)
			close(eof)
		}()
		fmt.Println("ready")
		for {
			select {
			case <-eof:
				fmt.Println("eof")
				eof = nil
			case s := <-signals:
				fmt.Println(s)
				os.Exit(4)
			}
		}
	}
	roles["ignores all"] = func() {
		signal.Ignore(syscall.SIGTERM)
		forever := make(chan os.Signal, 1)
		signal.Notify(forever, syscall.SIGUSR1)
		fmt.Println("ready")
		<-forever
	}
	roles["says its pid"] = func() {
		forever := make(chan os.Signal, 1)
		signal.Notify(forever, syscall.SIGUSR1)
		fmt.Println(os.Getpid())
		<-forever
	}
	// A leader and its helper, who says that it is ready.
	roles["family"] = func() {
		help("ignores all", nil)
		io.Copy(io.Discard, os.Stdin)
	}
	roles["stubborn family"] = func() {
		signal.Ignore(syscall.SIGTERM)
		forever := make(chan os.Signal, 1)
		signal.Notify(forever, syscall.SIGUSR1)
		help("ignores all", nil)
		<-forever
	}
	roles["left behind"] = func() {
		help("says its pid", &syscall.SysProcAttr{Setsid: true})
		io.Copy(io.Discard, os.Stdin)
		io.WriteString(os.Stderr, "last words\n")
	}
	roles["ignores SIGCHLD"] = func() {
		signal.Ignore(syscall.SIGCHLD)
		in, out, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		p, err := startProcess(playing("exit"), in, out, ladder())
		if err != nil {
			panic(err)
		}
		<-p.exited()
		p.release()
		fmt.Printf("%v %q\n", p.state(), p.tail())
	}
}

// help starts a helper who has our standard output and error open.
func help(role string, attr *syscall.SysProcAttr) {
	cmd := playing(role)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

func (l *launched) diedOf(want syscall.Signal) {
	l.t.Helper()
	if w, ok := l.state().Sys().(syscall.WaitStatus); !ok || !w.Signaled() || w.Signal() != want {
		l.t.Errorf("%v, want %v", l.state(), want)
	}
}

// TestProcessLadder: the end of input comes first, then TERM.
func TestProcessLadder(t *testing.T) {
	o := ladder()
	o.afterEOF = 10 * time.Millisecond
	l := launch(t, playing("ignores EOF"), o)
	l.hear("ready")
	l.in.Close()
	l.hear("eof")
	if err := l.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.hear("terminated")
	l.hearEnd()
	if code := l.state().ExitCode(); code != 4 {
		t.Errorf("exit status %d, want 4", code)
	}
}

// TestProcessKillsTheGroup: after the last step of the ladder the helper is
// gone as well.
func TestProcessKillsTheGroup(t *testing.T) {
	o := ladder()
	o.afterEOF, o.afterTerm = 10*time.Millisecond, 10*time.Millisecond
	l := launch(t, playing("stubborn family"), o)
	l.hear("ready")
	l.in.Close()
	if err := l.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.diedOf(syscall.SIGKILL)
	l.hearEnd()
}

// TestProcessLeavesNoHelpers: also when the leader exits by itself, or is
// killed by somebody else, its helper does not stay.
func TestProcessLeavesNoHelpers(t *testing.T) {
	for _, setsid := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for name, end := range map[string]func(*launched){
			"by itself":  func(l *launched) { l.in.Close() },
			"killed":     func(l *launched) { unix.Kill(l.cmd.Process.Pid, unix.SIGKILL) },
			"by context": func(*launched) { cancel() },
		} {
			t.Run(fmt.Sprintf("%s, a session: %v", name, setsid), func(t *testing.T) {
				cmd := asRole(exec.CommandContext(ctx, os.Args[0]), "family")
				if name != "by context" {
					cmd = playing("family")
				}
				mine := &syscall.SysProcAttr{Setsid: setsid}
				cmd.SysProcAttr = mine
				l := launch(t, cmd, ladder())
				l.hear("ready")
				pid := l.cmd.Process.Pid
				if pgid, err := unix.Getpgid(pid); err != nil || pgid != pid {
					t.Errorf("the group of %d is %d: %v", pid, pgid, err)
				}
				if sid, err := unix.Getsid(pid); err != nil || (sid == pid) != setsid {
					t.Errorf("the session of %d is %d: %v", pid, sid, err)
				}
				if mine.Setpgid {
					t.Error("the caller's SysProcAttr was written to")
				}
				end(l)
				<-l.exited()
				l.hearEnd()
			})
		}
	}
}

// TestProcessLeftBehind: what has left the group and keeps the pipes open
// holds nobody up.
func TestProcessLeftBehind(t *testing.T) {
	l := launch(t, playing("left behind"), ladder())
	pid, err := strconv.Atoi(l.line())
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Kill(pid, unix.SIGKILL)
	l.in.Close()
	if err := l.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.release()
	<-l.process.stderr.drained
	if got := string(l.tail()); got != "last words\n" {
		t.Errorf("tail %q", got)
	}
	if err := unix.Kill(pid, 0); err != nil {
		t.Errorf("it was killed though it had left the group: %v", err)
	}
}

// TestProcessStopped: a stopped child does get TERM, and KILL anyway.
func TestProcessStopped(t *testing.T) {
	for role, want := range map[string]syscall.Signal{"until EOF": syscall.SIGTERM, "ignores all": syscall.SIGKILL} {
		o := ladder()
		o.afterEOF = 10 * time.Millisecond
		if want == syscall.SIGKILL {
			o.afterTerm = 10 * time.Millisecond
		}
		l := launch(t, playing(role), o)
		l.hear("ready")
		pid := l.cmd.Process.Pid
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
			break
		}
		if err := l.stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.diedOf(want)
	}
}

// TestProcessNoSIGCHLD: in a program that ignores SIGCHLD the system reaps the
// child, so its status is lost; its end is not.
func TestProcessNoSIGCHLD(t *testing.T) {
	l := launch(t, playing("ignores SIGCHLD"), ladder())
	l.hear(`<nil> "going\n"`)
	l.hearEnd()
}

func TestProcessForeignGroup(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := playing("exit")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: os.Getpid()}
	if _, err := startProcess(cmd, in, out, ladder()); err == nil {
		t.Error("started in a group that is not its own")
	}
}
