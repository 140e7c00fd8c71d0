package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestProcessExits(t *testing.T) {
	l := launch(t, playing("exit"), ladder())
	<-l.exited() // by itself: its input is still open
	if code := l.state().ExitCode(); code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	l.release()
	l.release()
	if got := string(l.tail()); got != "going\n" {
		t.Errorf("tail %q", got)
	}
	if err := errors.Join(l.terminate(), l.kill(), l.stop(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestProcessEndsWithItsInput(t *testing.T) {
	l := launch(t, playing("until EOF"), ladder())
	l.hear("ready")
	l.in.Close()
	if err := l.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.hearEnd()
	if !l.state().Success() {
		t.Error(l.state())
	}
}

func TestProcessStopContext(t *testing.T) {
	l := launch(t, playing("until EOF"), ladder())
	l.hear("ready")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.stop(ctx); err != nil { // its input is still open
		t.Fatal(err)
	}
	if l.state().Success() {
		t.Error("it was not killed")
	}
}

// TestProcessCommandContext: a command with a context of its own is killed by
// that, and leaves nothing of os/exec behind either way.
func TestProcessCommandContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := launch(t, asRole(exec.CommandContext(ctx, os.Args[0]), "until EOF"), ladder())
	l.hear("ready")
	cancel()
	<-l.exited()
	if l.state() == nil || l.state().Success() {
		t.Error("it was not killed")
	}

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	cmd := asRole(exec.CommandContext(ctx, os.Args[0]), "exit")
	cmd.WaitDelay = time.Hour
	l = launch(t, cmd, ladder())
	<-l.exited()
	if code := l.state().ExitCode(); code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
}

func TestProcessStderr(t *testing.T) {
	var sink, second bytes.Buffer
	o := ladder()
	o.stderr = &sink
	cmd := playing("flood")
	cmd.Stderr = &second
	l := launch(t, cmd, o)
	<-l.exited()
	l.release()
	want := flood()
	if got := l.tail(); !bytes.Equal(got, want[len(want)-o.stderrTail:]) {
		t.Errorf("the tail is %q", got)
	}
	if !bytes.Equal(sink.Bytes(), want) || !bytes.Equal(second.Bytes(), want) {
		t.Errorf("the sinks have %d and %d bytes, or wrong ones", sink.Len(), second.Len())
	}
}

type sinkFunc func([]byte) (int, error)

func (f sinkFunc) Write(b []byte) (int, error) { return f(b) }

// TestProcessStderrSinkFails: a sink that gives an error is not used again;
// neither the child nor the other sink notice.
func TestProcessStderrSinkFails(t *testing.T) {
	calls := 0
	o := ladder()
	o.stderr = sinkFunc(func([]byte) (int, error) {
		calls++
		return 0, io.ErrShortWrite
	})
	var second bytes.Buffer
	cmd := playing("flood")
	cmd.Stderr = &second
	l := launch(t, cmd, o)
	<-l.exited()
	l.release()
	if !bytes.Equal(second.Bytes(), flood()) || calls != 1 {
		t.Errorf("%d calls, and %d bytes in the other sink", calls, second.Len())
	}
}

// TestProcessStderrSinkBlocks: a sink that blocks holds neither the end of the
// process nor release back.
func TestProcessStderrSinkBlocks(t *testing.T) {
	entered, unblock := make(chan struct{}), make(chan struct{})
	o := ladder()
	o.stderr = sinkFunc(func(b []byte) (int, error) {
		close(entered)
		<-unblock
		return 0, io.ErrClosedPipe
	})
	l := launch(t, playing("drip"), o)
	io.WriteString(l.in, "one\n")
	<-entered
	if got := string(l.tail()); got != "one." {
		t.Errorf("tail %q", got)
	}
	l.in.Close()
	l.hear("done")
	<-l.exited()
	l.release()
	close(unblock)
	<-l.process.stderr.drained
}

// TestProcessStartFails: whatever the reason, the files have been closed.
func TestProcessStartFails(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, cmd := range map[string]*exec.Cmd{
		"missing":  exec.Command("linerpc-no-such-program"),
		"absolute": exec.Command(t.TempDir() + "/missing"),
		"a folder": exec.Command(t.TempDir()),
		"stdin":    {Path: os.Args[0], Stdin: strings.NewReader("")},
		"stdout":   {Path: os.Args[0], Stdout: io.Discard},
		"context":  exec.CommandContext(done, os.Args[0]),
	} {
		stdin, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r, stdout, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if p, err := startProcess(cmd, stdin, stdout, ladder()); err == nil || p != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
		if _, err := r.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("%s: standard output is still open: %v", name, err)
		}
		if err := stdin.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: standard input is still open: %v", name, err)
		}
		r.Close()
		w.Close()
	}
}
