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
// handlers that are fast, do not end the connection.
func TestLiveFlood(t *testing.T) {
	var heard atomic.Int64
	c := live(t, "floods", nil)
	c.Subscribe("note", func(context.Context, Request) { heard.Add(1) })
	const rounds, pieces = 5, 400
	for range rounds {
		if _, err := c.CallRaw(t.Context(), nil, "flood", fmt.Appendf(nil, "[%d]", pieces)); err != nil {
			t.Fatal(err)
		}
	}
	if got := heard.Load(); got != rounds*pieces*500 {
		t.Errorf("%d were heard, want %d; %+v", got, rounds*pieces*500, c.Stats())
	}
}
