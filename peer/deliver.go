package peer

import (
	"errors"
	"strconv"

	"github.com/linerpc/linerpc/codec"
)

// deliver gives a response to the call that waits for it. It reports false for
// anything else. The caller is woken by the next deliver or by settle,
// or, when a notification before it is not done, behind that.
func (c *Conn) deliver(s *seat, m *codec.Message) bool {
	if m.Kind != codec.Response {
		return false
	}
	id, ok := callID(m.ID)
	if !ok {
		return false
	}
	k := c.calls.take(id)
	if k == nil {
		return false
	}
	switch {
	case m.Fault != codec.FaultNone:
		c.counts.stray.Add(1)
		k.err = ErrMalformed
	case m.Error != nil:
		e, err := codec.DecodeError(m.Error)
		if k.err = e; err != nil {
			c.counts.stray.Add(1)
			k.err = ErrMalformed
		}
	default:
		k.dst = append(k.dst, m.Result...)
	}
	if k.group != nil {
		c.calls.answered(k.group)
		if s.batch != nil {
			s.batch.answers = k.group
		}
	}
	if c.gate.Load() != 0 && c.hold(k, len(m.Result)+len(m.Error)) {
		return true
	}
	if owed := s.owed; owed != nil {
		if s.woken == 0 {
			c.gathering.Store(true)
		}
		c.rouse(s, owed)
	}
	s.owed = k
	return true
}

// settle wakes the caller whose answer was delivered last. When others were
// woken before, they all go on now, and are likely to send something: what
// they send gathers, and a goroutine that flushes is queued behind them. It
// must be ready before the last of them, which the scheduler puts in front.
func (c *Conn) settle(s *seat) {
	owed := s.owed
	if owed == nil {
		return
	}
	s.owed = nil
	if s.woken > 0 {
		s.woken, s.roused = 0, 0
		go c.gatherAside()
	}
	owed.wake()
}

var (
	errStray = errors.New("peer: a response that nobody waits for")
	// ErrLate is what Hooks.Noise is told of the answer to a call that was given
	// up. Servers may send one, and those of some protocols must.
	ErrLate = errors.New("peer: the answer to a call that was given up")
)

// stray sees to a response that no call waits for. An error without an id can
// only mean something that the other side could not read: the only thing of
// ours that others refuse as a whole is an array.
func (c *Conn) stray(m *codec.Message, line []byte) {
	if m.Error != nil && m.Fault == codec.FaultNone && string(m.ID) == "null" {
		if e, err := codec.DecodeError(m.Error); err == nil && c.failGroup(c.calls.firstGroup(), e) {
			return
		}
	}
	c.counts.stray.Add(1)
	if c.hooks.Noise == nil {
		return
	}
	err := errStray
	if id, ok := callID(m.ID); ok && c.calls.used(id) {
		err = ErrLate
	}
	c.hooks.Noise(line, err)
}

// failCall fails the call that waits under an id, and gives it; nil when there
// is none.
func (c *Conn) failCall(raw []byte, err error) *call {
	id, ok := callID(raw)
	if !ok {
		return nil
	}
	k := c.calls.take(id)
	if k != nil {
		k.fail(err)
	}
	return k
}

// failGroup fails the calls of one array that still wait.
func (c *Conn) failGroup(g *group, err error) (any bool) {
	if g == nil {
		return false
	}
	for _, id := range g.ids {
		if k := c.calls.take(id); k != nil {
			any = true
			k.fail(err)
		}
	}
	return any
}

// sendCancel tells the other side that nobody waits for an answer any more.
// The notice goes out though the bound on waiting bytes may be reached: there
// is at most one for each request that was admitted.
func (c *Conn) sendCancel(id uint64, cause error) {
	p := c.opts.Profile
	if p.CancelMethod == "" {
		return
	}
	params := append([]byte(nil), `{"`...)
	params = append(params, p.CancelID...)
	params = strconv.AppendUint(append(params, `":`...), id, 10)
	if p.CancelReason {
		params = codec.AppendQuote(append(params, `,"reason":`...), cause.Error())
	}
	o := outgoing{kind: outNotification, method: p.CancelMethod, body: append(params, '}')}
	line := append(o.append(c.form, nil), '\n')
	if c.hooks.Line != nil {
		c.hooks.Line(Out, line[:len(line)-1])
	}
	c.commit(append(c.out.Insist(len(line)), line...))
	if c.tries {
		c.flush()
	} else {
		go c.flushAside()
	}
}

// callID reads an id as one of ours: plain digits.
func callID(raw []byte) (id uint64, ok bool) {
	if len(raw) == 0 || len(raw) > 19 {
		return 0, false
	}
	for _, d := range raw {
		if d -= '0'; d > 9 {
			return 0, false
		}
		id = id*10 + uint64(d)
	}
	return id, true
}
