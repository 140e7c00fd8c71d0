package frame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// rules are the promises of doc.go about lines, with a bound of 8 bytes.
var rules = []struct {
	name, in string
	want     []event
}{
	{"empty stream", "", nil},
	{"LF", "a\nb\n", lineEvents("a", "b")},
	{"CR LF", "a\r\nb\r\n", lineEvents("a", "b")},
	{"one CR belongs to the line end", "a\r\r\n", lineEvents("a\r")},
	{"CR inside is the line's", "a\rb\n", lineEvents("a\rb")},
	{"no LF at the end", "a\nb", lineEvents("a", "b")},
	{"CR at the end", "a\nb\r", lineEvents("a", "b")},
	{"blank lines", "\n\r\n \t\r \r\n\na\n\n \n", lineEvents("a")},
	{"blank at the end", "a\n \t", lineEvents("a")},
	{"blanks around are the line's", " a \n\tb\t\n", lineEvents(" a ", "\tb\t")},
	{"other control characters are not blank", "\x00\n\v\n", lineEvents("\x00", "\v")},
	{"BOM at the start", "\ufeffa\nb\n", lineEvents("a", "b")},
	{"BOM alone", "\ufeff\na\n", lineEvents("a")},
	{"BOM and nothing else", "\ufeff", nil},
	{"BOM twice", "\ufeff\ufeffa\n", lineEvents("\ufeffa")},
	{"BOM later", "a\n\ufeffb\n", lineEvents("a", "\ufeffb")},
	{"BOM behind a blank line", "\n\ufeffb\n", lineEvents("\ufeffb")},
	{"half a BOM", "\xef\xbb\n", lineEvents("\xef\xbb")},
	{"half a BOM, end", "\xef\xbb", lineEvents("\xef\xbb")},
	{"not a BOM", "\xef\xbb\xbea\n", lineEvents("\xef\xbb\xbea")},
	{"at the bound", "12345678\nb\n", lineEvents("12345678", "b")},
	{"at the bound, CR LF", "12345678\r\nb\n", lineEvents("12345678", "b")},
	{"at the bound, end", "12345678", lineEvents("12345678")},
	{"at the bound, BOM", "\ufeff12345678\nb\n", lineEvents("12345678", "b")},
	{"above the bound", "123456789\nb\n", []event{longEvent("123456789"), {line: "b"}}},
	{"above the bound, CR LF", "123456789\r\nb\n", []event{longEvent("123456789"), {line: "b"}}},
	{"above the bound by a CR", "12345678\r\r\nb\n", []event{longEvent("12345678\r"), {line: "b"}}},
	{"above the bound, end", "a\n123456789", []event{{line: "a"}, longEvent("123456789")}},
	{"above the bound, BOM", "\ufeff123456789\nb\n", []event{longEvent("123456789"), {line: "b"}}},
	{"above the bound, blank", "         \nb\n", []event{longEvent("         "), {line: "b"}}},
	{"BOM behind a long line", "123456789\n\ufeffb\n", []event{longEvent("123456789"), {line: "\ufeffb"}}},
}

func TestLineRules(t *testing.T) {
	for _, tt := range rules {
		for name, r := range readers(tt.in) {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				got, err := readAll(t, r, 8)
				if !reflect.DeepEqual(got, tt.want) || err != io.EOF {
					t.Errorf("%q\ngave %q, %v\nwant %q", tt.in, got, err, tt.want)
				}
			})
		}
	}
}

// readers are all the ways in which a stream may come.
func readers(in string) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":                strings.NewReader(in),
		"with the end":         iotest.DataErrReader(strings.NewReader(in)),
		"by the byte":          iotest.OneByteReader(strings.NewReader(in)),
		"by the byte, the end": iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(in))),
		"in halves":            iotest.HalfReader(strings.NewReader(in)),
		"with empty reads":     &chunkReader{text: in, sizes: []int{0, 3, 0, 0, 1}, err: io.EOF},
	}
}

// TestChunksMakeNoDifference reads a text that meets every buffer size in all
// chunk sizes around them.
func TestChunksMakeNoDifference(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		b.WriteString(numbered(i * i % 9000))
		b.WriteString([]string{"\n", "\r\n", "\n\n"}[i%3])
	}
	b.WriteString(numbered(70_000) + "\r\n" + numbered(100) + "\n" + numbered(300_000))
	text := b.String()
	for _, maxLine := range []int{0, 5000, 66_000} {
		want, _ := readAll(t, strings.NewReader(text), maxLine)
		if joined := strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", ""); maxLine == 0 && join(want) != joined {
			t.Fatal("bytes are lost or made up")
		}
		sizes := []int{1, 2, 3, 7, 64, 1000, 65_535, 65_536, 65_537, 1 << 20}
		for n := 4090; n <= 4100; n++ {
			sizes = append(sizes, n, 4*n-17)
		}
		for _, size := range sizes {
			got, err := readAll(t, &chunkReader{text: text, sizes: []int{size}, err: io.EOF}, maxLine)
			if !reflect.DeepEqual(got, want) || err != io.EOF {
				t.Errorf("bound %d, chunks of %d: other lines than in one piece (%v)", maxLine, size, err)
			}
		}
	}
}

