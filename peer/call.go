package peer

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
)

// ErrMalformed means that the other side's response to a call breaks the
// rules: neither result nor error, both, or an error object of a wrong shape.
var ErrMalformed = errors.New("peer: malformed response")

// call is one request that waits for its response. Who takes it off the table
// owns it: the reader, to deliver; the caller, to give up.
type call struct {
	dst  []byte
	err  error
	done chan struct{} // one token: delivered
}

type callTable struct {
	mu   sync.Mutex
	open map[uint64]*call
	last uint64 // ids are never used again
	err  error  // why no call can be made any more
	pool sync.Pool
}

// get returns a fresh call. The pool is the connection's own: channels made in
// a synctest bubble must not leave it.
func (t *callTable) get() *call {
	if k, ok := t.pool.Get().(*call); ok {
		return k
	}
	return &call{done: make(chan struct{}, 1)}
}

func (t *callTable) add(k *call) (uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return 0, t.err
	}
	if t.open == nil {
		t.open = make(map[uint64]*call)
	}
	t.last++
	t.open[t.last] = k
	return t.last, nil
}

func (t *callTable) take(id uint64) *call {
	t.mu.Lock()
	k := t.open[id]
	delete(t.open, id)
	t.mu.Unlock()
	return k
}

// failAll fails the calls that wait and those to come.
func (t *callTable) failAll(err error) {
	t.mu.Lock()
	open := t.open
	t.open = nil
	if t.err == nil {
		t.err = err
	}
	t.mu.Unlock()
	for _, k := range open {
		k.err = err
		k.done <- struct{}{}
	}
}

// Call calls the other side and waits for its answer. Params nil leaves them
// out; result is a pointer that the answer is decoded into, or nil. An error
// answer is a *codec.Error. When ctx ends first the other side is told, in the
// way of the profile, and the error is that of ctx.
//
// With the context of a handler of this connection the handler holds up
// nobody while it waits: not the reader, nor the bound on running handlers,
// nor, in a notification, the messages behind it.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	buf, raw, err := c.encodeParams(params)
	if err != nil {
		return err
	}
	defer putScratch(buf)
	answer := bytebufferpool.Get()
	defer putScratch(answer)
	if answer.B, err = c.call(ctx, answer.B[:0], method, raw); err != nil || result == nil {
		return err
	}
	return c.codec.Decode(answer.B, result)
}

// CallRaw is Call with JSON text on both ends: it appends the result to dst.
// It allocates nothing itself when dst has room.
func (c *Conn) CallRaw(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
	if !validParams(params) {
		return dst, ErrNotJSON
	}
	return c.call(ctx, dst, method, params)
}

func (c *Conn) call(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
	if c.hooks.Begin == nil {
		return c.roundTrip(ctx, dst, method, params)
	}
	ctx, end := c.hooks.Begin(ctx, &Info{Direction: Out, Method: method, Params: params})
	dst, err := c.roundTrip(ctx, dst, method, params)
	if end != nil {
		end(Result{Err: err})
	}
	return dst, err
}

func (c *Conn) roundTrip(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
	if c.out == nil || c.opts.Profile.NoCalls && !c.opts.Client {
		return dst, ErrNoPeer
	}
	if err := ctx.Err(); err != nil {
		return dst, context.Cause(ctx)
	}
	k := c.calls.get()
	k.dst, k.err = dst, nil
	n, err := c.calls.add(k)
	if err != nil {
		c.calls.pool.Put(k)
		return dst, err
	}
	if x := c.lift(ctx); x != nil {
		defer c.lower(x)
	}
	var digits [20]byte
	id := strconv.AppendUint(digits[:0], n, 10)
	if err = c.send(&outgoing{kind: outRequest, id: id, method: method, body: params}, ctx.Done()); err == nil {
		err = c.flushUntil(ctx)
	}
	if err == nil {
		select {
		case <-k.done:
			return c.calls.finish(k)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if c.calls.take(n) == nil {
		<-k.done // it is being delivered this moment
		return c.calls.finish(k)
	}
	c.calls.pool.Put(k)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		c.sendCancel(id, err)
	}
	return dst, err
}

// finish gives what was delivered.
func (t *callTable) finish(k *call) ([]byte, error) {
	dst, err := k.dst, k.err
	k.dst, k.err = nil, nil
	t.pool.Put(k)
	return dst, err
}

// sendCancel tells the other side that nobody waits for an answer any more.
func (c *Conn) sendCancel(id []byte, cause error) {
	p := c.opts.Profile
	if p.CancelMethod == "" {
		return
	}
	params := append([]byte(nil), `{"`...)
	params = append(params, p.CancelID...)
	params = append(append(params, `":`...), id...)
	if p.CancelReason {
		params = codec.AppendQuote(append(params, `,"reason":`...), cause.Error())
	}
	c.sendNotification(context.Background(), p.CancelMethod, append(params, '}'))
}

// deliver gives a response to the call that waits for it.
func (c *Conn) deliver(m *codec.Message, line []byte) {
	id, ok := callID(m.ID)
	var k *call
	if ok {
		k = c.calls.take(id)
	}
	if k == nil {
		c.counts.stray.Add(1)
		if c.hooks.Noise != nil {
			c.hooks.Noise(line, errStray)
		}
		return
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
	k.done <- struct{}{}
}

var errStray = errors.New("peer: a response that nobody waits for")

// failCall fails the call that waits under an id, if there is one.
func (c *Conn) failCall(raw []byte, err error) bool {
	id, ok := callID(raw)
	if !ok {
		return false
	}
	k := c.calls.take(id)
	if k == nil {
		return false
	}
	k.err = err
	k.done <- struct{}{}
	return true
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

// maxLifted is how many handlers may be out of the bounds at once because
// they wait in a call; further ones keep their slot while they wait.
const maxLifted = 64

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
