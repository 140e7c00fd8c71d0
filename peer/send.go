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
	call   *call // of a request
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
		err := c.sendLine(o.kind, b.B, done)
		putScratch(b)
		return err
	}
	buf, err := c.admit(o.kind, o.size(), o.call, done)
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
func (c *Conn) sendLine(kind uint8, line []byte, done <-chan struct{}) error {
	buf, err := c.admit(kind, len(line)+1, nil, done)
	if err != nil {
		return err
	}
	c.commit(append(append(buf, line...), '\n'))
	return nil
}

// admit locks the writer for a line of about n bytes.
//
// Who waits for room holds up the reader: it shall not take in what can't be
// answered. In a client only answers do, and for them there is as much room
// again: the other side may be one that reads on only when its answers to our
// calls have been taken from it, however much else we have to say.
func (c *Conn) admit(kind uint8, n int, k *call, done <-chan struct{}) ([]byte, error) {
	holds, over := true, 0
	if c.opts.Client {
		if holds = kind == outResult; holds {
			over = c.opts.MaxPending
		}
	}
	for {
		if buf, ok := c.out.AdmitOver(n, over); ok {
			return buf, nil
		}
		if k != nil && k.reads {
			k.reads = false
			go c.readOn(c.seat)
		}
		waits := k != nil && !k.ahead
		if waits && !c.calls.stick(k, true) {
			return nil, errAnswered
		}
		if holds {
			c.blocked.Add(1)
		}
		err := c.out.Wait(n-over, done)
		if holds {
			c.blocked.Add(-1)
		}
		if waits {
			c.calls.stick(k, false)
		}
		if err != nil {
			if !errors.Is(err, frame.ErrGaveUp) {
				c.fail(err)
			}
			return nil, err
		}
	}
}

// errAnswered stops the sending of a call whose answer is there.
var errAnswered = errors.New("peer: answered before it was sent")

// flush writes what is pending.
func (c *Conn) flush() error {
	if c.full.Load() {
		c.full.Store(false)
	}
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
		return nil, p, checkParams(p)
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
		return nil, nil, ErrParams
	case b.B[0] == 'n':
		return b, nil, nil
	}
	return b, b.B, nil
}

// structured reports whether valid JSON text is an array, an object or null.
func structured(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[' || raw[0] == 'n')
}

// checkParams says why raw may not be sent as params.
func checkParams(raw []byte) error {
	if raw == nil {
		return nil
	}
	if !codec.Valid(raw) {
		return ErrNotJSON
	}
	for len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\t' || raw[0] == '\r' || raw[0] == '\n') {
		raw = raw[1:]
	}
	if !structured(raw) {
		return ErrParams
	}
	return nil
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
