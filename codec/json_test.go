package codec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/linerpc/linerpc/codec"
)

type vector struct {
	text  string
	valid bool
}

// vectors reads testdata/rfc8259.txt.
func vectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/rfc8259.txt")
	if err != nil {
		t.Fatal(err)
	}
	var vs []vector
	for n, l := range strings.Split(string(data), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		text, err := strconv.Unquote(l[2:])
		if err != nil || l[1] != ' ' || l[0] != '+' && l[0] != '-' {
			t.Fatalf("rfc8259.txt:%d: %s: %v", n+1, l, err)
		}
		vs = append(vs, vector{text, l[0] == '+'})
	}
	return vs
}

// isJSON is what encoding/json makes of a text. It lets invalid UTF-8 pass.
func isJSON(text string) bool { return json.Valid([]byte(text)) && utf8.ValidString(text) }

// check runs one text alone, as params of an envelope, as an unknown member, as
// a result and as an item of a batch: whether the line is JSON must not depend
// on where in it a value stands.
func check(t *testing.T, p *codec.Parser, v vector) {
	t.Helper()
	name := strconv.QuoteToASCII(v.text)
	if len(name) > 100 {
		name = fmt.Sprintf("%s... (%d bytes)", name[:100], len(v.text))
	}
	if got := isJSON(v.text); got != v.valid {
		t.Fatalf("%s: encoding/json says %v", name, got)
	}
	if got := codec.Valid([]byte(v.text)); got != v.valid {
		t.Errorf("Valid(%s) = %v", name, got)
	}
	for _, frame := range [][2]string{
		{"", ""},
		{" \t", "\r\n"},
		{`{"jsonrpc":"2.0","method":"m","params":`, `}`},
		{`{"jsonrpc":"2.0","id":1,"result":`, `}`},
		{`{"x":{"y":[`, `]},"method":"m"}`},
		{`[`, `]`},
		{`[{"jsonrpc":"2.0","method":"m"},`, `,{"id":1}]`},
		{`[{"params":`, `}]`},
	} {
		line := frame[0] + v.text + frame[1]
		want := isJSON(line)
		// Behind the line stands what would make it valid: nothing may look there.
		m := p.Parse(append([]byte(line), "\"\"]}}]}true0e1"...)[:len(line)])
		if got := m.Fault.Code() != codec.CodeParseError; got != want {
			t.Errorf("Parse(%s in %q): %v at %d, want valid = %v", name, frame, m.Fault, m.Offset, want)
		}
		if m.Offset < 0 || m.Offset > len(line) {
			t.Errorf("Parse(%s in %q): offset %d of %d", name, frame, m.Offset, len(line))
		}
		if !want && (m.Kind != codec.Invalid || m.ID != nil || m.Items != nil) {
			t.Errorf("Parse(%s in %q): a line that is not JSON left %+v", name, frame, m)
		}
		if want && strings.HasPrefix(frame[0], `{"jsonrpc":"2.0","id":1,"result"`) && string(m.Result) != strings.Trim(v.text, " \t\r\n") {
			t.Errorf("Parse(%s): result %q", name, m.Result)
		}
	}
}

// skipUnderRace skips tables that are long and have nothing to race with.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("one goroutine, a long table")
	}
}

func TestRFC8259(t *testing.T) {
	vs := vectors(t)
	if len(vs) < 200 {
		t.Fatalf("only %d vectors", len(vs))
	}
	p := codec.NewParser(codec.Limits{})
	for _, v := range vs {
		check(t, p, v)
	}
}

// Every vector cut short is checked too: no prefix may be read beyond its end.
func TestRFC8259Prefixes(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	for _, v := range vectors(t) {
		for n := range v.text {
			text := v.text[:n]
			check(t, p, vector{text, isJSON(text)})
		}
	}
}

