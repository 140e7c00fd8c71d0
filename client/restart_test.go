package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

func init() {
	roles["serve"] = func() {
		mux := server.NewMux()
		server.Handle(mux, "pid", func(context.Context, struct{}) (int, error) { return os.Getpid(), nil })
		server.Handle(mux, "echo", func(_ context.Context, p json.RawMessage) (json.RawMessage, error) { return p, nil })
		server.Handle(mux, "wait", func(ctx context.Context, _ struct{}) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		server.Stdio(context.Background(), mux, nil)
	}
}

func TestRestart(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	var greeted []int
	c, err := Command(t.Context(), playing("serve"), &Options{
		Restart: &Restart{Min: time.Millisecond, Max: time.Millisecond},
		Start: func(ctx context.Context, c *peer.Conn) error {
			var pid int
			err := c.Call(ctx, "pid", nil, &pid)
			greeted = append(greeted, pid)
			return err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := []int{c.Pid()}
	for range 5 {
		flying := Go[int](t.Context(), c, "wait", nil)
		if err := c.now.Load().child.kill(); err != nil {
			t.Fatal(err)
		}
		_, err := flying.Get(t.Context())
		e, ok := errors.AsType[*ClosedError](err)
		if !ok || e.State == nil || e.State.Pid() != seen[len(seen)-1] {
			t.Errorf("a call in flight gave %v", err)
		}
		pid, err := Call[int](t.Context(), c, "pid", nil)
		if err != nil || pid != c.Pid() || slices.Contains(seen, pid) {
			t.Fatalf("the next call gave %d, %v; children were %d", pid, err, seen)
		}
		seen = append(seen, pid)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(greeted, seen) {
		t.Errorf("shook hands with %d of %d", greeted, seen)
	}
	if _, err := Call[int](t.Context(), c, "pid", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close gave %v", err)
	}
}

// puppets take the place of the children of a client that restarts them.
type puppets struct {
	*Client
	begun time.Time

	mu      sync.Mutex
	started []time.Duration // since begun
	say     *io.PipeWriter  // of the last
	born    func() error    // called at each start
	greet   Starter         // Options.Start
}

// play starts a client of puppets. Call it in a bubble.
func play(t *testing.T, o *Options) *puppets {
	t.Helper()
	p := &puppets{begun: time.Now()}
	p.set(func() error { return nil }, func(context.Context, *peer.Conn) error { return nil })
	o.Start = func(ctx context.Context, c *peer.Conn) error {
		p.mu.Lock()
		greet := p.greet
		p.mu.Unlock()
		return greet(ctx, c)
	}
	p.Client = newClient(o)
	p.spawn = func(*Client) (*link, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.started = append(p.started, time.Since(p.begun))
		if err := p.born(); err != nil {
			return nil, err
		}
		in, say := io.Pipe()
		p.say = say
		return p.join(in, io.Discard), nil
	}
	if _, err := p.first(t.Context(), p.spawn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// set says how the next starts go; nil leaves it as it is.
func (p *puppets) set(born func() error, greet Starter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if born != nil {
		p.born = born
	}
	if greet != nil {
		p.greet = greet
	}
}

// mouth is where the child that runs speaks.
func (p *puppets) mouth() *io.PipeWriter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.say
}

// die ends the child that runs.
func (p *puppets) die() {
	p.mouth().Close()
	<-p.Done()
}

func backOff() *Options {
	return &Options{Restart: &Restart{Min: 100 * time.Millisecond, Max: time.Second, Settled: 10 * time.Second}}
}

func wantStarts(t *testing.T, p *puppets, want ...int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var got []int
	for _, d := range p.started {
		got = append(got, int(d.Milliseconds()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("started at %v ms, want %v", got, want)
	}
}

// pass lets time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestRestartBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, backOff())
		for _, wait := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
			p.die()
			pass(wait * time.Millisecond)
		}
		wantStarts(t, p, 0, 100, 300, 700, 1500, 2500, 3500)
		pass(10 * time.Second) // it has settled
		p.die()
		pass(100 * time.Millisecond)
		p.die()
		pass(200 * time.Millisecond)
		wantStarts(t, p, 0, 100, 300, 700, 1500, 2500, 3500, 13600, 13800)
	})
}

// TestRestartThatFails: it is tried again, as if the child had ended at once.
func TestRestartThatFails(t *testing.T) {
	refused := errors.New("refused")
	for name, fail := range map[string]func(p *puppets, err error){
		"to start": func(p *puppets, err error) { p.set(func() error { return err }, nil) },
		"to shake hands": func(p *puppets, err error) {
			p.set(nil, func(context.Context, *peer.Conn) error { return err })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := play(t, backOff())
				p.die()
				fail(p, refused)
				pass(750 * time.Millisecond)
				wantStarts(t, p, 0, 100, 300, 700)
				fail(p, nil)
				if err := p.NotifyRaw(t.Context(), "m", nil); err != nil {
					t.Errorf("a notification that waited gave %v", err)
				}
				wantStarts(t, p, 0, 100, 300, 700, 1500)
			})
		})
	}
}

// TestCallsWaitForTheRestart as long as their contexts last.
func TestCallsWaitForTheRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, backOff())
		p.die()
		ctx, cancel := context.WithTimeoutCause(t.Context(), 99*time.Millisecond, errors.New("too slow"))
		defer cancel()
		for range 2 {
			if _, err := p.CallRaw(ctx, nil, "m", nil); err == nil || err.Error() != "too slow" {
				t.Errorf("got %v", err)
			}
		}
		wantStarts(t, p, 0)
		got := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(t.Context(), nil, "m", nil)
			got <- err
		}()
		pass(time.Millisecond)
		wantStarts(t, p, 0, 100)
		io.WriteString(p.mouth(), `{"jsonrpc":"2.0","id":1,"result":1}`+"\n")
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}

