package client_test

import (
	"context"
	"testing"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
)

// TestHooksSeeEveryCall, in whichever way it is made, and what is served.
func TestHooksSeeEveryCall(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		var h heard
		o := client.Options{Profile: client.MCP20250326, Handler: tools()}
		o.Hooks.Begin = func(ctx context.Context, info *peer.Info) (context.Context, func(peer.Result)) {
			return ctx, func(r peer.Result) { h.add("%s %s%s: %v", info.Direction, info.Method, info.Params, r.Err) }
		}
		c := joined(t, reporter(1), &o)
		ctx := t.Context()
		client.Call[any](ctx, c, "echo", []int{1})
		h.want(t, "out echo[1]: <nil>")
		c.CallRaw(ctx, nil, "nosuch", nil)
		h.want(t, "out nosuch: Method not found: nosuch (-32601)")
		client.Call[any](collect(ctx, new([]string)), c, "work", nil)
		h.want(t, `out work{"_meta":{"progressToken":1}}: <nil>`)
		client.Go[any](ctx, c, "echo", []int{2}).Get(ctx)
		h.want(t, "out echo[2]: <nil>")
		b := c.NewBatch()
		f := client.Add[any](b, "echo", []int{3})
		b.Notify("echo", []int{4})
		if err := b.Send(ctx); err != nil {
			t.Error(err)
		}
		f.Get(ctx)
		h.want(t, "out echo[3]: <nil>")
	})
	inBubble(t, "served", func(t *testing.T) {
		var h heard
		o := client.Options{Handler: tools()}
		o.Hooks.Begin = func(ctx context.Context, info *peer.Info) (context.Context, func(peer.Result)) {
			return ctx, func(r peer.Result) { h.add("%s %s %s: %v", info.Direction, info.ID, info.Method, r.Err) }
		}
		o.Hooks.Line = func(dir peer.Direction, line []byte) { h.add("%s %s", dir, line) }
		p := meet(t, o)
		p.tell(`{"jsonrpc":"2.0","id":"a","method":"nosuch"}`)
		p.hear()
		h.want(t,
			`in {"jsonrpc":"2.0","id":"a","method":"nosuch"}`,
			`in "a" nosuch: Method not found: nosuch (-32601)`,
			`out {"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found: nosuch"}}`)
		p.end()
	})
}
