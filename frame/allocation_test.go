package frame

import (
	"bytes"
	"io"
	"testing"
)

// A loopReader gives its text over and over.
type loopReader struct {
	text []byte
	at   int
}

func (r *loopReader) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// perRun fails where a call allocates once things are warm.
func perRun(t *testing.T, name string, runs int, call func()) {
	t.Helper()
	for range 20 {
		call()
	}
	if got := testing.AllocsPerRun(runs, call); got != 0 {
		t.Errorf("%s: %v allocations", name, got)
	}
}

// allocationSizes are the lines that must cost no allocation: those in the read
// buffer, those that need all of it, and the largest the pools are made for.
var allocationSizes = []struct {
	name       string
	size, runs int
}{
	{"100 bytes", 100, 20_000},
	{"16 KiB", 16 << 10, 1000},
	{"1 MiB", 1 << 20, 100},
}

func TestReadLineAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, tt := range allocationSizes {
		f := NewReader(&loopReader{text: append(bytes.Repeat([]byte("x"), tt.size), '\n')}, 0)
		perRun(t, "lines of "+tt.name, tt.runs, func() {
			if line, err := f.ReadLine(); err != nil || len(line) != tt.size {
				t.Fatalf("gave %d bytes, %v", len(line), err)
			}
		})
		perRun(t, "Detach, lines of "+tt.name, tt.runs, func() {
			line, err := f.ReadLine()
			if err != nil || len(line) != tt.size {
				t.Fatalf("gave %d bytes, %v", len(line), err)
			}
			f.Detach().Release()
		})
		f.Close()
	}
}

func TestSkippingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	f := NewReader(&loopReader{text: append(bytes.Repeat([]byte("x"), 200_000), '\n')}, 1000)
	defer f.Close()
	perRun(t, "lines above the bound", 500, func() {
		if _, err := f.ReadLine(); err == nil {
			t.Fatal("the line was given")
		}
	})
}

func TestWriterAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, tt := range allocationSizes {
		line := bytes.Repeat([]byte("x"), tt.size)
		w := NewWriter(io.Discard, WriterOptions{})
		perRun(t, "WriteLine of "+tt.name, tt.runs, func() {
			if err := w.WriteLine(line); err != nil {
				t.Fatal(err)
			}
		})
		perRun(t, "Begin, Commit and Flush of "+tt.name, tt.runs, func() {
			w.Commit(append(append(w.Begin(), line...), '\n'))
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestMixedSizesAllocateNothing: a pool that learns which sizes are common, and
// drops the others, would allocate for every line that is unlike most.
func TestMixedSizesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	w := NewWriter(io.Discard, WriterOptions{})
	short, large := make([]byte, 100), make([]byte, 20_000)
	perRun(t, "100 bytes, and 20,000 each 25th time", 5000, func() {
		for range 24 {
			w.WriteLine(short)
		}
		w.WriteLine(large)
	})
}
