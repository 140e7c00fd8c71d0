package main

import (
	"math"
	"slices"

	"github.com/linerpc/linerpc/bench/peers/drive"
	"github.com/linerpc/linerpc/bench/peers/histogram"
)

// row is one that took part in a cell.
type row struct {
	label   string
	failure string
	samples []sample
	times   *histogram.Histogram // of all turns
	median  sample
	ratio   sample // how many times the baseline's, turn by turn
	limit   float64
}

// result is what a cell gave.
type result struct {
	cell  cell
	rows  []*row
	noise float64 // the control's figure by that of what it is the control of
}

// failed notes why one is out. Of what cells expect they have words of their
// own; the rest is an error to look into.
func (r *row) failed(c cell, err error) {
	r.failure = c.failure
	if r.failure == "" {
		r.failure = "failed: " + err.Error()
	}
}

// set gives a figure that does not differ from turn to turn.
func (r *row) set(m metric, v float64) {
	for i := range r.samples {
		r.samples[i][m] = v
	}
}

func (r *row) values(m metric) []float64 {
	list := make([]float64, len(r.samples))
	for i := range r.samples {
		list[i] = r.samples[i][m]
	}
	return list
}

func (r *result) row(label string) *row {
	for _, w := range r.rows {
		if w.label == label {
			return w
		}
	}
	return nil
}

// settle computes what follows from the samples.
func (r *result) settle() {
	base, limit := r.row(baseline), r.row(copier)
	for _, w := range r.rows {
		w.median, w.ratio, w.limit = newSample(), newSample(), math.NaN()
		for m := range metrics {
			w.median[m] = drive.Median(w.values(m))
			if base != nil {
				w.ratio[m] = drive.Ratio(w.values(m), base.values(m))
			}
		}
		if w.times != nil {
			w.median[p999] = w.times.Quantile(0.999) // a turn alone has few that slow
		}
		if limit != nil {
			w.limit = drive.Ratio(w.values(cpu), limit.values(cpu))
		}
	}
	r.noise = math.NaN()
	if c := r.row(control); c != nil && limit != nil {
		r.noise = drive.Ratio(c.values(cpu), limit.values(cpu))
	}
}

// noisy reports whether a cell says little: its control is off by more than a
// twentieth.
func (r *result) noisy() bool { return math.Abs(r.noise-1) > 0.05 }

// peers are the rows that stand for another library, or for another way of
// doing without one.
func (r *result) peers() (list []*row) {
	for _, w := range r.rows {
		if !slices.Contains([]string{baseline, "linerpc-std", "linerpc raw", copier, control, control2}, w.label) && w.failure == "" {
			list = append(list, w)
		}
	}
	return list
}

// headline is the metric that a cell is about: CPU, but for clients the time
// that a call takes.
func (r *result) headline() metric {
	if r.cell.kind == clients {
		return wall
	}
	return cpu
}

// best is the peer with the least of the headline.
func (r *result) best() *row {
	var best *row
	for _, w := range r.peers() {
		if v := w.ratio[r.headline()]; !math.IsNaN(v) && (best == nil || v < best.ratio[r.headline()]) {
			best = w
		}
	}
	return best
}

func inGroup(results []*result, group string) (list []*result) {
	for _, r := range results {
		if r.cell.group == group {
			list = append(list, r)
		}
	}
	return list
}
