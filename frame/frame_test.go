package frame

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// An event is what a Reader gave: a line, or the size and the ends of one that
// was skipped. An over-long line has a size, which no other has.
type event struct {
	line       string
	size       int64
	head, tail string
}

func (e event) String() string {
	if e.size > 0 {
		return fmt.Sprintf("(%d bytes: %s...%s)", e.size, e.head, e.tail)
	}
	return e.line
}

// drain reads to the end of the stream and returns the error there, which must
// be given again and again.
func drain(t *testing.T, f *Reader) ([]event, error) {
	t.Helper()
	var events []event
	for {
		line, err := f.ReadLine()
		if long, ok := errors.AsType[*LongLineError](err); ok {
			events = append(events, event{size: long.Size, head: string(long.Head), tail: string(long.Tail)})
		} else if err != nil {
			if _, again := f.ReadLine(); again != err {
				t.Fatalf("the end was %v, then %v", err, again)
			}
			return events, err
		} else {
			events = append(events, event{line: string(line)})
		}
	}
}

// readAll is drain for a Reader of its own.
func readAll(t *testing.T, r io.Reader, maxLine int) ([]event, error) {
	t.Helper()
	f := NewReader(r, maxLine)
	defer f.Close()
	return drain(t, f)
}

func lineEvents(lines ...string) (events []event) {
	for _, l := range lines {
		events = append(events, event{line: l})
	}
	return events
}

// longEvent is the event of a line that is above the bound.
func longEvent(line string) event {
	return event{
		size: int64(len(line)),
		head: line[:min(len(line), KeptBytes)],
		tail: line[max(0, len(line)-KeptBytes):],
	}
}

// A chunkReader gives its text in chunks of the given sizes, over and over, and
// then err. A size of 0 is a read that gives nothing.
type chunkReader struct {
	text  string
	sizes []int
	err   error
	turn  int
}

func (r *chunkReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, r.err
	}
	size := r.sizes[r.turn%len(r.sizes)]
	r.turn++
	n := copy(p, r.text[:min(size, len(r.text))])
	r.text = r.text[n:]
	return n, nil
}

// numbered is a text of size bytes in which every place can be told.
func numbered(size int) string {
	return places()[:size]
}

var places = sync.OnceValue(func() string {
	var b strings.Builder
	for i := 0; b.Len() < 5<<20; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte("abcdefghijklmnopqrstuvwxyz"[i%26])
	}
	return b.String()
})
