package peer

import (
	"context"
	"sync"
	"sync/atomic"
)

// asked is the end of a context that somebody may wait for.
type asked struct {
	done  chan struct{}
	taken atomic.Bool // that of a door

	mu    sync.Mutex
	cause error // not nil: done is closed
	funcs map[*func()]struct{}
	told  context.Context // tells the cause

	prev, next *asked // in contexts; guarded by its lock
}

func (a *asked) err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cause
}

// end closes done, unless it is closed; the first cause counts.
func (a *asked) end(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cause != nil {
		return
	}
	a.cause = cause
	close(a.done)
	for f := range a.funcs {
		go (*f)()
	}
	a.funcs = nil
}

func (a *asked) after(f func()) (stop func() bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cause != nil {
		go f()
		return func() bool { return false }
	}
	if a.funcs == nil {
		a.funcs = make(map[*func()]struct{})
	}
	key := &f
	a.funcs[key] = struct{}{}
	return func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		_, waiting := a.funcs[key]
		delete(a.funcs, key)
		return waiting
	}
}

// withCause gives a context with the values of base in which context.Cause
// finds why a has ended: it looks for one of package context's own.
func (a *asked) withCause(base context.Context) context.Context {
	told, cancel := context.WithCancelCause(context.WithoutCancel(base))
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel(a.cause); a.told == nil {
		a.told = told
	}
	return a.told
}

// contexts are those of one connection's handlers. It leads nowhere else, for
// it lives as long as somebody keeps one of them.
type contexts struct {
	base context.Context // what was given to Serve
	over atomic.Bool     // cause is there

	mu    sync.Mutex
	cause error // of the end of all of them
	head  *asked
}

func (l *contexts) ended() bool { return l.over.Load() }

// add lists a for the end, or ends it.
func (l *contexts) add(a *asked) {
	l.mu.Lock()
	cause := l.cause
	if cause == nil {
		if a.next = l.head; a.next != nil {
			a.next.prev = a
		}
		l.head = a
	}
	l.mu.Unlock()
	if cause != nil {
		a.end(cause)
	}
}

func (l *contexts) remove(a *asked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case a.prev != nil:
		a.prev.next = a.next
	case l.head == a:
		l.head = a.next
	}
	if a.next != nil {
		a.next.prev = a.prev
	}
	a.prev, a.next = nil, nil
}

// end ends every context, those to come included.
func (l *contexts) end(cause error) {
	for {
		l.mu.Lock()
		if l.cause == nil {
			l.cause = cause
			l.over.Store(true)
		}
		cause = l.cause
		a := l.head
		l.mu.Unlock()
		if a == nil {
			return
		}
		l.remove(a)
		a.end(cause)
	}
}
