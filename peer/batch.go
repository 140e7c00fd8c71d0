package peer

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// batch is one array on its way to its answer. Answers gather as they come
// and are written in the order of the requests by whoever is last.
type batch struct {
	c     *Conn
	line  []byte          // all of it, borrowed; for the hooks
	items []codec.Message // borrowed from the parser until adopted
	sink  *[]byte         // of Exchange: the answer goes there
	plain bool            // of Exchange: one message, no array

	answers *group // the calls of ours that it answers; of the reader

	held    frame.Held // the line, once an item was taken over
	adopted bool       // guarded by Conn.mu
	users   atomic.Int32

	mu    sync.Mutex
	open  int // answers to come, and one for the reader on its way through the items
	buf   *bytebufferpool.ByteBuffer
	spans []span // of the answers in buf, by item
}

type span struct{ start, end int }

func newBatch(c *Conn, line []byte, items []codec.Message) *batch {
	b := &batch{c: c, line: line, items: items, open: 1, buf: bytebufferpool.Get(), spans: make([]span, len(items))}
	b.users.Store(1)
	return b
}

// runBatch starts the items that have not been started. It reports whether
// this goroutine still has the reading role.
func (c *Conn) runBatch(s *seat) bool {
	b := s.batch
	for s.next < len(b.items) {
		slot := s.next
		s.next++
		switch m := &b.items[slot]; m.Kind {
		case codec.Request, codec.Notification:
			if !c.dispatch(s, m, b, slot) {
				return false
			}
		case codec.Response:
			if !c.deliver(s, m) {
				c.stray(m, b.line)
			}
			c.settle(s)
		default:
			c.refuseItem(m, b, slot)
		}
	}
	s.batch = nil
	c.failGroup(b.answers, ErrMalformed)
	b.skip()
	b.release()
	return true
}

func (c *Conn) refuseItem(m *codec.Message, b *batch, slot int) {
	if e := m.FaultError(); c.answers(m, e, b, b.line) {
		b.expect()
		b.put(slot, m.ID, nil, e)
	}
}

// adopt makes the line and the items outlast the reader's next line, for an
// item that runs beside it. It runs under Conn.mu, while the holder is in a
// handler.
func (b *batch) adopt(c *Conn) {
	if !b.adopted {
		b.adopted = true
		b.held = c.lines.Detach()
		b.items = slices.Clone(b.items)
	}
}

// release says that one user of the line is done: the reader, or an item that
// ran beside it.
func (b *batch) release() {
	if b.users.Add(-1) == 0 {
		b.held.Release()
	}
}

// expect announces one answer.
func (b *batch) expect() {
	b.mu.Lock()
	b.open++
	b.mu.Unlock()
}

// put adds the answer of one item. A result of nil is null.
func (b *batch) put(slot int, id, result []byte, e *codec.Error) error {
	o := outgoing{kind: outResult, id: id, body: result, err: e}
	b.mu.Lock()
	start := len(b.buf.B)
	b.buf.B = o.append(b.c.form, b.buf.B)
	b.spans[slot] = span{start, len(b.buf.B)}
	return b.lessLocked()
}

// skip says that one announced answer will not come.
func (b *batch) skip() error {
	b.mu.Lock()
	return b.lessLocked()
}

// lessLocked unlocks; the last to come writes.
func (b *batch) lessLocked() error {
	b.open--
	last := b.open == 0
	b.mu.Unlock()
	if !last {
		return nil
	}
	return b.write()
}

// write sends the array, or nothing when there is nothing to answer.
func (b *batch) write() error {
	defer putScratch(b.buf)
	if len(b.buf.B) == 0 {
		return nil
	}
	if b.sink != nil {
		*b.sink = b.join(*b.sink)
		return nil
	}
	line := bytebufferpool.Get()
	defer putScratch(line)
	line.B = b.join(line.B[:0])
	if h := b.c.hooks.Line; h != nil {
		h(Out, line.B)
	}
	return b.c.sendLine(outResult, line.B, nil)
}

func (b *batch) join(dst []byte) []byte {
	if b.plain {
		return append(dst, b.buf.B...)
	}
	dst = append(dst, '[')
	for _, s := range b.spans {
		if s.start < s.end {
			dst = append(append(dst, b.buf.B[s.start:s.end]...), ',')
		}
	}
	dst[len(dst)-1] = ']'
	return dst
}
