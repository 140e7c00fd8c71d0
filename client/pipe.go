package client

import (
	"io"
	"os"
)

// pipeEnds are the two pipes between us and a child that is about to start.
type pipeEnds struct {
	stdin, stdout *os.File // the child's
	w             io.WriteCloser
	r             io.ReadCloser
}
