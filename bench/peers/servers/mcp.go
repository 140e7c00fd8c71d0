package main

import (
	"context"
	"io"
	"log"

	mcpgo "github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The libraries of MCP answer ping by themselves.

func serveGoSDK(s *stream) error {
	server := gosdk.NewServer(&gosdk.Implementation{Name: "bench", Version: "1"}, nil)
	return server.Run(context.Background(), &gosdk.IOTransport{Reader: s.in, Writer: s.out})
}

func serveMCPGo(s *stream) error {
	server := mcpgo.NewStdioServer(mcpgo.NewMCPServer("bench", "1"))
	server.SetErrorLogger(log.New(io.Discard, "", 0))
	return server.Listen(context.Background(), s.in, s.out)
}
