//go:build !linux

package client

import "os"

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
	return pipeEnds{stdin: in, stdout: out, w: &childInput{file: w}, r: r}, nil
}
