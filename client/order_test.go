package client

import (
	"context"
	"testing"
	"time"

	"github.com/linerpc/linerpc/server"
)

func init() {
	roles["tells first"] = func() {
		mux := server.NewMux()
		mux.HandleFunc("call", func(_ context.Context, w server.Reply, _ server.Request) error {
			for range 5 {
				if err := w.NotifyRaw("log", []byte(`{"text":"working"}`)); err != nil {
					return err
				}
			}
			return nil
		})
		server.Stdio(context.Background(), mux, nil)
	}
}

// TestACallFindsDoneWhatItWasToldBefore calls children that log before they
// answer. The first calls of a connection run beside the reader, the later ones
// read for themselves.
func TestACallFindsDoneWhatItWasToldBefore(t *testing.T) {
	for name, work := range map[string]time.Duration{"at once": 0, "slow": 5 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				c, err := Command(context.Background(), playing("tells first"), nil)
				if err != nil {
					t.Fatal(err)
				}
				logged := 0 // the answer's arrival is what orders it
				c.Subscribe("log", func(context.Context, Request) {
					time.Sleep(work)
					logged++
				})
				for i := 1; i <= 4; i++ {
					if _, err := c.CallRaw(context.Background(), nil, "call", nil); err != nil {
						t.Fatal(err)
					}
					if logged != 5*i {
						t.Errorf("call %d has its answer behind %d of %d notifications", i, logged, 5*i)
					}
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
