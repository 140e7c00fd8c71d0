package client

import (
	"io"
	"os"
	"sync/atomic"
)

// pipeEnds are the two pipes between us and a child that is about to start.
type pipeEnds struct {
	stdin, stdout *os.File // the child's
	w             io.WriteCloser
	r             io.ReadCloser
}

// childInput is our end of a child's standard input. Behind Close what is
// written goes nowhere, without an error: the child may still answer what it
// was sent before.
type childInput struct {
	file   *os.File
	closed atomic.Bool
}

func (c *childInput) Write(p []byte) (int, error) {
	n, err := c.file.Write(p)
	if err != nil && c.closed.Load() {
		return len(p), nil
	}
	return n, err
}

// Close ends the child's input.
func (c *childInput) Close() error {
	c.closed.Store(true)
	return c.file.Close()
}
