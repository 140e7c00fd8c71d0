package server_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/linerpc/linerpc/server"

	"go.uber.org/goleak"
)

// track is an input that gives a line, or several, at a time and remembers where in memory
// it has put each byte.
type track struct {
	line  int // bytes of what it gives at a time
	rest  []byte
	at    int // of the stream
	reads []placed
}

// placed is a read: bytes of the stream from at on, and their address.
type placed struct {
	at, n   int
	address uintptr
}

func (r *track) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:r.line-r.at%r.line])
	r.reads = append(r.reads, placed{r.at, n, uintptr(unsafe.Pointer(&p[0]))})
	r.rest, r.at = r.rest[n:], r.at+n
	return n, nil
}

// moved counts the bytes that are not where they were read to. They stand at
// a place of the stream.
func (r *track) moved(text []byte, at int) int {
	address := uintptr(unsafe.Pointer(&text[0]))
	stayed := 0
	for _, p := range r.reads {
		// What of text came with this read, if it was read to its place.
		if p.address-uintptr(p.at) == address-uintptr(at) {
			stayed += max(0, min(p.at+p.n, at+len(text))-max(p.at, at))
		}
	}
	return len(text) - stayed
}

// TestBytesCopied counts how many bytes of params are moved between the read
// and the handler.
func TestBytesCopied(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	for _, size := range []int{64, 4 << 10, 60 << 10} { // what fits the largest buffer
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			const lines = 20 // the first of which find a buffer that is small yet
			line := call("1", "echo", `{"text":"`+strings.Repeat("x", size)+`"}`)
			in := &track{line: len(line), rest: []byte(strings.Repeat(line, lines))}
			behind := len(line) - strings.Index(line, `{"text"`) // from the params to the end of the line
			n, fewest := 0, size
			mux := server.NewMux()
			mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error {
				if n++; n > lines/2 {
					fewest = min(fewest, in.moved(r.Params(), n*len(line)-behind))
				}
				return w.Raw(r.Params())
			})
			if err := server.Serve(context.Background(), in, io.Discard, mux, &server.Options{NoTakeOver: true}); err != nil {
				t.Fatal(err)
			}
			if n != lines || fewest != 0 {
				t.Errorf("%d of %d bytes were moved, want none; %d lines", fewest, size, n)
			}
		})
	}
}

// TestGoroutinesOfServing: requests that are handled at once are handled by the
// goroutine that reads, however many are in flight.
func TestGoroutinesOfServing(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	best := 1 << 30
	for attempt := 0; attempt < 10 && best > 2; attempt++ { // one that loses the processor is taken for slow
		before, most := runtime.NumGoroutine(), 0
		mux := server.NewMux()
		n := 0
		mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error {
			if n++; n > 10 { // the first that is seen of a method starts beside the reader
				most = max(most, runtime.NumGoroutine()-before)
			}
			return w.Raw(r.Params())
		})
		var lines strings.Builder
		for i := range 256 {
			lines.WriteString(call(fmt.Sprint(i), "echo", `{"x":1}`))
		}
		if err := server.Serve(context.Background(), strings.NewReader(lines.String()), io.Discard, mux, &server.Options{NoTakeOver: true}); err != nil {
			t.Fatal(err)
		}
		if n != 256 {
			t.Fatalf("%d of 256 were handled", n)
		}
		best = min(best, most)
	}
	if best > 2 {
		t.Errorf("%d goroutines for 256 requests in flight", best)
	}
}

// writes counts them.
type writes struct{ n int }

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	return len(p), nil
}

// TestWritesOfServing counts writes where a system does not tell of system
// calls: what comes in one read is answered in one write.
func TestWritesOfServing(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	mux := server.NewMux()
	server.Handle(mux, "typed", func(_ context.Context, p point) (point, error) { return p, nil })
	const rounds = 20
	for _, lines := range []int{1, 256} {
		best := 1 << 30
		for attempt := 0; attempt < 10 && best > rounds+4; attempt++ {
			burst := strings.Repeat(call("1", "typed", `{"x":1.5,"y":2}`), lines)
			in, out := &track{line: len(burst), rest: []byte(strings.Repeat(burst, rounds))}, new(writes)
			if err := server.Serve(context.Background(), in, out, mux, &server.Options{NoTakeOver: true}); err != nil {
				t.Fatal(err)
			}
			best = min(best, out.n)
		}
		if best > rounds+4 { // the buffer grows with the first reads
			t.Errorf("%d writes for %d bursts of %d", best, rounds, lines)
		}
	}
}