// A string is read a word at a time, then four, then by bytes.IndexByte: what
// ends it or stands in it must be seen at every offset, with every tail.
func TestStringOffsets(t *testing.T) {
	skipUnderRace(t)
	p := codec.NewParser(codec.Limits{})
	inside := []string{
		"", `\"`, `\\`, `\n`, `\u00e9`, `\ud83d\ude00`, "é", "漢", "😀", "\x7f",
		"\x00", "\x1f", "\n", `\`, `\x`, `\u12`, `\u123g`, `"`, "\x80", "\xc3", "\xe6\xbc", "\xed\xa0\x80", "\xf0\x9f\x98",
	}
	lengths := []int{0, 1, 6, 7, 8, 9, 40}
	offsets := []int{200, 255, 256, 300, 500, 700, 1000}
	for n := range 81 {
		offsets = append(offsets, n)
	}
	for n := range 40 {
		offsets = append(offsets, 92+n, 600+n)
	}
	for _, n := range offsets {
		for _, in := range inside {
			for _, tail := range lengths {
				text := `"` + strings.Repeat("a", n) + in + strings.Repeat("b", tail) + `"`
				check(t, p, vector{text, isJSON(text)})
				if tail == 0 {
					open := text[:len(text)-1]
					check(t, p, vector{open, isJSON(open)})
				}
			}
		}
	}
}

// The same for the name of a member, which has loops of its own.
func TestNameOffsets(t *testing.T) {
	skipUnderRace(t)
	p := codec.NewParser(codec.Limits{})
	for n := range 150 {
		for _, in := range []string{"", `\"`, `\n`, `\u0041`, "é", "\x01", `\x`, "\xff"} {
			for _, colon := range []string{":", " :", ": ", " \n:\n ", "", ":: ", ","} {
				text := `{"` + strings.Repeat("k", n) + in + `"` + colon + `"v"}`
				check(t, p, vector{text, isJSON(text)})
			}
		}
	}
}

// Runs of blanks of every length, between all kinds of tokens.
func TestBlankRuns(t *testing.T) {
	p := codec.NewParser(codec.Limits{})
	for _, unit := range []string{" ", "\n", "\t", "\r\n", " \n", "\n ", "\v", "\u00a0"} {
		for n := range 40 {
			gap := strings.Repeat(unit, n)
			for _, line := range []string{
				"#{#\"a\"#:#1#,#\"b\"#:#\"x\"#,#\"c\"#:#[#1#,#\"y\"#,#{#}#,#[#]#]#}#",
				"#[#true#,#null#,#false#,#-1.5e3#]#",
				"\n#[\n#1\n#,\n#2\n#]\n#",
				"{\n#\"jsonrpc\":#\"2.0\",\n#\"id\":#1,\n#\"method\":#\"m\"\n#}",
			} {
				text := strings.ReplaceAll(line, "#", gap)
				check(t, p, vector{text, isJSON(text)})
			}
		}
	}
}

func TestDepth(t *testing.T) {
	nest := func(open, inner, end string, n int) []byte {
		return []byte(strings.Repeat(open, n) + inner + strings.Repeat(end, n))
	}
	p := codec.NewParser(codec.Limits{})
	for _, n := range []int{1, 2, 62, 63, 64, 65, 66, 126, 127, 128, 129, 130, 189, 190, 252, 253, 1000, 9_998, 9_999, 10_000, 10_001, 10_002, 20_000} {
		for _, kind := range [][3]string{{"[", "", "]"}, {"[", "1", "]"}, {`{"a":`, "null", "}"}, {`[{"k":[`, `"x"`, `]}]`}} {
			per := strings.Count(kind[0], "[") + strings.Count(kind[0], "{")
			if n%per != 0 {
				continue
			}
			text := nest(kind[0], kind[1], kind[2], n/per)
			want := n <= codec.DefaultMaxDepth
			if json.Valid(text) != want {
				t.Fatalf("encoding/json disagrees at %d levels", n)
			}
			m := p.Parse(text)
			if got := m.Fault != codec.FaultDepth; got != want || m.Fault == codec.FaultSyntax {
				t.Errorf("%d levels of %s: %v at %d", n, kind[0], m.Fault, m.Offset)
			}
			if codec.Valid(text) != want {
				t.Errorf("Valid of %d levels of %s: %v", n, kind[0], !want)
			}
			// The levels of the envelope count; a batch adds one more.
			for k, frame := range [][2]string{{`{"params":`, `}`}, {`[{"params":`, `}]`}} {
				line := slicesJoin(frame[0], text, frame[1])
				m := p.Parse(line)
				if got, want := m.Fault != codec.FaultDepth, n+k+1 <= codec.DefaultMaxDepth; got != want || m.Fault == codec.FaultSyntax {
					t.Errorf("%d levels of %s in %s: %v", n, kind[0], frame[0], m.Fault)
				}
			}
			// A bracket of the wrong kind at any level is seen.
			for _, at := range []int{0, 1, n / 2, n - 1} {
				bad := bytes.Clone(text)
				i := bytes.LastIndexAny(bad[:len(bad)-at], "]}")
				if i < 0 {
					continue
				}
				bad[i] ^= ']' ^ '}'
				if codec.Valid(bad) {
					t.Errorf("%d levels of %s: the wrong bracket at %d passed", n, kind[0], i)
				}
			}
		}
	}
}

