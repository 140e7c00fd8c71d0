package client

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

type progressKey struct{}

// WithProgress has f called with the params of each progress notification of
// the calls that are made with the context it returns. A token is put into
// their params, in the way of the profile; a profile without progress changes
// nothing.
//
// The goroutine that made the call runs f, one notification at a time in the
// order of the wire, and every notification that came before the response has
// been given to f when the call returns. The params are f's to keep. f may call.
// While it takes its time, up to 1,024 notifications and 16 MiB of them wait;
// beyond that the oldest are dropped.
func WithProgress(ctx context.Context, f func(params []byte)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// What waits for a slow function: so many notifications, and so many bytes of
// them. The last to come is kept however long it is.
const (
	maxProgress      = 1024
	maxProgressBytes = 16 << 20
)

// progress is what the calls that are watched have in common.
type progress struct {
	shape *peer.Progress // nil: the protocol has none
	mu    sync.Mutex
	last  uint64 // tokens are never used again
	calls map[uint64]*progressQueue
}

// progressQueue holds what came for one call and was not given to it yet.
type progressQueue struct {
	more  chan struct{} // one token: there is something
	notes [][]byte      // guarded by progress.mu, as is bytes
	bytes int           // in notes
}

func (q *progressQueue) addLocked(params []byte) {
	q.bytes += len(params)
	drop := 0
	for ; len(q.notes)-drop == maxProgress || drop < len(q.notes) && q.bytes > maxProgressBytes; drop++ {
		q.bytes -= len(q.notes[drop])
	}
	q.notes = append(slices.Delete(q.notes, 0, drop), slices.Clone(params))
}

// take is peer.Options.Progress: it leaves a notification to its call. What no
// call has asked for, or not in this way, is like any other notification.
func (p *progress) take(params []byte) bool {
	token, err := strconv.ParseUint(string(codec.Lookup(params, p.shape.Token)), 10, 64)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.calls[token]
	if q == nil {
		return false
	}
	q.addLocked(params)
	select {
	case q.more <- struct{}{}:
	default:
	}
	return true
}

func (p *progress) open() (uint64, *progressQueue) {
	q := &progressQueue{more: make(chan struct{}, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = make(map[uint64]*progressQueue)
	}
	p.last++
	p.calls[p.last] = q
	return p.last, q
}

func (p *progress) close(token uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, token)
}

// give calls f with what has come.
func (p *progress) give(q *progressQueue, f func([]byte)) {
	p.mu.Lock()
	notes := q.notes
	q.notes, q.bytes = nil, 0
	p.mu.Unlock()
	for _, n := range notes {
		f(n)
	}
}

// callWatched is a call with a function for its progress.
func (c *Client) callWatched(ctx context.Context, l *link, dst []byte, method string, params []byte, f func([]byte)) ([]byte, error) {
	token, q := c.progress.open()
	defer c.progress.close(token)
	asked, err := ask(c.progress.shape, params, token)
	if err != nil {
		return dst, err
	}
	call, err := l.conn.Start(ctx, method, asked)
	if err != nil {
		return dst, err
	}
	// A function that panics leaves nobody behind who would wait.
	defer call.Cancel(context.Canceled)
	l.conn.Aside(ctx, func() {
		for answered := false; !answered; {
			select {
			case <-q.more:
			case <-call.Done():
				answered = true
			}
			c.progress.give(q, f)
		}
	})
	return call.Wait(context.Background(), dst)
}