// TestCallBehindTheEndIsForTheNextChild: as soon as a call has failed with the
// old one, though a handler of ours keeps that connection from ending.
func TestCallBehindTheEndIsForTheNextChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := backOff()
		busy := make(chan struct{})
		o.Handler = HandlerFunc(func(ctx context.Context, _ Reply, _ Request) error {
			close(busy)
			<-ctx.Done()
			return nil
		})
		p := play(t, o)
		old := p.mouth()
		io.WriteString(old, `{"jsonrpc":"2.0","id":1,"method":"stay"}`+"\n")
		<-busy
		flying := Go[int](t.Context(), p.Client, "m", nil)
		old.Close()
		if _, err := flying.Get(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("the call in flight gave %v", err)
		}
		select {
		case <-p.Done():
			t.Error("the handler did not keep the connection up")
		default:
		}
		if err := p.NotifyRaw(t.Context(), "m", nil); err != nil {
			t.Errorf("the next one gave %v", err)
		}
		if p.mouth() == old {
			t.Error("it did not wait for the next child")
		}
	})
}

// TestCloseDoesNotWaitForTheRestart: neither in the back-off nor while a new
// child starts, and whatever happens first nothing stays behind.
func TestCloseDoesNotWaitForTheRestart(t *testing.T) {
	t.Run("in the back-off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := play(t, backOff())
			p.die()
			waiting := make(chan error, 1)
			go func() { waiting <- p.NotifyRaw(context.Background(), "m", nil) }()
			pass(10 * time.Millisecond)
			begun := time.Now()
			if err := p.Close(); err != nil || time.Since(begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(begun))
			}
			if err := <-waiting; !errors.Is(err, ErrClosed) {
				t.Errorf("a call that waited gave %v", err)
			}
			pass(time.Minute)
			wantStarts(t, p, 0)
		})
	})
	t.Run("in the handshake", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := play(t, backOff())
			p.die()
			p.set(nil, func(ctx context.Context, c *peer.Conn) error { return c.Call(ctx, "initialize", nil, nil) })
			pass(time.Second)
			wantStarts(t, p, 0, 100)
			begun := time.Now()
			if err := p.Close(); err != nil || time.Since(begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(begun))
			}
		})
	})
	t.Run("at the start", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := play(t, backOff())
			p.die()
			p.set(func() error { // Close comes in the middle of it
				p.end()
				return nil
			}, nil)
			pass(time.Second)
			wantStarts(t, p, 0, 100)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	})
}
