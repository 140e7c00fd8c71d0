package main

import (
	"math"
	"strings"
)

// columns are the metrics that a kind of cell shows.
var columns = map[kind][]metric{
	pipes:   {wall, p50, p99, p999, reads, writes, peak},
	memory:  {wall, allocs, garbage},
	clients: {cpu, far, p50, p99},
}

func columnsOf(c cell) []metric {
	if c.group == groupConnections {
		return []metric{wall, allocs, garbage, held, tasks}
	}
	return columns[c.kind]
}

// table is one cell. The first columns are what it is about, as a figure and
// as ratios.
func (p *page) table(r *result) {
	p.line("**%s** `%s`%s\n", r.cell.title, r.cell.name, ifNoisy(r))
	head := r.headline()
	names := []string{"", metricNames[head], "× linerpc"}
	limit := r.row(copier) != nil
	if limit {
		names = append(names, "× limit")
	}
	for _, m := range columnsOf(r.cell) {
		names = append(names, metricNames[m])
	}
	p.line("| %s |", strings.Join(names, " | "))
	p.line("|%s", strings.Repeat("---|", len(names)))
	for _, w := range r.rows {
		if w.failure != "" {
			p.line("| %s | %s |%s", w.label, cut(w.failure), strings.Repeat(" |", len(names)-2))
			continue
		}
		fields := []string{w.label, head.text(w.median[head]), ratioText(w.ratio[head])}
		if limit {
			fields = append(fields, ratioText(w.limit))
		}
		for _, m := range columnsOf(r.cell) {
			fields = append(fields, m.text(w.median[m]))
		}
		p.line("| %s |", strings.Join(fields, " | "))
	}
	p.line("")
}

func ifNoisy(r *result) string {
	if r.noisy() {
		return " (noisy: the control is at " + ratioText(r.noise) + ")"
	}
	return ""
}

// cut makes an error fit a table.
func cut(text string) string {
	text = strings.NewReplacer("|", "/", "\n", " ").Replace(text)
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return text
}

// layers is the cost of each layer, for each size.
func (p *page) layers(charts map[string]string) {
	results := inGroup(p.results, groupLayers)
	if len(results) == 0 {
		return
	}
	p.line("\n## What each layer costs\n")
	p.line("Nanoseconds of CPU per message, and the share of all. Requests come in bursts that fit a pipe, so that each piece of the stack has " +
		"the same reads and writes to do; a layer is the difference between two pieces, round by round. Figures of a few nanoseconds are within " +
		"the noise, and may come out below 0.\n")
	if title := charts[chartLayers]; title != "" {
		p.line("![%s](%s/%s.svg)\n", title, chartDir, chartLayers)
	}
	names, costs := []string{"layer"}, make([][]float64, len(results))
	for i, r := range results {
		names = append(names, r.cell.title)
		costs[i] = r.layerCosts()
	}
	names = append(names, "what it is")
	p.line("| %s |", strings.Join(names, " | "))
	p.line("|%s", strings.Repeat("---|", len(names)))
	for k, l := range layerList {
		fields := []string{l.name}
		for i := range results {
			fields = append(fields, share(costs[i][k], costs[i]))
		}
		p.line("| %s | %s |", strings.Join(fields, " | "), l.about)
	}
	fields := []string{"all"}
	for _, r := range results {
		fields = append(fields, short(r.row("handler").median[cpu]))
	}
	p.line("| %s | a whole server with a typed handler |", strings.Join(fields, " | "))
	p.line("\nThe pieces themselves, CPU ns per message, and system calls per burst:\n")
	p.pieces(results)
}

func share(v float64, all []float64) string {
	sum := 0.0
	for _, c := range all {
		sum += c
	}
	if math.IsNaN(v) || sum == 0 {
		return "–"
	}
	return short(v) + " (" + short(100*v/sum) + " %)"
}

func (p *page) pieces(results []*result) {
	names := []string{"piece"}
	for _, r := range results {
		names = append(names, r.cell.title, "reads", "writes")
	}
	p.line("| %s |", strings.Join(names, " | "))
	p.line("|%s", strings.Repeat("---|", len(names)))
	for _, piece := range pieceNames {
		fields := []string{piece}
		for _, r := range results {
			w, burst := r.row(piece), float64(r.cell.load.Window)
			if w.failure != "" {
				fields = append(fields, cut(w.failure), "", "")
				continue
			}
			fields = append(fields, short(w.median[cpu]), short(burst*w.median[reads]), short(burst*w.median[writes]))
		}
		p.line("| %s |", strings.Join(fields, " | "))
	}
}
