package server

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/linerpc/linerpc/codec"
)

// HandleOption changes how a typed handler reads its params.
type HandleOption func(*settings)

type settings struct{ positions []string }

// Positional lets callers give the params as an array: the elements stand for
// the members with these names, in order. Trailing ones may be missing.
func Positional(names ...string) HandleOption {
	return func(s *settings) { s.positions = names }
}

// Handle registers a function on Go types as the handler of a method. Params
// are decoded into P; params that do not fit are answered with -32602 and fn
// is not called. The result is encoded as it is; codec.RawMessage is checked
// and goes as it is. For a notification the result is dropped.
func Handle[P, R any](m *Mux, method string, fn func(ctx context.Context, params P) (R, error), opts ...HandleOption) {
	m.Handle(method, Typed(fn, opts...))
}

// HandleNotification registers a function as the handler of a notification. A
// request with that method is answered with null.
func HandleNotification[P any](m *Mux, method string, fn func(ctx context.Context, params P) error, opts ...HandleOption) {
	m.Handle(method, Typed(func(ctx context.Context, p P) (any, error) { return nil, fn(ctx, p) }, opts...))
}

// Typed makes a Handler of a function on Go types; see Handle.
func Typed[P, R any](fn func(ctx context.Context, params P) (R, error), opts ...HandleOption) Handler {
	h := &typed[P, R]{fn: fn}
	var s settings
	for _, o := range opts {
		o(&s)
	}
	h.positions = s.positions
	switch t := reflect.TypeFor[P](); t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		h.absent = absentNil
	case reflect.Struct:
		if t.NumField() == 0 {
			h.absent = absentEmpty
		}
	}
	return h
}

// What a handler makes of absent params.
const (
	absentWrong = iota // -32602
	absentNil          // the nil of its type
	absentEmpty        // it takes none, and ignores what there is
)

type typed[P, R any] struct {
	fn        func(context.Context, P) (R, error)
	positions []string
	absent    int
	boxes     sync.Pool // of *box[P, R]: params and results need not escape anew with every call
}

type box[P, R any] struct {
	params P
	result R
}

// ServeRPC decodes, calls and encodes. A box is handed back only when the
// handler has returned: after a panic it may be anywhere.
func (h *typed[P, R]) ServeRPC(ctx context.Context, w Reply, r Request) error {
	b, _ := h.boxes.Get().(*box[P, R])
	if b == nil {
		b = new(box[P, R])
	}
	err := h.serve(ctx, w, r, b)
	*b = box[P, R]{}
	h.boxes.Put(b)
	return err
}

func (h *typed[P, R]) serve(ctx context.Context, w Reply, r Request, b *box[P, R]) error {
	if err := h.decode(r, &b.params); err != nil {
		return err
	}
	var err error
	if b.result, err = h.fn(ctx, b.params); err != nil || r.IsNotification() {
		return err
	}
	if raw, ok := any(b.result).(codec.RawMessage); ok {
		return w.Raw(raw)
	}
	return w.Encode(&b.result)
}

func (h *typed[P, R]) decode(r Request, p *P) error {
	switch params := r.Params(); {
	case h.absent == absentEmpty:
		return nil
	case params == nil && h.absent == absentNil:
		return nil
	case params != nil && params[0] == '[' && h.positions != nil:
		named, err := h.named(params)
		if err != nil {
			return err
		}
		return r.WithParams(named).Decode(p)
	}
	return r.Decode(p)
}

// named turns positional params into an object.
func (h *typed[P, R]) named(params []byte) ([]byte, error) {
	values := codec.Elements(nil, params)
	if len(values) > len(h.positions) {
		return nil, codec.InvalidParams(fmt.Sprintf("%d positional params where %d are known", len(values), len(h.positions)))
	}
	out := append(make([]byte, 0, 2*len(params)+64), '{')
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(codec.AppendQuote(out, h.positions[i]), ':')
		out = append(out, v...)
	}
	return append(out, '}'), nil
}
