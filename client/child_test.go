package client

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// roles are what this test binary can be when a test starts it again as a
// child. A role that returns ends with status 0.
var roles = map[string]func(){
	"exit": func() {
		io.WriteString(os.Stderr, "going\n")
		os.Exit(3)
	},
	"until EOF": func() {
		io.WriteString(os.Stdout, "ready\n")
		io.Copy(io.Discard, os.Stdin)
	},
	"flood": func() {
		os.Stderr.Write(flood())
		os.Exit(3)
	},
	"drip": func() { // a piece of standard error for each line
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			io.WriteString(os.Stderr, lines.Text()+".")
		}
		io.WriteString(os.Stdout, "done\n")
	},
}

const roleVariable = "LINERPC_TEST_ROLE"

func TestMain(m *testing.M) {
	if play := roles[os.Getenv(roleVariable)]; play != nil {
		// Whatever a test does wrong, no child stays for ever.
		time.AfterFunc(2*time.Minute, func() { os.Exit(99) })
		play()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// playing is the command for a child that plays a role.
func playing(role string) *exec.Cmd {
	return asRole(exec.Command(os.Args[0]), role)
}

func asRole(cmd *exec.Cmd, role string) *exec.Cmd {
	// The race detector would have every child linger for a second at its exit.
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// flood is 1 MiB without a newline.
func flood() []byte {
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = "0123456789abcdefghijklmnopqrstuvwxyz~"[i%37]
	}
	return b
}

// ladder are options with a close ladder that no test climbs by chance.
func ladder() processOptions {
	return processOptions{stderrTail: 1 << 10, afterEOF: time.Minute, afterTerm: time.Minute}
}

// A launched process has pipes for its standard input and output.
type launched struct {
	*process
	t   *testing.T
	in  *os.File
	out *bufio.Scanner
}

func launch(t *testing.T, cmd *exec.Cmd, o processOptions) *launched {
	t.Helper()
	childIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := startProcess(cmd, childIn, childOut, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		p.kill()
		<-p.exited()
		p.release()
		out.Close()
	})
	return &launched{process: p, t: t, in: in, out: bufio.NewScanner(out)}
}

// hear reads the next line that the child wrote to its standard output.
func (l *launched) hear(want string) {
	l.t.Helper()
	if got := l.line(); got != want {
		l.t.Fatalf("heard %q, want %q; standard error: %s", got, want, l.tail())
	}
}

func (l *launched) line() string {
	l.t.Helper()
	if !l.out.Scan() {
		l.t.Fatalf("no more lines: %v; standard error: %s", l.out.Err(), l.tail())
	}
	return l.out.Text()
}

// hearEnd reads to the end of standard output: nobody has it open any more.
func (l *launched) hearEnd() {
	l.t.Helper()
	for l.out.Scan() {
		l.t.Errorf("unexpected: %s", l.out.Text())
	}
	if err := l.out.Err(); err != nil {
		l.t.Error(err)
	}
}
