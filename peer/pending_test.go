package peer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/peer"
)

// deal starts a call and hears it.
func (p *other) deal(t *testing.T, ctx context.Context) *peer.Pending {
	t.Helper()
	call, err := p.conn.Start(ctx, "ask", []byte(`[1]`))
	if err != nil {
		t.Fatal(err)
	}
	if line := p.hear(t); !matches("* call ask [1]", line) {
		t.Fatalf("heard %q", line)
	}
	return call
}

func TestPendingIsAnsweredOnceAndReadOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := meet(t, nil, peer.Options{Client: true})
		call := p.deal(t, t.Context())
		short, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("short"))
		defer cancel()
		if _, err := call.Wait(short, nil); err == nil || err.Error() != "short" {
			t.Errorf("the end of the wait gave %v", err)
		}
		select {
		case <-call.Done():
			t.Error("the end of a wait has ended the call")
		default:
		}
		p.tell(`{"jsonrpc":"2.0","id":1,"result":[5]}` + "\n")
		for range 2 {
			if raw, err := call.Wait(t.Context(), []byte("kept")); string(raw) != "kept[5]" || err != nil {
				t.Errorf("got %s, %v", raw, err)
			}
		}
		call.Cancel(nil) // too late
		p.end(t)
	})
}

func TestPendingIsGivenUp(t *testing.T) {
	mine := errors.New("mine")
	for _, c := range []struct {
		name   string
		giveUp func(call *peer.Pending, cancel context.CancelCauseFunc)
		want   error
	}{
		{"by Cancel", func(call *peer.Pending, _ context.CancelCauseFunc) { call.Cancel(mine) }, mine},
		{"by Cancel without a cause", func(call *peer.Pending, _ context.CancelCauseFunc) { call.Cancel(nil) }, context.Canceled},
		{"by its context", func(_ *peer.Pending, cancel context.CancelCauseFunc) { cancel(mine) }, mine},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, nil, peer.Options{Client: true, Profile: peer.MCP})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			call := p.deal(t, ctx)
			c.giveUp(call, cancel)
			want := fmt.Sprintf(`note notifications/cancelled {"requestId":1,"reason":%q}`, c.want)
			if line := p.hear(t); line != want {
				t.Errorf("heard %q, want %q", line, want)
			}
			if _, err := call.Wait(t.Context(), nil); err != c.want {
				t.Errorf("got %v, want %v", err, c.want)
			}
			p.tell(`{"jsonrpc":"2.0","id":1,"result":[5]}` + "\n")
			p.end(t)
			if n := p.conn.Stats().Stray; n != 1 {
				t.Errorf("%d strays", n)
			}
		})
	}
}

// TestPendingCallsAreHooked: the Begin hook sees them begin and end like those
// that are waited for at once, however they end.
func TestPendingCallsAreHooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		o := peer.Options{Client: true, MaxSend: 1000}
		o.Hooks.Begin = func(ctx context.Context, info *peer.Info) (context.Context, func(peer.Result)) {
			return ctx, func(r peer.Result) { ended = append(ended, fmt.Sprintf("%s %s: %v", info.Method, info.Params, r.Err)) }
		}
		p := meet(t, nil, o)
		answered, failed, cancelled := p.deal(t, t.Context()), p.deal(t, t.Context()), p.deal(t, t.Context())
		p.tell(`{"jsonrpc":"2.0","id":1,"result":0}` + "\n")
		<-answered.Done()
		p.tell(`{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}` + "\n")
		<-failed.Done()
		cancelled.Cancel(nil)
		p.hear(t)
		if _, err := p.conn.Start(t.Context(), "big", []byte(`["`+strings.Repeat("x", 1000)+`"]`)); !errors.Is(err, peer.ErrTooLarge) {
			t.Errorf("got %v", err)
		}
		batch := []peer.BatchItem{{Method: "one"}, {Method: "note", Notification: true}, {Method: "two"}}
		if _, err := p.conn.StartBatch(t.Context(), batch); err != nil {
			t.Error(err)
		}
		p.hear(t)
		p.tell(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no arrays"}}` + "\n")
		p.end(t)
		if _, err := p.conn.StartBatch(t.Context(), batch[:1]); !errors.Is(err, peer.ErrClosed) {
			t.Errorf("got %v", err)
		}
		ended[3] = ended[3][:3]
		want := []string{
			"ask [1]: <nil>", "ask [1]: no (5)", "ask [1]: context canceled", "big",
			"one : no arrays (-32600)", "two : no arrays (-32600)", "one : peer: the connection is closed",
		}
		if !slices.Equal(ended, want) {
			t.Errorf("the hook saw %q, want %q", ended, want)
		}
	})
}
