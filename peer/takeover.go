package peer

import (
	"sync"
	"sync/atomic"
	"time"
)

// The reading role belongs to one goroutine at a time. Conn.word says so: a
// turn, which grows with every handler and every write and never repeats, and
// what the holder does. Only the holder stores to the word; it ends a handler
// or a write with a compare-and-swap back to idle. When that fails the role
// was taken: the goroutine sees its request off and ends. Idle, the holder
// reads and parses and its role cannot be taken.
const (
	roleIdle    = iota // reading or parsing
	roleRunning        // in a handler
	roleWriting        // in a write that may block
	roleMask    = 3
)

// at is the word that says: this turn, or this generation, is in that state.
func at(turn, state uint64) uint64 { return turn<<2 | state }

// Bits of Conn.notice: what the holder must see to between two requests.
const (
	noticeAsleep  = 1 << iota // the watcher sleeps
	noticeClosing             // stop reading
)

// Tick is how often the watcher looks: a handler or a write that is still the
// same at the next look loses the role, after one to two ticks.
const Tick = time.Millisecond

// slowAfter is the time beside the reader that makes a method slow.
const slowAfter = Tick / 2

// watcher looks after one connection, only while requests flow. It has no
// goroutine while it sleeps. A holder that flushes is well and puts the next
// look off: while lines come and go faster than a tick, nobody looks at all.
type watcher struct {
	mu    sync.Mutex // of those who look, and of seen and idle
	timer *time.Timer
	seen  uint64 // the word at the last look
	idle  int    // looks in a row at an idle word
	awake atomic.Bool
}

// idleLooks is after how many looks at an idle word the watcher sleeps.
const idleLooks = 2

// wake is called by the holder, behind its store of the word.
func (w *watcher) wake(c *Conn) {
	if !w.awake.CompareAndSwap(false, true) {
		return
	}
	c.notice.And(^uint32(noticeAsleep))
	w.mu.Lock()
	w.seen, w.idle = c.word.Load(), 0
	w.mu.Unlock()
	if w.timer == nil {
		// Set before it can run: a tick may pass between two statements.
		w.timer = time.AfterFunc(time.Hour, func() { w.look(c) })
	}
	w.timer.Reset(Tick)
}

// putOff is called by the holder when it flushes.
func (w *watcher) putOff() {
	if w.awake.Load() && w.timer != nil {
		w.timer.Reset(Tick)
	}
}

// look runs in a goroutine of its own at every tick.
func (w *watcher) look(c *Conn) {
	// Two looks can meet: the next one is due when one that was preempted has
	// not let go yet. It must not be left out, for then no other would follow.
	w.mu.Lock()
	defer w.mu.Unlock()
	word := c.word.Load()
	switch {
	case word != w.seen:
		w.idle = 0
	case word&roleMask != roleIdle:
		w.idle = 0
		c.take(word, true)
		word = c.word.Load()
	default:
		w.idle++
	}
	w.seen = word
	if w.idle < idleLooks {
		w.timer.Reset(Tick)
		return
	}
	// Asleep first, then one more look: a holder that started something in
	// between either sees the notice or is seen here.
	w.awake.Store(false)
	c.notice.Or(noticeAsleep)
	if c.word.Load() != word {
		go w.wake(c)
	}
}

// take moves the reading role away from a goroutine that is in a handler or in
// a write, if it still is: word is what the caller saw. With goOn a new
// goroutine reads on. Anybody may take; the compare-and-swap decides.
//
// All of it happens under c.mu, which the loser locks before it sees its
// request off: it can't remove what has not been put in.
func (c *Conn) take(word uint64, goOn bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.takeLocked(word, goOn)
}

func (c *Conn) takeLocked(word uint64, goOn bool) bool {
	turn := word>>2 + 1
	if word&roleMask == roleIdle || !c.word.CompareAndSwap(word, at(turn, roleIdle)) {
		return false
	}
	c.counts.takeOvers.Add(1)
	s := c.seat
	next := s.successor(c, turn)
	if word&roleMask == roleRunning {
		s.x.method.wasSlowLocked(turn)
		if s.batch != nil {
			s.batch.adopt(c)
		} else {
			s.x.held = c.lines.Detach()
		}
		c.besideLocked(&s.x)
		c.full.Store(true) // answers from beside may have been left to the reader
	}
	c.seat = next
	if goOn && !c.stopped {
		go c.readOn(next)
	}
	return true
}

// successor is the seat for the next holder. The parser goes along: nothing
// that a handler sees points into it.
func (s *seat) successor(c *Conn, turn uint64) *seat {
	next := &seat{
		parser: s.parser, turn: turn, batch: s.batch, next: s.next,
		requests: s.requests, notes: s.notes,
	}
	next.x.prepare(c)
	return next
}

// readOn is read on a fresh goroutine. It will run handlers and encode their
// results, for which the stack it starts with is too small: to grow it now,
// while nothing is on it, is much cheaper than with a handler on it.
func (c *Conn) readOn(s *seat) {
	growStack()
	c.read(s)
}

//go:noinline
func growStack() (sum byte) {
	var room [stackRoom]byte
	for i := 0; i < len(room); i += 1 << 10 {
		sum += room[i]
	}
	return sum
}

const stackRoom = 4 << 10

// keepBytes is up to which length params are copied for a request that starts
// beside the reader. Longer ones keep the read buffer they stand in.
const keepBytes = 16 << 10

// giveAway is take by the holder itself, before it starts a handler that is
// likely to be slow. It keeps the request and gives the role, not the other
// way round: a goroutine that was handed the request would often start it
// behind later ones. It reports false when the connection is closing.
func (c *Conn) giveAway(s *seat) bool {
	x := &s.x
	if len(x.params) > keepBytes && x.batch == nil {
		x.held = c.lines.Detach()
	} else {
		x.keep()
	}
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		c.end(nil) // which writes
		return false
	}
	c.besideLocked(x)
	c.starting.Add(1)
	next := s.successor(c, s.turn+1)
	c.seat = next
	c.word.Store(at(next.turn, roleIdle))
	c.mu.Unlock()
	go c.readOn(next)
	return true
}
