package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/frame"

	"go.uber.org/goleak"
)

// bounce answers by asking the other side for n-1, down to zero.
func bounce(ctx context.Context, w Reply, r Request) error {
	var p struct{ N int }
	if err := r.Decode(&p); err != nil {
		return err
	}
	sum := 0
	if p.N > 0 {
		if err := FromContext(ctx).Call(ctx, "bounce", map[string]int{"n": p.N - 1}, &sum); err != nil {
			return err
		}
	}
	return w.Encode(sum + p.N)
}

// joinedPair serves both ends of a Pipe until the test ends.
func joinedPair(t *testing.T, a, b Handler, o *Options) (*Conn, *Conn) {
	ca, cb := Pipe(a, b, o, o)
	for _, c := range []*Conn{ca, cb} {
		go func() {
			if err := c.Serve(context.Background()); err != nil && !errors.Is(err, ErrClosed) {
				t.Errorf("Serve: %v", err)
			}
		}()
	}
	t.Cleanup(func() {
		ca.Close()
		<-ca.Done()
		<-cb.Done()
	})
	return ca, cb
}

func TestCallsBackAndForthAtABoundOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := joinedPair(t, HandlerFunc(bounce), HandlerFunc(bounce), &Options{MaxHandlers: 1})
		for _, depth := range []int{3, 3, 50} {
			var sum int
			if err := a.Call(context.Background(), "bounce", map[string]int{"n": depth}, &sum); err != nil || sum != depth*(depth+1)/2 {
				t.Errorf("depth %d: %d, %v", depth, sum, err)
			}
		}
	})
}

func TestANotificationHandlerMayCallBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := make(chan int, 1)
		onA := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
			if r.Method() != "list_changed" {
				return bounce(ctx, w, r)
			}
			var sum int
			err := FromContext(ctx).Call(ctx, "bounce", map[string]int{"n": 4}, &sum)
			got <- sum
			return err
		})
		_, b := joinedPair(t, onA, HandlerFunc(bounce), &Options{MaxHandlers: 1})
		for range 3 {
			if err := b.Notify(context.Background(), "list_changed", nil); err != nil {
				t.Fatal(err)
			}
			if sum := <-got; sum != 10 {
				t.Errorf("got %d", sum)
			}
		}
	})
}

func TestBothSidesCallEachOtherAtOnce(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	const n = 500
	a, b := joinedPair(t, HandlerFunc(bounce), HandlerFunc(bounce), nil)
	done := make(chan error, 2*n)
	for _, c := range []*Conn{a, b} {
		for i := range n {
			go func() {
				var sum int
				err := c.Call(context.Background(), "bounce", map[string]int{"n": i % 7}, &sum)
				if want := i % 7 * (i%7 + 1) / 2; err == nil && sum != want {
					err = fmt.Errorf("got %d, want %d", sum, want)
				}
				done <- err
			}()
		}
	}
	for range 2 * n {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan struct{})
		onB := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
			<-ctx.Done()
			close(cancelled)
			return ctx.Err()
		})
		a, _ := joinedPair(t, nil, onB, nil)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start := time.Now()
		err := a.Call(ctx, "forever", nil, nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		<-cancelled // the other side was told
		synctest.Wait()
		if s := a.Stats(); s.Stray != 1 { // its late answer was dropped
			t.Errorf("%+v", s)
		}
	})
}

func TestCallsFailWhenTheInputEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
			return FromContext(ctx).Call(ctx, "question", nil, nil)
		})
		r := newRig(t, 4<<10, h, nil)
		r.send(callLine(1, "ask", ""))
		if m, _ := r.recv(); m.Method != "question" {
			t.Errorf("got %s", m.line)
		}
		start := time.Now()
		all := r.finish()
		if len(all) != 1 || string(all[0].ID) != "1" || all[0].Error == nil {
			t.Errorf("%v", all)
		}
		if d := time.Since(start); d > Tick {
			t.Errorf("took %v", d)
		}
	})
}

// TestBothSidesStuck lets both ends send more than their bounds while neither
// gets to read: no hang, but an error that says what happened.
func TestBothSidesStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		h := HandlerFunc(func(ctx context.Context, w Reply, r Request) error {
			<-block
			return nil
		})
		a, b := Pipe(h, h, &Options{MaxPending: 32 << 10, MaxQueued: 8 << 10}, &Options{MaxPending: 32 << 10, MaxQueued: 8 << 10})
		errs := make(chan error, 2)
		go func() { errs <- a.Serve(context.Background()) }()
		go func() { errs <- b.Serve(context.Background()) }()
		for _, c := range []*Conn{a, b} {
			go func() {
				pad := make([]int, 400)
				for c.Notify(context.Background(), "n", pad) == nil {
				}
			}()
		}
		first := <-errs
		if !errors.Is(first, frame.ErrStalled) && !errors.Is(first, errNotesOverflow) {
			t.Errorf("Serve: %v", first)
		}
		close(block)
		<-errs
	})
}

// TestCallsEndThoughTheOtherSideDoesNotRead makes calls that can't even be
// written: every one returns at its deadline, and the stream is whole when the
// other side reads again.
func TestCallsEndThoughTheOtherSideDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, nil, &Options{Client: true, MaxPending: 64 << 10})
		params := `["` + strings.Repeat("x", 30_000) + `"]`
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				if _, err := r.c.CallRaw(ctx, nil, "m", []byte(params)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("CallRaw: %v", err)
				}
				if err := r.c.NotifyRaw(ctx, "n", []byte(params)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("NotifyRaw: %v", err)
				}
			})
		}
		calls.Wait()
		if d := time.Since(start); d != 200*time.Millisecond {
			t.Errorf("calls returned after %v", d)
		}
		go func() {
			r.c.Call(context.Background(), "last", nil, nil)
		}()
		for { // what was queued comes out line by line, then the next call
			m, ok := r.recv()
			if !ok {
				t.Fatal("the stream ended")
			}
			if m.Method == "last" {
				break
			}
		}
		r.in.close()
		r.finishReading()
	})
}
