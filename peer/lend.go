package peer

import (
	"io"
	"sync/atomic"
	"time"
)

// Lender is an input from which somebody who waits for the answer to a call
// may read for himself. When New is given one on a client's side, together
// with a writer that is a frame.TryWriter, a caller that is alone reads its
// answer on its own thread: no goroutine has to be woken for it.
type Lender interface {
	io.Reader
	// Await waits on the calling thread, for at most d, until Read has
	// something to give at once. No method is called while another runs.
	Await(d time.Duration) bool
	// Expect says that Read is called next, and that something is likely to
	// come within d: for that long Read may wait on the calling thread.
	Expect(d time.Duration)
}

// The reading role of such a connection may be vacant: nobody reads. That is
// so for at most a tick, and only while no call is in flight. A call takes the
// vacant role with it, and reads for at most a tick; a standby, an ordinary
// reader, has the role otherwise. All of that is guarded by callTable.mu.
type lending struct {
	from     Lender // nil: the role is never vacant
	vacant   bool
	alone    int          // calls in a row that found no other in flight; below 0 after a slow one
	gathered int          // requests since the last share was full
	share    int          // how many requests gather at most; 0: no bound
	standby  *time.Timer  // ends a vacancy
	aside    chan *seat   // to a goroutine that has read before
	waits    atomic.Bool  // there is one
	roused   atomic.Int32 // callers that have not come by yet, and whoever rouses them

	// Of who has the reading role.
	left time.Time // when it was given up to those that were roused last
	wave int       // how many of them
	busy int       // for so many waves yet it does not wait for them
}

const (
	aloneFrom  = 2  // from how many lone calls in a row on the role becomes vacant
	aloneAgain = -8 // what a call counts for whose answer took more than a tick
	maxFills   = 4  // reads of a lone caller: an answer in many parts is for the standby

	// Callers come by for little more than it takes to wake them. When that
	// took longer, they have work to do between their calls, and keep each
	// other from coming by.
	wakeAll   = 50 * time.Microsecond
	wakeOne   = 2 * time.Microsecond
	busyWaves = 16
	maxWave   = 16 // larger ones are not waited for
)

// appointLocked notes that a call is about to be added, and reports whether
// its caller has the reading role now. Where the caller can't read, a standby
// is appointed.
func (c *Conn) appointLocked(canRead bool) bool {
	l := &c.calls.lending
	if l.from == nil {
		return false
	}
	if c.calls.n == 0 {
		l.alone++
	} else {
		l.alone = min(l.alone, 0)
	}
	if !l.vacant {
		return false
	}
	l.vacant = false
	if !canRead {
		go c.readOn(c.seat)
	}
	return canRead
}

// vacate gives the reading role to nobody, unless somebody needs it to be
// held: the next caller is to read for itself. It reports whether it did, and
// whether calls are in flight.
func (c *Conn) vacate(s *seat) (vacant, flying bool) {
	t := &c.calls
	l := &t.lending
	t.mu.Lock()
	defer t.mu.Unlock()
	flying = t.n != 0
	if s.woken == 0 {
		l.shareLocked(t.n)
	}
	if flying || l.alone < aloneFrom || t.err != nil || s.woken != 0 {
		return false, flying
	}
	l.vacant = true
	if l.standby == nil {
		l.standby = time.AfterFunc(Tick, c.standBy)
	} else {
		l.standby.Reset(Tick)
	}
	return true, false
}

// rouse wakes a caller. One that waits in Call comes by before it goes on, but
// for one that has not even sent yet: that may last.
func (c *Conn) rouse(s *seat, k *call) {
	s.woken++
	if l := &c.calls.lending; l.from != nil && l.busy == 0 && !k.ahead && !k.stuck {
		s.roused++
		k.roused = true
		l.roused.Add(1)
	}
	k.wake()
}

// comeBy reports whether the one that comes by is the last of those that were
// roused, and of the reader that roused them. The reading role is then its own.
func (l *lending) comeBy() bool {
	if l.roused.Add(-1) != 0 {
		return false
	}
	l.roused.Store(1)
	if time.Since(l.left) > wakeAll+time.Duration(l.wave)*wakeOne {
		l.busy = busyWaves
	}
	return true
}

