package main

import (
	"fmt"
	"math"
)

// metric is a figure of a turn; of all of them less is better.
type metric int

const (
	cpu     metric = iota // nanoseconds of CPU per message
	wall                  // nanoseconds per message
	p50                   // microseconds
	p99                   //
	p999                  //
	reads                 // system calls per message
	writes                //
	allocs                // per message
	garbage               // bytes allocated, per message
	peak                  // bytes, the largest resident set
	held                  // bytes of heap and stacks that an idle connection holds
	tasks                 // goroutines of an idle connection
	far                   // nanoseconds of CPU per message at the other end
	metrics
)

var metricNames = [metrics]string{
	"CPU ns", "messages/s", "p50 µs", "p99 µs", "p99.9 µs", "reads", "writes", "allocs", "bytes", "peak MiB", "KiB a connection", "goroutines", "server CPU ns",
}

// timed reports whether noise moves a metric: a small difference means nothing.
func (m metric) timed() bool { return m <= p999 || m == far }

// text formats a figure the way its column shows it.
func (m metric) text(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case m == wall:
		return short(1e9 / v)
	case m == peak:
		return fmt.Sprintf("%.1f", v/(1<<20))
	case m == held:
		return fmt.Sprintf("%.1f", v/(1<<10))
	case m == reads, m == writes, m == allocs:
		return fmt.Sprintf("%.3f", v)
	}
	return short(v)
}

// short gives three digits that matter, and no more than there are in front of
// the point.
func short(v float64) string {
	switch {
	case math.Abs(v) >= 1e7:
		return fmt.Sprintf("%.3gM", v/1e6)
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// ratioText is how many times.
func ratioText(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

type sample [metrics]float64

func newSample() (s sample) {
	for m := range s {
		s[m] = math.NaN()
	}
	return s
}
