package peer

import "context"

// maxLifted is how many handlers may be out of the bounds at once because
// they wait in a call; further ones keep their slot while they wait.
const maxLifted = 64

// Aside runs wait, which is to wait for something that the other side does.
// With the context of a handler of this connection the handler holds up nobody
// meanwhile: Call and Pending.Wait do the same.
func (c *Conn) Aside(ctx context.Context, wait func()) {
	if x := c.lift(ctx); x != nil {
		defer c.lower(x)
	}
	wait()
}

// lift takes a handler that is about to wait out of everybody's way. It gives
// nil where ctx is no handler's of this connection.
func (c *Conn) lift(ctx context.Context) *exchange {
	r, ok := ctx.Value(remoteKey{}).(*requestCtx)
	if !ok || r.x.c != c || r.x.state.Load()&stateMask == stateOver {
		return nil
	}
	x := r.x
	c.mu.Lock()
	if !x.beside.Load() {
		c.takeLocked(c.word.Load(), true) // it is inline: no need to wait for a tick
	}
	if !x.beside.Load() || x.lifted == 0 && c.lifted >= maxLifted {
		c.mu.Unlock()
		return nil
	}
	if x.lifted++; x.lifted > 1 {
		c.mu.Unlock()
		return x
	}
	c.lifted++
	start := c.makeWayLocked(x)
	c.mu.Unlock()
	c.startAll(start)
	return x
}

// lower puts a handler that has its answer back into the bounds.
func (c *Conn) lower(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.lifted--; x.lifted > 0 {
		return
	}
	c.lifted--
	c.running++
	if x.note {
		c.barrier++
	}
	c.gateLocked()
}
