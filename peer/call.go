package peer

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/valyala/bytebufferpool"
)

// ErrMalformed means that the other side's response to a call breaks the
// rules: neither result nor error, both, or an error object of a wrong shape.
var ErrMalformed = errors.New("peer: malformed response")

// call is one request that waits for its response. Who takes it off the table
// owns it: the reader, to deliver; the caller, to give up.
type call struct {
	id     uint64
	dst    []byte
	err    error
	done   chan struct{} // one token: delivered; of a Pending: closed
	reads  bool          // the caller has the reading role
	roused bool          // the reader counts on the caller to come by
	pushes bool          // enough has gathered: the caller flushes
	stuck  bool          // the caller waits for room to send; guarded by callTable.mu
	wait   time.Duration // for notifications before the answer; below 0: Options.OrderWait; guarded by Conn.mu once sent
	held   *list.Element // in order.held; guarded by Conn.mu
	group  *group        // of calls that were sent in one array

	// Of a Pending.
	ahead bool
	stop  func() bool  // ends the watch over its context; set while it is on the table, under callTable.mu
	end   func(Result) // what the Begin hook has returned
}

func (k *call) wake() {
	if k.ahead {
		if k.end != nil {
			k.end(Result{Err: k.err})
		}
		close(k.done)
	} else {
		k.done <- struct{}{}
	}
}

// fail ends a call that is off the table.
func (k *call) fail(err error) {
	k.err = err
	k.wake()
}

type callTable struct {
	mu      sync.Mutex
	open    []*call  // at their id modulo the length, a power of two
	n       int      // calls in open
	last    uint64   // ids are never used again, nor one whose place is taken
	groups  []*group // of which calls are open, oldest first
	err     error    // why no call can be made any more
	lending lending
	pool    sync.Pool
}

// get returns a fresh call. The pool is the connection's own: channels made in
// a synctest bubble must not leave it.
func (t *callTable) get() *call {
	if k, ok := t.pool.Get().(*call); ok {
		return k
	}
	return &call{done: make(chan struct{}, 1)}
}

// put keeps a call that is off the table and has no token for the next one.
func (t *callTable) put(k *call) {
	k.dst, k.err, k.reads, k.roused, k.pushes, k.stuck = nil, nil, false, false, false, false
	t.pool.Put(k)
}

// take gives the call that waits under an id to whoever comes first.
func (t *callTable) take(id uint64) *call {
	t.mu.Lock()
	k := t.findLocked(id)
	if k != nil {
		t.open[id&uint64(len(t.open)-1)] = nil
		t.n--
		if k.group != nil {
			t.leftGroupLocked(k.group)
		}
	}
	t.mu.Unlock()
	if k != nil && k.stop != nil {
		k.stop()
	}
	return k
}

// stick notes whether the caller of k waits for room. It reports false when k
// is off the table: it has been answered, though it was never sent.
func (t *callTable) stick(k *call, stuck bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.findLocked(k.id) != k {
		return false
	}
	k.stuck = stuck
	return true
}

// used reports whether a call had that id.
func (t *callTable) used(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return 0 < id && id <= t.last
}

// none reports whether no call waits.
func (t *callTable) none() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n == 0
}

// failAll fails the calls that wait and those to come.
func (t *callTable) failAll(err error) {
	t.mu.Lock()
	open := slices.DeleteFunc(t.open, func(k *call) bool { return k == nil })
	t.open, t.n, t.groups = nil, 0, nil
	if t.err == nil {
		t.err = err
	}
	t.mu.Unlock()
	for _, k := range open {
		if k.stop != nil {
			k.stop()
		}
		k.fail(err)
	}
}

// enter puts a call on the table. With canRead its caller is ready to read for
// itself, and k.reads says whether it has to.
func (c *Conn) enter(k *call, canRead bool) error {
	t := &c.calls
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	k.reads = c.appointLocked(canRead)
	t.addLocked(k)
	k.pushes = t.lending.enoughLocked()
	return nil
}

// minCalls is the length of the smallest table.
const minCalls = 16

func (t *callTable) addLocked(k *call) {
	if 2*t.n >= len(t.open) {
		old := t.open
		t.open = make([]*call, max(minCalls, 2*len(old)))
		for _, k := range old {
			if k != nil {
				t.open[k.id&uint64(len(t.open)-1)] = k
			}
		}
	}
	place := func() **call { return &t.open[t.last&uint64(len(t.open)-1)] }
	for t.last++; *place() != nil; {
		t.last++ // an older call has that place
	}
	k.id = t.last
	*place() = k
	t.n++
}

func (t *callTable) findLocked(id uint64) *call {
	if t.n == 0 {
		return nil
	}
	if k := t.open[id&uint64(len(t.open)-1)]; k != nil && k.id == id {
		return k
	}
	return nil
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
	if err := checkParams(params); err != nil {
		return dst, err
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
	if err := c.mayCall(ctx); err != nil {
		return dst, err
	}
	r, wait := inquire(ctx)
	if x, err := c.lift(r); err != nil {
		return dst, err
	} else if x != nil {
		defer c.lower(x)
	}
	k := c.calls.get()
	k.dst, k.wait = dst, wait
	if err := c.enter(k, true); err != nil {
		c.calls.put(k)
		return dst, err
	}
	sent := c.sendRequest(ctx, k, method, params)
	switch {
	case !k.reads:
	case sent == nil:
		c.readOwn(k)
	default:
		go c.readOn(c.seat)
	}
	if sent == nil {
		if len(k.done) == 0 && ctx.Done() != nil {
			select {
			case <-k.done:
				return c.finish(k)
			case <-ctx.Done():
			}
		} else {
			<-k.done
			return c.finish(k)
		}
	}
	if c.calls.take(k.id) == nil {
		// It is being delivered this moment, or is held back.
		select {
		case <-k.done:
		case <-ctx.Done():
			c.leaveOrder(k)
			<-k.done
		}
		return c.finish(k)
	}
	id := k.id
	c.calls.put(k)
	if sent != nil {
		return dst, sent
	}
	cause := context.Cause(ctx)
	c.sendCancel(id, cause)
	return dst, cause
}

// mayCall reports why no call can be made with ctx.
func (c *Conn) mayCall(ctx context.Context) error {
	if c.out == nil || c.opts.Profile.NoCalls && !c.opts.Client {
		return ErrNoPeer
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// sendRequest sends the request of a call. After an error nothing was sent, or
// the connection is broken.
func (c *Conn) sendRequest(ctx context.Context, k *call, method string, params []byte) error {
	var digits [20]byte
	o := outgoing{kind: outRequest, id: strconv.AppendUint(digits[:0], k.id, 10), method: method, body: params, call: k}
	err := c.send(&o, ctx.Done())
	switch {
	case err != nil:
	case k.pushes:
		err = c.flushNow(ctx)
	default:
		err = c.flushUntil(ctx)
	}
	return sendError(ctx, err)
}

// finish gives what was delivered.
func (c *Conn) finish(k *call) ([]byte, error) {
	if k.roused && c.calls.lending.comeBy() {
		c.relay(c.seat)
	}
	dst, err := k.dst, k.err
	c.calls.put(k)
	return dst, err
}
