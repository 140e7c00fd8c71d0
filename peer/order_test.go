package peer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// caller is a connection that calls and is told things meanwhile: the other
// side answers each call behind as many notifications as its params say.
func caller(t *testing.T, onNote HandlerFunc, o *Options) *Conn {
	server := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
		var p struct{ Notes int }
		if err := r.Decode(&p); err != nil {
			return err
		}
		for i := range p.Notes {
			if err := w.Notify("note", map[string]int{"n": i}); err != nil {
				return err
			}
		}
		return w.Raw([]byte(`"answer"`))
	})
	opts := Options{Client: true}
	if o != nil {
		opts = *o
	}
	c, _ := joinedPair(t, onNote, server, &opts)
	return c
}

func notes(n int) []byte { return fmt.Appendf(nil, `{"notes":%d}`, n) }

func TestAnswersComeBehindTheNotificationsBeforeThem(t *testing.T) {
	for name, work := range map[string]time.Duration{"at once": 0, "slow": 5 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for range 40 { // connections: the first run of a method is no exception
					var done atomic.Int32
					c := caller(t, func(context.Context, Reply, Request) error {
						time.Sleep(work)
						done.Add(1)
						return nil
					}, nil)
					for i := range 3 {
						if _, err := c.CallRaw(context.Background(), nil, "call", notes(4)); err != nil {
							t.Fatal(err)
						}
						if got, want := int(done.Load()), 4*(i+1); got != want {
							t.Fatalf("call %d has its answer when %d of %d notifications are done", i, got, want)
						}
					}
					p, err := c.Start(context.Background(), "call", notes(4))
					if err != nil {
						t.Fatal(err)
					}
					<-p.Done()
					if got := done.Load(); got != 16 {
						t.Fatalf("a pending call is done when %d of 16 notifications are", got)
					}
					c.Close()
					<-c.Done()
				}
			})
		})
	}
}

// TestAnswersComeInOrderWhoeverCalls is the same where the scheduler
// decides, with callers side by side.
func TestAnswersComeInOrderWhoeverCalls(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	var mu sync.Mutex
	seen := make(map[string]int)
	server := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
		for range 3 {
			if err := w.NotifyRaw("note", r.Params()); err != nil {
				return err
			}
		}
		return nil
	})
	client := HandlerFunc(func(_ context.Context, _ Reply, r Request) error {
		mu.Lock()
		defer mu.Unlock()
		seen[string(r.Params())]++
		return nil
	})
	c, _ := joinedPair(t, client, server, &Options{Client: true, OrderWait: -1})
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for j := range 200 {
				key := fmt.Sprintf("[%d,%d]", i, j)
				if _, err := c.CallRaw(context.Background(), nil, "call", []byte(key)); err != nil {
					t.Error(err)
				}
				mu.Lock()
				if n := seen[key]; n != 3 {
					t.Errorf("%s: %d of 3 notifications before the answer", key, n)
				}
				delete(seen, key)
				mu.Unlock()
			}
		})
	}
	callers.Wait()
}

// TestAWaitForANotificationIsBounded has the handler of a notification take a
// lock that the caller holds: that costs the bound once, not once a call.
func TestAWaitForANotificationIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		o     Options
		ctx   func(context.Context) context.Context
		waits time.Duration
	}{
		"default":  {Options{}, nil, DefaultOrderWait},
		"option":   {Options{OrderWait: 30 * time.Millisecond}, nil, 30 * time.Millisecond},
		"per call": {Options{}, func(ctx context.Context) context.Context { return WithOrderWait(ctx, 20*time.Millisecond) }, 20 * time.Millisecond},
		"none":     {Options{}, func(ctx context.Context) context.Context { return WithOrderWait(ctx, 0) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.o.Client = true
				lock := make(chan struct{}, 1) // a mutex does not count as waiting in a bubble
				conn := caller(t, func(context.Context, Reply, Request) error {
					lock <- struct{}{}
					<-lock
					return nil
				}, &c.o)
				ctx := context.Background()
				if c.ctx != nil {
					ctx = c.ctx(ctx)
				}
				lock <- struct{}{}
				var took []time.Duration
				for _, n := range []int{3, 0, 0, 3} {
					begin := time.Now()
					if _, err := conn.CallRaw(ctx, nil, "call", notes(n)); err != nil {
						t.Error(err)
					}
					took = append(took, time.Since(begin))
				}
				<-lock
				if c.ctx == nil {
					if took[0] < c.waits || took[0] > c.waits+5*time.Millisecond || took[1] > 5*time.Millisecond || slices.Max(took[2:]) > 5*time.Millisecond {
						t.Errorf("calls took %v, want %v once", took, c.waits)
					}
				} else if slices.Max(took) > c.waits+5*time.Millisecond {
					t.Errorf("calls took %v, want %v at most", took, c.waits)
				}
			})
		})
	}
}

