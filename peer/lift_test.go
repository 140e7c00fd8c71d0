package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/codec"
)

// TestHandlersThatWaitInCallsHoldUpNobody has many more handlers wait in calls
// than may run, requests as well as notifications, and sends more behind them.
func TestHandlersThatWaitInCallsHoldUpNobody(t *testing.T) {
	for _, kind := range []string{"requests", "notifications"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				noted := 0
				h := HandlerFunc(func(ctx context.Context, _ Reply, r Request) error {
					switch r.Method() {
					case "ask":
						return FromContext(ctx).Call(ctx, "question", nil, nil)
					case "note":
						noted++
					}
					return nil
				})
				r := newRig(t, 64<<10, h, &Options{MaxHandlers: 1})
				const n = 500
				asked := make([]msg, n)
				for i := range n {
					if kind == "requests" {
						r.send(callLine(i, "ask", ""))
					} else {
						r.send(noteLine("ask", "[]"))
					}
					asked[i], _ = r.recv()
				}
				r.send(noteLine("note", "[]"), callLine(n, "fast", ""))
				r.want(resultLine(n, "null"))
				if noted != 1 {
					t.Error("the notification was not handled")
				}
				for i, q := range asked {
					if q.Method != "question" {
						t.Fatalf("got %s", q.line)
					}
					r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":1}`, q.ID))
					if kind == "requests" {
						r.want(resultLine(i, "null"))
					}
				}
				r.finish()
			})
		})
	}
}

// TestEndlessCallsBackEndAtTheBound has two sides call each other for ever.
func TestEndlessCallsBackEndAtTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless := HandlerFunc(func(ctx context.Context, _ Reply, r Request) error {
			err := FromContext(ctx).Call(ctx, "endless", nil, nil)
			if err == nil {
				t.Error("an endless call has ended well")
			}
			return err
		})
		a, _ := joinedPair(t, endless, endless, &Options{MaxQueued: 100 * liftCost, MaxHandlers: 1})
		err := a.Call(context.Background(), "endless", nil, nil)
		if e, ok := errors.AsType[*codec.Error](err); !ok || !strings.Contains(string(e.Data), "MaxQueued") {
			t.Errorf("the error does not name the bound: %v", err)
		}
		// All is well behind it: the bound is free again.
		for range 3 {
			if err := a.Call(context.Background(), "endless", nil, nil); err == nil || errors.Is(err, ErrNested) {
				t.Errorf("another call: %v", err)
			}
		}
	})
}
