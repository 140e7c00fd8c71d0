package frame

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// aLine is a line that can be told from all others.
func aLine(i, size int) string {
	return fmt.Sprintf("%d:", i) + numbered(size)
}

// detachSizes go through every way in which a line can be held.
var detachSizes = []int{1, 20, 100, 100, 3000, 5000, 20_000, 70_000, 300_000, 100, maxPooled + 1000, 50}

// TestDetachedLinesStay reads on through many buffers while lines are held, and
// checks each when it is let go, in another order than they came in.
func TestDetachedLinesStay(t *testing.T) {
	var in strings.Builder
	count := 8 * len(detachSizes)
	for i := range count {
		in.WriteString(aLine(i, detachSizes[i%len(detachSizes)]) + "\n")
	}
	for _, sizes := range [][]int{{1 << 20}, {4096}, {100, 1, 5000}} {
		f := NewReader(&chunkReader{text: in.String(), sizes: sizes, err: io.EOF}, 0)
		type kept struct {
			line []byte
			want string
			held Held
		}
		var all []kept
		r := rand.New(rand.NewPCG(1, 2))
		check := func(k kept) {
			if string(k.line) != k.want {
				t.Fatalf("chunks of %v: a held line became %.40q; want %.40q", sizes, k.line, k.want)
			}
			k.held.Release()
			if poisoned && !bytes.Equal(k.line, bytes.Repeat([]byte{0xdb}, len(k.line))) {
				t.Fatalf("chunks of %v: a released line is still %.40q", sizes, k.line)
			}
		}
		for i := range count {
			line, err := f.ReadLine()
			want := aLine(i, detachSizes[i%len(detachSizes)])
			if err != nil || string(line) != want {
				t.Fatalf("chunks of %v: line %d is %.40q, %v; want %.40q", sizes, i, line, err, want)
			}
			if r.IntN(3) > 0 {
				all = append(all, kept{line, want, f.Detach()})
			}
			if len(all) > 8 {
				n := r.IntN(len(all))
				check(all[n])
				all = append(all[:n], all[n+1:]...)
			}
		}
		f.Close()
		for _, k := range all { // they outlive the Reader too
			check(k)
		}
	}
}

// TestDetachNothing: there may be no line to give away.
func TestDetachNothing(t *testing.T) {
	f := NewReader(strings.NewReader("a\nlong line\n"+numbered(80_000)+"\nb\n"), 8)
	f.Detach().Release()
	if line, err := f.ReadLine(); err != nil || string(line) != "a" {
		t.Fatalf("gave %q, %v", line, err)
	}
	f.Detach().Release()
	f.Detach().Release() // it is given away already
	for range 2 {
		if _, err := f.ReadLine(); err == nil {
			t.Fatal("the line is above the bound")
		}
		f.Detach().Release()
	}
	if line, err := f.ReadLine(); err != nil || string(line) != "b" {
		t.Fatalf("then gave %q, %v", line, err)
	}
	f.ReadLine()
	f.Detach().Release()
	f.Close()
	Held{}.Release()
}

// TestDetachKeepsTheEnd: the end of the stream, known before the buffer was
// given away, is not forgotten, and nothing is read behind it.
func TestDetachKeepsTheEnd(t *testing.T) {
	r := &endReader{text: "a\nb\nc"}
	f := NewReader(r, 0)
	defer f.Close()
	for _, want := range []string{"a", "b", "c"} {
		if line, err := f.ReadLine(); err != nil || string(line) != want {
			t.Fatalf("gave %q, %v; want %q", line, err, want)
		}
		defer f.Detach().Release()
	}
	if _, err := f.ReadLine(); err != io.EOF || r.reads != 1 {
		t.Errorf("the end was %v after %d reads", err, r.reads)
	}
}

// An endReader gives all it has and io.EOF in one read.
type endReader struct {
	text  string
	reads int
}

func (r *endReader) Read(p []byte) (int, error) {
	r.reads++
	return copy(p, r.text), io.EOF
}

// TestDetachBesideReaders: others may read the line while it is given away, and
// release it from where they are.
func TestDetachBesideReaders(t *testing.T) {
	var in strings.Builder
	for i := range 500 {
		in.WriteString(aLine(i, detachSizes[i%10]) + "\n")
	}
	f := NewReader(strings.NewReader(in.String()), 0)
	defer f.Close()
	var wg sync.WaitGroup
	for i := range 500 {
		line, err := f.ReadLine()
		if err != nil {
			t.Fatal(err)
		}
		want := aLine(i, detachSizes[i%10])
		held := make(chan Held, 1)
		wg.Go(func() {
			same := string(line) == want
			h := <-held
			if !same || string(line) != want {
				t.Errorf("line %d changed while it was held", i)
			}
			h.Release()
		})
		held <- f.Detach()
	}
	wg.Wait()
}

// TestPoison: in builds that look for it, a line or an error that was kept for
// too long shows itself.
func TestPoison(t *testing.T) {
	if !poisoned {
		t.Skip("needs -race or -tags poison")
	}
	for _, size := range []int{10, 5000, 100_000, maxPooled + 1} {
		f := NewReader(strings.NewReader(numbered(size)+"\nnext\n"), 0)
		kept, _ := f.ReadLine()
		f.Buffered()
		if !bytes.Equal(kept, bytes.Repeat([]byte{0xdb}, size)) {
			t.Errorf("a line of %d that was kept is still %.40q", size, kept)
		}
		f.Close()
	}
	f := NewReader(strings.NewReader("too long\nnext\n"), 4)
	defer f.Close()
	f.ReadLine()
	head := f.long.Head
	f.Buffered()
	if string(head) == "too long" {
		t.Error("the head of a long line that was kept is still there")
	}
}