func slicesJoin(head string, mid []byte, tail string) []byte {
	return append(append([]byte(head), mid...), tail...)
}

func TestMaxDepth(t *testing.T) {
	for _, max := range []int{1, 2, 3, 62, 63, 64, 65, 127, 128} {
		p := codec.NewParser(codec.Limits{MaxDepth: max, MaxItems: -1})
		for n := 1; n <= max+3; n++ {
			for _, line := range []string{
				strings.Repeat("[", n) + strings.Repeat("]", n),
				`{"params":` + strings.Repeat("[", n-1) + "1" + strings.Repeat("]", n-1) + "}",
			} {
				m := p.Parse([]byte(line))
				if got, want := m.Fault == codec.FaultDepth, n > max; got != want {
					t.Errorf("MaxDepth %d, %d levels: %v", max, n, m.Fault)
				}
				if m.Fault == codec.FaultDepth && line[m.Offset] != '[' {
					t.Errorf("MaxDepth %d, %d levels: offset %d", max, n, m.Offset)
				}
			}
		}
	}
	deep := []byte(strings.Repeat("[", 70_000) + strings.Repeat("]", 70_000))
	p := codec.NewParser(codec.Limits{MaxDepth: -1})
	for range 2 { // the second time without the memory of the first
		if m := p.Parse(deep); m.Fault.Code() == codec.CodeParseError {
			t.Errorf("no bound on depth: %v", m.Fault)
		}
	}
	if m := codec.NewParser(codec.Limits{MaxDepth: 1}).Parse([]byte(`[1,{}]`)); m.Fault != codec.FaultDepth || m.Offset != 3 {
		t.Errorf("an item at the second level: %v at %d", m.Fault, m.Offset)
	}
}

// The words that check UTF-8 must agree with utf8.Valid about every pair of
// neighbours at every offset, and name the byte at which the text goes wrong.
func TestUTF8Neighbours(t *testing.T) {
	skipUnderRace(t)
	edges := []byte{0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff}
	p := codec.NewParser(codec.Limits{})
	text := func(off int, bad ...byte) []byte {
		b := []byte(`"` + strings.Repeat("a", 20) + `"`)
		copy(b[1+off:], bad)
		return b
	}
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				for _, d := range []byte{0x20, 0x80, 0xbf, 0xc2, 0xe1} {
					for off := range 10 {
						line := text(off, a, b, c, d)
						sameUTF8(t, p, line)
					}
				}
			}
		}
	}
}

func TestUTF8Mixed(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 259))
	runes := []rune("aé߿яࠀ漢\ud7ff\ue000\uffff😀\U00010000\U0003ffff\U00040000\U0010ffff한ไह")
	p := codec.NewParser(codec.Limits{})
	for range 50_000 {
		line := []byte{'"'}
		for range r.IntN(24) {
			line = utf8.AppendRune(line, runes[r.IntN(len(runes))])
		}
		line = append(line, '"')
		sameUTF8(t, p, line)
		line[r.IntN(len(line))] = byte(0x80 + r.IntN(0x80))
		sameUTF8(t, p, line)
	}
}

func sameUTF8(t *testing.T, p *codec.Parser, line []byte) {
	t.Helper()
	m := p.Parse(line)
	if !json.Valid(line) {
		if m.Fault != codec.FaultSyntax {
			t.Fatalf("% x: %v, want a syntax fault", line, m.Fault)
		}
		return
	}
	if utf8.Valid(line) != (m.Fault == codec.FaultNotObject) {
		t.Fatalf("% x: %v at %d", line, m.Fault, m.Offset)
	}
	if m.Fault != codec.FaultUTF8 {
		return
	}
	if r, n := utf8.DecodeRune(line[m.Offset:]); r != utf8.RuneError || n != 1 || !utf8.Valid(line[:m.Offset]) {
		t.Fatalf("% x: offset %d is not where it goes wrong", line, m.Offset)
	}
}
