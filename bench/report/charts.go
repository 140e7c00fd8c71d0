package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/linerpc/linerpc/bench/peers/drive"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// The charts, as files are called.
const (
	chartLayers      = "layers"
	chartThroughput  = "throughput"
	chartLatency     = "latency-1"
	chartLatencyMany = "latency-64"
	chartSize        = "size"
	chartConnections = "connections"
	chartClients     = "clients"
)

var groupCharts = map[string][]string{
	groupFlight:      {chartThroughput, chartLatency, chartLatencyMany},
	groupSize:        {chartSize},
	groupConnections: {chartConnections},
	groupClients:     {chartClients},
}

// drawCharts writes all charts for which there are figures, and gives their
// titles by name.
func drawCharts(dir string, results []*result) (map[string]string, error) {
	titles := make(map[string]string)
	for _, c := range []struct {
		name, title string
		draw        func(path, title string) (bool, error)
	}{
		{chartLayers, "Where the CPU time of a request goes, typed handler", func(path, title string) (bool, error) {
			return drawLayers(path, title, inGroup(results, groupLayers))
		}},
		{chartThroughput, "Requests per second, 64 bytes of text", func(path, title string) (bool, error) {
			flight := inGroup(results, groupFlight)
			return drawOver(path, title, "requests in flight", "requests per second", flight,
				func(c cell) float64 { return float64(c.load.Window) }, func(w *row) float64 { return 1e9 / w.median[wall] })
		}},
		{chartLatency, "Latency of one request at a time, 64 bytes of text", func(path, title string) (bool, error) {
			return drawLatency(path, title, inGroup(results, groupFlight), 1)
		}},
		{chartLatencyMany, "Latency with 64 requests in flight, 64 bytes of text", func(path, title string) (bool, error) {
			return drawLatency(path, title, inGroup(results, groupFlight), 64)
		}},
		{chartSize, "CPU of the server per request, over the size of the request", func(path, title string) (bool, error) {
			return drawOver(path, title, "bytes of a request", "CPU ns per request", sizesOf(results),
				func(c cell) float64 { return float64(c.load.BurstBytes() / c.load.Window) }, func(w *row) float64 { return w.median[cpu] })
		}},
		{chartConnections, "CPU per request, over the connections of one process, in memory", func(path, title string) (bool, error) {
			return drawOver(path, title, "connections", "CPU ns per request", inGroup(results, groupConnections),
				func(c cell) float64 { return float64(c.connections) }, func(w *row) float64 { return w.median[cpu] })
		}},
		{chartClients, "Time per call, a client with the server of its own library", func(path, title string) (bool, error) {
			pairs := slices.DeleteFunc(inGroup(results, groupClients), func(r *result) bool { return !r.cell.pairs })
			return drawOver(path, title, "callers", "ns per call", pairs,
				func(c cell) float64 { return float64(c.callers) }, func(w *row) float64 { return w.median[wall] })
		}},
	} {
		drawn, err := c.draw(svg(dir, c.name), c.title)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", c.name, err)
		}
		if drawn {
			titles[c.name] = c.title
		}
	}
	return titles, nil
}

// sizesOf gives one cell for each size, that in which a server is kept busy.
func sizesOf(results []*result) (list []*result) {
	for _, r := range results {
		if (r.cell.group == groupSize || r.cell.group == groupFlight) && r.cell.load.Window == inFlight(r.cell.load.Size) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *result) int { return a.cell.load.Size - b.cell.load.Size })
	return list
}

// drawOver draws a figure of all contenders over what the cells of a group
// differ in.
func drawOver(path, title, xLabel, yLabel string, results []*result, x func(cell) float64, y func(*row) float64) (bool, error) {
	var lines []line
	var ticks []plot.Tick
	for _, r := range results {
		at := x(r.cell)
		ticks = append(ticks, plot.Tick{Value: math.Log2(at), Label: short0(at)})
		for _, w := range r.rows {
			if w.label == control || w.label == control2 || w.failure != "" {
				continue
			}
			i := slices.IndexFunc(lines, func(l line) bool { return l.label == w.label })
			if i < 0 {
				i = len(lines)
				lines = append(lines, line{label: w.label})
			}
			lines[i].points = append(lines[i].points, plotter.XY{X: math.Log2(at), Y: y(w)})
		}
	}
	return lineChart(path, title, xLabel, yLabel, ticks, lines)
}

func short0(v float64) string {
	switch {
	case v >= 1<<20:
		return fmt.Sprintf("%.0fM", v/(1<<20))
	case v >= 10<<10:
		return fmt.Sprintf("%.0fK", v/(1<<10))
	}
	return fmt.Sprintf("%.0f", v)
}

// quantiles of the latency charts; the axis counts nines.
var quantiles = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999}

func drawLatency(path, title string, results []*result, window int) (bool, error) {
	var lines []line
	var ticks []plot.Tick
	nines := func(q float64) float64 { return -math.Log10(1 - q) }
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999} {
		ticks = append(ticks, plot.Tick{Value: nines(q), Label: fmt.Sprintf("%g %%", 100*q)})
	}
	for _, r := range results {
		if r.cell.load.Window != window {
			continue
		}
		for _, w := range r.rows {
			if w.times == nil || w.label == control || w.failure != "" {
				continue
			}
			l := line{label: w.label}
			for _, q := range quantiles {
				if float64(w.times.Total())*(1-q) < 10 {
					break // too few are slower to tell
				}
				l.points = append(l.points, plotter.XY{X: nines(q), Y: w.times.Quantile(q)})
			}
			lines = append(lines, l)
		}
	}
	return lineChart(path, title, "share of requests that are not slower", "µs", ticks, lines)
}

func drawLayers(path, title string, results []*result) (bool, error) {
	var names []string
	parts := make([]line, len(layerList))
	for i, r := range results {
		costs := r.layerCosts()
		sum := 0.0
		for _, c := range costs {
			sum += max(0, c)
		}
		if !(sum > 0) {
			continue
		}
		names = append(names, fmt.Sprintf("%s: %s ns", sizeText(r.cell.load.Size), short(drive.Median(r.row("handler").values(cpu)))))
		for k, c := range costs {
			parts[k].label = layerList[k].name
			parts[k].points = append(parts[k].points, plotter.XY{X: float64(i), Y: 100 * max(0, c) / sum})
		}
	}
	return stackedChart(path, title, "% of the CPU time", names, parts)
}
