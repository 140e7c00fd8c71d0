package main

import (
	"fmt"
	"io"
)

// contender is a library, or one way of using it.
type contender struct {
	name string
	// serve answers until the input ends. It may return before all answers are
	// out, and what it returns at the end of the input is of no interest.
	serve func(s *stream) error
	// mcp says that it speaks MCP: it wants to be initialized and knows ping,
	// of the methods that are measured.
	mcp bool
}

// stream is what libraries want for a connection: most of them one value to
// read, write and close.
type stream struct {
	in  io.ReadCloser
	out io.WriteCloser
}

var _ io.ReadWriteCloser = (*stream)(nil)

func (s *stream) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *stream) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s *stream) Close() error                { return s.in.Close() }

// The copier stands there twice: the figures of the two differ by what the
// machine does and nothing else.
var contenders = []contender{
	{name: "linerpc", serve: serveLinerpc},
	{name: "linerpc-std", serve: serveLinerpcStd},
	{name: "lsp", serve: serveLSP},
	{name: "lsp-goccy", serve: serveLSPGoccy},
	{name: "jrpc2", serve: serveJRPC2},
	{name: "exp", serve: serveExp},
	{name: "sourcegraph", serve: serveSourcegraph},
	{name: "scanner", serve: serveScanner},
	{name: "go-sdk", serve: serveGoSDK, mcp: true},
	{name: "mcp-go", serve: serveMCPGo, mcp: true},
	{name: "copier", serve: serveCopier},
	{name: "control", serve: serveCopier},
}

func names() (list []string) {
	for _, k := range contenders {
		list = append(list, k.name)
	}
	return list
}

func pick(name string) (contender, error) {
	for _, k := range contenders {
		if k.name == name {
			return k, nil
		}
	}
	return contender{}, fmt.Errorf("no contender %q", name)
}
