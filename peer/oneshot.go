package peer

import (
	"bytes"
	"context"

	"github.com/valyala/bytebufferpool"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// ExchangeOptions sets up one Exchange. Nil is the right default.
type ExchangeOptions struct {
	Options *Options
	// Notify is given the notifications that handlers send before their
	// answer. The params are borrowed. Nil drops them.
	Notify func(method string, params []byte)
}

// Exchange answers one message, or batch, without a stream: it is what stands
// under HTTP, queues and tests. It appends the answer to dst, without a
// newline; nothing is appended when nothing is to be answered. Handlers run
// one after the other on the calling goroutine; a call to the other side gives
// ErrNoPeer. The line may be spread over several lines of text.
func Exchange(ctx context.Context, h Handler, line, dst []byte, o *ExchangeOptions) []byte {
	var (
		opts   Options
		notify func(string, []byte)
	)
	if o != nil {
		opts, notify = o.Options.settled(), o.Notify
	} else {
		opts = (*Options)(nil).settled()
	}
	c := newConn(h, &opts)
	c.notifyOne = notify
	c.contexts.base = ctx
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { c.contexts.end(context.Cause(ctx)) })()
	}
	if max := orDefault(opts.MaxLine, frame.DefaultMaxLine); len(line) > max {
		return c.form.AppendError(dst, nil, codec.InvalidRequest("the message is above the bound of bytes"))
	}
	parser := codec.NewParser(opts.limits())
	m := parser.Parse(line)
	if m.Fault.Code() != codec.CodeParseError && bytes.IndexByte(line, '\n') >= 0 {
		// In valid JSON a newline stands between tokens only, where a blank
		// does as well; then params can be relayed as they are.
		line = bytes.ReplaceAll(line, []byte("\n"), []byte(" "))
		m = parser.Parse(line)
	}
	b := &batch{c: c, line: line, sink: &dst, plain: true, open: 1, buf: bytebufferpool.Get(), spans: make([]span, 1)}
	if m.Kind == codec.Batch {
		b.items, b.plain, b.spans = m.Items, false, make([]span, len(m.Items))
	} else {
		b.items = []codec.Message{*m}
	}
	x := &exchange{}
	x.prepare(c)
	for slot := range b.items {
		switch item := &b.items[slot]; item.Kind {
		case codec.Request, codec.Notification:
			if item.Kind == codec.Request {
				b.expect()
			}
			c.serve(x, x.begin(item, c.methods.find(item.Method), b, slot))
			x.endCtx()
		case codec.Response:
			c.counts.stray.Add(1)
		default:
			c.refuseItem(item, b, slot)
		}
	}
	x.forget()
	b.skip()
	return dst
}

func (c *Conn) oneShotNotify(method string, params []byte) error {
	if c.notifyOne != nil {
		c.notifyOne(method, params)
	}
	return nil
}
