package peer

import (
	"context"
	"errors"
	"io"
	"time"
)

// Serve reads and answers until the connection ends. It returns
//
//   - nil at the end of input, once the handlers that run have ended and
//     everything is written, or after Close;
//   - the cause of ctx when that is done: contexts of handlers are cancelled
//     and Serve returns within Options.Grace, though a read may be under way;
//   - the error of the reader or the writer that broke. When the other side
//     has stopped reading, that is the writer's; calls that are in flight then
//     still get the answers that come within Options.Grace.
//
// At the end of input, calls to the other side fail at once: no answer can
// come. Handlers have Options.Drain to end, then their contexts are cancelled,
// then Options.Grace. Serve may be called once.
func (c *Conn) Serve(ctx context.Context) error {
	if !c.serving.CompareAndSwap(false, true) {
		return errors.New("peer: Serve was called before")
	}
	defer c.cleanUp()
	c.contexts.base = ctx
	go c.read(c.seat)

	var err error
	select {
	case err = <-c.ended:
		return c.drain(ctx, err)
	case err = <-c.failed:
		c.hearOut(ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-c.closing:
	}
	c.stop()
	c.failCalls(err)
	c.endOrder()
	c.endContexts(ctx, err)
	c.waitQuiet(c.opts.Grace, nil)
	c.flushOut()
	return err
}

// drain is the end of the stream: err says how.
func (c *Conn) drain(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	c.failCalls(err)
	stop := make(chan struct{})
	release := context.AfterFunc(ctx, func() { close(stop) })
	defer release()
	if !c.waitQuiet(c.opts.Drain, stop) {
		c.endContexts(ctx, err)
		c.waitQuiet(c.opts.Grace, nil)
	}
	c.endOrder()
	if werr := c.flushOut(); err == nil {
		err = werr
	}
	return err
}

// endContexts ends the contexts of handlers. Their cause is that of ctx where
// it has ended, else how the connection does.
func (c *Conn) endContexts(ctx context.Context, err error) {
	cause := context.Cause(ctx)
	if cause == nil {
		cause = closedBy(err)
	}
	c.contexts.end(cause)
}

// hearOut reads on for Options.Grace when writing has failed: the other side
// may have answered before it stopped reading, and answers that it has given
// must not be lost.
func (c *Conn) hearOut(ctx context.Context) {
	if c.calls.none() {
		return
	}
	t := time.NewTimer(c.opts.Grace)
	defer t.Stop()
	select {
	case <-c.ended:
	case <-t.C:
	case <-ctx.Done():
	case <-c.closing:
	}
}

func (c *Conn) failCalls(err error) {
	close(c.over)
	c.calls.failAll(closedBy(err))
}

func closedBy(err error) error {
	if err == nil || errors.Is(err, ErrClosed) {
		return ErrClosed
	}
	return errors.Join(ErrClosed, err)
}

// stop keeps further handlers from starting and takes the role from one that
// runs inline, so that it counts as running.
func (c *Conn) stop() {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	c.notice.Or(noticeClosing)
	c.waits.Store(true)
	for {
		word := c.word.Load()
		if word&roleMask != roleRunning || c.take(word, false) {
			break
		}
	}
	c.interrupt()
	go c.flushAside()
}

// waitQuiet waits until no handler runs or waits, at most for d.
func (c *Conn) waitQuiet(d time.Duration, stop <-chan struct{}) bool {
	c.mu.Lock()
	if c.running == 0 && c.lifted == 0 && len(c.waiting.queue) == 0 {
		c.mu.Unlock()
		return true
	}
	if c.quiet == nil {
		c.quiet = make(chan struct{})
	}
	quiet := c.quiet
	c.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-quiet:
		return true
	case <-t.C:
	case <-stop:
	case err := <-c.failed:
		c.fail(err)
	case <-c.closing:
	}
	return false
}

// flushOut writes what is left, for as long as the other side takes it in
// good time.
func (c *Conn) flushOut() error {
	done := make(chan struct{})
	t := time.AfterFunc(c.opts.Drain, func() { close(done) })
	defer t.Stop()
	return c.out.Drain(done)
}

func (c *Conn) cleanUp() {
	c.mu.Lock()
	c.stopped = true
	c.seat.x.forget()
	c.mu.Unlock()
	c.contexts.end(ErrClosed)
	c.notice.Or(noticeClosing)
	c.endVacancy()
	c.out.Fail(ErrClosed) // whoever still waits for room
	if c.atEnd != nil {
		c.atEnd()
	}
	close(c.done)
}
