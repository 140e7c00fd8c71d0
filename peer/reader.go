package peer

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// seat is what the holder of the reading role owns: the request it runs
// inline, the parser, and its place in a batch. A goroutine that loses the
// role keeps its seat, for the sake of the request in it; the taker gets a
// new one.
type seat struct {
	x        exchange
	parser   *codec.Parser
	turn     uint64 // of the holder: see Conn.word
	batch    *batch
	next     int // the item of batch to start next
	requests uint64
	notes    uint64
	inside   bool // a handler runs on the holder's goroutine
	given    bool // the role was given away before that handler started
	left     leftLine
	owed     *call // delivered, but not woken yet
	woken    int   // calls that were woken since the last read
	roused   int   // of these, those whose callers come by
}

// leftLine is a line that a lone caller has read and left to the next holder.
type leftLine struct {
	m    *codec.Message
	line []byte
	err  error
}

// read is the life of a goroutine that has the reading role.
func (c *Conn) read(s *seat) {
	ended := false
	defer func() {
		if !ended {
			go c.revive(s) // a handler ended this goroutine with runtime.Goexit
		}
	}()
	for s != nil {
		c.readLines(s)
		s = c.standAside()
	}
	ended = true
}

// revive goes on where a goroutine ended in the middle of a handler.
func (c *Conn) revive(s *seat) {
	if s.given {
		return // the role is elsewhere, and the request has been seen off
	}
	if s.inside && !c.after(s) {
		return
	}
	c.read(s)
}

// readLines handles one line after the other until the role is lost or the
// stream has ended.
func (c *Conn) readLines(s *seat) {
	if s.batch != nil && !c.runBatch(s) {
		return
	}
	if l := s.left; l.m != nil || l.err != nil {
		s.left = leftLine{}
		if !c.handle(s, l.m, l.line, l.err) {
			return
		}
	}
	for {
		if c.full.Load() {
			if !c.tries {
				c.settle(s) // the role may be lost in the write
			}
			if !c.flushInTurn(s) {
				return
			}
		}
		if c.blocked.Load() != 0 && !c.waitForRoom(s) {
			return
		}
		line, ok, err := c.lines.Buffered()
		if !ok {
			c.waits.Store(true)
			c.tally(s)
			if c.calls.lending.from != nil {
				if !c.beforeRead(s) {
					return
				}
			} else {
				c.settle(s)
				if !c.flushInTurn(s) {
					return
				}
			}
			if c.blocked.Load() != 0 && !c.waitForRoom(s) {
				return
			}
			line, err = c.lines.ReadLine()
			c.waits.Store(false)
		}
		if c.notice.Load()&noticeClosing != 0 {
			c.settle(s)
			c.end(nil)
			return
		}
		var m *codec.Message
		if err == nil {
			if c.hooks.Line != nil {
				c.hooks.Line(In, line)
			}
			m = s.parser.Parse(line)
			if c.deliver(s, m) {
				continue
			}
		}
		c.settle(s)
		if !c.handle(s, m, line, err) {
			return
		}
	}
}

// handle sees to a line that is no response to a call of ours. It reports
// whether this goroutine still has the role.
func (c *Conn) handle(s *seat, m *codec.Message, line []byte, err error) bool {
	if err != nil {
		var long *frame.LongLineError
		if !errors.As(err, &long) {
			c.end(err)
			return false
		}
		c.longLine(long)
		return true
	}
	switch m.Kind {
	case codec.Request, codec.Notification:
		return c.dispatch(s, m, nil, 0)
	case codec.Response:
		c.stray(m, line)
	case codec.Batch:
		s.batch, s.next = newBatch(c, line, m.Items), 0
		return c.runBatch(s)
	default:
		c.refuse(m, line)
	}
	return true
}

// tally brings the counts up to date.
func (c *Conn) tally(s *seat) {
	if s.requests|s.notes != 0 {
		c.counts.requests.Add(s.requests)
		c.counts.notifications.Add(s.notes)
		s.requests, s.notes = 0, 0
	}
}

// flushInTurn writes what has gathered before the reader waits for input. The
// role may leave this goroutine while it sits in the write.
func (c *Conn) flushInTurn(s *seat) bool {
	if c.tries && c.gathering.Load() && !c.full.Load() {
		return true // it leaves together with what is being called
	}
	if c.tries {
		c.flush() // which does not wait
		return true
	}
	s.turn++
	c.word.Store(at(s.turn, roleWriting))
	if c.notice.Load()&noticeAsleep != 0 {
		c.watch.wake(c)
	} else {
		c.watch.putOff()
	}
	c.flush()
	return c.word.CompareAndSwap(at(s.turn, roleWriting), at(s.turn, roleIdle))
}

