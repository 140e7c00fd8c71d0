package peer

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// timed sleeps for params.ms of the bubble's time, or until it is cancelled;
// "stubborn" does not look at its context.
func timed(ctx context.Context, w Reply, r Request) error {
	var p struct{ MS int }
	if r.Params() != nil {
		if err := r.Decode(&p); err != nil {
			return err
		}
	}
	t := time.NewTimer(time.Duration(p.MS) * time.Millisecond)
	defer t.Stop()
	if r.Method() == "stubborn" {
		<-t.C
		return w.Raw([]byte(`"done"`))
	}
	select {
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return w.Raw([]byte(`"done"`))
}

// expectWithin reads the next line and checks how much of the bubble's time
// has passed since start.
func (r *rig) expectWithin(start time.Time, limit time.Duration, want string) {
	r.t.Helper()
	r.want(want)
	if d := time.Since(start); d > limit {
		r.t.Errorf("%s came after %v, want at most %v", want, d, limit)
	}
}

func TestEchoRightBehindASlowCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		start := time.Now()
		// The first call of a method starts beside the reader.
		r.send(callLine(1, "slow", `{"ms":600}`), callLine(2, "echo", ""))
		r.expectWithin(start, 0, resultLine(2, `"done"`))
		r.expectWithin(start, 600*time.Millisecond, resultLine(1, `"done"`))

		// One that was always fast and is slow once has the role taken from it.
		for id := range 5 {
			r.send(callLine(id, "mostly", ""))
			r.want(resultLine(id, `"done"`))
			synctest.Wait() // for what is learnt from it
		}
		before := r.c.Stats().TakeOvers
		start = time.Now()
		r.send(callLine(10, "mostly", `{"ms":600}`), callLine(11, "echo", ""))
		r.expectWithin(start, 2*Tick, resultLine(11, `"done"`))
		if got := r.c.Stats().TakeOvers - before; got != 1 {
			t.Errorf("%d take-overs, want 1", got)
		}
		r.expectWithin(start, 600*time.Millisecond, resultLine(10, `"done"`))

		// And is remembered.
		synctest.Wait()
		start = time.Now()
		r.send(callLine(20, "mostly", `{"ms":600}`), callLine(21, "echo", ""))
		r.expectWithin(start, 0, resultLine(21, `"done"`))
		r.finish()
	})
}

func TestThousandsOfSlowCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 10_000
		r := newRig(t, 64<<10, HandlerFunc(timed), nil)
		start := time.Now()
		go func() {
			for i := range n {
				r.send(callLine(i, "slow", `{"ms":50}`))
			}
		}()
		for range n {
			r.recv()
		}
		// Three waves of 4,096.
		if d := time.Since(start); d > 160*time.Millisecond {
			t.Errorf("took %v, want 150ms", d)
		}
		r.finish()
	})
}

func TestSlowBatchItemsRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		var in, out []string
		for i := range 100 {
			in = append(in, callLine(i, "slow", `{"ms":50}`))
			out = append(out, resultLine(i, `"done"`))
		}
		start := time.Now()
		r.send("["+strings.Join(in, ",")+"]", callLine(1000, "echo", ""))
		r.expectWithin(start, 3*Tick, resultLine(1000, `"done"`))
		r.expectWithin(start, 60*time.Millisecond, "["+strings.Join(out, ",")+"]")
		r.finish()
	})
}

