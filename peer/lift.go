package peer

import (
	"context"
	"errors"
)

// ErrNested means that a handler would wait in a call while so many of this
// connection do that they hold Options.MaxQueued bytes: their params and 4 KiB
// each. Nothing was sent. Two sides that call each other without end get here.
var ErrNested = errors.New("peer: too many handlers wait in calls: Options.MaxQueued is reached")

const (
	liftCost  = 4 << 10
	minLifted = 64 // so many may wait whatever the bound is
)

// Aside runs wait, which is to wait for something that the other side does.
// With the context of a handler of this connection the handler holds up nobody
// meanwhile: Call and Pending.Wait do the same. It gives ErrNested, and does not
// wait, when too many wait already.
func (c *Conn) Aside(ctx context.Context, wait func()) error {
	r, _ := inquire(ctx)
	x, err := c.lift(r)
	if err != nil {
		return err
	}
	defer c.lower(x)
	wait()
	return nil
}

// lift takes the handler of r, which is about to wait, out of everybody's way.
// It gives nil where r is no running handler's of this connection.
func (c *Conn) lift(r *requestCtx) (*exchange, error) {
	if r == nil {
		return nil, nil
	}
	x := r.exchange()
	if x == nil || x.c != c {
		return nil, nil
	}
	c.mu.Lock()
	word := c.word.Load()
	if !x.live(r.gen) {
		c.mu.Unlock()
		return nil, nil // r was kept; what x stands for now is somebody else
	}
	if !x.beside.Load() && x == &c.seat.x {
		c.takeLocked(word, true) // it is inline: no need to wait for a tick
	}
	if !x.beside.Load() {
		c.mu.Unlock()
		return nil, nil
	}
	if x.lifted > 0 {
		x.lifted++
		c.mu.Unlock()
		return x, nil
	}
	if c.lifted >= minLifted && c.liftedBytes > c.opts.MaxQueued-x.liftedBytes() {
		c.mu.Unlock()
		return nil, ErrNested
	}
	x.lifted = 1
	c.lifted++
	c.liftedBytes += x.liftedBytes()
	start, due := c.makeWayLocked(x)
	c.mu.Unlock()
	c.startAll(start)
	if due {
		c.letGo()
	}
	return x, nil
}

func (x *exchange) liftedBytes() int { return liftCost + len(x.params) }

// lower puts a handler that has its answer back into the bounds, unless it has
// returned: others of its goroutines may have waited.
func (c *Conn) lower(x *exchange) {
	if x == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch x.lifted {
	case 0:
	case 1:
		c.lowerLocked(x)
		c.gateLocked()
	default:
		x.lifted--
	}
}

func (c *Conn) lowerLocked(x *exchange) {
	x.lifted = 0
	c.lifted--
	c.liftedBytes -= x.liftedBytes()
	c.running++
	if x.note {
		c.barrier++
		c.order.enter(x, c.order.last)
	}
}
