package client

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

func init() {
	// Answers what is called "last" and is gone.
	roles["last reply"] = func() {
		for m := range received() {
			switch m.Method {
			case "echo":
				m.answer(m.Params)
			case "last":
				os.Stderr.WriteString("out of memory\n")
				m.answer(m.Params)
				os.Exit(7)
			}
		}
	}
	// Says nothing on standard output any more, and stays.
	roles["closes stdout"] = func() {
		for m := range received() {
			os.Stderr.WriteString("mute\n")
			m.answer(m.Params)
			os.Stdout.Close()
		}
		<-make(chan struct{})
	}
}

// TestLiveLastReply: the reply of a child that exits right after it is
// delivered, and the other calls fail at once, with the reason.
func TestLiveLastReply(t *testing.T) {
	for range 20 {
		c := live(t, "last reply", nil)
		errs := waitingCalls(t, c, 5)
		got, err := Call[[]int](t.Context(), c, "last", []int{1, 2})
		if err != nil || len(got) != 2 {
			t.Fatalf("the last reply: %v, %v", got, err)
		}
		within(t, time.Second, "the end of the others", func() {
			for _, err := range errs() {
				wantClosed(t, err, 7, "out of memory")
			}
		})
		within(t, time.Second, "a call behind the end", func() {
			_, err := c.CallRaw(t.Context(), nil, "echo", nil)
			wantClosed(t, err, 7, "out of memory")
		})
		within(t, time.Second, "Close", func() { c.Close() })
		wantClosed(t, c.Err(), 7, "out of memory")
	}
}

// TestLiveLastReplyAlone: the same for a caller that has been alone and reads
// for itself.
func TestLiveLastReplyAlone(t *testing.T) {
	for range 20 {
		c := live(t, "last reply", nil)
		for range 10 {
			ping(t, c, "alone")
		}
		got, err := Call[[]int](t.Context(), c, "last", []int{1, 2})
		if err != nil || len(got) != 2 {
			t.Fatalf("the last reply: %v, %v", got, err)
		}
		within(t, time.Second, "the end of the connection", func() { <-c.Done() })
		_, err = c.CallRaw(t.Context(), nil, "echo", nil)
		wantClosed(t, err, 7, "out of memory")
		c.Close()
	}
}

// TestLiveClosesStdout: a child that has closed its output can't answer.
func TestLiveClosesStdout(t *testing.T) {
	c := live(t, "closes stdout", &Options{CloseWait: 500 * time.Millisecond, TermWait: time.Millisecond})
	errs := waitingCalls(t, c, 5)
	within(t, time.Second, "the end of the calls", func() {
		failed := 0
		for _, err := range errs() {
			if err == nil {
				continue // the one before
			}
			failed++
			e, ok := errors.AsType[*ClosedError](err)
			if !ok || e.State != nil || string(e.Stderr) == "" {
				t.Errorf("%#v, want a ClosedError without an exit", err)
			}
		}
		if failed < 4 {
			t.Errorf("%d calls failed, want at least 4", failed)
		}
	})
	within(t, time.Second, "a call behind the end", func() {
		if _, err := c.CallRaw(context.Background(), nil, "echo", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("%v, want ErrClosed", err)
		}
	})
}
