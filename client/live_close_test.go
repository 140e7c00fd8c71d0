package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/linerpc/linerpc/codec"
)

func init() {
	// Takes its time for the first call.
	roles["slow echo"] = func() {
		first := true
		for m := range received() {
			if first {
				first = false
				time.Sleep(flushGrace + 200*time.Millisecond)
			}
			m.answer(m.Params)
		}
	}
}

// TestLiveClose: a child that is busy when Close comes still answers what it is
// busy with, though it can't be told anything any more; what is told to it
// nevertheless does no harm.
func TestLiveClose(t *testing.T) {
	c := live(t, "slow echo", nil)
	inFlight := Go[[]int](t.Context(), c, "echo", []int{1})
	behind := Go[any](t.Context(), c, "echo", codec.RawMessage(`["`+strings.Repeat("x", 1<<20)+`"]`))
	ctx, cancel := context.WithTimeout(t.Context(), flushGrace+100*time.Millisecond)
	defer cancel()
	givenUp := Go[any](ctx, c, "echo", nil) // its cancellation is sent when the input is closed
	within(t, flushGrace+DefaultCloseWait, "Close", func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if got, err := inFlight.Get(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("in flight: %v, %v", got, err)
	}
	if _, err := behind.Get(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("not sent: %v, want ErrClosed", err)
	}
	if _, err := givenUp.Get(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	if e := c.Err().(*ClosedError); e.Cause != nil || e.State == nil {
		t.Errorf("%+v, want no cause", e)
	}
}
