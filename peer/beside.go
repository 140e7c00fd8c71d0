package peer

import (
	"errors"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
)

// flightTable finds the requests that run beside the reader or wait, by the
// bytes of their id. Inline requests need no entry: nobody could ask. It is
// guarded by Conn.mu, but for mayHave.
type flightTable struct {
	byHash map[uint64]*exchange
	n      atomic.Int32
	sieve  atomic.Pointer[sieve]
}

// sieve counts the requests in flight by some bits of their hash. Each new
// request asks whether its id is in use: it is told no without a lock nearly
// always. A table that has never been large has none.
type sieve [1024]atomic.Int32

func (s *sieve) of(hash uint64) *atomic.Int32 { return &s[hash%uint64(len(s))] }

const sieveFrom = 8

var idSeed = maphash.MakeSeed()

// mayHave reports false when no request in flight has that id. The reader asks;
// what it registered itself is seen.
func (t *flightTable) mayHave(id []byte) bool {
	if t.n.Load() == 0 {
		return false
	}
	s := t.sieve.Load()
	return s == nil || s.of(maphash.Bytes(idSeed, id)).Load() != 0
}

func (t *flightTable) find(id []byte) *exchange {
	x := t.byHash[maphash.Bytes(idSeed, id)]
	for x != nil && string(x.id) != string(id) {
		x = x.next
	}
	return x
}

func (t *flightTable) add(x *exchange) {
	if t.byHash == nil {
		t.byHash = make(map[uint64]*exchange)
	}
	x.hash = maphash.Bytes(idSeed, x.id)
	x.next = t.byHash[x.hash]
	t.byHash[x.hash] = x
	s := t.sieve.Load()
	switch {
	case s != nil:
		s.of(x.hash).Add(1)
	case len(t.byHash) == sieveFrom:
		s = new(sieve)
		for hash, y := range t.byHash {
			for ; y != nil; y = y.next {
				s.of(hash).Add(1)
			}
		}
		t.sieve.Store(s)
	}
	t.n.Add(1)
}

func (t *flightTable) remove(x *exchange) {
	if p := t.byHash[x.hash]; p != x {
		for p.next != x {
			p = p.next
		}
		p.next = x.next
	} else if x.next == nil {
		delete(t.byHash, x.hash)
	} else {
		t.byHash[x.hash] = x.next
	}
	x.next = nil
	if s := t.sieve.Load(); s != nil {
		s.of(x.hash).Add(-1)
	}
	if t.n.Add(-1) == 0 {
		t.sieve.Store(nil)
	}
}

// besideLocked makes x a request that runs beside the reader.
func (c *Conn) besideLocked(x *exchange) {
	x.beside.Store(true)
	if x.batch != nil {
		x.batch.users.Add(1)
	}
	c.registerLocked(x)
	c.running++
	if x.note {
		c.barrier++
		c.order.number(x)
		c.order.enter(x, x.number)
	}
	c.gateLocked()
}

// registerLocked enters the id of a request that has no answer yet.
func (c *Conn) registerLocked(x *exchange) {
	if x.note || x.registered || x.state.Load()&stateMask != stateOpen || string(x.id) == "null" {
		return
	}
	c.flight.add(x)
	x.registered = true
}

func (c *Conn) unregister(x *exchange) {
	c.mu.Lock()
	c.unregisterLocked(x)
	c.mu.Unlock()
}

func (c *Conn) unregisterLocked(x *exchange) {
	if !x.registered {
		return
	}
	x.registered = false
	c.flight.remove(x)
}

// inFlight reports whether a call with that id runs beside the reader or waits.
func (c *Conn) inFlight(id []byte) bool {
	if !c.flight.mayHave(id) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flight.find(id) != nil
}

// gateLocked decides whether the next request must wait.
func (c *Conn) gateLocked() {
	shut := c.barrier > 0 || c.running >= c.opts.MaxHandlers || len(c.waiting.queue) > 0
	if shut {
		c.gate.Store(1)
	} else {
		c.gate.Store(0)
	}
	if c.quiet != nil && c.running == 0 && c.lifted == 0 && len(c.waiting.queue) == 0 {
		close(c.quiet)
		c.quiet = nil
	}
}

// keep moves the id and the params of x into memory of its own.
func (x *exchange) keep() {
	b := bytebufferpool.Get()
	n := len(x.id)
	b.B = append(append(b.B[:0], x.id...), x.params...)
	if x.id != nil {
		x.id = b.B[:n:n]
	}
	if x.params != nil {
		x.params = b.B[n:]
	}
	x.own = b
}