// TestAHandlerThatCallsHoldsNoAnswerBack calls from the handler of a
// notification, whose answer stands behind that same notification.
func TestAHandlerThatCallsHoldsNoAnswerBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := make(chan error, 1)
		c := caller(t, func(ctx context.Context, _ Reply, r Request) error {
			err := FromContext(ctx).Call(ctx, "call", map[string]int{"notes": 0}, nil)
			inner <- err
			return err
		}, &Options{Client: true, OrderWait: -1})
		begin := time.Now()
		if _, err := c.CallRaw(context.Background(), nil, "call", notes(1)); err != nil {
			t.Fatal(err)
		}
		if err := <-inner; err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > 10*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// TestAnAnswerThatWaitsCanBeLeft ends the context of a call whose answer is
// held back; and the connection.
func TestAnAnswerThatWaitsCanBeLeft(t *testing.T) {
	for name, end := range map[string]func(cancel func(), c *Conn){
		"context": func(cancel func(), _ *Conn) { cancel() },
		"Close":   func(_ func(), c *Conn) { c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stay := make(chan struct{})
				c := caller(t, func(ctx context.Context, _ Reply, _ Request) error {
					<-stay
					return nil
				}, &Options{Client: true, OrderWait: -1})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				returned := make(chan error, 2)
				go func() {
					_, err := c.CallRaw(ctx, nil, "call", notes(1))
					returned <- err
				}()
				synctest.Wait()
				select {
				case err := <-returned:
					t.Fatalf("the call returned before its notification was done: %v", err)
				default:
				}
				end(cancel, c)
				if err := <-returned; err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				close(stay)
			})
		})
	}
}

// TestAnswersThatWaitAreBounded has so many answers wait that they are above
// the bound: those are delivered.
func TestAnswersThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stay := make(chan struct{})
		note := HandlerFunc(func(context.Context, Reply, Request) error {
			<-stay
			return nil
		})
		result := []byte(`"` + strings.Repeat("x", 10<<10) + `"`)
		first := true
		server := HandlerFunc(func(_ context.Context, w Reply, r Request) error {
			if first {
				first = false
				if err := w.Notify("note", nil); err != nil {
					return err
				}
			}
			return w.Raw(result)
		})
		c, _ := joinedPair(t, note, server, &Options{Client: true, OrderWait: -1, MaxQueued: 64 << 10})
		delivered := 0
		for range 20 {
			p, err := c.Start(context.Background(), "call", nil)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			select {
			case <-p.Done():
				delivered++
			default:
			}
		}
		if delivered != 14 {
			t.Errorf("%d of 20 answers of 10 KiB were delivered, want those beyond 64 KiB: 14", delivered)
		}
		close(stay)
	})
}

// TestOrderAgainstAModel drives the room alone, at random, beside a model that
// looks at every notification each time.
func TestOrderAgainstAModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var o order
		type modelled struct {
			x       exchange
			running bool
			waits   bool // in a queue
			passed  bool
		}
		var all []*modelled
		last := uint64(0)
		for range 60 {
			switch random.IntN(6) {
			case 0, 1: // a notification comes, and waits
				m := &modelled{waits: true}
				o.number(&m.x)
				last = m.x.number
				all = append(all, m)
			case 2, 3: // the first that waits starts, if nothing runs
				if i := slices.IndexFunc(all, func(m *modelled) bool { return m.waits }); i >= 0 &&
					!slices.ContainsFunc(all, func(m *modelled) bool { return m.running }) {
					all[i].waits, all[i].running = false, true
					all[i].x.method = new(method)
					o.enter(&all[i].x, all[i].x.number)
				}
			case 4: // one that runs ends
				if i := slices.IndexFunc(all, func(m *modelled) bool { return m.running }); i >= 0 {
					all[i].running = false
					o.leave(&all[i].x)
				}
			case 5: // nobody waits any more for those up to now
				if random.IntN(4) == 0 {
					o.pass(last)
					for _, m := range all {
						m.passed = true
					}
				}
			}
			want := slices.ContainsFunc(all, func(m *modelled) bool { return (m.running || m.waits) && !m.passed }) &&
				!slices.ContainsFunc(all, func(m *modelled) bool { return m.running && m.x.method.loose })
			if got := o.holds(last); got != want {
				t.Fatalf("holds(%d) is %v, want %v", last, got, want)
			}
		}
	}
}
