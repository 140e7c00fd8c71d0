package main

import "math"

// What counts as being ahead. Times within a twentieth are level: the control
// is not closer to itself. Counts are exact but for what the runtime does now
// and then.
const (
	timedMargin = 0.05
	countMargin = 0.01
)

type standing int

const (
	ahead standing = iota
	level
	behind
)

// stands tells how linerpc stands where another one's figure is so many times
// its own.
func (m metric) stands(ratio float64) standing {
	margin := countMargin
	if m.timed() {
		margin = timedMargin
	}
	switch {
	case math.IsNaN(ratio) || math.IsInf(ratio, 0):
		return ahead
	case ratio < 1-margin:
		return behind
	case ratio <= 1+margin && m.timed():
		return level
	}
	return ahead
}

// lose lists every figure in which linerpc is not ahead of a peer.
func (p *page) lose() {
	p.line("\n## Where we lose\n")
	p.line("Every figure of the tables above in which linerpc is not ahead of a peer, made from the same rows: *behind* by more than 5 %% of a time, or 1 %% of a count, " +
		"and *level* with a time within 5 %%. Equal counts are left out, and so are the copier and its control, which are no servers.\n")
	p.line("| cell | peer | figure | linerpc | peer | |")
	p.line("|---|---|---|---|---|---|")
	found := 0
	for _, r := range p.results {
		base := r.row(baseline)
		if r.cell.kind == layers || base == nil {
			continue
		}
		list := append([]metric{r.headline()}, columnsOf(r.cell)...)
		for _, w := range r.peers() {
			for _, m := range list {
				where := m.stands(w.ratio[m])
				if where == ahead {
					continue
				}
				found++
				word := "**behind**"
				if where == level {
					word = "level"
				}
				if r.noisy() && m.timed() {
					word += ", noisy"
				}
				p.line("| %s: %s | %s | %s | %s | %s | %s |", r.cell.group, r.cell.title, w.label, metricNames[m], m.text(base.median[m]), m.text(w.median[m]), word)
			}
		}
	}
	if found == 0 {
		p.line("| none | | | | | |")
	}
	p.line("")
	p.line("What a peer can't do at all is in its row of the tables.")
}

// method is how it is measured.
func (p *page) method() {
	p.line("\n## How it is measured\n")
	p.line("- Every contender of a cell is a process of its own, [one program](../bench/peers/servers) that serves with the library it is told to. " +
		"All run at the same time and take turns; the order rotates. Before its first turn each has one to warm up.")
	p.line("- A figure is the median over the turns. A ratio is the median of the ratios within each round, so that what disturbs the machine for a while is in both.")
	p.line("- CPU is the clock of the server's process, read before and after a turn. It has no ticks, and the other side's work is not in it.")
	p.line("- messages/s and the times are seen from the other side, which shares the processors; a histogram with buckets of a 64th holds the times. p99.9 is that of all turns together.")
	p.line("- reads and writes are system calls of the server per message, as the kernel counts them for the process. peak is its largest resident set, read while it lives. " +
		"All contenders are in one program, whose size is in it.")
	p.line("- Answers are checked: each must have the id of a request in flight and the length of one that was compared whole; the first 20 and one of 4096 are.")
	p.line("- Libraries are used as their documentation shows it first, and with their defaults.")
	p.line("- The copier reads lines and writes them back, one write for all that came in a read. It looks at nothing. It takes part twice, as *copier* and as *control*.")
	p.line("\nThe versions are pinned in [bench/peers/go.mod](../bench/peers/go.mod). Names of cells are for `-cells`, a regular expression; `-all` measures the whole matrix.")
}
