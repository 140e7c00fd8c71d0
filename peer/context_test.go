package peer

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// TestContextsEndWithTheirHandlers keeps the context of handlers, fast and
// slow, of requests and of notifications, beyond their return.
func TestContextsEndWithTheirHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := make(chan context.Context, 1)
		watched := make(chan error, 1)
		h := HandlerFunc(func(ctx context.Context, _ Reply, r Request) error {
			switch r.Method() {
			case "slow":
				time.Sleep(10 * time.Millisecond)
			case "watched":
				go func() {
					<-ctx.Done()
					watched <- context.Cause(ctx)
				}()
			}
			kept <- ctx
			return nil
		})
		r := newRig(t, 64<<10, h, nil)
		for i := range 200 {
			method := []string{"fast", "slow", "watched", "note"}[i%4]
			if method == "note" {
				r.send(noteLine(method, "[]"), callLine(i, "fast", ""))
				if ctx := <-kept; ctx.Err() == nil {
					synctest.Wait()
					if ctx.Err() == nil {
						t.Fatal("the context of a notification is not done")
					}
				}
			} else {
				r.send(callLine(i, method, ""))
			}
			ctx := <-kept
			r.recv()
			synctest.Wait() // the handler has returned
			if err := ctx.Err(); err != context.Canceled {
				t.Fatalf("%s: Err is %v after the handler's return", method, err)
			}
			if cause := context.Cause(ctx); cause != ErrDone {
				t.Fatalf("%s: the cause is %v", method, cause)
			}
			select {
			case <-ctx.Done():
			default:
				t.Fatalf("%s: not done after the handler's return", method)
			}
			if derived, cancel := context.WithTimeout(ctx, time.Hour); derived.Err() == nil {
				t.Fatalf("%s: what is derived after the return is not done", method)
			} else {
				cancel()
			}
			if method == "watched" {
				if cause := <-watched; cause != ErrDone {
					t.Fatalf("who waited saw %v", cause)
				}
			}
		}
		r.finish()
	})
}

// TestAKeptContextSpeaksForNobody uses the context of a request that is over
// from within the next one, which runs where the first has run.
func TestAKeptContextSpeaksForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		h := HandlerFunc(func(ctx context.Context, _ Reply, r Request) error {
			if r.Method() == "first" {
				kept = ctx
				return nil
			}
			remote := FromContext(kept)
			for what, err := range map[string]error{
				"Notify":    remote.Notify("stale", nil),
				"NotifyRaw": remote.NotifyRaw("stale", nil),
				"Call":      remote.Call(context.Background(), "stale", nil, nil),
				"Conn.Call": FromContext(ctx).Call(kept, "stale", nil, nil),
			} {
				if err != ErrDone {
					t.Errorf("%s: %v", what, err)
				}
			}
			if remote.Conn() != nil {
				t.Error("a kept context leads to the connection")
			}
			return nil
		})
		r := newRig(t, 64<<10, h, nil)
		r.send(callLine(1, "first", ""), callLine(2, "second", ""), callLine(3, "first", ""), callLine(4, "second", ""), callLine(5, "second", ""))
		for i := range 5 {
			r.want(resultLine(i+1, "null"))
		}
		r.finish()
	})
}

// TestAStaleCallLiftsNoBarrier has a goroutine of a handler that has returned
// begin calls with its context while notifications run, whose order must hold.
func TestAStaleCallLiftsNoBarrier(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	stop := make(chan struct{})
	left := make(chan struct{})
	running := 0
	h := HandlerFunc(func(ctx context.Context, _ Reply, r Request) error {
		switch r.Method() {
		case "leave":
			if r.Params() == nil {
				return nil // the next one runs where the notifications do
			}
			conn := FromContext(ctx).Conn()
			go func() {
				defer close(left)
				for {
					select {
					case <-stop:
						return
					default:
						r, _ := inquire(ctx)
						if x, err := conn.lift(r); x != nil || err != nil {
							t.Errorf("lifted %v, %v", x, err)
						}
					}
				}
			}()
		case "note":
			if running++; running != 1 { // a race, too, if two run at once
				t.Error("two notifications at once")
			}
			runtime.Gosched()
			running--
		}
		return nil
	})
	r := newRig(t, 64<<10, h, nil)
	r.send(callLine(0, "leave", ""))
	r.want(resultLine(0, "null"))
	r.send(callLine(1, "leave", "[]"))
	r.want(resultLine(1, "null"))
	for range 2000 {
		r.send(noteLine("note", "[]"))
	}
	r.send(callLine(2, "end", ""))
	r.want(resultLine(2, "null"))
	close(stop)
	<-left
	r.finish()
}

// TestAKeptContextPinsLittle keeps one context of each of many connections
// that have carried large messages, and looks at what that holds.
func TestAKeptContextPinsLittle(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const conns = 500 // beside which the pools are small
	kept := make([]context.Context, 0, conns+1)
	lines := callLine(1, "echo", `["`+strings.Repeat("x", 200<<10)+`"]`) + "\n"
	run := func() {
		h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
			kept = append(kept, ctx)
			return w.Raw(r.Params())
		})
		if err := New(strings.NewReader(lines), io.Discard, h, nil).Serve(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	run() // what the pools keep is not the contexts'
	before := heap()
	for range conns {
		run()
	}
	held := heap() - before
	if limit := int64(conns * 8 << 10); held > limit {
		t.Errorf("%d kept contexts hold %d KiB, want at most %d", conns, held>>10, limit>>10)
	}
	runtime.KeepAlive(kept)
}

func TestTheCauseOfTheEnd(t *testing.T) {
	hungUp := errors.New("hung up")
	for name, c := range map[string]struct {
		end  func(*rig)
		want error
	}{
		"Close":           {func(r *rig) { r.c.Close() }, ErrClosed},
		"Serve's context": {func(r *rig) { r.cancel(hungUp) }, hungUp},
		"end of input":    {func(r *rig) { r.in.close() }, ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cause := make(chan error, 1)
				r := newRig(t, 64<<10, HandlerFunc(func(ctx context.Context, _ Reply, _ Request) error {
					derived, cancel := context.WithCancel(ctx)
					defer cancel()
					<-derived.Done()
					cause <- context.Cause(derived)
					return nil
				}), nil)
				r.send(callLine(1, "wait", ""))
				synctest.Wait()
				c.end(r)
				if got := <-cause; !errors.Is(got, c.want) {
					t.Errorf("the cause is %v, want %v", got, c.want)
				}
				<-r.served
			})
		})
	}
}
