package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/linerpc/linerpc/frame"
)

// errCut is how a stream ends that does not end with io.EOF.
var errCut = errors.New("the stream was cut")

// model reads a whole stream by the rules of package frame's documentation, and
// by nothing else. It gives one text for each line, skipped line and end.
func model(in []byte, maxLine int, end error) (events []string) {
	in = bytes.TrimPrefix(in, []byte("\ufeff"))
	lines := bytes.Split(in, []byte("\n"))
	if end != io.EOF {
		lines = lines[:len(lines)-1] // the last one is unfinished
	}
	for _, line := range lines {
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) > maxLine:
			head, tail := line[:min(len(line), 1024)], line[max(0, len(line)-1024):]
			events = append(events, skipped(maxLine, int64(len(line)), head, tail))
		case len(bytes.Trim(line, " \t\r")) > 0:
			events = append(events, "line "+string(line))
		}
	}
	return append(events, "end: "+end.Error())
}

func skipped(limit int, size int64, head, tail []byte) string {
	return fmt.Sprintf("%d bytes are above %d: %s ... %s", size, limit, head, tail)
}

// A chunks reader gives its text in chunks whose sizes come from steps, where a
// zero is a read that gives nothing.
type chunks struct {
	text  []byte
	steps []byte
	turn  int
	end   error
	early bool // the end comes with the last bytes
}

func (r *chunks) Read(p []byte) (int, error) {
	size := 1 << 20
	if len(r.steps) > 0 {
		size = chunkSize(r.steps[r.turn%len(r.steps)], r.turn)
		r.turn++
	}
	n := copy(p, r.text[:min(size, len(r.text))])
	r.text = r.text[n:]
	if len(r.text) == 0 && (n == 0 || r.early) {
		return n, r.end
	}
	return n, nil
}

// chunkSize reaches from single bytes to more than the largest read buffer. The
// first round of steps may hold empty reads, later ones may not: else nothing
// but those might be left.
func chunkSize(step byte, turn int) int {
	switch {
	case step == 0 && turn < 90:
		return 0
	case step < 128:
		return max(1, int(step))
	default:
		return (int(step) - 127) * 601
	}
}

// read takes the stream from a Reader, and asks for Buffered and Detach as the
// plan says. Lines that are held must stay as they were.
func read(t *testing.T, r io.Reader, maxLine int, plan []byte) (events []string) {
	f := frame.NewReader(r, maxLine)
	defer f.Close()
	type kept struct {
		line []byte
		was  string
		held frame.Held
	}
	var all []kept
	letGo := func(n int) {
		for _, k := range all[:n] {
			if string(k.line) != k.was {
				t.Fatalf("a held line became %.60q; was %.60q", k.line, k.was)
			}
			k.held.Release()
		}
		all = slices.Delete(all, 0, n)
	}
	for turn := 0; ; turn++ {
		var step byte
		if len(plan) > 0 {
			step = plan[turn%len(plan)]
		}
		var (
			line []byte
			ok   bool
			err  error
		)
		if step&1 != 0 {
			line, ok, err = f.Buffered()
		}
		if !ok {
			line, err = f.ReadLine()
		}
		if long, ok := errors.AsType[*frame.LongLineError](err); ok {
			events = append(events, skipped(long.Limit, long.Size, long.Head, long.Tail))
		} else if err != nil {
			letGo(len(all))
			return append(events, "end: "+err.Error())
		} else {
			events = append(events, "line "+string(line))
		}
		if step&2 != 0 {
			all = append(all, kept{line, string(line), f.Detach()})
		}
		if keep := int(step >> 4); len(all) > keep {
			letGo(len(all) - keep)
		}
	}
}

// stretch puts size bytes, which differ from place to place, where the fuzzer
// wrote a tilde, up to six times: a short input can meet all read buffers.
func stretch(in []byte, size uint32) []byte {
	run := bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz-"), 2000)
	return bytes.Replace(in, []byte("~"), run[:int(size)%len(run)], 6)
}

// FuzzChunks: however a stream is cut into reads, and whatever is detached in
// between, it holds the lines that the rules say.
func FuzzChunks(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "a", "a\nb\n", "a\r\nb\r\n", "a\r\r\n\r\n", " \t\r\n\na\n \n", "\ufeffa\n\ufeffb\n", "\xef\xbb", "\xef\xbb\n",
		"12345678\r\n123456789\r\n", "\ufeff123456789\n\ufeffb", "~", "~\n~\r\n~", "x~\n\r\nxx~\r\nxxx~\r", "\ufeff~\r\n\ufeff~~~~\na\n~",
	} {
		for _, plan := range []string{"", "\x01", "\x02\x33\x00\xf3", "\x03"} {
			f.Add([]byte(seed), uint32(4094), uint32(8), []byte{1, 2, 0, 3}, []byte(plan), false)
			f.Add([]byte(seed), uint32(16_383), uint32(5000), []byte(nil), []byte(plan), true)
			f.Add([]byte(seed), uint32(65_533), uint32(65_534), []byte{255, 7}, []byte(plan), true)
			f.Add([]byte(seed), uint32(40_000), uint32(90_000), []byte{130}, []byte(plan), false)
		}
	}
	f.Fuzz(func(t *testing.T, short []byte, size, bound uint32, steps, plan []byte, early bool) {
		in := stretch(short, size)
		maxLine := 1 + int(bound%100_000)
		for _, end := range []error{io.EOF, errCut} {
			want := model(in, maxLine, end)
			for name, r := range map[string]io.Reader{
				"whole":  &chunks{text: in, end: end, early: early},
				"chunks": &chunks{text: in, steps: steps, end: end, early: early},
			} {
				if got := read(t, r, maxLine, plan); !slices.Equal(got, want) {
					t.Fatalf("%s, bound %d, end %v: other than the rules say\ngave %.300q\nwant %.300q", name, maxLine, end, got, want)
				}
			}
		}
	})
}
