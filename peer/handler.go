package peer

import (
	"context"
	"errors"
	"slices"

	"github.com/linerpc/linerpc/codec"
)

// Handler answers requests and takes notifications. It is called from many
// goroutines.
//
// A returned error is the answer: a *codec.Error, bare or wrapped, as it is;
// any other as -32603. Returning nil without having answered answers null.
// Whatever is returned for a notification goes nowhere but to the hooks.
//
// A Handler may have a method Has(method string) bool. It is asked once for a
// name that is new to the connection: a name it does not have is answered on
// the reading goroutine, where others start beside it the first time.
type Handler interface {
	ServeRPC(ctx context.Context, w Reply, r Request) error
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(ctx context.Context, w Reply, r Request) error

// ServeRPC calls f.
func (f HandlerFunc) ServeRPC(ctx context.Context, w Reply, r Request) error { return f(ctx, w, r) }

var _ Handler = HandlerFunc(nil)

var (
	// ErrDone means that a Reply, a Request or a Remote was used after its
	// handler had returned, or that a Reply had its answer already.
	ErrDone = errors.New("peer: the call is done")
	// ErrNotJSON means that raw bytes to be sent are not one JSON value.
	ErrNotJSON = errors.New("peer: raw bytes are not one JSON value")
	// ErrParams means that params to be sent are JSON, but neither an array nor
	// an object: JSON-RPC 2.0 section 4.2.
	ErrParams = errors.New("peer: params are neither an array nor an object")
	// ErrNoPeer means that there is no other side to talk to: the context is
	// not a handler's, or the call came through Exchange.
	ErrNoPeer = errors.New("peer: no other side to call")
	// ErrTooLarge means that a message is above Options.MaxSend. It was not sent.
	ErrTooLarge = errors.New("peer: the message is above the bound on what may be sent")
	// ErrClosed means that the connection has ended.
	ErrClosed = errors.New("peer: the connection is closed")
)

// Request is one call, as its handler sees it. It is passed by value. Its id
// and params are borrowed until the handler returns.
type Request struct {
	x      *exchange
	gen    uint64
	method *method
	id     []byte // nil for a notification
	params []byte
}

// Method is the name of the method. The string may be kept.
func (r Request) Method() string { return r.method.name }

// Params are the params as they were written, an array or an object, known to
// be valid JSON; nil when they are absent or null. The slice is borrowed.
func (r Request) Params() []byte { return r.params }

// ID is the id as it was written: a number, a string or null; nil for a
// notification. The slice is borrowed.
func (r Request) ID() []byte { return r.id }

// IsNotification reports whether nobody waits for an answer.
func (r Request) IsNotification() bool { return r.id == nil }

// Decode reads the params into the pointer v with the connection's codec. It
// reports params that are absent or do not fit as a *codec.Error with code
// -32602. Nothing in v aliases the params.
func (r Request) Decode(v any) error {
	if r.x != nil && !r.x.live(r.gen) {
		return ErrDone
	}
	if r.params == nil {
		return codec.InvalidParams("params are missing")
	}
	c := codec.Goccy
	if r.x != nil {
		c = r.x.c.codec
	}
	if err := c.Decode(r.params, v); err != nil {
		return codec.InvalidParams(err.Error())
	}
	return nil
}

// Clone returns a copy that stays valid: its id and params are its own. It no
// longer belongs to the call, so its Decode works after the handler returned.
func (r Request) Clone() Request {
	r.id, r.params, r.x = slices.Clone(r.id), slices.Clone(r.params), nil
	return r
}

// Reply is where a handler answers and notifies. It is passed by value and
// may be used from several goroutines until the handler returns; after that
// its methods give ErrDone.
type Reply struct {
	x   *exchange
	gen uint64
}

// Raw answers with JSON text as it is. The text is checked: bytes that are
// not one JSON value give ErrNotJSON and send nothing. The request's own
// params are known to be good and are not checked again. Nil answers null.
// The text is copied before Raw returns. Answering a notification does
// nothing.
func (w Reply) Raw(result []byte) error { return w.x.answerRaw(w.gen, result) }

// Encode answers with v as JSON. Nothing is sent when v can't be encoded.
func (w Reply) Encode(v any) error { return w.x.answerValue(w.gen, v) }

// Notify sends a notification to the other side at once, before the answer.
// Params nil leaves them out; a codec.RawMessage goes as NotifyRaw.
func (w Reply) Notify(method string, params any) error {
	return w.x.notify(w.gen, method, params)
}

// NotifyRaw sends a notification whose params are JSON text: an array or an
// object, or nil to leave them out.
func (w Reply) NotifyRaw(method string, params []byte) error {
	return w.x.notifyRaw(w.gen, method, params)
}

// WithParams returns a copy of the request that carries other params, for a
// handler that rewrites them before it hands the request on. They must be
// valid JSON.
func (r Request) WithParams(params []byte) Request {
	r.params = params
	return r
}
