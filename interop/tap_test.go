package interop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// What this binary is given to be the tap:
//
//	tap socket polite|stubborn|gathering program arguments…
//
// It starts the program, passes every byte on in both directions, and tells
// the socket about it. The program inherits the socket, so that its other end
// reads the end of it when both processes are gone, however they went.
const tapRole = "tap"

// The ways of a tap.
const (
	polite    = "polite"    // it passes everything on
	stubborn  = "stubborn"  // not the end of the input, nor SIGTERM: it stays until it is killed
	gathering = "gathering" // it writes notifications together with the next response
)

// record is something that happened at the tap.
type record struct {
	At   time.Time
	Kind kind
	Text string
	PIDs []int `json:",omitempty"`
}

type kind string

const (
	started  kind = "started" // the tap and the program, with their ids; the text is the environment
	sent     kind = "sent"    // the client sent a line; it has its line end
	received kind = "received"
	logged   kind = "logged" // a line on the program's standard error
	ended    kind = "ended"  // the client closed the program's input
	signaled kind = "signaled"
	exited   kind = "exited" // the program's status
)

// drain is how long the tap tries to pass on what a client does not read, after
// the client has closed the input. The program itself does not try for longer.
const drain = 1500 * time.Millisecond

type reporter struct {
	mu  sync.Mutex
	out *json.Encoder
}

func (r *reporter) tell(k kind, text string, pids ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.Encode(record{time.Now(), k, text, pids})
}

// pass copies lines, and reports each before it is passed on. It reads on when
// nobody takes them any more. Lines for which hold is true wait for the next.
func (r *reporter) pass(k kind, to io.Writer, from io.Reader, hold func(line string) bool) {
	var held string
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadString('\n')
		if line != "" {
			r.tell(k, line)
			held += line
		}
		if err != nil || hold == nil || !hold(line) {
			io.WriteString(to, held)
			held = ""
		}
		if err != nil {
			return
		}
	}
}

func isNotification(line string) bool { return !strings.Contains(line, `"id":`) }

// tap gives the exit status, which is the program's.
func tap(args []string) int {
	// What comes too late for a client must not end the tap.
	signal.Ignore(syscall.SIGPIPE)
	conn, err := net.Dial("unix", args[0])
	if err != nil {
		return broken(err)
	}
	file, err := conn.(*net.UnixConn).File()
	if err != nil {
		return broken(err)
	}
	r := &reporter{out: json.NewEncoder(conn)}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.ExtraFiles = []*os.File{file}
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	errs, errsErr := cmd.StderrPipe()
	if err := errors.Join(inErr, outErr, errsErr); err != nil {
		return broken(err)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	if err := cmd.Start(); err != nil {
		return broken(err)
	}
	file.Close()
	r.tell(started, strings.Join(os.Environ(), "\n"), os.Getpid(), cmd.Process.Pid)
	abandoned := make(chan struct{})
	go func() {
		r.pass(sent, in, os.Stdin, nil)
		r.tell(ended, "")
		if args[1] != stubborn {
			in.Close()
			time.AfterFunc(drain, func() { close(abandoned) })
		}
	}()
	go func() {
		for s := range signals {
			r.tell(signaled, s.String())
			if args[1] != stubborn {
				cmd.Process.Signal(s)
			}
		}
	}()
	var hold func(string) bool
	if args[1] == gathering {
		hold = isNotification
	}
	var outputs sync.WaitGroup
	outputs.Go(func() { r.pass(received, os.Stdout, out, hold) })
	outputs.Go(func() { r.pass(logged, os.Stderr, errs, nil) })
	passed := make(chan struct{})
	go func() {
		outputs.Wait()
		close(passed)
	}()
	select {
	case <-passed:
	case <-abandoned:
	}
	cmd.Wait()
	r.tell(exited, cmd.ProcessState.String())
	return cmd.ProcessState.ExitCode()
}

func broken(err error) int {
	fmt.Fprintln(os.Stderr, "tap:", err)
	return 1
}
