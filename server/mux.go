package server

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/linerpc/linerpc/codec"
)

// Mux finds the handler of a method by its name. Methods may be registered at
// any time, also while it serves. The zero value is ready to use.
type Mux struct {
	mu    sync.Mutex // of those who register
	table atomic.Pointer[map[string]Handler]
}

// NewMux returns an empty Mux.
func NewMux() *Mux { return new(Mux) }

// Handle registers the handler of a method. A method that is registered again
// gets the new handler; nil takes it away.
func (m *Mux) Handle(method string, h Handler) {
	m.mu.Lock()
	defer m.mu.Unlock()
	table := make(map[string]Handler)
	if old := m.table.Load(); old != nil {
		maps.Copy(table, *old)
	}
	if h == nil {
		delete(table, method)
	} else {
		table[method] = h
	}
	m.table.Store(&table)
}

// HandleFunc registers a function as the handler of a method.
func (m *Mux) HandleFunc(method string, f func(ctx context.Context, w Reply, r Request) error) {
	m.Handle(method, HandlerFunc(f))
}

// ServeRPC runs the handler of the request's method. One that is not
// registered is answered with -32601.
func (m *Mux) ServeRPC(ctx context.Context, w Reply, r Request) error {
	if table := m.table.Load(); table != nil {
		if h := r.Route(table); h != nil {
			return h.ServeRPC(ctx, w, r)
		}
	}
	return codec.MethodNotFound(r.Method())
}

// Has reports whether a method is registered.
func (m *Mux) Has(method string) bool {
	table := m.table.Load()
	return table != nil && (*table)[method] != nil
}

// Methods lists the registered names in order.
func (m *Mux) Methods() []string {
	table := m.table.Load()
	if table == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(*table))
}

var _ Handler = (*Mux)(nil)

// Middleware wraps a handler.
type Middleware func(Handler) Handler

// Wrap puts middleware around a handler; the first is the outermost.
func Wrap(h Handler, with ...Middleware) Handler {
	for _, mw := range slices.Backward(with) {
		h = mw(h)
	}
	return h
}
