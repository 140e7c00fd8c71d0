package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
)

// figure is a number that may be missing: NaN, and null in JSON.
type figure float64

func (f figure) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// text gives it with so many digits behind the point.
func (f figure) text(digits int) string {
	if math.IsNaN(float64(f)) {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, float64(f))
}

// spread is a median with its quartiles.
type spread struct {
	Q1     figure `json:"q1"`
	Median figure `json:"median"`
	Q3     figure `json:"q3"`
}

func (s spread) String() string {
	if math.IsNaN(float64(s.Median)) {
		return "-"
	}
	return fmt.Sprintf("%s (%s-%s)", s.Median.text(2), s.Q1.text(2), s.Q3.text(2))
}

// spreadOf leaves out what is not a number.
func spreadOf(values []float64) spread {
	v := slices.DeleteFunc(slices.Clone(values), func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) })
	slices.Sort(v)
	at := func(q float64) figure {
		if len(v) == 0 {
			return figure(math.NaN())
		}
		pos := q * float64(len(v)-1)
		i := int(pos)
		j := min(i+1, len(v)-1)
		return figure(v[i] + (v[j]-v[i])*(pos-float64(i)))
	}
	return spread{at(0.25), at(0.5), at(0.75)}
}

// row is one client in one cell: medians over its rounds.
type row struct {
	Cell      string  `json:"cell"`
	Callers   int     `json:"callers"`
	Bytes     int     `json:"bytes"`
	Busy      int     `json:"busy"`
	Contender string  `json:"contender"`
	Rounds    int     `json:"rounds"`
	Calls     uint64  `json:"calls"`
	Rate      figure  `json:"calls_per_second"`
	P50       figure  `json:"p50_us"`
	P99       figure  `json:"p99_us"`
	P99All    figure  `json:"p99_of_all_calls_us"`
	Max       figure  `json:"max_of_all_calls_us"`
	ClientCPU figure  `json:"client_cpu_us"`
	ChildCPU  figure  `json:"child_cpu_us"`
	Fairness  figure  `json:"fairness"`
	Ratios    *ratios `json:"baseline_to_this,omitempty"`
}

// ratios are the baseline's figures divided by those of another client, round
// by round.
type ratios struct {
	Rate      spread `json:"calls_per_second"`
	P50       spread `json:"p50"`
	P99       spread `json:"p99"`
	ClientCPU spread `json:"client_cpu"`
	ChildCPU  spread `json:"child_cpu"`
}

var (
	rateOf      = func(s sample) float64 { return s.rate }
	p50Of       = func(s sample) float64 { return s.p50 }
	p99Of       = func(s sample) float64 { return s.p99 }
	clientCPUOf = func(s sample) float64 { return s.clientCPU }
	childCPUOf  = func(s sample) float64 { return s.childCPU }
	fairnessOf  = func(s sample) float64 { return s.fairness }
)

func rowsOf(c cell, entries []*entry) []row {
	var base *entry
	for _, e := range entries {
		if e.seat.name == baseline {
			base = e
		}
	}
	var rows []row
	for _, e := range entries {
		r := row{
			Cell: c.name, Callers: c.callers, Bytes: c.bytes, Busy: c.busy,
			Contender: e.seat.name, Rounds: len(e.samples),
			Rate: e.median(rateOf), P50: e.median(p50Of), P99: e.median(p99Of), P99All: figure(e.seat.all.Quantile(0.99)),
			ClientCPU: e.median(clientCPUOf), ChildCPU: e.median(childCPUOf), Fairness: e.median(fairnessOf),
		}
		for _, s := range e.samples {
			r.Calls += s.calls
			r.Max = max(r.Max, figure(s.max))
		}
		if base != nil && e != base {
			r.Ratios = &ratios{
				base.over(e, rateOf), base.over(e, p50Of), base.over(e, p99Of),
				base.over(e, clientCPUOf), base.over(e, childCPUOf),
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func (e *entry) median(of func(sample) float64) figure {
	var values []float64
	for _, s := range e.samples {
		values = append(values, of(s))
	}
	return spreadOf(values).Median
}

func (e *entry) over(other *entry, of func(sample) float64) spread {
	var values []float64
	for i := range e.samples {
		values = append(values, of(e.samples[i])/of(other.samples[i]))
	}
	return spreadOf(values)
}

// heading says what the figures depend on.
func heading(s *settings) string {
	text := fmt.Sprintf("%s %s/%s, GOMAXPROCS %d, %d rounds of %v", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), s.rounds, s.slice)
	if s.withCancel {
		text += ", cancellable contexts"
	}
	return text + "\n" + strings.Join(versions(), ", ")
}

// versions are those of the peers. A test binary has none.
func versions() (list []string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, m := range info.Deps {
		if m.Path == "go.lsp.dev/jsonrpc2" || m.Path == "github.com/creachadair/jrpc2" {
			list = append(list, m.Path+" "+m.Version)
		}
	}
	return list
}

func writeTables(w io.Writer, c cell, rows []row) {
	fmt.Fprintf(w, "\n%s: %v\n", c.name, c)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tcalls/s\tp50 us\tp99 us\tp99 all\tmax us\tcpu us\tchild cpu\tfairness\t")
	compared := false
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Contender,
			r.Rate.text(0), r.P50.text(1), r.P99.text(1), r.P99All.text(1), r.Max.text(0), r.ClientCPU.text(2), r.ChildCPU.text(2), r.Fairness.text(2))
		compared = compared || r.Ratios != nil
	}
	t.Flush()
	if !compared {
		return
	}
	fmt.Fprintln(t, baseline+" /\tcalls/s\tp50\tp99\tcpu\tchild cpu\t")
	for _, r := range rows {
		if r.Ratios != nil {
			fmt.Fprintf(t, "%s\t%v\t%v\t%v\t%v\t%v\t\n", r.Contender, r.Ratios.Rate, r.Ratios.P50, r.Ratios.P99, r.Ratios.ClientCPU, r.Ratios.ChildCPU)
		}
	}
	t.Flush()
}

func writeJSON(w io.Writer, s *settings, rows []row) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Heading string `json:"heading"`
		Rows    []row  `json:"rows"`
	}{heading(s), rows})
}
