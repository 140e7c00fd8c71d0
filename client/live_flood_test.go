package client

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
)

func init() {
	// Sends as many notifications as it is told to before it answers.
	roles["floods"] = func() {
		var piece []byte
		for range 500 {
			piece = append(append(piece, note...), '\n')
		}
		for m := range received() {
			var n []int
			json.Unmarshal(m.Params, &n)
			for range n[0] {
				os.Stdout.Write(piece)
			}
			m.answer(m.Params)
		}
	}
}

// TestLiveFlood: notifications that come as fast as they can be read, with
// handlers that are fast, do not end the connection, and none is lost.
func TestLiveFlood(t *testing.T) {
	const rounds, pieces = 2, 120
	const all = rounds * pieces * 500
	var heard atomic.Int64
	done := make(chan struct{})
	c := live(t, "floods", nil)
	c.Subscribe("note", func(context.Context, Request) {
		if heard.Add(1) == all {
			close(done)
		}
	})
	for range rounds {
		if _, err := c.CallRaw(t.Context(), nil, "flood", fmt.Appendf(nil, "[%d]", pieces)); err != nil {
			t.Fatal(err)
		}
	}
	<-done
}