// dispatch starts the handler of a request or notification: here when it is
// likely to be fast, beside the reader when it is not, later when something
// holds it up. It reports whether this goroutine still has the role.
func (c *Conn) dispatch(s *seat, m *codec.Message, b *batch, slot int) bool {
	if m.Kind == codec.Notification {
		if c.isCancel(m) {
			c.cancelByNote(m)
			return true
		}
		if c.progress != "" && string(m.Method) == c.progress && c.opts.Progress(m.Params) {
			return true
		}
		s.notes++
	} else {
		if c.inFlight(m.ID) {
			c.refuseDuplicate(m, b, slot)
			return true
		}
		s.requests++
		if b != nil {
			b.expect()
		}
	}
	method := c.methods.find(m.Method)
	if c.gate.Load() != 0 {
		switch c.park(m, method, b, slot) {
		case parked:
			return true
		case parkedMuch:
			// Reading is faster than starting what waited. That must not end
			// a connection whose handlers are merely not given the time.
			time.Sleep(Tick / 10)
			c.full.Store(true)
			return true
		case parkedFull:
			c.refuseOverload(m, b, slot)
			return true
		}
	}
	for c.starting.Load() != 0 {
		runtime.Gosched() // what came first is released, but has not started yet
	}
	x := &s.x
	gen := x.begin(m, method, b, slot)
	if method.slow.Load() > 0 && !c.inline {
		s.given = true
		if c.giveAway(s) {
			c.serveBeside(x, gen)
		}
		return false
	}
	s.turn++
	s.inside = true
	c.word.Store(at(s.turn, roleRunning))
	if n := c.notice.Load(); n != 0 {
		if n&noticeClosing != 0 && c.word.CompareAndSwap(at(s.turn, roleRunning), at(s.turn, roleIdle)) {
			x.state.Store(at(gen, stateOver))
			c.end(nil)
			return false
		}
		if n&noticeAsleep != 0 {
			c.watch.wake(c)
		}
	}
	c.serve(x, gen)
	return c.after(s)
}

// after puts the reader back in its place when an inline handler has ended, or
// sees the request off when the role was taken meanwhile.
func (c *Conn) after(s *seat) bool {
	s.inside = false
	if c.word.CompareAndSwap(at(s.turn, roleRunning), at(s.turn, roleIdle)) {
		s.x.endCtx()
		s.x.id, s.x.params = nil, nil // a long line must not be kept for them
		return true
	}
	c.leave(&s.x, false)
	return false
}

// end tells Serve that the stream has ended; the role ends with it.
func (c *Conn) end(err error) {
	c.waits.Store(true)
	select {
	case c.ended <- err:
	default:
	}
	c.flush() // what was left to the reader
}

// waitForRoom stops the reading while somebody waits for room to write, until
// half of the bound is free. Only Close ends the wait before that, or the
// writer's failure.
func (c *Conn) waitForRoom(s *seat) bool {
	c.settle(s)
	err := c.out.Wait(c.opts.MaxPending/2, c.closing)
	if err != nil {
		c.fail(err)
		c.end(nil)
	}
	return err == nil
}

// refuse answers a line that is no message.
func (c *Conn) refuse(m *codec.Message, line []byte) {
	if e := m.FaultError(); c.answers(m, e, nil, line) {
		c.reply(m.ID, e)
	}
}

// answers tells the hooks of what is no message, and reports whether e answers
// it. What has an id and nothing else is a response that lacks its result, if
// a call waits for it; and a client answers no noise.
func (c *Conn) answers(m *codec.Message, e *codec.Error, b *batch, line []byte) bool {
	if m.HasID() && m.Fault == codec.FaultEmpty {
		if k := c.failCall(m.ID, ErrMalformed); k != nil {
			if b != nil && k.group != nil {
				b.answers = k.group
			}
			c.counts.stray.Add(1)
			return false
		}
	}
	if c.hooks.Noise != nil {
		c.hooks.Noise(line, e)
	}
	if c.opts.Client {
		c.counts.noise.Add(1)
		return false
	}
	c.counts.refused.Add(1)
	return true
}

// reply sends an error answer for which no exchange exists. Waiting for room
// here is what stops the reading when the other side does not read.
func (c *Conn) reply(id []byte, e *codec.Error) {
	c.send(&outgoing{kind: outResult, id: id, err: e}, nil)
}

func (c *Conn) longLine(long *frame.LongLineError) {
	c.counts.longLines.Add(1)
	lasting := &frame.LongLineError{Limit: long.Limit, Size: long.Size}
	head, tail := long.Head, long.Tail
	inner, array := bytes.CutPrefix(bytes.TrimLeft(head, " \t"), []byte("["))
	if array {
		head, tail = inner, bytes.TrimSuffix(bytes.TrimRight(tail, " \t\r"), []byte("]"))
	}
	if k := c.failCall(codec.ResponseID(head, tail), lasting); k != nil {
		if array {
			c.failGroup(k.group, lasting)
		}
		return
	}
	if e := codec.InvalidRequest(fmt.Sprintf("line of %d bytes is above the bound of %d", long.Size, long.Limit)); c.answers(&codec.Message{}, e, nil, long.Head) {
		c.reply(nil, e)
	}
}

func (c *Conn) refuseDuplicate(m *codec.Message, b *batch, slot int) {
	c.counts.refused.Add(1)
	if b != nil {
		b.expect()
	}
	c.refuseRequest(m, b, slot, codec.InvalidRequest("the id is in use by a call that has not ended"))
}

// refuseOverload answers a request that can't even wait.
func (c *Conn) refuseOverload(m *codec.Message, b *batch, slot int) {
	c.counts.overloaded.Add(1)
	code := c.opts.Profile.Overloaded
	if code == 0 {
		code = -32000
	}
	c.refuseRequest(m, b, slot, &codec.Error{Code: code, Message: "Server overloaded; retry later."})
}

func (c *Conn) refuseRequest(m *codec.Message, b *batch, slot int, e *codec.Error) {
	if b != nil {
		b.put(slot, m.ID, nil, e)
	} else {
		c.reply(m.ID, e)
	}
}
