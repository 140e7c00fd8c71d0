package client

import (
	"context"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// inbound is the Handler of the connection.
type inbound struct {
	handler peer.Handler
}

func (i *inbound) init(h peer.Handler, p *peer.Profile) { i.handler = h }

func (i *inbound) ServeRPC(ctx context.Context, w peer.Reply, r peer.Request) error {
	if i.handler == nil {
		return codec.MethodNotFound(r.Method())
	}
	return i.handler.ServeRPC(ctx, w, r)
}
