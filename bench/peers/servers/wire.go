package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// wire is a connection in memory to a server: its input is requests, up to a
// number in flight, and its output is counted. Once warm it allocates nothing.
type wire struct {
	mu     sync.Mutex
	moved  sync.Cond
	head   []byte // of a line, up to the id
	tail   []byte // behind it
	window int
	id     uint64
	open   *atomic.Bool // requests may be sent, on all wires at once
	closed bool
	sent   int
	back   int    // lines that came back
	chunk  []byte // lines that are being read
	rest   []byte // of chunk
	err    error
}

// firstID and those behind it have the same number of digits, so that all
// lines are equally long.
const firstID = 1_000_000_000

// chunkBytes is what a read gives at most: as much as a pipe holds.
const chunkBytes = 64 << 10

func newWire(method, params string, window int, open *atomic.Bool) *wire {
	w := &wire{
		head:   []byte(`{"jsonrpc":"2.0","id":`),
		tail:   []byte(`,"method":"` + method + `"`),
		window: window,
		open:   open,
		id:     firstID,
	}
	if params != "" {
		w.tail = append(w.tail, `,"params":`+params...)
	}
	w.tail = append(w.tail, "}\n"...)
	w.moved.L = &w.mu
	return w
}

// Read gives whole lines, of which a reader with less room takes several
// parts. It lets others run first, as a read of a stream does that has to wait:
// a server that always finds input would keep them from it for a whole time
// slice of the scheduler, and hundreds of connections for seconds.
func (w *wire) Read(p []byte) (int, error) {
	runtime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.rest) == 0 {
		if w.closed {
			return 0, io.EOF
		}
		if w.open.Load() && w.sent-w.back < w.window {
			w.fillLocked()
			break
		}
		w.moved.Wait()
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

func (w *wire) fillLocked() {
	w.chunk = w.chunk[:0]
	for w.sent-w.back < w.window && (len(w.chunk) == 0 || len(w.chunk)+len(w.head)+10+len(w.tail) <= chunkBytes) {
		w.chunk = append(w.chunk, w.head...)
		w.chunk = strconv.AppendUint(w.chunk, w.id, 10)
		w.chunk = append(w.chunk, w.tail...)
		w.id++
		w.sent++
	}
	w.rest = w.chunk
}

var errorMember = []byte(`"error":`)

// Write counts lines. Answers are looked at where a write begins, which is
// often enough to notice a server that answers with errors.
func (w *wire) Write(p []byte) (int, error) {
	n := bytes.Count(p, []byte("\n"))
	failed := bytes.Contains(p[:min(len(p), 100)], errorMember)
	w.mu.Lock()
	defer w.mu.Unlock()
	if failed {
		w.failLocked(fmt.Errorf("answered %.200q", p))
	}
	w.back += n
	w.moved.Broadcast()
	return len(p), nil
}

func (w *wire) failLocked(err error) {
	if w.err == nil {
		w.err = err
	}
	w.closed = true
	w.moved.Broadcast()
}

func (w *wire) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.moved.Broadcast()
	return nil
}

// wake tells a reader that waits to look whether it may go on.
func (w *wire) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved.Broadcast()
}

// settle waits until everything that was sent is answered, and gives how many
// that were since the wire was made.
func (w *wire) settle() (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.back < w.sent && w.err == nil {
		if w.closed {
			return w.back, errors.New("the server ended")
		}
		w.moved.Wait()
	}
	return w.back, w.err
}

// say puts lines into the input that are no part of what is measured, and
// waits for an answer to each of so many.
func (w *wire) say(lines string, answers int) error {
	w.mu.Lock()
	w.rest = []byte(lines)
	w.sent += answers
	w.moved.Broadcast()
	w.mu.Unlock()
	_, err := w.settle()
	return err
}
