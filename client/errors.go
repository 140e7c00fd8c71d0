package client

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/linerpc/linerpc/peer"
)

// ErrClosed means that the connection has ended. A ClosedError is one.
var ErrClosed = peer.ErrClosed

// ErrTooLarge means that a message is above Options.MaxSend. It was not sent.
var ErrTooLarge = peer.ErrTooLarge

// ErrParams means that params are neither an array nor an object.
var ErrParams = peer.ErrParams

// ClosedError says how a connection ended. It is what calls give that were in
// flight, and those that are made later.
type ClosedError struct {
	// Cause is the error of the reader or the writer that broke. It is nil at
	// the end of the other side's output and after Close.
	Cause error
	// State is how the child exited. It is nil where there is no child, and
	// while the child runs: it may have closed its output and stayed.
	State *os.ProcessState
	// Stderr is the end of what the child wrote to its standard error.
	Stderr []byte
}

var _ error = (*ClosedError)(nil)

// Error tells all of it in one line, with the last line of standard error.
func (e *ClosedError) Error() string {
	var b strings.Builder
	b.WriteString("client: the connection is closed")
	if e.State != nil {
		fmt.Fprintf(&b, ": %v", e.State)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if line := lastLine(e.Stderr); line != "" {
		fmt.Fprintf(&b, "; it said %q", line)
	}
	return b.String()
}

// Unwrap gives ErrClosed and the cause.
func (e *ClosedError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrClosed}
	}
	return []error{ErrClosed, e.Cause}
}

func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
