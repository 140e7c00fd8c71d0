package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a process may take to be gone. It ends a test that
// hangs; no test waits for it otherwise.
const patience = 30 * time.Second

// wire is what goes over the pipes of a server that a client starts.
type wire struct {
	t        *testing.T
	socket   string
	listener net.Listener
	runs     chan *life // one for each start
	group    int        // the process group of a client that is a process, after its end
	finished bool
}

// life is one run of a server.
type life struct {
	over    chan struct{} // closed when the tap and the program are gone
	ended   time.Time     // when that was
	more    chan struct{} // there may be a new record
	mu      sync.Mutex
	records []record
}

func newWire(t *testing.T) *wire {
	t.Helper()
	dir, err := os.MkdirTemp("", "wire") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, socket: filepath.Join(dir, "s"), runs: make(chan *life, 16)}
	if w.listener, err = net.Listen("unix", w.socket); err != nil {
		t.Fatal(err)
	}
	go w.accept()
	t.Cleanup(func() {
		w.listener.Close()
		os.RemoveAll(dir)
		if !w.finished && !t.Failed() {
			t.Error("nobody looked whether the server is gone")
		}
	})
	return w
}

// command is what a client has to start so that it starts one of our programs.
func (w *wire) command(how, name string, args ...string) []string {
	return w.tapped(how, append([]string{program(name)}, args...)...)
}

// tapped is what has to be started to start argv with the tap before it.
func (w *wire) tapped(how string, argv ...string) []string {
	return append([]string{self(w.t), tapRole, w.socket, how}, argv...)
}

// self is the program that runs this test.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (w *wire) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		l := &life{over: make(chan struct{}), more: make(chan struct{}, 1)}
		w.runs <- l
		go l.follow(conn)
	}
}

func (l *life) follow(conn net.Conn) {
	defer close(l.over)
	defer conn.Close()
	for in := json.NewDecoder(conn); ; {
		var r record
		if in.Decode(&r) != nil {
			l.ended = time.Now()
			return
		}
		l.mu.Lock()
		l.records = append(l.records, r)
		l.mu.Unlock()
		select {
		case l.more <- struct{}{}:
		default:
		}
	}
}

// await waits for what a client does in its own time, while its server runs.
func (w *wire) await(what string, done func(*life) bool) {
	w.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	l := <-w.runs
	w.runs <- l
	for !done(l) {
		select {
		case <-l.more:
		case <-timer.C:
			w.t.Fatalf("%s: it did not come\n%s", what, l)
		}
	}
}

// finish waits until the client's servers are gone, and gives their lives in
// the order they began. What is left is killed, and an error.
func (w *wire) finish(starts int) []*life {
	w.t.Helper()
	w.finished = true
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var lives []*life
	for range starts {
		select {
		case l := <-w.runs:
			lives = append(lives, l)
		case <-timer.C:
			w.t.Fatalf("the server was started %d times, want %d", len(lives), starts)
		}
	}
	for _, l := range lives {
		select {
		case <-l.over:
		case <-timer.C:
			for _, pid := range l.first(started).PIDs {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			w.t.Fatalf("the server is still there\n%s", l)
		}
	}
	if n := len(w.runs); n > 0 {
		w.t.Errorf("the server was started %d times more than the expected %d", n, starts)
	}
	return lives
}

// orderly is finish for a client that starts its server once and closes it.
// Neither of them may have left a process behind.
func (w *wire) orderly() *life {
	w.t.Helper()
	l := w.finish(1)[0]
	l.expectOrderly(w.t)
	w.expectNoProcess()
	return l
}

// expectNoProcess kills what is left of the group, and reports it. What was
// killed and has no parent any more is a member until it has been reaped.
func (w *wire) expectNoProcess() {
	w.t.Helper()
	if w.group == 0 {
		return
	}
	gone := func() bool { return errors.Is(syscall.Kill(-w.group, 0), syscall.ESRCH) }
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !gone(); <-tick.C {
		if time.Now().After(end) {
			w.t.Errorf("a process was left behind: %v", syscall.Kill(-w.group, syscall.SIGKILL))
			return
		}
	}
}

// expectOrderly: the server has ended by itself at the end of its input, with
// status 0, before anybody lost patience; see TestClientsKillAServerThatStays.
// What comes after that is for the tap, which may take longer to end.
func (l *life) expectOrderly(t *testing.T) {
	t.Helper()
	end, exit, signal := l.first(ended), l.first(exited), l.first(signaled)
	if end.At.IsZero() || exit.Text != "exit status 0" || !signal.At.IsZero() && signal.At.Before(exit.At) {
		t.Errorf("the server was not left to end by itself\n%s", l)
	}
	if took := exit.At.Sub(end.At); took > 500*time.Millisecond {
		t.Errorf("the server took %v to end", took)
	}
}

func (l *life) all(k kind) (found []record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if r.Kind == k {
			found = append(found, r)
		}
	}
	return found
}

// first gives a record that is empty where there is none.
func (l *life) first(k kind) record {
	for _, r := range l.all(k) {
		return r
	}
	return record{}
}

// logs reports whether the server wrote this on its standard error.
func (l *life) logs(text string) bool {
	for _, r := range l.all(logged) {
		if strings.Contains(r.Text, text) {
			return true
		}
	}
	return false
}

func (l *life) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b bytes.Buffer
	for _, r := range l.records {
		if r.Kind == started {
			r.Text = ""
		}
		b.WriteString(r.At.Format("05.000 ") + string(r.Kind) + " " + strings.TrimSuffix(r.Text, "\n") + "\n")
	}
	return b.String()
}
