package peer

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/valyala/bytebufferpool"
)

// Pending is a call that was sent and whose answer is not waited for yet. Its
// methods are safe for concurrent use.
type Pending struct {
	c *Conn
	k *call
}

// Start sends a call and returns. The answer is waited for with Wait, by
// anybody, at any time, or never. When ctx ends before the answer is there,
// the call is given up as Call gives it up.
func (c *Conn) Start(ctx context.Context, method string, params []byte) (*Pending, error) {
	if err := checkParams(params); err != nil {
		return nil, err
	}
	ctx, p := c.pending(ctx, method, params)
	err := c.mayCall(ctx)
	if err == nil {
		err = c.enter(p.k, false)
	}
	if err != nil {
		p.k.fail(err)
		return nil, err
	}
	if err = c.sendRequest(ctx, p.k, method, params); err != nil {
		if c.calls.take(p.k.id) != nil {
			p.k.fail(err)
		}
		return nil, err
	}
	p.watch(ctx)
	return p, nil
}

// pending makes a call that is about to be sent, with the context for it.
func (c *Conn) pending(ctx context.Context, method string, params []byte) (context.Context, *Pending) {
	k := &call{done: make(chan struct{}), ahead: true}
	if c.hooks.Begin != nil {
		// The hook may hold the params until the end, the caller need not.
		ctx, k.end = c.hooks.Begin(ctx, &Info{Direction: Out, Method: method, Params: bytes.Clone(params)})
	}
	_, k.wait = inquire(ctx)
	return ctx, &Pending{c, k}
}

// watch gives the call up when ctx ends.
func (p *Pending) watch(ctx context.Context) {
	if ctx.Done() == nil {
		return
	}
	// The context may be an author's, and its methods may call: no lock is held.
	stop := context.AfterFunc(ctx, func() { p.giveUp(context.Cause(ctx)) })
	t := &p.c.calls
	t.mu.Lock()
	waits := t.findLocked(p.k.id) != nil
	if waits {
		p.k.stop = stop
	}
	t.mu.Unlock()
	if !waits {
		stop()
	}
}

// giveUp ends the call with cause, unless it has ended.
func (p *Pending) giveUp(cause error) {
	if p.c.calls.take(p.k.id) == nil {
		return
	}
	p.k.fail(cause)
	p.c.sendCancel(p.k.id, cause)
}

// Done is closed when the answer is there, or it is certain that none will be.
func (p *Pending) Done() <-chan struct{} { return p.k.done }

// Wait waits for the answer and appends the result to dst. The end of its ctx
// ends the wait and nothing else; in a handler, see Conn.Call for what the
// handler's own context does.
func (p *Pending) Wait(ctx context.Context, dst []byte) ([]byte, error) {
	select {
	case <-p.k.done:
	default:
		r, _ := inquire(ctx)
		x, err := p.c.lift(r)
		if err != nil {
			return dst, err
		}
		defer p.c.lower(x)
		select {
		case <-p.k.done:
		case <-ctx.Done():
			return dst, context.Cause(ctx)
		}
	}
	return append(dst, p.k.dst...), p.k.err
}

// Cancel gives the call up with that cause, unless the answer is there. A
// cause of nil is context.Canceled.
func (p *Pending) Cancel(cause error) {
	if cause == nil {
		cause = context.Canceled
	}
	p.giveUp(cause)
}

var (
	// ErrNoBatch means that the connection's profile has no arrays.
	ErrNoBatch = errors.New("peer: the protocol has no batches")
	errNoCalls = errors.New("peer: an empty batch")
)

// BatchItem is a call or a notification that is sent in an array.
type BatchItem struct {
	Method       string
	Params       []byte // JSON text, an array or an object; nil to leave them out
	Notification bool
}

// group is the calls of one array. Servers answer all of them at once, or
// refuse the array as a whole.
type group struct {
	ids      []uint64
	open     int
	answered bool // some of it
}

// StartBatch sends calls and notifications in one array, as Start sends one.
// It gives a Pending for each call, and nil for a notification. Where the
// other side answers with an array that lacks some of them, or with one error
// for the whole array, those calls fail.
func (c *Conn) StartBatch(ctx context.Context, items []BatchItem) ([]*Pending, error) {
	switch {
	case !c.opts.Profile.Batch:
		return nil, ErrNoBatch
	case len(items) == 0:
		return nil, errNoCalls
	}
	for _, item := range items {
		if err := checkParams(item.Params); err != nil {
			return nil, err
		}
	}
	all := make([]*Pending, len(items))
	watched := make([]context.Context, len(items))
	for i, item := range items {
		if !item.Notification {
			watched[i], all[i] = c.pending(ctx, item.Method, item.Params)
		}
	}
	err := c.mayCall(ctx)
	if err == nil {
		err = c.enterGroup(all)
	}
	if err != nil {
		for _, p := range all {
			if p != nil {
				p.k.fail(err)
			}
		}
		return nil, err
	}
	buf := bytebufferpool.Get()
	defer putScratch(buf)
	buf.B = buf.B[:0]
	for i, item := range items {
		o := outgoing{kind: outNotification, method: item.Method, body: item.Params}
		if all[i] != nil {
			o.kind, o.id = outRequest, strconv.AppendUint(nil, all[i].k.id, 10)
		}
		buf.B = o.append(c.form, append(buf.B, ','))
	}
	buf.B[0] = '['
	buf.B = append(buf.B, ']')
	if err = c.sendArray(ctx, buf.B); err != nil {
		for _, p := range all {
			if p != nil && c.calls.take(p.k.id) != nil {
				p.k.fail(err)
			}
		}
		return nil, err
	}
	for i, p := range all {
		if p != nil {
			p.watch(watched[i])
		}
	}
	return all, nil
}

// enterGroup puts the calls of an array on the table.
func (c *Conn) enterGroup(all []*Pending) error {
	g := &group{}
	t := &c.calls
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	c.appointLocked(false)
	for _, p := range all {
		if p != nil {
			p.k.group = g
			t.addLocked(p.k)
			g.ids = append(g.ids, p.k.id)
		}
	}
	if g.open = len(g.ids); g.open > 0 {
		t.groups = append(t.groups, g)
	}
	return nil
}

func (t *callTable) leftGroupLocked(g *group) {
	if g.open--; g.open == 0 {
		t.groups = slices.DeleteFunc(t.groups, func(h *group) bool { return g == h })
	}
}

func (t *callTable) answered(g *group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g.answered = true
}

// firstGroup is the oldest array of which nothing has been answered.
func (t *callTable) firstGroup() *group {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.groups {
		if !g.answered {
			return g
		}
	}
	return nil
}

func (c *Conn) sendArray(ctx context.Context, line []byte) error {
	if len(line) > c.opts.MaxSend {
		return ErrTooLarge
	}
	if c.hooks.Line != nil {
		c.hooks.Line(Out, line)
	}
	err := c.sendLine(outRequest, line, ctx.Done())
	if err == nil {
		err = c.flushUntil(ctx)
	}
	return sendError(ctx, err)
}