// beforeRead is what a standby does that has no line left. It reports false
// when the role is elsewhere: vacant, or on its way behind the callers which
// this one has woken. They run next, on the thread that is awake already, and
// what they send gathers; the next reader flushes that. A reader that blocked
// its thread instead would make them wait for another thread.
//
// The last of the callers brings the role back, wherever they run. When they
// are at work for long, or when nobody comes by, it is given to a goroutine
// that is queued behind them.
func (c *Conn) beforeRead(s *seat) bool {
	l := &c.calls.lending
	owed := s.owed
	s.owed = nil
	vacant, flying := c.vacate(s)
	switch {
	case owed == nil:
	case vacant:
		owed.wake()
	case l.busy > 0, s.woken > maxWave, s.roused == 0 && (owed.ahead || owed.stuck):
		l.busy = max(l.busy-1, 0)
		s.woken, s.roused = 0, 0
		c.relay(s) // before the last of them, whom the scheduler puts in front
		owed.wake()
		return false
	default:
		c.rouse(s, owed)
		l.left, l.wave = time.Now(), s.roused
		s.woken, s.roused = 0, 0
		if !l.comeBy() {
			return false
		}
	}
	c.gathering.Store(false)
	c.flush()
	if vacant {
		return false
	}
	if flying || owed != nil {
		l.from.Expect(Tick)
	}
	return true
}

// relay gives the role to another goroutine: to the one that stands aside, if
// there is one, whose stack has grown already.
func (c *Conn) relay(s *seat) {
	select {
	case c.calls.lending.aside <- s:
		c.calls.lending.waits.Store(false)
	default:
		go c.readOn(s)
	}
}

// standAside waits for the role to come back to a goroutine that has lost it.
// It gives nil when the goroutine may end: one is enough.
//
// It is kept out of read, on whose frame the stack of an idle connection
// depends: the collector halves a stack of which less than a quarter is used.
//
//go:noinline
func (c *Conn) standAside() *seat {
	l := &c.calls.lending
	if l.from == nil || !l.waits.CompareAndSwap(false, true) {
		return nil
	}
	select {
	case s := <-l.aside:
		return s
	case <-c.done:
		return nil
	}
}

// standBy takes a role that has been vacant for a tick. It keeps it until there
// was a call again: nobody else sees what the other side sends by itself, nor
// the end of the stream.
func (c *Conn) standBy() {
	if !c.endVacancy() {
		return
	}
	t := &c.calls
	t.mu.Lock()
	t.lending.alone = min(t.lending.alone, aloneFrom-1)
	t.mu.Unlock()
	c.readOn(c.seat)
}

// endVacancy reports whether the role was vacant; then it is the caller's.
func (c *Conn) endVacancy() bool {
	t := &c.calls
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.lending.vacant
	t.lending.vacant = false
	return was
}

// readOwn is the reading of a lone caller, which has the role, until its answer
// is there. It delivers what else it meets to the calls that wait; anything
// that may run code of others goes to a standby: a handler must not run on a
// goroutine that may hold a lock which the handler takes.
func (c *Conn) readOwn(k *call) {
	s := c.seat
	for fills, patience := 0, Tick; ; {
		line, ok, err := c.lines.Buffered()
		switch {
		case ok && err != nil:
			s.left = leftLine{err: err}
			c.relay(s)
			return
		case ok:
			if m := s.parser.Parse(line); !c.deliver(s, m) {
				s.left = leftLine{m: m, line: line}
				c.relay(s)
				return
			}
			c.settle(s)
		case len(k.done) != 0:
			if vacant, _ := c.vacate(s); !vacant {
				go c.readOn(s)
			}
			return
		case fills == maxFills || !c.calls.lending.from.Await(patience):
			c.calls.mu.Lock()
			c.calls.lending.alone = aloneAgain
			c.calls.mu.Unlock()
			c.relay(s)
			return
		default:
			fills++
			patience = Tick / 4 // the rest of the answer, if that is it, is right behind
			if !c.lines.Fill() {
				c.relay(s)
				return
			}
		}
	}
}

// minShare is how many requests are worth a write of their own while more of
// them are about to follow.
const minShare = 4

// shareLocked sets how many requests gather at most: half of those in flight,
// so that the other side works on one half while the other is made.
func (l *lending) shareLocked(flying int) {
	l.gathered, l.share = 0, max(flying/2, minShare)
}

// enoughLocked counts a request, and reports whether it completes a share.
func (l *lending) enoughLocked() bool {
	if l.gathered++; l.gathered != l.share {
		return false
	}
	l.gathered = 0
	return true
}
