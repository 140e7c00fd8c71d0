package peer

import (
	"context"
	"slices"

	"github.com/linerpc/linerpc/codec"
)

// isCancel tells the profile's cancel notification, which the reader sees to
// itself: it reaches a call whatever else is held up.
func (c *Conn) isCancel(m *codec.Message) bool {
	name := c.opts.Profile.CancelMethod
	return name != "" && string(m.Method) == name
}

// cancelByNote cancels the call that a cancel notification names. A call that
// has been answered meanwhile is not found, and nothing happens.
func (c *Conn) cancelByNote(m *codec.Message) {
	id := codec.Lookup(m.Params, c.opts.Profile.CancelID)
	if id == nil {
		return
	}
	c.mu.Lock()
	x := c.flight.find(id)
	if x == nil {
		c.mu.Unlock()
		return
	}
	x.cancelled.Store(true)
	c.counts.cancelled.Add(1)
	if !x.queued {
		c.mu.Unlock()
		x.ctx.cancel(context.Canceled)
		return
	}
	x.queued = false
	w := &c.waiting
	w.queue = slices.DeleteFunc(w.queue, func(y *exchange) bool { return x == y })
	w.cost(x)
	start := w.startLocked(c)
	c.gateLocked()
	c.mu.Unlock()
	gen := x.state.Load() >> 2
	if x.claim(gen) {
		x.append(nil, errCancelled)
		x.state.Store(at(gen, stateOver))
	}
	putScratch(x.own)
	if x.batch != nil {
		x.batch.release()
	}
	c.startAll(start)
}

var errCancelled = &codec.Error{Code: codec.CodeCancelled, Message: "Request cancelled"}
