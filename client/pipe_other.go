//go:build !linux

package client

import (
	"os"
	"sync/atomic"
)

// pipes makes the two pipes of a child.
func pipes() (p pipeEnds, err error) {
	in, w, err := os.Pipe()
	if err != nil {
		return p, err
	}
	r, out, err := os.Pipe()
	if err != nil {
		in.Close()
		w.Close()
		return p, err
	}
	return pipeEnds{stdin: in, stdout: out, w: &pipeWriter{file: w}, r: r}, nil
}

// pipeWriter is our end of the child's standard input.
type pipeWriter struct {
	file   *os.File
	closed atomic.Bool
}

// Write writes all of p. Behind Close it goes nowhere, without an error: the
// child may still answer what it was sent before.
func (w *pipeWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err != nil && w.closed.Load() {
		return len(p), nil
	}
	return n, err
}

// Close ends the child's input.
func (w *pipeWriter) Close() error {
	w.closed.Store(true)
	return w.file.Close()
}
