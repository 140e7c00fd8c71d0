package drive

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestIDsComeBack(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 0}, {1, 4095, 127}, {1_000_000, 17, 99}} {
		id := makeID(c[0], c[1], c[2])
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":ID,"result":{}}`, `{"result":"` + strings.Repeat("x", 1000) + `","id":ID,"jsonrpc":"2.0"}`, `[{"id":ID}]`,
		} {
			text, _ := json.Marshal(id)
			use, slot, ok := idOf([]byte(strings.Replace(line, "ID", string(text), 1)))
			if !ok || use != c[0] || slot != c[1] || len(text) != idDigits {
				t.Errorf("%v in %.60s came back as %d, %d, %v", c, line, use, slot, ok)
			}
		}
	}
	for _, line := range []string{``, `{"id":null}`, `{"id":7}`, `{"id":"abcdefghijklmn"}`, `{"id":000000000001}`} {
		if _, _, ok := idOf([]byte(line)); ok {
			t.Errorf("%s has an id", line)
		}
	}
}

func TestUnitsAreJSON(t *testing.T) {
	for _, l := range []Load{
		{Method: "echo", Size: 64}, {Method: "ping", Size: -1}, {Method: "typed", Size: 0, Batch: 3}, {Method: "echo", Size: 500, Notes: 2},
	} {
		parts := l.lines()
		unit := l.appendUnit(nil, &parts, 1, 2, false)
		for line := range bytes.Lines(unit) {
			if !json.Valid(line) {
				t.Errorf("%+v: %s", l, line)
			}
		}
		if n := bytes.Count(unit, []byte("\n")); n != l.Notes+1 {
			t.Errorf("%+v: %d lines", l, n)
		}
		if l.Batch == 0 && l.Notes == 0 && len(unit) != parts.request() {
			t.Errorf("%+v: %d bytes, not %d", l, len(unit), parts.request())
		}
	}
}

func TestWrongAnswersAreNoticed(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"result":` + Params(64) + `}`
	k := newChecker(&Load{Method: "echo", Size: 64}, false)
	if err := k.answer([]byte(good)); err != nil {
		t.Error(err)
	}
	for _, line := range []string{
		strings.Replace(good, "quick", "slick", 1),
		strings.Replace(good, `"result":`, `"error":{},"result":`, 1),
		strings.Replace(good, `"2.0"`, `"1.0"`, 1),
		good[:len(good)-1],
		"[" + good + "]",
	} {
		if err := k.answer([]byte(line)); err == nil {
			t.Errorf("taken for an answer: %s", line)
		}
	}
	batch := newChecker(&Load{Method: "echo", Size: 64, Batch: 2}, false)
	if err := batch.answer([]byte("[" + good + "," + strings.Replace(good, `"id":1`, `"id":2`, 1) + "]")); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"[" + good + "]", "[" + good + "," + good + "]"} {
		if err := batch.answer([]byte(line)); err == nil {
			t.Errorf("taken for an answer: %s", line)
		}
	}
}

func TestMedianAndRatio(t *testing.T) {
	nan := math.NaN()
	if m := Median([]float64{5, nan, 1, 3}); m != 3 {
		t.Errorf("median %v", m)
	}
	if m := Median([]float64{4, 2}); m != 3 {
		t.Errorf("median of two %v", m)
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("nothing has a median")
	}
	if r := Ratio([]float64{2, 40, nan}, []float64{1, 10, 1}); r != 3 {
		t.Errorf("ratio %v", r)
	}
}

func TestFiguresThatAreMissing(t *testing.T) {
	text, err := json.Marshal(MemorySample{CPU: Figure(math.NaN())})
	if err != nil {
		t.Fatal(err)
	}
	var s MemorySample
	if err := json.Unmarshal(text, &s); err != nil || !math.IsNaN(float64(s.CPU)) {
		t.Errorf("%s gave %v, %v", text, s.CPU, err)
	}
}

func TestFields(t *testing.T) {
	text := []byte("Name:\tx\nVmHWM:\t   13412 kB\nsyscr: 12\n")
	if field(text, "VmHWM:") != 13412 || field(text, "syscr:") != 12 || !math.IsNaN(field(text, "Name:")) || !math.IsNaN(field(text, "none:")) {
		t.Error("fields are misread")
	}
}

func TestBurstsFitAPipe(t *testing.T) {
	for _, size := range []int{0, 64, 1 << 10, 16 << 10} {
		l := Load{Method: "echo", Size: size, Window: BurstOf("echo", size, 256), Burst: true}
		if n := l.BurstBytes(); n > 64<<10 || l.Window < 1 {
			t.Errorf("%d bytes in a burst of %d", n, l.Window)
		}
	}
	if err := (&Load{Window: 1, Batch: maxItems + 1}).check(); err == nil {
		t.Error("a batch that ids have no room for")
	}
}
