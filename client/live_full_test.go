package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/linerpc/linerpc/codec"
)

// TestLiveFull: a child that handles one request after the other writes its
// answers before it reads on. Callers that wait for room, because so much is
// on its way, must not keep those answers from being read.
func TestLiveFull(t *testing.T) {
	c := live(t, "echo", &Options{MaxPending: 256 << 10, Stall: 2 * time.Second})
	text := strings.Repeat("x", 100<<10)
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			want := fmt.Sprintf(`[%d,%q]`, i, text)
			got, err := c.CallRaw(context.Background(), nil, "echo", []byte(want))
			if err != nil || string(got) != want {
				t.Errorf("call %d: %.20q, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

// TestLiveFullAsked: nor do the answers to what that child asks meanwhile.
func TestLiveFullAsked(t *testing.T) {
	text := strings.Repeat("x", 50<<10)
	answer := fmt.Appendf(nil, "[%q]", text)
	c := live(t, "by itself", &Options{
		MaxPending: 256 << 10, Stall: 2 * time.Second,
		Handler: HandlerFunc(func(_ context.Context, w Reply, _ Request) error { return w.Raw(answer) }),
	})
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"ask"}`, i)
			params := fmt.Sprintf(`{"before":[%s],"text":%q}`, ask, text+text)
			if _, err := c.CallRaw(context.Background(), nil, "send", []byte(params)); err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// TestLiveFullOfNotes: the same for a caller who finds that notifications have
// taken the room, and would read for himself if he had not to wait.
func TestLiveFullOfNotes(t *testing.T) {
	c := live(t, "by itself", &Options{MaxPending: 128 << 10, Stall: 2 * time.Second})
	notes := `{"behind":[` + strings.Repeat(note+",", 3000) + note + `]}`
	for range 3 {
		for range 5 {
			ping(t, c, "alone")
		}
		// Answers of 100 KB and more to what nobody waits for: the child is in
		// the middle of writing them while we have more to write than fits.
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			Go[any](ctx, c, "send", codec.RawMessage(notes))
		}
		cancel()
		ping(t, c, "behind")
	}
}