func join(events []event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.line)
	}
	return b.String()
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct {
		name, in string
		want     []event
	}{
		{"at once", "", nil},
		{"behind a line", "a\n", lineEvents("a")},
		{"in a line", "a\nb", lineEvents("a")},
		{"in a line that outgrew the buffer", "a\n" + long[:5000], lineEvents("a")},
		{"in a line that outgrew all buffers", "a\n" + long, lineEvents("a")},
		{"in a line above the bound", "a\n" + long + long, lineEvents("a")},
		{"in a BOM", "\xef\xbb", nil},
	} {
		for _, sizes := range [][]int{{1 << 20}, {1000}, {1}} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, sizes[0]), func(t *testing.T) {
				r := io.Reader(&chunkReader{text: tt.in, sizes: sizes, err: broken})
				for range 2 {
					got, err := readAll(t, r, 300_000)
					if !reflect.DeepEqual(got, tt.want) || err != broken {
						t.Fatalf("gave %d events, %v; want %d, %v", len(got), err, len(tt.want), broken)
					}
					// once more, the error in the same read as the last bytes
					r = iotest.DataErrReader(&chunkReader{text: tt.in, sizes: sizes, err: broken})
				}
			})
		}
	}
}

// TestNoProgressIsTheEnd: a reader that gives nothing for ever must not hang
// the Reader, and what it gives thereafter must not pass for a whole line.
func TestNoProgressIsTheEnd(t *testing.T) {
	sizes := append([]int{6}, make([]int, 150)...)
	got, err := readAll(t, &chunkReader{text: "a\nbbbbbbbbbbb\n", sizes: sizes, err: io.EOF}, 0)
	if !reflect.DeepEqual(got, lineEvents("a")) || err != io.ErrNoProgress {
		t.Errorf("gave %q, %v", got, err)
	}
}

// TestForeignBufferFull: the stream's error may be one that bufio.Reader has a
// meaning for.
func TestForeignBufferFull(t *testing.T) {
	_, err := readAll(t, &chunkReader{text: "a\nb", sizes: []int{3}, err: bufio.ErrBufferFull}, 0)
	if !errors.Is(err, bufio.ErrBufferFull) {
		t.Errorf("the end was %v", err)
	}
}

// TestFirstLineNeedsNoSecond: the search for a byte order mark must not wait
// for bytes behind a complete line.
func TestFirstLineNeedsNoSecond(t *testing.T) {
	for _, in := range []string{"1\n", "\xef\n", "\xef\xbb\n", "{}\n"} {
		r, w := io.Pipe()
		go io.WriteString(w, in)
		f := NewReader(r, 0)
		if line, err := f.ReadLine(); err != nil || string(line)+"\n" != in {
			t.Errorf("gave %q, %v; want %q", line, err, in)
		}
		w.Close()
		f.Close()
	}
}

// TestBufferedNeverReads: Buffered gives all lines that are there, and none
// that is not.
func TestBufferedNeverReads(t *testing.T) {
	r := &chunkReader{text: "a\n\n \r\nb\r\nccc", sizes: []int{len("a\n\n \r\nb\r\ncc"), 100}, err: io.EOF}
	f := NewReader(r, 2)
	defer f.Close()
	if line, ok, err := f.Buffered(); ok || err != nil {
		t.Fatalf("gave %q, %v before the first read", line, err)
	}
	if line, err := f.ReadLine(); err != nil || string(line) != "a" {
		t.Fatalf("gave %q, %v; want a", line, err)
	}
	if line, ok, err := f.Buffered(); !ok || err != nil || string(line) != "b" {
		t.Fatalf("gave %q, %t, %v; want b", line, ok, err)
	}
	for range 2 {
		if line, ok, _ := f.Buffered(); ok || r.turn != 1 {
			t.Fatalf("gave %q after %d reads; want nothing after 1", line, r.turn)
		}
	}
	r.text += "\nd\neeee\nf"
	if _, err := f.ReadLine(); err == nil {
		t.Fatal("ccc is above the bound")
	}
	if line, ok, err := f.Buffered(); !ok || err != nil || string(line) != "d" {
		t.Fatalf("gave %q, %t, %v; want d", line, ok, err)
	}
	if line, ok, err := f.Buffered(); !ok || err == nil {
		t.Fatalf("gave %q, %t; eeee is above the bound", line, ok)
	}
	if line, ok, err := f.Buffered(); ok || err != nil {
		t.Fatalf("gave %q, %v; f is not complete", line, err)
	}
	if line, err := f.ReadLine(); err != nil || string(line) != "f" {
		t.Fatalf("gave %q, %v; want f", line, err)
	}
}

func TestBoundsOfTheBound(t *testing.T) {
	text := strings.Repeat("x", 3<<20)
	for _, maxLine := range []int{-1, 0, math.MinInt, math.MaxInt, math.MaxInt - 1} {
		if got, err := readAll(t, strings.NewReader(text), maxLine); len(got) != 1 || got[0].line != text || err != io.EOF {
			t.Errorf("bound %d: not the line, %v", maxLine, err)
		}
	}
}

// TestBufferFollowsTraffic: an idle connection has a small buffer, a busy one a
// large one, and a burst does not make it large for ever.
func TestBufferFollowsTraffic(t *testing.T) {
	burst := strings.Repeat(numbered(99)+"\n", 10_000)
	r := &chunkReader{text: "a\n", sizes: []int{1 << 20}, err: io.EOF}
	f := NewReader(r, 0)
	defer f.Close()
	if f.ReadLine(); f.size != minBuffer {
		t.Errorf("buffer of %d for one short line", f.size)
	}
	r.text = burst
	for range 10_000 {
		if line, err := f.ReadLine(); err != nil || len(line) != 99 {
			t.Fatalf("gave %q, %v", line, err)
		}
	}
	if f.size != maxBuffer {
		t.Errorf("buffer of %d in a burst", f.size)
	}
	r.text, r.sizes = strings.Repeat("a\n", 2*quietReads+2), []int{2}
	drain(t, f)
	if f.size != minBuffer {
		t.Errorf("buffer of %d long after the burst", f.size)
	}
}

func TestCloseTwice(t *testing.T) {
	f := NewReader(strings.NewReader("a\nb\n"), 0)
	f.ReadLine()
	f.Close()
	f.Close()
}
