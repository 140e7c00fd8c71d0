package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
)

type object = map[string]any

// driven is our client with a server of others, and the tap between them.
type driven struct {
	*client.Client
	t      *testing.T
	ctx    context.Context // for the whole test
	w      *wire
	took   time.Duration // to close
	stderr pile          // what the server wrote there
	late   pile          // responses that nobody waited for any more
	noise  pile          // other lines that were dropped or refused
}

// pile is text that several goroutines add to and look at.
type pile struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *pile) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *pile) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// drive starts a server and shakes hands. Standard error and noise are kept.
func drive(t *testing.T, o client.Options, argv ...string) *driven {
	t.Helper()
	w := newWire(t)
	argv = w.tapped(polite, argv...)
	return driveCommand(t, w, o, exec.Command(argv[0], argv[1:]...))
}

func driveCommand(t *testing.T, w *wire, o client.Options, cmd *exec.Cmd) *driven {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	d := &driven{t: t, ctx: ctx, w: w}
	o.Stderr = &d.stderr
	o.Hooks.Noise = func(line []byte, err error) {
		to := &d.noise
		if errors.Is(err, peer.ErrLate) {
			to = &d.late
		}
		fmt.Fprintf(to, "%s: %v\n", line, err)
	}
	var err error
	if d.Client, err = client.Command(ctx, cmd, &o); err != nil {
		t.Fatalf("%v\n%s", err, &d.stderr)
	}
	t.Cleanup(func() { d.Close() }) // of a test that stops early
	return d
}

// end closes the client, and gives how the server exited and what was on the
// wire. No process is left then, in the server's group or outside it.
func (d *driven) end() (*client.ClosedError, *life) {
	d.t.Helper()
	d.w.group = d.Pid()
	begun := time.Now()
	if err := d.Close(); err != nil {
		d.t.Errorf("Close: %v", err)
	}
	d.took = time.Since(begun)
	l := d.w.finish(1)[0]
	d.w.expectNoProcess()
	why, ok := errors.AsType[*client.ClosedError](d.Err())
	if !ok {
		d.t.Fatalf("after Close, Err gives %v\n%s", d.Err(), l)
	}
	d.t.Logf("Close took %v: %v %v", d.took.Round(time.Millisecond), why.State, why.Cause)
	return why, l
}

// close is end for a server that ends by itself with that status when its
// input does, before anybody would signal it, and has sent no noise.
func (d *driven) close(status string) *life {
	d.t.Helper()
	why, l := d.end()
	if why.Cause != nil || why.State.String() != status {
		d.t.Errorf("it ended with %v, %v; want %s\n%s", why.State, why.Cause, status, l)
	}
	if at := l.first(signaled).At; l.first(ended).At.IsZero() || !at.IsZero() && at.Before(l.first(exited).At) {
		d.t.Errorf("it did not end by itself\n%s", l)
	}
	if noise := d.noise.String(); noise != "" {
		d.t.Errorf("noise: %s\n%s", noise, l)
	}
	return l
}

const success = "exit status 0"

// cancelled makes a call, and ends its context with a cause when it is known to
// be under way. The call must give that cause.
func (d *driven) cancelled(ctx context.Context, method string, params any, underWay func()) {
	d.t.Helper()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	enough := errors.New("enough")
	done := make(chan error, 1)
	go func() {
		_, err := client.Call[json.RawMessage](ctx, d.Client, method, params)
		done <- err
	}()
	underWay()
	cancel(enough)
	if err := <-done; !errors.Is(err, enough) {
		d.t.Errorf("the cancelled call gave %v", err)
	}
}

// subscribed collects the params of a notification.
func (d *driven) subscribed(method string) <-chan string {
	came := make(chan string, 100)
	d.Subscribe(method, func(_ context.Context, r client.Request) { came <- string(r.Params()) })
	return came
}

// next waits for one.
func (d *driven) next(came <-chan string) string {
	d.t.Helper()
	select {
	case params := <-came:
		return params
	case <-d.ctx.Done():
		d.t.Fatal("the notification did not come")
		return ""
	}
}

// manners are the ways of a server that a client has to cope with.
type manners struct {
	FirstID string // of its own calls, as written; empty: it made none
	IDLast  bool   // in some answers the id stands behind the result
	CRLF    bool
	Batch   bool // it sends arrays
}

// expectManners compares how a server writes with how it is known to write.
func (l *life) expectManners(t *testing.T, want manners) {
	t.Helper()
	var got manners
	for _, r := range l.all(received) {
		got.CRLF = got.CRLF || strings.HasSuffix(r.Text, "\r\n")
		got.Batch = got.Batch || strings.HasPrefix(r.Text, "[")
	}
	for _, m := range l.messages(received) {
		if m.Method != "" && m.ID != nil && got.FirstID == "" {
			got.FirstID = string(m.ID)
		}
		got.IDLast = got.IDLast || m.Result != nil && m.members[len(m.members)-1] == "id"
	}
	if got != want {
		t.Errorf("its manners are %+v, not %+v as docs/compatibility.md says\n%s", got, want, l)
	}
}

// expectWithdrawn compares how often a server answers the calls that a
// notification has withdrawn. Its member holds their id. These answers, and
// only they, came to nobody.
func (d *driven) expectWithdrawn(l *life, notification, member string, want ...int) {
	d.t.Helper()
	var got []int
	total := 0
	for _, m := range l.messages(sent) {
		if m.Method == notification {
			var p map[string]json.RawMessage
			json.Unmarshal(m.Params, &p)
			n := len(answers(l.messages(received), p[member]))
			got = append(got, n)
			total += n
		}
	}
	if late := strings.Count(d.late.String(), "\n"); !slices.Equal(got, want) || late != total {
		d.t.Errorf("answers to calls that were cancelled: %v, want %v; %d came to nobody\n%s", got, want, late, l)
	}
}

// code is that of an error that the server answered with, or 0.
func code(err error) int {
	if e, ok := errors.AsType[*client.Error](err); ok {
		return int(e.Code)
	}
	return 0
}
