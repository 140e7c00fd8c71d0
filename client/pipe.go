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

// childInput is our end of the child's standard input. What is written to it
// behind Close goes nowhere, without an error: the child may still answer what
// it was sent before.
type childInput struct {
	*os.File
	closed atomic.Bool
}

func (w *childInput) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if err != nil && w.closed.Load() {
		return len(p), nil
	}
	return n, err
}

// Close ends the child's input.
func (w *childInput) Close() error {
	w.closed.Store(true)
	return w.File.Close()
}
