package peer

import (
	"context"
	"errors"
	"time"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// outgoing is a message that is about to be written.
type outgoing struct {
	kind   uint8
	id     []byte
	method string
	body   []byte // params or result, valid JSON
	err    *codec.Error
}

const (
	outResult uint8 = iota
	outNotification
	outRequest
)

func (o *outgoing) append(f codec.Form, dst []byte) []byte {
	switch {
	case o.kind == outNotification:
		return f.AppendNotification(dst, o.method, o.body)
	case o.kind == outRequest:
		return f.AppendRequest(dst, o.id, o.method, o.body)
	case o.err != nil:
		return f.AppendError(dst, o.id, o.err)
	}
	return f.AppendResult(dst, o.id, o.body)
}

// size is about what the line will take.
func (o *outgoing) size() int {
	n := len(o.id) + len(o.method) + len(o.body) + 64
	if o.err != nil {
		n += len(o.err.Message) + len(o.err.Data)
	}
	return n
}

// send appends a message to what is pending. It waits for room, at most until
// done is closed. It does not flush: the reader must not write where its role
// can't be taken, and flushes in turn when full says so.
func (c *Conn) send(o *outgoing, done <-chan struct{}) error {
	if c.hooks.Line != nil {
		b := bytebufferpool.Get()
		b.B = o.append(c.form, b.B[:0])
		if len(b.B) > c.opts.MaxSend {
			putScratch(b)
			return ErrTooLarge
		}
		c.hooks.Line(Out, b.B)
		err := c.sendLine(b.B, done)
		putScratch(b)
		return err
	}
	buf, err := c.admit(o.size(), done)
	if err != nil {
		return err
	}
	line := o.append(c.form, buf)
	if len(line)-len(buf) > c.opts.MaxSend {
		c.out.Abort()
		return ErrTooLarge
	}
	c.commit(append(line, '\n'))
	return nil
}

func (c *Conn) commit(buf []byte) {
	if c.out.Commit(buf) {
		c.full.Store(true)
	}
}

// sendLine is send for a line that is composed already.
func (c *Conn) sendLine(line []byte, done <-chan struct{}) error {
	buf, err := c.admit(len(line)+1, done)
	if err != nil {
		return err
	}
	c.commit(append(append(buf, line...), '\n'))
	return nil
}

// admit locks the writer for a line of about n bytes.
func (c *Conn) admit(n int, done <-chan struct{}) ([]byte, error) {
	for {
		if buf, ok := c.out.Admit(n); ok {
			return buf, nil
		}
		c.blocked.Add(1)
		err := c.out.Wait(n, done)
		c.blocked.Add(-1)
		if err != nil {
			if !errors.Is(err, frame.ErrGaveUp) {
				c.fail(err)
			}
			return nil, err
		}
	}
}

// flush writes what is pending.
func (c *Conn) flush() error {
	err := c.out.Flush()
	if err != nil {
		c.fail(err)
	}
	return err
}

// flushUntil is flush for somebody who must be able to leave: where ctx can
// end, and the write could wait, another goroutine sits in it. A line that was
// begun is finished whoever leaves.
func (c *Conn) flushUntil(ctx context.Context) error {
	if c.gathering.Load() && !c.full.Load() {
		return nil
	}
	return c.flushNow(ctx)
}

func (c *Conn) flushNow(ctx context.Context) error {
	if c.tries || ctx.Done() == nil {
		return c.flush()
	}
	if err := c.out.Err(); err != nil {
		return err
	}
	go c.flushAside()
	return nil
}

// sendNotification sends a notification at once.
func (c *Conn) sendNotification(ctx context.Context, method string, params []byte) error {
	if c.out == nil {
		return c.oneShotNotify(method, params)
	}
	err := c.send(&outgoing{kind: outNotification, method: method, body: params}, ctx.Done())
	if err == nil {
		err = c.flushNote(ctx)
	}
	return sendError(ctx, err)
}

// burstGap is how close upon each other notifications are a burst: the first
// leaves at once, and those that follow gather for a goroutine that flushes.
// burstHold is for how long they may wait for it; it may find no thread.
const (
	burstGap  = 50 * time.Microsecond
	burstHold = time.Millisecond
)

var epoch = time.Now()

// flushNote sees to it that a notification leaves. A handler that reports on
// each of a thousand steps would otherwise make a thousand writes.
func (c *Conn) flushNote(ctx context.Context) error {
	now := int64(time.Since(epoch))
	last := c.noted.Swap(now)
	switch {
	case time.Duration(now-last) > burstGap, time.Duration(now-c.burst.Load()) > burstHold:
		c.burst.Store(now)
		return c.flushNow(ctx)
	case c.full.Load():
		return c.flushNow(ctx)
	case c.gathering.CompareAndSwap(false, true):
		go c.gatherAside()
	}
	return c.out.Err()
}

// sendError says why a message was not sent, to whoever wanted to.
func sendError(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, ErrTooLarge):
		return err
	case errors.Is(err, frame.ErrGaveUp):
		return context.Cause(ctx)
	}
	return closedBy(err)
}

// encodeParams encodes params into a pooled buffer, which is nil where there
// is nothing to hand back.
func (c *Conn) encodeParams(params any) (*bytebufferpool.ByteBuffer, []byte, error) {
	switch p := params.(type) {
	case nil:
		return nil, nil, nil
	case codec.RawMessage:
		if !validParams(p) {
			return nil, nil, ErrNotJSON
		}
		return nil, p, nil
	}
	b := bytebufferpool.Get()
	var err error
	if b.B, err = c.codec.Append(b.B[:0], params); err != nil {
		putScratch(b)
		return nil, nil, err
	}
	switch {
	case !structured(b.B):
		putScratch(b)
		return nil, nil, errScalar
	case b.B[0] == 'n':
		return b, nil, nil
	}
	return b, b.B, nil
}

var errScalar = errors.New("peer: params must encode as an array or an object")

// structured reports whether valid JSON text is an array, an object or null.
func structured(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[' || raw[0] == 'n')
}

// validParams reports whether raw may be sent as params.
func validParams(raw []byte) bool {
	if raw == nil {
		return true
	}
	for len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\t' || raw[0] == '\r' || raw[0] == '\n') {
		raw = raw[1:]
	}
	return structured(raw) && codec.Valid(raw)
}

// maxScratch is the largest capacity that goes back to the pool.
const maxScratch = 2 << 20

func putScratch(b *bytebufferpool.ByteBuffer) {
	if poisoned && b != nil {
		clear(b.B) // whoever kept a slice of it shall notice
	}
	if b != nil && cap(b.B) <= maxScratch {
		bytebufferpool.Put(b)
	}
}
