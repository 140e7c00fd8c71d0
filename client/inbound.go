package client

import (
	"context"
	"slices"
	"sync"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// What a Handler, and a subscriber, needs of package peer.
type (
	Handler     = peer.Handler
	HandlerFunc = peer.HandlerFunc
	Request     = peer.Request
	Reply       = peer.Reply
	Profile     = peer.Profile
	Hooks       = peer.Hooks
	Error       = codec.Error
)

// The profiles of the protocols in use; see package peer.
var (
	JSONRPC     = peer.JSONRPC
	LSP         = peer.LSP
	MCP         = peer.MCP
	MCP20250326 = peer.MCP20250326
	MCP2026     = peer.MCP2026
	ACP         = peer.ACP
	Codex       = peer.Codex
)

// Subscriber takes notifications. It is called as a handler is: in the order
// of the wire, nothing that came later is started before it has ended, and its
// request is borrowed.
type Subscriber func(ctx context.Context, r Request)

// inbound is the Handler of the client's connections: it is for what the other
// side sends by itself.
type inbound struct {
	handler Handler // nil: there is none

	mu   sync.RWMutex
	subs map[string][]*Subscriber
}

var _ Handler = (*inbound)(nil)

// Subscribe has f called with each notification of that method, beside those
// that are subscribed to it already, until stop is called. A call of f that is
// under way is not waited for by stop. Notifications that somebody subscribes
// to do not reach Options.Handler; and progress that a call has asked for, see
// WithProgress, goes to that call alone.
func (c *Client) Subscribe(method string, f Subscriber) (stop func()) {
	i := &c.inbound
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.subs == nil {
		i.subs = make(map[string][]*Subscriber)
	}
	key := &f
	i.subs[method] = append(slices.Clip(i.subs[method]), key)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if left := slices.DeleteFunc(slices.Clone(i.subs[method]), func(k *Subscriber) bool { return k == key }); len(left) > 0 {
			i.subs[method] = left
		} else {
			delete(i.subs, method)
		}
	}
}

// ServeRPC hands a message to those who asked for it.
func (i *inbound) ServeRPC(ctx context.Context, w Reply, r Request) error {
	if r.IsNotification() {
		i.mu.RLock()
		subs := i.subs[r.Method()]
		i.mu.RUnlock()
		for _, f := range subs {
			(*f)(ctx, r)
		}
		if len(subs) > 0 {
			return nil
		}
	}
	if i.handler == nil {
		return codec.MethodNotFound(r.Method())
	}
	return i.handler.ServeRPC(ctx, w, r)
}
