// Command report measures linerpc beside its peers and writes the page on
// performance, with its charts.
//
//	go -C bench/report run .          about 25 minutes at most on two cores
//	go -C bench/report run . -quick   a smoke test: every cell, no figure to trust
//	go -C bench/report run . -all     the whole matrix, which takes hours
//
// All contenders of a cell run at the same time, each in a process of its own,
// and take turns of a fraction of a second; the order rotates. So whatever
// disturbs the machine disturbs all of them, and ratios are medians of the
// ratios within each round. The line copier is entered twice: how far its two
// figures are apart is the noise of a cell.
//
// Read it in this order:
//
//	cell.go       what is measured, and by default
//	metric.go     the figures of a turn
//	measure.go    turns of all contenders of a cell
//	turn.go       a turn of a server behind pipes, and of one in memory
//	clients.go    clients with a server, by the command of that name
//	result.go     medians, ratios, noise
//	layer.go      what a layer costs: differences between pieces
//	build.go      the programs that are measured, and their versions
//	machine.go    what they run on
//	progress.go   how far it is
//	page.go       the page; table.go its tables, lose.go where others are ahead
//	chart.go      lines and bars; charts.go those of the page
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

type settings struct {
	rounds  int
	slice   time.Duration
	quick   bool
	out     string
	command string // what the page says it was made with
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 15, "turns of every contender")
	slice := flags.Duration("slice", 150*time.Millisecond, "time of a turn")
	quick := flags.Bool("quick", false, "two short turns each: whether it works, no figure to trust")
	all := flags.Bool("all", false, "the whole matrix in place of about 40 cells")
	only := flags.String("cells", "", "only the cells whose names match this regular expression")
	out := flags.String("out", "", "the folder for performance.md and performance/; docs of this repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := settings{rounds: *rounds, slice: *slice, quick: *quick, out: *out, command: strings.Join(append([]string{"go -C bench/report run ."}, args...), " ")}
	if s.quick {
		s.rounds, s.slice = 2, 4*time.Millisecond
	}
	if s.rounds < 1 || s.slice <= 0 {
		return fmt.Errorf("-rounds %d -slice %v: both must be above 0", s.rounds, s.slice)
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	cells := defaultCells()
	if *all {
		cells = allCells()
	}
	var picked []cell
	for _, c := range cells {
		if pattern.MatchString(c.name) {
			picked = append(picked, c)
		}
	}
	if len(picked) == 0 {
		return fmt.Errorf("no cell matches %q", *only)
	}
	b, err := build(ctx)
	if err != nil {
		return err
	}
	defer b.remove()
	if s.out == "" {
		s.out = filepath.Join(b.peers, "..", "..", "docs")
	}
	begin := time.Now()
	results, err := measureAll(ctx, &s, b, picked, stderr)
	if err != nil {
		return err
	}
	p := &page{settings: &s, machine: machineKind(), versions: b.versions, begin: begin, took: time.Since(begin), results: results}
	return p.write()
}

func measureAll(ctx context.Context, s *settings, b *built, cells []cell, stderr io.Writer) ([]*result, error) {
	bar := newProgress(stderr, len(cells))
	defer bar.end()
	var results []*result
	for _, c := range cells {
		bar.begin(c.name)
		r, err := measure(ctx, s, b, c, bar)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
		bar.done()
	}
	return results, nil
}
