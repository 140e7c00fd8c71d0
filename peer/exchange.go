package peer

import (
	"runtime"
	"sync/atomic"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// exchange is one request or notification on its way to its answer. The one
// in a reader's seat serves all inline requests in turn; generations keep
// them apart, and never repeat.
type exchange struct {
	c     *Conn
	state atomic.Uint64 // generation<<2 | open, busy, answered or over

	// Written by the goroutine that starts the handler, before it starts.
	id     []byte // borrowed from the line, or from own
	params []byte
	method *method
	note   bool
	batch  *batch // the answer goes there; nil: to the stream
	slot   int

	ctx  *requestCtx
	ctx0 requestCtx // the first that ctx points to

	// Of requests beside the reader. beside is set before they are registered.
	beside     atomic.Bool
	cancelled  atomic.Bool // by the other side
	registered bool        // in Conn.flight; guarded by Conn.mu
	queued     bool        // in Conn.waiting; guarded by Conn.mu
	lifted     int         // calls it waits in; guarded by Conn.mu
	hash       uint64
	next       *exchange // of the same hash; guarded by Conn.mu
	held       frame.Held
	own        *bytebufferpool.ByteBuffer
}

// What the low bits of exchange.state say.
const (
	stateOver     = iota // the handler has returned, or none has started
	stateOpen            // no answer yet
	stateBusy            // somebody is answering
	stateAnswered        // answered; the handler has not returned
	stateMask     = 3
)

func (x *exchange) prepare(c *Conn) {
	x.c = c
	x.ctx = &x.ctx0
	x.ctx0.x = x
}

// begin opens the exchange for a message and returns its generation.
func (x *exchange) begin(m *codec.Message, method *method, b *batch, slot int) uint64 {
	x.id, x.params, x.method = m.ID, m.Params, method
	x.note = m.Kind == codec.Notification
	x.batch, x.slot = b, slot
	gen := x.state.Load()>>2 + 1
	x.state.Store(gen<<2 | stateOpen)
	return gen
}

// live reports whether the handler of that generation has not returned.
func (x *exchange) live(gen uint64) bool {
	s := x.state.Load()
	return s>>2 == gen && s&stateMask != stateOver
}

// claim reserves the right to answer.
func (x *exchange) claim(gen uint64) bool {
	return x.state.CompareAndSwap(gen<<2|stateOpen, gen<<2|stateBusy)
}

// unclaim gives the right back, nothing having been sent. A taker that came
// meanwhile took the call for answered and did not register its id.
func (x *exchange) unclaim(gen uint64) {
	c := x.c
	c.mu.Lock()
	x.state.Store(gen<<2 | stateOpen)
	if x.beside.Load() {
		c.registerLocked(x)
	}
	c.mu.Unlock()
}

func (x *exchange) answerRaw(gen uint64, result []byte) error {
	if x == nil || !x.claim(gen) {
		return ErrDone
	}
	if !x.note {
		if len(result) > 0 && (len(x.params) != len(result) || &x.params[0] != &result[0]) && !codec.Valid(result) || result != nil && len(result) == 0 {
			x.unclaim(gen)
			return ErrNotJSON
		}
		if err := x.send(result, nil); err != nil {
			x.state.Store(gen<<2 | stateAnswered)
			return err
		}
	}
	x.state.Store(gen<<2 | stateAnswered)
	return nil
}

func (x *exchange) answerValue(gen uint64, v any) error {
	if x == nil || !x.live(gen) {
		return ErrDone
	}
	buf := bytebufferpool.Get()
	defer putScratch(buf)
	var err error
	// No lock is held and nothing is claimed while the author's MarshalJSON
	// runs; what it leaves behind on an error or a panic is not sent.
	if buf.B, err = x.c.codec.Append(buf.B[:0], v); err != nil {
		return err
	}
	if !x.claim(gen) {
		return ErrDone
	}
	if !x.note {
		err = x.send(buf.B, nil)
	}
	x.state.Store(gen<<2 | stateAnswered)
	return err
}

// finish answers with what the handler returned, unless it has answered, and
// closes the exchange. It runs when the handler has ended, however it ended;
// answer is what errorOf makes of err.
func (x *exchange) finish(gen uint64, err error, answer *codec.Error) {
	for {
		if x.state.Load()&stateMask == stateAnswered {
			x.lost(err, answer)
			x.state.Store(gen<<2 | stateOver)
			return
		}
		if x.claim(gen) {
			break
		}
		runtime.Gosched() // another goroutine is answering this very moment
	}
	if x.note {
		x.lost(err, answer)
	} else {
		x.send(nil, answer)
	}
	x.state.Store(gen<<2 | stateOver)
}

// lost reports an error that has nowhere to go. The answer to a notification
// that nobody handles is nothing to report.
func (x *exchange) lost(err error, answer *codec.Error) {
	if h := x.c.hooks.Lost; h != nil && err != nil && answer.Code != codec.CodeMethodNotFound {
		h(x.method.name, err)
	}
}

// send sends the answer of a claimed exchange. A result of nil is null.
func (x *exchange) send(result []byte, e *codec.Error) error {
	c := x.c
	if x.beside.Load() {
		// Off the table first: a quick client may use the id again at once.
		c.unregister(x)
		if x.cancelled.Load() && c.opts.Profile.Silent {
			c.counts.unsent.Add(1)
			if x.batch != nil {
				x.batch.skip()
			}
			return nil
		}
	}
	if x.batch != nil {
		return x.batch.put(x.slot, x.id, result, e)
	}
	full, err := c.send(&outgoing{kind: outResult, id: x.id, body: result, err: e}, nil)
	if err != nil {
		return err
	}
	if x.beside.Load() {
		// Others may be about to answer as well: one write for all of them.
		runtime.Gosched()
		return c.flush()
	}
	if full {
		return c.flush()
	}
	return nil
}

func (x *exchange) notify(gen uint64, method string, params any) error {
	if x == nil || !x.live(gen) {
		return ErrDone
	}
	buf, raw, err := x.c.encodeParams(params)
	if err != nil {
		return err
	}
	defer putScratch(buf)
	return x.sendNote(gen, method, raw)
}

func (x *exchange) notifyRaw(gen uint64, method string, params []byte) error {
	if x == nil || !x.live(gen) {
		return ErrDone
	}
	if !validParams(params) {
		return ErrNotJSON
	}
	return x.sendNote(gen, method, params)
}

func (x *exchange) sendNote(gen uint64, method string, raw []byte) error {
	if x.state.Load() != gen<<2|stateOpen {
		return ErrDone // it would follow the answer
	}
	return x.c.sendNotification(nil, method, raw)
}
