package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tried is what was tried and lost. No run can tell that: it is written by
// hand.
//
//go:embed tried.md
var tried string

// page is the page on performance.
type page struct {
	*settings
	machine  string
	versions []string
	begin    time.Time
	took     time.Duration
	results  []*result
	b        strings.Builder
}

// chartDir is the folder of the charts, beside the page.
const chartDir = "performance"

func (p *page) write() error {
	if err := os.MkdirAll(filepath.Join(p.out, chartDir), 0o755); err != nil {
		return err
	}
	charts, err := drawCharts(filepath.Join(p.out, chartDir), p.results)
	if err != nil {
		return err
	}
	p.head()
	p.glance()
	p.layers(charts)
	for _, group := range []string{groupFlight, groupSize, groupPingPong, groupTyped, groupPing, groupNotes, groupBatch, groupMixed, groupMemory, groupConnections, groupClients} {
		p.group(group, charts)
	}
	p.lose()
	if tried != "" {
		p.b.WriteString("\n" + tried)
	}
	p.method()
	return os.WriteFile(filepath.Join(p.out, "performance.md"), []byte(p.b.String()), 0o644)
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) head() {
	p.line("# Performance\n")
	p.line("Written by `%s` on %s, in %v. Do not edit: run it again.\n", p.command, p.begin.Format("2 January 2006"), p.took.Round(time.Second))
	if p.quick {
		p.line("**This was a smoke test: no figure below means anything.**\n")
	}
	p.line("%s. %d turns of %v for each contender of each cell.\n", p.machine, p.rounds, p.slice)
	p.line("%s.\n", strings.Join(p.versions, ", "))
	noisy := 0
	for _, r := range p.results {
		if r.noisy() {
			noisy++
		}
	}
	p.line("What to look at is the ratio: how many times what linerpc spends. Absolute figures are those of this machine. %d of %d cells are noisy: "+
		"the line copier, which takes part twice, differs from itself by more than 5 %%. [How it is measured](#how-it-is-measured) says what each figure is.", noisy, len(p.results))
}

// glance is one line a cell: the best of the others, and the limit.
func (p *page) glance() {
	p.line("\n## At a glance\n")
	p.line("| cell | best of the others | it spends, times linerpc | linerpc, times the limit | noise |")
	p.line("|---|---|---|---|---|")
	for _, r := range p.results {
		best, base := r.best(), r.row(baseline)
		if r.cell.kind == layers || best == nil || base == nil {
			continue
		}
		p.line("| %s: %s | %s | %s | %s | %s |", r.cell.group, r.cell.title, best.label, ratioText(best.ratio[r.headline()]), ratioText(base.limit), noiseText(r))
	}
	p.line("\nSpent is CPU time of the server per message; for a client with a server, time per call. The limit is the line copier.")
}

func noiseText(r *result) string {
	switch {
	case math.IsNaN(r.noise):
		return "–"
	case r.noisy():
		return ratioText(r.noise) + " **noisy**"
	}
	return ratioText(r.noise)
}

// group is the tables of the cells of a group, and its charts.
func (p *page) group(group string, charts map[string]string) {
	results := inGroup(p.results, group)
	if len(results) == 0 {
		return
	}
	p.line("\n## %s\n", group)
	if text := groupTexts[group]; text != "" {
		p.line("%s\n", text)
	}
	for _, name := range groupCharts[group] {
		if title := charts[name]; title != "" {
			p.line("![%s](%s/%s.svg)\n", title, chartDir, name)
		}
	}
	for _, r := range results {
		p.table(r)
	}
}

var groupTexts = map[string]string{
	groupFlight:      "Requests with 64 bytes of text in their params, and raw handlers: params are given back as the text that they are.",
	groupSize:        "The same with other sizes.",
	groupPingPong:    "A request is sent when the one before has been answered: nothing can be gathered, and waking up costs more than all the rest.",
	groupTyped:       "Params are decoded into a struct of five fields, which is encoded again. *linerpc raw* is the raw handler beside it; *linerpc-std* decodes with encoding/json, *lsp-goccy* with goccy/go-json.",
	groupPing:        "What the libraries of MCP answer by themselves. The others have a handler that gives an empty object. For the copier and its control nothing is different.",
	groupNotes:       "Figures are per message. The copier gives notifications back, which is more than is asked of a server.",
	groupBatch:       "Figures are per request in the batch.",
	groupMixed:       "Broken lines are in addition to the messages that are counted. A server that answers one after the other lets the fast wait for the slow, which shows in the times.",
	groupMemory:      "No process is on the other side, and no system call between: what feeds the server takes its part of each figure, the same for all, which the copier shows. Allocations are those of the process.",
	groupConnections: "One process, so many connections in memory, all of them busy. What a connection holds is measured when it has answered a few requests.",
	groupClients:     "A client that calls: raw params, raw results. linerpc takes part twice, as the control.",
}
