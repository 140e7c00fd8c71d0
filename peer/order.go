package peer

import (
	"container/list"
	"time"
)

// order keeps answers back until the handlers of the notifications that stand
// before them on the wire have ended: a caller finds done what the other side
// told it first. It knows the notifications that run beside the reader or wait;
// one that the reader runs itself has ended when it reads on.
//
// Notifications are numbered as they come and started in that order, one at a
// time, but for handlers that have waited in a call. So what is unfinished is
// all of those behind the last that was started, and the few that run.
//
// All of it is guarded by Conn.mu.
type order struct {
	last    uint64 // the notification that came last
	started uint64 // the one that was started last
	passed  uint64 // nobody waits any more for those up to this one

	// Those that run and do not wait in a call, by number: two when a handler
	// has come back from its call.
	head, tail *exchange
	loose      int // those that run and are not waited for, nor what is behind them

	held  list.List // of *heldAnswer, by number
	bytes int       // of their results
	over  bool      // the connection ends: nothing is held any more

	// When the answer that came first ends the wait for each: a mark says that
	// for all notifications up to its number that no earlier mark covers.
	marks []orderMark
	timer *time.Timer
	armed bool // timer runs
}

type orderMark struct {
	upTo uint64
	at   time.Time
}

// heldAnswer is a call off the table that was not woken yet.
type heldAnswer struct {
	k    *call
	upTo uint64 // the notification that came last before it
	size int
	own  *time.Timer // of a call with a bound of its own
}

// heldCost is what an answer that is held costs beside its bytes.
const heldCost = 256

// number gives the next notification its number.
func (o *order) number(x *exchange) {
	o.last++
	x.number = o.last
}

// enter notes that the handler of x runs, under that number.
func (o *order) enter(x *exchange, number uint64) {
	x.number = number
	o.started = max(o.started, number)
	if x.method.loose {
		x.loose = true
		o.loose++
		return
	}
	if number <= o.passed {
		return
	}
	x.ordered = true
	if x.before = o.tail; x.before != nil {
		x.before.after = x
	} else {
		o.head = x
	}
	o.tail = x
}

// leave notes that it has ended or waits in a call.
func (o *order) leave(x *exchange) {
	if x.loose {
		x.loose = false
		o.loose--
	}
	if !x.ordered {
		return
	}
	x.ordered = false
	if x.before != nil {
		x.before.after = x.after
	} else {
		o.head = x.after
	}
	if x.after != nil {
		x.after.before = x.before
	} else {
		o.tail = x.before
	}
	x.before, x.after = nil, nil
}

// holds reports whether a notification up to that number is waited for.
func (o *order) holds(upTo uint64) bool {
	return o.loose == 0 && (o.head != nil && o.head.number <= upTo || max(o.started, o.passed) < upTo)
}

// pass gives up on what is unfinished up to that number. The handlers that run
// are not waited for again, on this connection: one that takes a lock which
// the caller holds would cost every call the bound.
func (o *order) pass(upTo uint64) {
	o.passed = upTo
	for x := o.head; x != nil && x.number <= upTo; x = o.head {
		o.leave(x)
		x.method.loose, x.loose = true, true
		o.loose++
	}
}

// hold keeps an answer of size bytes back, if anything holds it up.
func (c *Conn) hold(k *call, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &c.order
	if k.wait == 0 || o.over || !o.holds(o.last) || o.bytes > c.opts.MaxQueued-size-heldCost {
		return false
	}
	h := &heldAnswer{k: k, upTo: o.last, size: size + heldCost}
	o.bytes += h.size
	k.held = o.held.PushBack(h)
	limit := c.opts.OrderWait
	if k.wait > 0 && k.wait < limit {
		h.own = time.AfterFunc(k.wait, func() { c.letGoOne(h) })
	}
	o.dropMarks()
	if n := len(o.marks); limit < noLimit && (n == 0 || o.marks[n-1].upTo < o.last) {
		o.marks = append(o.marks, orderMark{o.last, time.Now().Add(limit)})
		switch {
		case o.armed:
		case o.timer == nil:
			o.timer = time.AfterFunc(limit, c.giveUpOrder)
		default:
			o.timer.Reset(limit)
		}
		o.armed = true
	}
	return true
}

// dropMarks drops those of notifications that nobody waits for.
func (o *order) dropMarks() {
	for len(o.marks) > 0 && (o.over || !o.holds(o.marks[0].upTo)) {
		o.marks = o.marks[1:]
	}
	if len(o.marks) == 0 {
		o.marks = nil
	}
}

// giveUpOrder gives up on the notifications that have been waited for long
// enough.
func (c *Conn) giveUpOrder() {
	c.mu.Lock()
	o := &c.order
	o.armed = false
	for o.dropMarks(); len(o.marks) > 0; o.dropMarks() {
		if left := time.Until(o.marks[0].at); left > 0 {
			o.timer.Reset(left)
			o.armed = true
			break
		}
		o.pass(o.marks[0].upTo)
	}
	c.mu.Unlock()
	c.letGo()
}

// letGo wakes the callers whose answers nothing holds up any more.
func (c *Conn) letGo() {
	for {
		c.mu.Lock()
		o := &c.order
		e := o.held.Front()
		if e == nil || !o.over && o.holds(e.Value.(*heldAnswer).upTo) {
			c.mu.Unlock()
			return
		}
		k := o.drop(e)
		c.mu.Unlock()
		k.wake()
	}
}

// letGoOne wakes the caller of one answer, if that is held still.
func (c *Conn) letGoOne(h *heldAnswer) {
	c.mu.Lock()
	e := h.k.held
	if e == nil || e.Value.(*heldAnswer) != h {
		c.mu.Unlock()
		return
	}
	k := c.order.drop(e)
	c.mu.Unlock()
	k.wake()
}

// leaveOrder has the answer of a call that is off the table wait no longer,
// nor begin to.
func (c *Conn) leaveOrder(k *call) {
	c.mu.Lock()
	k.wait = 0
	e := k.held
	if e != nil {
		c.order.drop(e)
	}
	c.mu.Unlock()
	if e != nil {
		k.wake()
	}
}

func (o *order) drop(e *list.Element) *call {
	h := o.held.Remove(e).(*heldAnswer)
	o.bytes -= h.size
	h.k.held = nil
	if h.own != nil {
		h.own.Stop()
	}
	return h.k
}

// endOrder lets every answer go, those to come included.
func (c *Conn) endOrder() {
	c.mu.Lock()
	c.order.over = true
	if c.order.timer != nil {
		c.order.timer.Stop()
	}
	c.mu.Unlock()
	c.letGo()
}
