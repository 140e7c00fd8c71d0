package server

import (
	"context"
	"io"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// What an author of a server needs of package peer.
type (
	Handler     = peer.Handler
	HandlerFunc = peer.HandlerFunc
	Request     = peer.Request
	Reply       = peer.Reply
	Remote      = peer.Remote
	Options     = peer.Options
	Hooks       = peer.Hooks
	Profile     = peer.Profile
	// Error is what a handler returns to choose the answer's code.
	Error = codec.Error
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

// FromContext gives the other side, from the context of a handler: to notify
// it, and to call it back.
func FromContext(ctx context.Context) Remote { return peer.FromContext(ctx) }

// Serve answers the lines of r on w until the input ends. See peer.Conn.Serve.
func Serve(ctx context.Context, r io.Reader, w io.Writer, h Handler, o *Options) error {
	return peer.New(r, w, h, o).Serve(ctx)
}