// serveBeside runs a request that has its place beside the reader, measures
// it, and sees it off.
func (c *Conn) serveBeside(x *exchange, gen uint64) {
	c.starting.Add(-1)
	x.begun, x.took = time.Now(), 0
	defer func() {
		if x.took == 0 {
			x.took = time.Since(x.begun)
		}
		slow := x.took > slowAfter
		if !slow {
			x.method.wasFast()
		}
		c.leave(x, slow)
	}()
	c.serve(x, gen)
}

// leave sees off a request beside the reader whose handler has ended, and
// starts what was waiting for that.
func (c *Conn) leave(x *exchange, slow bool) {
	x.endCtx()
	x.forget()
	c.mu.Lock()
	if slow {
		x.method.wasSlowLocked(c.word.Load() >> 2)
	}
	c.unregisterLocked(x)
	if x.lifted > 0 { // another of its goroutines waits in a call
		c.lowerLocked(x)
	}
	start, due := c.makeWayLocked(x)
	c.mu.Unlock()
	if due {
		c.letGo()
	}
	x.held.Release()
	putScratch(x.own)
	if x.batch != nil {
		x.batch.release()
	}
	c.startAll(start)
}

// makeWayLocked frees the slot and the barrier of x, if it has them, and gives
// what may start because of that; answers may be due as well.
func (c *Conn) makeWayLocked(x *exchange) (start []*exchange, due bool) {
	c.running--
	if x.note {
		c.barrier--
		c.order.leave(x)
	}
	start = c.waiting.startLocked(c)
	c.gateLocked()
	return start, c.order.held.Len() > 0
}

// startAll starts what has been waiting. Each starts the next right before it
// enters its own handler: goroutines made in a row would run in any order.
func (c *Conn) startAll(start []*exchange) {
	if len(start) == 0 {
		return
	}
	go func() {
		c.startAll(start[1:])
		c.serveBeside(start[0], start[0].state.Load()>>2)
	}()
}

// waiting holds the requests and notifications that wait for their turn, in
// the order of the wire.
type waiting struct {
	queue []*exchange
	bytes int // of requests
	notes int // bytes of notifications, which have a reserve of their own
	limit int
}

// waitCost is what a waiting message costs beside its bytes.
const waitCost = 512

var errNotesOverflow = errors.New("peer: too many notifications wait for a slow handler; none may be dropped")

// What became of a message that was to be parked.
type parking uint8

const (
	parkedNot  parking = iota // nothing holds it up any more
	parked                    // it waits
	parkedMuch                // it waits, and so does much else
	parkedFull                // too much waits already: answer that
)

// park keeps a message for later.
func (c *Conn) park(m *codec.Message, method *method, b *batch, slot int) parking {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gate.Load() == 0 {
		return parkedNot
	}
	w := &c.waiting
	size := len(m.ID) + len(m.Params) + waitCost
	if m.Kind == codec.Notification {
		if w.notes+size > w.limit {
			c.fail(errNotesOverflow)
			return parked
		}
		w.notes += size
	} else {
		if w.bytes+size > w.limit {
			return parkedFull
		}
		w.bytes += size
	}
	x := &exchange{}
	x.prepare(c)
	x.begin(m, method, b, slot)
	x.keep()
	x.beside.Store(true)
	x.queued = true
	if x.note {
		c.order.number(x)
	}
	if b != nil {
		b.users.Add(1)
	}
	c.registerLocked(x)
	w.queue = append(w.queue, x)
	if x.note && w.notes > w.limit/2 {
		return parkedMuch
	}
	return parked
}

// cost gives back what x took of the bounds.
func (w *waiting) cost(x *exchange) {
	size := len(x.id) + len(x.params) + waitCost
	if x.note {
		w.notes -= size
	} else {
		w.bytes -= size
	}
}

// startLocked takes off the queue what may start now.
func (w *waiting) startLocked(c *Conn) (start []*exchange) {
	for len(w.queue) > 0 && c.barrier == 0 && c.running < c.opts.MaxHandlers {
		x := w.queue[0]
		w.queue[0] = nil
		if w.queue = w.queue[1:]; len(w.queue) == 0 {
			w.queue = nil
		}
		w.cost(x)
		x.queued = false
		c.running++
		if x.note {
			c.barrier++
			c.order.enter(x, x.number)
		}
		c.starting.Add(1)
		start = append(start, x)
	}
	return start
}
