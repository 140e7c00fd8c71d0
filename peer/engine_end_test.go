package peer

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/frame"
)

func TestEndOfInputDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 64<<10, HandlerFunc(timed), nil)
		go func() {
			r.send(callLine(0, "slow", `{"ms":300}`))
			for i := 1; i <= 200; i++ {
				r.send(callLine(i, "fast", ""))
			}
			r.in.close()
		}()
		if got := len(r.finishReading()); got != 201 {
			t.Errorf("%d answers, want 201", got)
		}
	})
}

func TestEndOfInputDoesNotWaitForeverForHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		r.send(callLine(1, "stubborn", `{"ms":3600000}`), callLine(2, "slow", `{"ms":3600000}`))
		start := time.Now()
		all := r.finish()
		if d := time.Since(start); d != DefaultDrain+DefaultGrace {
			t.Errorf("Serve returned after %v", d)
		}
		// The one that looks at its context was answered.
		if len(all) != 1 || string(all[0].ID) != "2" || all[0].Error.Code != -32800 {
			t.Errorf("%v", all)
		}
		time.Sleep(2 * time.Hour) // of the bubble: let the stubborn one end
	})
}

func TestWaitingRequestsRunAtEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), &Options{MaxHandlers: 1})
		r.send(noteLine("n", `{"ms":100}`), callLine(1, "slow", `{"ms":100}`), callLine(2, "slow", `{"ms":100}`))
		if got := len(r.finish()); got != 2 {
			t.Errorf("%d answers, want 2", got)
		}
	})
}

func TestContextCancelledWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		r.send(callLine(1, "fast", ""))
		r.want(resultLine(1, `"done"`))
		synctest.Wait()
		start := time.Now()
		why := errors.New("told to stop")
		r.cancel(why)
		if err := <-r.served; err != why {
			t.Errorf("Serve: %v", err)
		}
		if d := time.Since(start); d > 0 {
			t.Errorf("Serve returned after %v", d)
		}
	})
}

func TestContextCancelledInTheMiddleOfHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		for id := range 2 { // one by one: the first of a method starts beside the reader
			r.send(callLine(id, "slow", ""))
			r.want(resultLine(id, `"done"`))
		}
		r.send(callLine(10, "other", `{"ms":10000}`), callLine(11, "slow", `{"ms":10000}`)) // beside, and inline
		synctest.Wait()
		start := time.Now()
		r.cancel(io.ErrUnexpectedEOF)
		for range 2 {
			if m, _ := r.recv(); m.Error == nil || m.Error.Code != -32800 {
				t.Errorf("got %s", m.line)
			}
		}
		if err := <-r.served; err != io.ErrUnexpectedEOF {
			t.Errorf("Serve: %v", err)
		}
		if d := time.Since(start); d > Tick {
			t.Errorf("Serve returned after %v", d)
		}
	})
}

func TestCloseEndsServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		synctest.Wait()
		r.c.Close()
		if err := <-r.served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if err := r.c.Notify(context.Background(), "late", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Notify: %v", err)
		}
		if err := r.c.Call(context.Background(), "late", nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Call: %v", err)
		}
	})
}

func TestOtherSideStoppedReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), nil)
		r.send(callLine(1, "slow", `{"ms":10000}`))
		synctest.Wait()
		r.out.close() // as EPIPE
		start := time.Now()
		r.send(callLine(2, "fast", ""))
		if err := <-r.served; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Serve: %v", err)
		}
		if d := time.Since(start); d > DefaultGrace {
			t.Errorf("Serve returned after %v", d)
		}
	})
}

// TestAnswersAfterTheOtherSideStoppedReading: a server that ends has answered
// what it could; the write that finds it gone does not take that away.
func TestAnswersAfterTheOtherSideStoppedReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(timed), &Options{Client: true})
		ctx := context.Background()
		answered, err1 := r.c.Start(ctx, "first", nil)
		lost, err2 := r.c.Start(ctx, "second", nil)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		r.recv()
		r.recv()
		r.out.close() // as EPIPE
		start := time.Now()
		r.c.Notify(ctx, "news", nil)
		synctest.Wait()
		time.Sleep(DefaultGrace / 2)
		if _, err := r.c.Start(ctx, "third", nil); !errors.Is(err, ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a new call: %v", err)
		}
		r.send(resultLine(1, `"done"`))
		if got, err := answered.Wait(ctx, nil); string(got) != `"done"` || err != nil {
			t.Errorf("the call that was answered: %s, %v", got, err)
		}
		if _, err := lost.Wait(ctx, nil); !errors.Is(err, ErrClosed) || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the call that was not: %v", err)
		}
		if d := time.Since(start); d != DefaultGrace {
			t.Errorf("it failed after %v", d)
		}
		if err := <-r.served; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestEverythingWrittenBeforeAnythingIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4<<10, HandlerFunc(func(_ context.Context, w Reply, r Request) error {
			return w.Raw(r.Params())
		}), nil)
		const n = 6000
		params := `{"pad":"` + strings.Repeat("z", 60) + `"}`
		for i := range n { // would block for ever if the server stopped reading
			r.send(callLine(i, "echo", params))
		}
		if got := len(r.finish()); got != n {
			t.Errorf("%d answers, want %d", got, n)
		}
	})
}

// TestNobodyReads floods a connection whose other side reads nothing: what
// waits stays within the bound, reading stops, and the connection fails with
// an error that says so.
func TestNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const bound = 64 << 10
		r := newRig(t, 4<<10, HandlerFunc(func(_ context.Context, w Reply, r Request) error {
			return w.Raw(r.Params())
		}), &Options{MaxPending: bound})
		params := `{"pad":"` + strings.Repeat("z", 1000) + `"}`
		var sent atomic.Int32
		go func() {
			for i := range 10_000 {
				if _, err := r.in.Write([]byte(callLine(i, "echo", params) + "\n")); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		start := time.Now()
		err := <-r.served
		if !errors.Is(err, frame.ErrStalled) {
			t.Errorf("Serve: %v", err)
		}
		if d := time.Since(start); d < frame.DefaultStall || d > frame.DefaultStall+2*time.Second {
			t.Errorf("failed after %v, want %v", d, frame.DefaultStall)
		}
		// Bound, pipes, read buffer, and a few that wait for room.
		if limit := (bound + 64<<10 + 64<<10) / 1000; int(sent.Load()) > limit {
			t.Errorf("%d requests of 1 KB were read, want reading to stop before %d", sent.Load(), limit)
		}
		r.in.close()
	})
}
