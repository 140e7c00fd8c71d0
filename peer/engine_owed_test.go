package peer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// hatch is a writer that can be shut.
type hatch struct {
	w    io.Writer
	shut chan struct{} // closed to open it again; nil: it is open
}

func (h *hatch) Write(p []byte) (int, error) {
	if h.shut != nil {
		<-h.shut
	}
	return h.w.Write(p)
}

// TestOwedWhileFlushing: an answer that was read is delivered though the reader
// gets into a write that does not end, in which it loses the role.
func TestOwedWhileFlushing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in stream
		in.init(streamSize)
		h := &hatch{w: io.Discard}
		c := New(&in, h, nil, &Options{Client: true})
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()

		got := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			got <- c.Call(ctx, "ask", nil, nil)
		}()
		synctest.Wait()
		h.shut = make(chan struct{})
		// Enough to be flushed; whoever sent it has not come to that yet.
		o := outgoing{kind: outNotification, method: "note", body: bytes.Repeat([]byte("7"), 100<<10)}
		if err := c.send(&o, nil); err != nil {
			t.Fatal(err)
		}
		in.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":null}` + "\n"))
		begun := time.Now()
		if err := <-got; err != nil || time.Since(begun) > 10*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		close(h.shut)
		in.close()
		if err := <-served; err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}
