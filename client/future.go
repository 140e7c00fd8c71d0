package client

import (
	"context"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// Future is a call whose result is not there yet. Its methods are safe for
// concurrent use.
type Future[R any] struct {
	link  *link
	codec codec.Codec
	call  *peer.Pending
	err   error // why there is no call
}

// Go sends a call and returns without waiting for its answer. Params are as in
// Call. When ctx ends before the answer is there, the call is given up, whether
// somebody waits for it or not. Middleware and WithProgress do not see it.
func Go[R any](ctx context.Context, c *Client, method string, params any) *Future[R] {
	f := &Future[R]{codec: c.opts.Codec}
	if f.link, f.err = c.link(ctx); f.err != nil {
		return f
	}
	buf := bytebufferpool.Get()
	defer putScratch(buf)
	var raw []byte
	if raw, f.err = c.encode(buf, params); f.err == nil {
		f.call, f.err = f.link.conn.Start(ctx, method, raw)
	}
	return f
}

var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done is closed when Get has something to give at once.
func (f *Future[R]) Done() <-chan struct{} {
	if f.call == nil {
		return closedChan
	}
	return f.call.Done()
}

// Get waits for the result. The end of ctx ends the wait and leaves the call
// as it is. It may be called more than once.
func (f *Future[R]) Get(ctx context.Context) (result R, err error) {
	if f.call == nil {
		return result, f.link.explain(f.err)
	}
	raw, err := f.call.Wait(ctx, nil)
	if err != nil {
		return result, f.link.explain(err)
	}
	return result, f.codec.Decode(raw, &result)
}

// Cancel gives the call up with that cause, unless the answer is there. A
// cause of nil is context.Canceled.
func (f *Future[R]) Cancel(cause error) {
	if f.call != nil {
		f.call.Cancel(cause)
	}
}
