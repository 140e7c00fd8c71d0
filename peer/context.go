package peer

import (
	"context"
	"sync/atomic"
	"time"
)

// requestCtx is the context of one handler. No other request ever gets it, so
// whoever keeps it finds it done, for good, once its handler has returned. They
// are made in lots: one allocation for many requests. Whoever keeps one keeps
// its lot and nothing else: the way to the exchange goes through a door that is
// shut when the exchange has seen its last request, or the connection its end.
type requestCtx struct {
	door  *door
	gen   uint64
	asked atomic.Pointer[asked] // nil until somebody may wait for the end
}

var _ context.Context = (*requestCtx)(nil)

type remoteKey struct{}

// door leads from the contexts of an exchange to the exchange.
type door struct {
	x     atomic.Pointer[exchange] // nil: shut
	all   *contexts
	first [1]requestCtx
	asked asked // of the first
}

// maxLot is how many contexts are allocated at once when requests flow.
const maxLot = 64

// nextCtx gives the exchange the context of its next request.
func (x *exchange) nextCtx(gen uint64) {
	if x.left == 0 {
		x.moreContexts()
	}
	x.left--
	r := &x.lot[x.left]
	r.door, r.gen = x.door, gen
	x.ctx = r
}

// moreContexts makes the next lot. Only the exchanges of the reader see more
// than one request, so lots begin small.
func (x *exchange) moreContexts() {
	if x.lot == nil {
		x.lot = x.door.first[:]
	} else {
		x.lot = make([]requestCtx, min(4*len(x.lot), maxLot))
	}
	x.left = len(x.lot)
}

// endCtx makes the context of a handler that has returned done.
func (x *exchange) endCtx() {
	if a := x.ctx.asked.Load(); a != nil {
		x.ctx.finish(a)
	}
}

// forget shuts the door of an exchange that sees no request any more.
func (x *exchange) forget() { x.door.x.Store(nil) }

// exchange gives the one whose handler was given r, and nil once that has
// returned.
func (r *requestCtx) exchange() *exchange {
	if x := r.door.x.Load(); x != nil && x.live(r.gen) {
		return x
	}
	return nil
}

// ask gives what can be waited for.
func (r *requestCtx) ask() *asked {
	if a := r.asked.Load(); a != nil {
		return a
	}
	a := &asked{done: make(chan struct{})}
	if r == &r.door.first[0] && r.door.asked.taken.CompareAndSwap(false, true) {
		r.door.asked.done = a.done
		a = &r.door.asked
	}
	if !r.asked.CompareAndSwap(nil, a) {
		return r.asked.Load()
	}
	r.door.all.add(a)
	if r.exchange() == nil {
		r.finish(a) // the handler's end looked for it before it was there
	}
	return a
}

// cancel makes the context done because of cause, unless it is.
func (r *requestCtx) cancel(cause error) { r.ask().end(cause) }

// finish ends what the handler's end finds.
func (r *requestCtx) finish(a *asked) {
	r.door.all.remove(a)
	a.end(ErrDone)
}

// Deadline is that of the context given to Serve.
func (r *requestCtx) Deadline() (time.Time, bool) { return r.door.all.base.Deadline() }

// Value finds the handler's Remote, and what the context given to Serve holds.
func (r *requestCtx) Value(key any) any {
	if key == (remoteKey{}) {
		return r
	}
	if r.Err() != nil {
		return r.ask().withCause(r.door.all.base).Value(key)
	}
	return r.door.all.base.Value(key)
}

// Err is not nil once the call was cancelled, the connection is ending, or the
// handler has returned.
func (r *requestCtx) Err() error {
	a := r.asked.Load()
	if a != nil && a.err() != nil || r.exchange() == nil || r.door.all.ended() {
		return context.Canceled
	}
	return nil
}

// Done is closed when the call is cancelled, when the connection ends, and at
// the latest when the handler has returned.
func (r *requestCtx) Done() <-chan struct{} { return r.ask().done }

// AfterFunc runs f in a goroutine of its own once the context is done. Package
// context calls it for derived contexts, which then need no goroutine that
// waits.
func (r *requestCtx) AfterFunc(f func()) (stop func() bool) { return r.ask().after(f) }

// orderWait is a context with a bound of its own: see WithOrderWait.
type orderWait struct {
	context.Context
	d time.Duration
}

func (w *orderWait) Value(key any) any {
	if key == (remoteKey{}) {
		return w
	}
	return w.Context.Value(key)
}

// WithOrderWait gives a context for calls whose answers wait for at most d, and
// not longer than Options.OrderWait, for the handlers of notifications that
// stand before them on the wire. With 0 they wait for none: that is for callers
// who hold a lock that such a handler takes.
func WithOrderWait(ctx context.Context, d time.Duration) context.Context {
	return &orderWait{ctx, d}
}

// inquire asks a context whose handler's it is, nil for none, and how long the
// answers to its calls wait for notifications; below 0 it does not say.
func inquire(ctx context.Context) (r *requestCtx, wait time.Duration) {
	wait = -1
	for {
		switch v := ctx.Value(remoteKey{}).(type) {
		case *requestCtx:
			return v, wait
		case *orderWait:
			if wait < 0 {
				wait = max(v.d, 0)
			}
			ctx = v.Context
		default:
			return nil, wait
		}
	}
}

// Remote is the other side, as seen from a running handler: FromContext. Once
// the handler has returned its methods give ErrDone.
type Remote struct{ r *requestCtx }

// FromContext gives the other side of the connection whose handler was given
// ctx, or a context that ctx was derived from. For any other context it gives
// a Remote whose methods return ErrNoPeer.
func FromContext(ctx context.Context) Remote {
	r, _ := inquire(ctx)
	return Remote{r}
}

func (r Remote) exchange() (*exchange, error) {
	if r.r == nil {
		return nil, ErrNoPeer
	}
	if x := r.r.exchange(); x != nil {
		return x, nil
	}
	return nil, ErrDone
}

// Notify sends a notification at once, before the handler's answer.
func (r Remote) Notify(method string, params any) error {
	x, err := r.exchange()
	if err != nil {
		return err
	}
	return x.notify(r.r.gen, method, params)
}

// NotifyRaw is Notify for params that are JSON text.
func (r Remote) NotifyRaw(method string, params []byte) error {
	x, err := r.exchange()
	if err != nil {
		return err
	}
	return x.notifyRaw(r.r.gen, method, params)
}

// Call calls the other side and waits for its answer, which is decoded into
// result unless that is nil. While it waits, the handler holds up nobody: see
// Conn.Call.
func (r Remote) Call(ctx context.Context, method string, params, result any) error {
	x, err := r.exchange()
	if err != nil {
		return err
	}
	if x.c.out == nil {
		return ErrNoPeer
	}
	return x.c.Call(ctx, method, params, result)
}

// Conn is the connection, or nil where there is none and when the handler has
// returned.
func (r Remote) Conn() *Conn {
	if x, err := r.exchange(); err == nil && x.c.out != nil {
		return x.c
	}
	return nil
}
