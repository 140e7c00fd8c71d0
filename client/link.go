package client

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// outputGrace is how long after the exit of a child its output is still read
// when something else keeps it open, and how long after the end of the output
// a call waits to learn how the child exited.
const outputGrace = 200 * time.Millisecond

// flushGrace is how long Close waits for the other side to take what was sent
// before.
const flushGrace = 500 * time.Millisecond

// link is one connection and what is behind it. A client that restarts its
// child has several, one after the other.
type link struct {
	conn  *peer.Conn
	child *process  // nil: there is none
	w     io.Closer // closed for the other side to see the end of its input; nil: it can't be
	r     io.Closer // nil: w is both

	closing sync.Once
	known   chan struct{} // closed when the child is gone and the rest of its stderr was read
	served  chan struct{} // closed when Serve has returned
	cause   error         // what Serve gave; after served
	ended   time.Time     // when it returned; after served
	gone    chan struct{} // closed when nothing is left: no child, goroutine or descriptor
	failed  error         // the child could not be killed; after gone
}

// run serves the connection until it ends, and then sees to the end of what is
// behind it.
func (l *link) run() {
	if l.child != nil {
		go l.attend()
	}
	l.cause = l.conn.Serve(context.Background())
	l.ended = time.Now()
	close(l.served)
	l.shut(context.Background())
}

// attend learns of the child's exit. Its output is read to its end, but a
// grandchild that holds it open is not waited for.
func (l *link) attend() {
	<-l.child.exited()
	l.child.release()
	close(l.known)
	timer := time.NewTimer(outputGrace)
	defer timer.Stop()
	select {
	case <-l.served:
	case <-timer.C:
		l.conn.Close()
	}
}

// shut ends the connection and the child, and returns when both are gone. The
// first call does it, with its context.
func (l *link) shut(ctx context.Context) error {
	l.closing.Do(func() {
		defer close(l.gone)
		l.flush(ctx)
		if l.child == nil {
			l.conn.Close()
			<-l.served
			l.close()
			return
		}
		l.w.Close()
		l.failed = l.child.stop(ctx)
		if l.failed != nil {
			l.conn.Close()
		} else {
			<-l.known
		}
		<-l.served
		l.close()
	})
	<-l.gone
	return l.failed
}

// flush gives what was sent before a chance to be taken.
func (l *link) flush(ctx context.Context) {
	select {
	case <-l.served:
		return
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, flushGrace)
	defer cancel()
	l.conn.Flush(ctx)
}

func (l *link) close() {
	if l.w != nil {
		l.w.Close()
	}
	if l.r != nil {
		l.r.Close()
	}
}

// closedError makes what is known of the end into an error.
func (l *link) closedError() *ClosedError {
	e := &ClosedError{}
	if l.child != nil {
		if l.awaitExit() {
			e.State = l.child.state()
		}
		e.Stderr = l.child.tail()
	}
	select {
	case <-l.served:
		e.Cause = l.cause
	default:
	}
	return e
}

// awaitExit waits for the exit of a child whose output has ended. It reports
// whether it has come.
func (l *link) awaitExit() bool {
	grace := outputGrace
	select {
	case <-l.served:
		grace -= time.Since(l.ended)
	default:
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-l.known:
	case <-timer.C:
	}
	select {
	case <-l.known: // in the same moment
		return true
	default:
		return false
	}
}

// explain turns the error of a call that ended with the connection into a
// ClosedError; other errors are what they are.
func (l *link) explain(err error) error {
	if l == nil || err == nil || !errors.Is(err, peer.ErrClosed) {
		return err // l is nil where a call did not get that far
	}
	if _, ok := errors.AsType[*codec.Error](err); ok {
		return err
	}
	e := l.closedError()
	if e.Cause == nil {
		e.Cause = beside(err)
	}
	return e
}

// beside gives what was joined with ErrClosed.
func beside(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, e := range many.Unwrap() {
		if e != peer.ErrClosed {
			return e
		}
	}
	return nil
}
