package peer

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// Conn is one connection. Make it with New and run it with Serve; the other
// methods are safe for concurrent use.
type Conn struct {
	opts     Options
	handler  Handler
	codec    codec.Codec
	form     codec.Form
	hooks    Hooks
	in       io.Reader
	progress string        // the method whose notifications go to Options.Progress
	out      *frame.Writer // nil where there is no stream (Exchange)
	blocked  atomic.Int32  // goroutines that wait for room in out
	full     atomic.Bool   // so much has gathered that it should leave
	waits    atomic.Bool   // the reader waits for input, or is about to, or has ended
	tries    bool          // a flush of out does not wait

	// gathering says that a goroutine is about to flush, behind callers that
	// were just woken: what they send may be left to it.
	gathering   atomic.Bool
	gatherAside func()
	noted       atomic.Int64 // when the last notification was sent, since epoch
	burst       atomic.Int64 // when one of the present burst was flushed at once

	flushAside func() // flush, as a value that is there already when a goroutine is to run it

	// The reading role. Its word says whose turn it is and what the holder
	// does (takeover.go); lines and methods belong to the holder.
	word    atomic.Uint64
	notice  atomic.Uint32
	lines   *frame.Reader
	methods methodTable
	watch   watcher
	inline  bool // start every handler on the reading goroutine

	// Requests that run beside the reader or wait (beside.go). gate is not 0
	// while a request must wait for its turn.
	mu          sync.Mutex
	seat        *seat
	flight      flightTable
	gate        atomic.Uint32
	starting    atomic.Int32 // handlers that were released and have not been entered
	running     int
	barrier     int
	lifted      int // handlers that wait in calls
	liftedBytes int
	order       order
	waiting     waiting
	stopped     bool          // no handler may start any more, but for those that wait
	quiet       chan struct{} // closed when nothing runs or waits; made by who waits for that

	contexts *contexts
	calls    callTable
	counts   counts

	serving atomic.Bool
	ended   chan error    // from the reading role: the stream ended
	failed  chan error    // from anywhere: the connection can't go on
	over    chan struct{} // no call can be answered any more
	closing chan struct{} // Close was called
	closed  sync.Once
	done    chan struct{} // Serve has returned
	atEnd   func()        // of a Pipe: tells the other end

	notifyOne func(method string, params []byte) // of Exchange
}

// New returns a connection that reads lines from r, writes lines to w and
// serves calls with h; a nil h knows no method. Nothing happens before Serve.
//
// The Conn closes neither r nor w. When r has a SetReadDeadline method that
// works, it is used to end a read when the connection is closed; see Lender and
// frame.TryWriter for what else is made use of.
func New(r io.Reader, w io.Writer, h Handler, o *Options) *Conn {
	opts := o.settled()
	c := newConn(h, &opts)
	c.in = r
	out := opts.writer()
	out.Failed = c.fail
	c.out = frame.NewWriter(w, out)
	c.flushAside = func() { c.flush() }
	c.gatherAside = func() {
		c.gathering.Store(false)
		c.flush()
	}
	_, c.tries = w.(frame.TryWriter)
	if l, ok := r.(Lender); ok && c.tries && opts.Client && opts.Hooks.Line == nil {
		c.calls.lending.from = l
		c.calls.lending.roused.Store(1)
		c.calls.lending.aside = make(chan *seat)
	}
	c.lines = frame.NewReader(r, opts.MaxLine)
	c.seat = &seat{parser: codec.NewParser(opts.limits())}
	c.seat.x.prepare(c)
	c.ended = make(chan error, 1)
	c.failed = make(chan error, 1)
	c.over = make(chan struct{})
	c.closing = make(chan struct{})
	c.done = make(chan struct{})
	if !opts.NoTakeOver {
		c.notice.Store(noticeAsleep)
	}
	c.inline = opts.NoTakeOver
	return c
}

func newConn(h Handler, opts *Options) *Conn {
	if h == nil {
		h = HandlerFunc(func(_ context.Context, _ Reply, r Request) error {
			return codec.MethodNotFound(r.Method())
		})
	}
	c := &Conn{opts: *opts, handler: h, codec: opts.Codec, form: opts.form(), hooks: opts.Hooks}
	if opts.Progress != nil && opts.Profile.Progress != nil {
		c.progress = opts.Profile.Progress.Method
	}
	if t, ok := h.(interface{ Has(method string) bool }); ok {
		c.methods.has = t.Has
	}
	c.contexts = &contexts{base: context.Background()}
	c.waiting.limit = opts.MaxQueued
	return c
}

