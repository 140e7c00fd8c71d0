package peer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// requestCtx is the context of a handler. One object serves all inline
// requests of a seat in turn, which is safe because an inline request can't be
// cancelled on its own: nobody reads the cancellation meanwhile. Once somebody
// called Done (package context does, also for a derived context) the object
// stays with that request: it is cancelled when the handler returns and never
// used again. The same goes for the object of a request that was taken over.
type requestCtx struct {
	x    *exchange
	used atomic.Bool // Done was called
	mu   sync.Mutex
	done chan struct{}
	err  error
	fns  map[*func()]struct{}

	prev, next *requestCtx // in contextList; guarded by its lock
}

var _ context.Context = (*requestCtx)(nil)

type remoteKey struct{}

func (r *requestCtx) base() context.Context { return r.x.c.contexts.base }

// Deadline is that of the context given to Serve.
func (r *requestCtx) Deadline() (time.Time, bool) { return r.base().Deadline() }

// Value finds the handler's Remote, and what the context given to Serve holds.
func (r *requestCtx) Value(key any) any {
	if key == (remoteKey{}) {
		return r
	}
	return r.base().Value(key)
}

// Err is not nil once the call was cancelled or the connection is ending.
func (r *requestCtx) Err() error {
	r.mu.Lock()
	err := r.err
	r.mu.Unlock()
	if err == nil && r.x.c.contexts.cancelled.Load() {
		err = context.Canceled
	}
	return err
}

// Done is closed when the call is cancelled, when the connection ends, and at
// the latest when the handler has returned.
func (r *requestCtx) Done() <-chan struct{} {
	r.mu.Lock()
	fresh := r.done == nil
	if fresh {
		r.done = make(chan struct{})
		if r.err != nil {
			close(r.done)
			fresh = false
		}
		r.used.Store(true)
	}
	done := r.done
	r.mu.Unlock()
	if fresh && !r.x.c.contexts.add(r) {
		r.cancel()
	}
	return done
}

// AfterFunc runs f in a goroutine of its own once the context is done. Package
// context calls it for derived contexts, which then need no goroutine that
// waits. It calls Done first.
func (r *requestCtx) AfterFunc(f func()) (stop func() bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		go f()
		return func() bool { return false }
	}
	if r.fns == nil {
		r.fns = make(map[*func()]struct{})
	}
	key := &f
	r.fns[key] = struct{}{}
	return func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, waiting := r.fns[key]
		delete(r.fns, key)
		return waiting
	}
}

// cancel makes the context done.
func (r *requestCtx) cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	r.err = context.Canceled
	if r.done != nil {
		close(r.done)
	}
	for f := range r.fns {
		go (*f)()
	}
	r.fns = nil
}

// retire ends the context of a handler that has returned, and gives the
// exchange a new one if anybody may still hold this one.
func (x *exchange) retire() {
	if r := x.ctx; r.used.Load() {
		x.c.contexts.remove(r)
		r.cancel()
		x.ctx = &requestCtx{x: x}
	}
}

// contextList holds the contexts that somebody waits on.
type contextList struct {
	base      context.Context // what was given to Serve
	cancelled atomic.Bool
	mu        sync.Mutex
	head      *requestCtx
}

// add reports false when the connection's contexts are cancelled already.
func (l *contextList) add(r *requestCtx) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancelled.Load() {
		return false
	}
	if r.next = l.head; r.next != nil {
		r.next.prev = r
	}
	l.head = r
	return true
}

func (l *contextList) remove(r *requestCtx) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head != r && r.prev == nil {
		return // not listed
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.head = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}

// cancelAll cancels every context, those to come included.
func (l *contextList) cancelAll() {
	l.mu.Lock()
	l.cancelled.Store(true)
	r := l.head
	l.head = nil
	l.mu.Unlock()
	for r != nil {
		l.mu.Lock()
		next := r.next
		r.prev, r.next = nil, nil
		l.mu.Unlock()
		r.cancel()
		r = next
	}
}

// Remote is the other side, as seen from a running handler: FromContext. Used
// after the handler has returned its methods give ErrDone.
type Remote struct {
	x   *exchange
	gen uint64
}

// FromContext gives the other side of the connection whose handler was given
// ctx, or a context that ctx was derived from. For any other context it gives
// a Remote whose methods return ErrNoPeer. Call it before the handler returns.
func FromContext(ctx context.Context) Remote {
	if r, ok := ctx.Value(remoteKey{}).(*requestCtx); ok {
		return Remote{r.x, r.x.state.Load() >> 2}
	}
	return Remote{}
}

// Notify sends a notification at once, before the handler's answer.
func (r Remote) Notify(method string, params any) error {
	if r.x == nil {
		return ErrNoPeer
	}
	return r.x.notify(r.gen, method, params)
}

// NotifyRaw is Notify for params that are JSON text.
func (r Remote) NotifyRaw(method string, params []byte) error {
	if r.x == nil {
		return ErrNoPeer
	}
	return r.x.notifyRaw(r.gen, method, params)
}

// Call calls the other side and waits for its answer, which is decoded into
// result unless that is nil. While it waits, the handler holds up nobody: see
// Conn.Call.
func (r Remote) Call(ctx context.Context, method string, params, result any) error {
	switch {
	case r.x == nil || r.x.c.out == nil:
		return ErrNoPeer
	case !r.x.live(r.gen):
		return ErrDone
	}
	return r.x.c.Call(ctx, method, params, result)
}

// Conn is the connection, or nil where there is none.
func (r Remote) Conn() *Conn {
	if r.x == nil || r.x.c.out == nil {
		return nil
	}
	return r.x.c
}
