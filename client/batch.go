package client

import (
	"context"
	"errors"
	"slices"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/peer"
)

// ErrNoBatch means that the profile has no arrays.
var ErrNoBatch = peer.ErrNoBatch

var errNotSent = errors.New("client: the batch was not sent")

// Batch is calls and notifications that are sent in one array: JSON-RPC 2.0
// section 6. It is for one goroutine; the futures are not.
type Batch struct {
	c     *Client
	items []peer.BatchItem
	sent  []func(l *link, call *peer.Pending, err error)
	err   error // the first of what was added
}

// NewBatch returns an empty batch.
func (c *Client) NewBatch() *Batch { return &Batch{c: c} }

// Add puts a call into a batch and gives its future, which is good once Send
// has returned. Params are as in Call.
func Add[R any](b *Batch, method string, params any) *Future[R] {
	f := &Future[R]{codec: b.c.opts.Codec, err: errNotSent}
	b.add(method, params, false, func(l *link, call *peer.Pending, err error) { f.link, f.call, f.err = l, call, err })
	return f
}

// Notify puts a notification into the batch.
func (b *Batch) Notify(method string, params any) {
	b.add(method, params, true, func(*link, *peer.Pending, error) {})
}

func (b *Batch) add(method string, params any, note bool, sent func(*link, *peer.Pending, error)) {
	raw, err := b.c.encodeCopy(params)
	if err != nil && b.err == nil {
		b.err = err
	}
	b.items = append(b.items, peer.BatchItem{Method: method, Params: raw, Notification: note})
	b.sent = append(b.sent, sent)
}

func (c *Client) encodeCopy(params any) ([]byte, error) {
	buf := bytebufferpool.Get()
	defer putScratch(buf)
	raw, err := c.encode(buf, params)
	return slices.Clone(raw), err
}

// Send sends the array, after which the batch is empty again. When ctx ends,
// the calls that have no answer are given up. After an error nothing was sent,
// and the futures give that error too. Middleware does not see batches.
func (b *Batch) Send(ctx context.Context) error {
	l, calls, err := b.send(ctx)
	for i, sent := range b.sent {
		if err != nil {
			sent(l, nil, err)
		} else {
			sent(l, calls[i], nil)
		}
	}
	b.items, b.sent, b.err = nil, nil, nil
	return err
}

func (b *Batch) send(ctx context.Context) (*link, []*peer.Pending, error) {
	if b.err != nil {
		return nil, nil, b.err
	}
	l, err := b.c.link(ctx)
	if err != nil {
		return nil, nil, err
	}
	calls, err := l.conn.StartBatch(ctx, b.items)
	return l, calls, l.explain(err)
}