func TestCancelReachesASlowCall(t *testing.T) {
	cancelled := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32800,"message":"Request cancelled"}}`, id)
	}
	t.Run("running", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 4<<10, HandlerFunc(timed), nil)
			start := time.Now()
			r.send(callLine(1, "slow", `{"ms":5000}`), noteLine("$/cancelRequest", `{"id":1}`))
			r.expectWithin(start, 0, cancelled(1))
			r.finish()
		})
	})
	t.Run("inline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 4<<10, HandlerFunc(timed), nil)
			for id := 1; id <= 2; id++ { // the first run is beside the reader
				r.send(callLine(id, "slow", ""))
				r.want(resultLine(id, `"done"`))
			}
			synctest.Wait()
			start := time.Now()
			r.send(callLine(3, "slow", `{"ms":5000}`), noteLine("$/cancelRequest", `{"id":3}`))
			r.expectWithin(start, 2*Tick, cancelled(3))
			r.finish()
		})
	})
	t.Run("waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 4<<10, HandlerFunc(timed), &Options{MaxHandlers: 1})
			start := time.Now()
			r.send(callLine(1, "slow", `{"ms":100}`), callLine(2, "slow", `{"ms":100}`), noteLine("$/cancelRequest", `{"id":2}`))
			r.expectWithin(start, 0, cancelled(2))
			r.expectWithin(start, 100*time.Millisecond, resultLine(1, `"done"`))
			r.finish()
		})
	})
	t.Run("item of a batch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 4<<10, HandlerFunc(timed), nil)
			var in, out []string
			for i := range 60 {
				ms := 10
				out = append(out, resultLine(i, `"done"`))
				if i == 50 {
					ms = 60_000
					out[i] = cancelled(i)
				}
				in = append(in, callLine(i, "slow", fmt.Sprintf(`{"ms":%d}`, ms)))
			}
			start := time.Now()
			r.send("["+strings.Join(in, ",")+"]", noteLine("$/cancelRequest", `{"id":50}`))
			r.expectWithin(start, 15*time.Millisecond, "["+strings.Join(out, ",")+"]")
			r.finish()
		})
	})
	t.Run("not answered where the profile says so", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 4<<10, HandlerFunc(timed), &Options{Profile: MCP, MaxHandlers: 1})
			r.send(callLine(1, "slow", `{"ms":5000}`), callLine(2, "slow", `{"ms":1}`),
				noteLine("notifications/cancelled", `{"requestId":2,"reason":"user"}`),
				noteLine("notifications/cancelled", `{"requestId":1}`), callLine(3, "slow", ""))
			r.want(resultLine(3, `"done"`))
			if s := r.c.Stats(); s.Cancelled != 2 || s.Unsent != 2 {
				t.Errorf("%+v", s)
			}
			r.finish()
		})
	})
}

func TestNotificationIsABarrier(t *testing.T) {
	for _, inline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			ended := make(map[string]bool) // notifications, by their params
			h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
				params := string(r.Params())
				mu.Lock()
				if (string(r.ID()) == "1" || string(r.ID()) == "2" || params == `{"ms":20}`) && !ended[`{"ms":30}`] ||
					string(r.ID()) == "2" && !ended[`{"ms":20}`] {
					t.Errorf("%s %s started before the notification in front of it ended", r.Method(), r.ID())
				}
				mu.Unlock()
				err := timed(ctx, w, r)
				if r.IsNotification() {
					mu.Lock()
					ended[params] = true
					mu.Unlock()
				}
				return err
			})
			r := newRig(t, 4<<10, h, nil)
			if inline { // known as fast: starts inline and has the role taken
				r.send(noteLine("changed", `{}`), noteLine("changed", `{}`), callLine(0, "a", ""))
				r.want(resultLine(0, `"done"`))
			}
			start := time.Now()
			r.send(noteLine("changed", `{"ms":30}`), callLine(1, "a", ""), noteLine("changed", `{"ms":20}`), callLine(2, "b", ""))
			r.expectWithin(start, 30*time.Millisecond, resultLine(1, `"done"`))
			r.expectWithin(start, 50*time.Millisecond, resultLine(2, `"done"`))
			r.finish()
		})
	}
}

func TestDuplicateIDLeavesTheFirstCallUnharmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		r.send(callLine(7, "slow", `{"ms":50}`), callLine(7, "echo", ""))
		if m, _ := r.recv(); string(m.ID) != "7" || m.Error == nil || m.Error.Code != -32600 {
			t.Errorf("got %s", m.line)
		}
		r.want(resultLine(7, `"done"`))
		r.send(callLine(7, "echo", "")) // free again
		r.want(resultLine(7, `"done"`))
		r.finish()
	})
}

func TestOverloadIsAnsweredAndNotificationsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), &Options{MaxHandlers: 1, MaxQueued: 3 * (waitCost + 10)})
		start := time.Now()
		r.send(callLine(0, "slow", `{"ms":20}`), noteLine("n", `{}`))
		for id := 1; id <= 5; id++ {
			r.send(callLine(id, "slow", ""))
		}
		for id := 4; id <= 5; id++ {
			if m, _ := r.recv(); string(m.ID) != fmt.Sprint(id) || m.Error == nil || m.Error.Code != -32000 {
				t.Errorf("got %s", m.line)
			}
		}
		for id := range 4 {
			r.expectWithin(start, 20*time.Millisecond, resultLine(id, `"done"`))
		}
		if s := r.c.Stats(); s.Overloaded != 2 || s.Notifications != 1 {
			t.Errorf("%+v", s)
		}
		r.finish()
	})
}
