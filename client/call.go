package client

import (
	"context"
	"time"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// Call calls method and gives its result. Params are a value that encodes as an
// array or an object, nil to leave them out, or codec.RawMessage for JSON text.
//
// An answer that is an error gives a *codec.Error. When ctx ends first, the
// other side is told in the way of the profile, and the error is the cause of
// ctx. When the connection ends, it is a *ClosedError.
func Call[R any](ctx context.Context, c *Client, method string, params any) (result R, err error) {
	if len(c.opts.Middleware) > 0 || ctx.Value(progressKey{}) != nil {
		err = c.callThrough(ctx, method, params, &result)
		return result, err
	}
	l, err := c.link(ctx)
	if err != nil {
		return result, err
	}
	err = l.conn.Call(ctx, method, params, &result)
	return result, l.explain(err)
}

// callThrough is a call by way of JSON text, as middleware sees it.
func (c *Client) callThrough(ctx context.Context, method string, params, result any) error {
	buf := bytebufferpool.Get()
	defer putScratch(buf)
	raw, err := c.encode(buf, params)
	if err != nil {
		return err
	}
	answer := bytebufferpool.Get()
	defer putScratch(answer)
	if answer.B, err = c.invoke(ctx, answer.B[:0], method, raw); err != nil {
		return err
	}
	return c.opts.Codec.Decode(answer.B, result)
}

// encode gives params as JSON text, in buf unless they are that already.
func (c *Client) encode(buf *bytebufferpool.ByteBuffer, params any) (raw []byte, err error) {
	switch p := params.(type) {
	case nil:
		return nil, nil
	case codec.RawMessage:
		return p, nil
	}
	if buf.B, err = c.opts.Codec.Append(buf.B[:0], params); err != nil {
		return nil, err
	}
	if string(buf.B) == "null" {
		return nil, nil
	}
	return buf.B, nil
}

// maxScratch is the largest capacity that goes back to the pool.
const maxScratch = 2 << 20

func putScratch(b *bytebufferpool.ByteBuffer) {
	if cap(b.B) <= maxScratch {
		bytebufferpool.Put(b)
	}
}

// WithOrderWait gives a context for calls that wait for at most d for the
// handlers of notifications before their answers, and not longer than
// Options.OrderWait; with 0 for none. That is for callers who hold a lock which
// such a handler takes.
func WithOrderWait(ctx context.Context, d time.Duration) context.Context {
	return peer.WithOrderWait(ctx, d)
}

// CallRaw is Call with JSON text on both ends: it appends the result to dst. It
// allocates nothing when dst has room. When it gives an error, dst is as it
// was.
func (c *Client) CallRaw(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
	return c.invoke(ctx, dst, method, params)
}

func (c *Client) callRaw(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
	l, err := c.link(ctx)
	if err != nil {
		return dst, err
	}
	if f, ok := ctx.Value(progressKey{}).(func([]byte)); ok && c.progress.shape != nil {
		dst, err = c.callWatched(ctx, l, dst, method, params, f)
	} else {
		dst, err = l.conn.CallRaw(ctx, dst, method, params)
	}
	return dst, l.explain(err)
}

// Notify sends a notification. Params are as in Call.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	l, err := c.link(ctx)
	if err != nil {
		return err
	}
	return l.explain(l.conn.Notify(ctx, method, params))
}

// NotifyRaw is Notify for params that are JSON text, nil to leave them out.
func (c *Client) NotifyRaw(ctx context.Context, method string, params []byte) error {
	l, err := c.link(ctx)
	if err != nil {
		return err
	}
	return l.explain(l.conn.NotifyRaw(ctx, method, params))
}
