// Command mcp-tools is an MCP tool server on standard input and output. It
// speaks both eras of the protocol on one connection: the one that begins with
// initialize, from 2024-11-05 to 2025-11-25, and the stateless 2026-07-28.
//
//	go run ./examples/mcp-tools
//
// Read it in this order:
//
//	main.go   the methods, and in which era each of them exists
//	eras.go   what a request says about its era, and how results differ
//	tools.go  the tools: echo, add, slow, ask
package main

import (
	"context"
	"log"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

func main() {
	// Clients start a server to probe it, kill it and start it again: nothing is
	// done before the first line has come. Only 2025-03-26 has batches.
	if err := server.Stdio(context.Background(), newMux(), &server.Options{Profile: server.MCP20250326}); err != nil {
		log.Fatal(err)
	}
}

// newMux serves one connection: in the older era a client says once what it
// can do, which the connection remembers.
func newMux() *server.Mux {
	s, mux := &session{}, server.NewMux()
	s.on(mux, "initialize", legacy, s.initialize)
	s.on(mux, "ping", legacy, func(context.Context, *call) (object, error) { return object{}, nil })
	s.on(mux, "server/discover", modern|stable, func(context.Context, *call) (object, error) {
		return object{"supportedVersions": modernVersions, "capabilities": capable}, nil
	})
	s.on(mux, "tools/list", legacy|modern|stable, func(context.Context, *call) (object, error) {
		return object{"tools": tools}, nil
	})
	s.on(mux, "tools/call", legacy|modern, func(ctx context.Context, c *call) (object, error) {
		for _, t := range tools {
			if t.Name == c.Name {
				return t.run(ctx, c)
			}
		}
		return nil, codec.InvalidParams("there is no tool " + c.Name)
	})
	server.HandleNotification(mux, "notifications/initialized", func(context.Context, struct{}) error { return nil })
	return mux
}