// Notify sends a notification. Params nil leaves them out; a codec.RawMessage
// goes as it is, after a check.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	buf, raw, err := c.encodeParams(params)
	if err != nil {
		return err
	}
	defer putScratch(buf)
	return c.sendNotification(ctx, method, raw)
}

// NotifyRaw sends a notification whose params are JSON text: an array or an
// object, or nil to leave them out. The text is checked and copied.
func (c *Conn) NotifyRaw(ctx context.Context, method string, params []byte) error {
	if err := checkParams(params); err != nil {
		return err
	}
	return c.sendNotification(ctx, method, params)
}

// Flush waits until everything that was sent has been written. It gives the
// error of the writer, or the cause of ctx when that ends first.
func (c *Conn) Flush(ctx context.Context) error {
	err := c.out.Drain(ctx.Done())
	if errors.Is(err, frame.ErrGaveUp) {
		err = context.Cause(ctx)
	}
	return err
}

// Close ends the connection: Serve cancels the contexts of handlers, waits
// for them as long as Options.Grace, and returns nil. Close does not wait.
func (c *Conn) Close() error {
	c.closed.Do(func() { close(c.closing) })
	return nil
}

// Ended is closed when no call can be answered any more: before the calls that
// wait fail, and before the end of handlers, which Done waits for.
func (c *Conn) Ended() <-chan struct{} { return c.over }

// Done is closed when Serve has returned.
func (c *Conn) Done() <-chan struct{} { return c.done }

// fail ends the connection because of err; the first error counts.
func (c *Conn) fail(err error) {
	select {
	case c.failed <- err:
	default:
	}
}

// Stats are counts since the connection was made.
type Stats struct {
	Requests      uint64 // requests given to the handler
	Notifications uint64 // notifications given to the handler
	Refused       uint64 // lines and items answered with -32700 or -32600
	LongLines     uint64 // lines above the bound that were skipped
	Overloaded    uint64 // requests refused because too much was waiting
	Stray         uint64 // responses that nobody waited for, or that were malformed
	Noise         uint64 // lines that were no message and were not answered
	Cancelled     uint64 // calls that the other side cancelled
	Unsent        uint64 // answers that were not sent, because their call was cancelled
	Panics        uint64 // handlers that panicked or called runtime.Goexit
	TakeOvers     uint64 // times the reading role left a slow goroutine
	Running       int    // handlers that run beside the reader now
	Waiting       int    // requests and notifications that wait now
	Writes        uint64 // write calls
	BytesOut      uint64 // bytes written
}

type counts struct {
	requests, notifications, refused, longLines, overloaded, stray, noise,
	cancelled, unsent, panics, takeOvers atomic.Uint64
}

// Stats returns the counts. Requests and Notifications are brought up to date
// each time the reader is about to wait for input.
func (c *Conn) Stats() Stats {
	n := &c.counts
	s := Stats{
		Requests: n.requests.Load(), Notifications: n.notifications.Load(), Refused: n.refused.Load(),
		LongLines: n.longLines.Load(), Overloaded: n.overloaded.Load(), Stray: n.stray.Load(),
		Noise: n.noise.Load(), Cancelled: n.cancelled.Load(), Unsent: n.unsent.Load(),
		Panics: n.panics.Load(), TakeOvers: n.takeOvers.Load(),
	}
	c.mu.Lock()
	s.Running, s.Waiting = c.running, len(c.waiting.queue)
	c.mu.Unlock()
	if c.out != nil {
		w := c.out.Stats()
		s.Writes, s.BytesOut = w.Writes, w.Bytes
	}
	return s
}

// interrupt makes a read that is under way return, where the reader can be
// told to. Others end with the next byte or never; they touch nothing.
func (c *Conn) interrupt() {
	if d, ok := c.in.(interface{ SetReadDeadline(time.Time) error }); ok {
		d.SetReadDeadline(time.Unix(1, 0))
	}
}
