package peer

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

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

	ctx  *requestCtx // of the present request
	door *door       // of all its contexts
	lot  []requestCtx
	left int // of lot, contexts that were not used

	// Of requests beside the reader. beside is set before they are registered.
	beside     atomic.Bool
	cancelled  atomic.Bool // by the other side
	begun      time.Time
	took       time.Duration // until the answer was there; waiting and writing are not the handler's
	registered bool          // in Conn.flight; guarded by Conn.mu
	queued     bool          // in Conn.waiting; guarded by Conn.mu
	lifted     int           // calls it waits in; guarded by Conn.mu
	number     uint64        // of a notification, in Conn.order, as are the next four
	ordered    bool
	loose      bool
	before     *exchange
	after      *exchange
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
	x.door = &door{all: c.contexts}
	x.door.x.Store(x)
}

// begin opens the exchange for a message and returns its generation.
func (x *exchange) begin(m *codec.Message, method *method, b *batch, slot int) uint64 {
	x.id, x.params, x.method = m.ID, m.Params, method
	x.note = m.Kind == codec.Notification
	x.batch, x.slot = b, slot
	gen := x.state.Load()>>2 + 1
	x.state.Store(at(gen, stateOpen))
	x.nextCtx(gen)
	return gen
}

// live reports whether the handler of that generation has not returned.
func (x *exchange) live(gen uint64) bool {
	s := x.state.Load()
	return s>>2 == gen && s&stateMask != stateOver
}

// claim reserves the right to answer.
func (x *exchange) claim(gen uint64) bool {
	return x.state.CompareAndSwap(at(gen, stateOpen), at(gen, stateBusy))
}

// unclaim gives the right back, nothing having been sent. A taker that came
// meanwhile took the call for answered and did not register its id.
func (x *exchange) unclaim(gen uint64) {
	c := x.c
	c.mu.Lock()
	x.state.Store(at(gen, stateOpen))
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
		if result != nil && !x.isParams(result) && !codec.Valid(result) {
			x.unclaim(gen)
			return ErrNotJSON
		}
		if err := x.send(result, nil); err != nil {
			x.state.Store(at(gen, stateAnswered))
			return err
		}
	}
	x.state.Store(at(gen, stateAnswered))
	return nil
}

// isParams reports whether raw is the request's own params, which are known to
// be valid and to stand on one line.
func (x *exchange) isParams(raw []byte) bool {
	return len(raw) > 0 && len(raw) == len(x.params) && &raw[0] == &x.params[0]
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
	x.state.Store(at(gen, stateAnswered))
	return err
}

// finish answers with what the handler returned, unless it has answered, and
// closes the exchange. It runs when the handler has ended, however it ended;
// answer is what errorOf makes of err.
func (x *exchange) finish(gen uint64, err error, answer *codec.Error) {
	for {
		if x.state.Load()&stateMask == stateAnswered {
			x.lost(err, answer)
			x.state.Store(at(gen, stateOver))
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
	x.state.Store(at(gen, stateOver))
}

// lost reports an error that has nowhere to go. The answer to a notification
// that nobody handles is nothing to report.
func (x *exchange) lost(err error, answer *codec.Error) {
	if h := x.c.hooks.Lost; h != nil && err != nil && answer.Code != codec.CodeMethodNotFound {
		h(x.method.name, err)
	}
}

// send sends the answer of a claimed exchange. A result of nil is null. What
// an inline handler answers leaves when the reader flushes.
func (x *exchange) send(result []byte, e *codec.Error) error {
	beside := x.beside.Load()
	if beside {
		x.took = time.Since(x.begun)
	}
	if err := x.append(result, e); err != nil || !beside && !x.beside.Load() {
		return err
	}
	if !x.c.waits.Load() {
		return nil // the reader is at work and flushes before it waits
	}
	if x.batch == nil {
		// Others may be about to answer as well: one write for all of them.
		runtime.Gosched()
	}
	return x.c.flush()
}

// append puts the answer where it belongs: on the stream or in a batch.
func (x *exchange) append(result []byte, e *codec.Error) error {
	c := x.c
	if x.beside.Load() {
		// Off the table first: a quick client may use the id again at once.
		c.unregister(x)
		if x.cancelled.Load() && c.opts.Profile.Silent {
			c.counts.unsent.Add(1)
			if x.batch != nil {
				return x.batch.skip()
			}
			return nil
		}
	}
	if x.batch != nil {
		return x.batch.put(x.slot, x.id, result, e)
	}
	if e == nil && c.hooks.Line == nil && x.isParams(result) {
		// What send does, for the answer that is relayed as it came.
		if n := len(result) + len(x.id) + 64; n > c.opts.MaxSend {
			// the long way finds out
		} else if buf, ok := c.out.Admit(n); ok {
			buf = append(c.form.OpenResult(buf, x.id), result...)
			c.commit(append(buf, '}', '\n'))
			return nil
		}
	}
	err := c.send(&outgoing{kind: outResult, id: x.id, body: result, err: e}, nil)
	if err == ErrTooLarge {
		err = c.send(&outgoing{kind: outResult, id: x.id, err: errAnswerTooLarge}, nil)
	}
	return err
}

var errAnswerTooLarge = &codec.Error{Code: codec.CodeInternalError, Message: "the answer is above the bound on what may be sent"}

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
	if err := checkParams(params); err != nil {
		return err
	}
	return x.sendNote(gen, method, params)
}

func (x *exchange) sendNote(gen uint64, method string, raw []byte) error {
	if x.state.Load() != at(gen, stateOpen) {
		return ErrDone // it would follow the answer
	}
	return x.c.sendNotification(context.Background(), method, raw)
}
