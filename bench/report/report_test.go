package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuick makes the page from some cells of each kind, and finds in it what
// the whole page has.
func TestQuick(t *testing.T) {
	out := t.TempDir()
	var progress strings.Builder
	cells := "^(echo/size=(64B|16KiB)/inflight=(1|64)|typed/size=64B/inflight=256|ping/size=none/inflight=1|notes/size=64B.*|batch/size=0B.*|bad.*|memory/echo/size=0B.*|connections/(1|8)|(client|pair)/callers=1|layers.*)$"
	if err := run(t.Context(), []string{"-quick", "-out", out, "-cells", cells}, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	text, err := os.ReadFile(filepath.Join(out, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"smoke test", "go.lsp.dev/jsonrpc2 v1.0.1", "## At a glance", "## What each layer costs", "| dispatch |", "## Requests in flight",
		"## Typed handlers", "| linerpc raw |", "| linerpc-std |", "## Ping", "| go-sdk |", "| mcp-go |", "## Notifications", "## Batches",
		"ends at a broken line", "## In memory", "| control |", "## Connections", "## Client with server", "| lsp.Pipeline |", "## Where we lose", "## How it is measured",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q in the page", want)
		}
	}
	if i := bytes.Index(text, []byte("| failed: ")); i >= 0 {
		t.Errorf("a contender failed: %.300s", text[i:])
	}
	for _, name := range []string{chartLayers, chartThroughput, chartLatency, chartSize, chartConnections, chartClients} {
		svg, err := os.ReadFile(filepath.Join(out, chartDir, name+".svg"))
		if err != nil || !bytes.Contains(svg, []byte("</svg>")) {
			t.Errorf("%s: %d bytes, %v", name, len(svg), err)
		}
		if !bytes.Contains(text, []byte("("+chartDir+"/"+name+".svg)")) {
			t.Errorf("the page does not show %s", name)
		}
	}
	if !strings.Contains(progress.String(), "layers/size=64B") {
		t.Errorf("no progress: %q", progress.String())
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-slice", "0s"}, {"-cells", "("}, {"-cells", "nobody"}, {"-nothing"}} {
		if err := run(t.Context(), args, &strings.Builder{}); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

func TestCellsHaveNamesOfTheirOwn(t *testing.T) {
	if n := len(defaultCells()); n < 35 || n > 50 {
		t.Errorf("%d cells by default", n)
	}
	seen := make(map[string]bool)
	for _, c := range allCells() {
		if seen[c.name] {
			t.Errorf("%s stands there twice", c.name)
		}
		seen[c.name] = true
	}
	for _, c := range defaultCells() {
		if !seen[c.name] {
			t.Errorf("the whole matrix has no %s", c.name)
		}
	}
}

func TestStanding(t *testing.T) {
	for _, c := range []struct {
		m     metric
		ratio float64
		want  standing
	}{
		{cpu, 6, ahead}, {cpu, 1.02, level}, {cpu, 0.97, level}, {cpu, 0.9, behind}, {cpu, math.NaN(), ahead},
		{writes, 1, ahead}, {writes, 0.5, behind}, {allocs, 0.995, ahead}, {peak, 0.98, behind},
	} {
		if got := c.m.stands(c.ratio); got != c.want {
			t.Errorf("%s at %v is %v, want %v", metricNames[c.m], c.ratio, got, c.want)
		}
	}
}

// madeUp is a cell with figures that are known.
func madeUp() *result {
	r := &result{cell: cell{group: groupFlight, kind: pipes}}
	for _, f := range []struct {
		label string
		cpu   float64
	}{{baseline, 200}, {"lsp", 1000}, {"scanner", 4000}, {copier, 100}, {control, 110}} {
		w := &row{label: f.label}
		for range 3 {
			s := newSample()
			s[cpu] = f.cpu
			w.samples = append(w.samples, s)
		}
		r.rows = append(r.rows, w)
	}
	r.settle()
	return r
}

func TestRatiosAndNoise(t *testing.T) {
	r := madeUp()
	if got := r.best(); got.label != "lsp" || got.ratio[cpu] != 5 {
		t.Errorf("best is %s at %v", got.label, got.ratio[cpu])
	}
	if r.row(baseline).limit != 2 || math.Abs(r.noise-1.1) > 1e-9 || !r.noisy() {
		t.Errorf("limit %v, noise %v", r.row(baseline).limit, r.noise)
	}
}

func TestLayersAddUp(t *testing.T) {
	r := &result{cell: cell{kind: layers}}
	for i, name := range pieceNames {
		w := &row{label: name}
		s := newSample()
		s[cpu] = float64(100 * (i + 1))
		w.samples = []sample{s, s}
		r.rows = append(r.rows, w)
	}
	sum := 0.0
	for _, c := range r.layerCosts() {
		sum += c
	}
	if sum != 900 { // what the last piece costs, which has all layers
		t.Errorf("the layers add up to %v", sum)
	}
}

func TestReadClients(t *testing.T) {
	r, err := readClients(clientCell(1, false), []byte(`{"rows":[
		{"contender":"linerpc","calls_per_second":1000,"p50_us":2,"p99_us":3,"client_cpu_us":4,"child_cpu_us":null},
		{"contender":"linerpc#2","calls_per_second":900,"baseline_to_this":{"calls_per_second":{"median":1.1}}},
		{"contender":"lsp.Conn","calls_per_second":500,"p50_us":4,"baseline_to_this":{"calls_per_second":{"median":2},"p50":{"median":0.5}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	best := r.best()
	if best.label != "lsp.Conn" || best.ratio[wall] != 2 || best.ratio[p50] != 2 || best.median[wall] != 2e6 {
		t.Errorf("%+v", best)
	}
	if !r.noisy() || !math.IsNaN(r.row(baseline).median[far]) || r.row(baseline).ratio[cpu] != 1 {
		t.Errorf("noise %v, %+v", r.noise, r.row(baseline))
	}
}
