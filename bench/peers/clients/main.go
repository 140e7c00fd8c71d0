// Command clients measures clients of JSON-RPC 2.0 over the pipes of a child
// process: linerpc beside go.lsp.dev/jsonrpc2 and creachadair/jrpc2.
//
//	go run ./clients [flags] [child command]
//
// Every client has a child of its own, all from the same command, which must
// answer the method "echo" with its params; without one the server of cmd/demo
// is built. The clients take turns of a few hundred milliseconds in this one
// process, so that whatever disturbs the machine disturbs all of them. The
// figures are medians over the rounds, and the ratios are medians of the
// ratios within each round.
//
// Read it in this order:
//
//	cell.go        what is measured: callers, size of params, busy goroutines
//	contender.go   what a client must offer, and the list of them
//	child.go       the child process and how it ends
//	lsp.go         go.lsp.dev/jsonrpc2
//	jrpc2.go       creachadair/jrpc2
//	linerpc.go     linerpc
//	worker.go      one caller
//	slice.go       one turn of one client
//	report.go      medians, ratios, table and JSON
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

type settings struct {
	rounds     int
	slice      time.Duration
	withCancel bool // contexts that can be cancelled
	cells      []cell
	contenders []contender
	command    []string
	pairs      string // the program of ../servers: each client has the server of its own library
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("clients", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: clients [flags] [child command]\n")
		flags.PrintDefaults()
	}
	rounds := flags.Int("rounds", 15, "turns of every client")
	slice := flags.Duration("slice", 300*time.Millisecond, "measured time of a turn; a tenth of it is run before as a warm-up")
	withCancel := flags.Bool("ctx", false, "give each caller a context that can be cancelled")
	busy := flags.Bool("busy", false, "only the cell with busy goroutines; short for -cells busy")
	cells := flags.String("cells", strings.Join(defaultCells, ","), "what to measure: names of the default, or callers:bytes or callers:bytes:busy goroutines")
	names := flags.String("contenders", strings.Join(defaultContenders, ","), "clients, of "+strings.Join(contenderNames(), " ")+"; one given twice shows the noise")
	pairs := flags.String("pairs", "", "the program built from ./servers: gives each client the server of its own library in place of the child command")
	asJSON := flags.Bool("json", false, "write JSON in place of tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := settings{rounds: *rounds, slice: *slice, withCancel: *withCancel, command: flags.Args(), pairs: *pairs}
	if s.rounds < 1 || s.slice <= 0 {
		return fmt.Errorf("-rounds %d -slice %v: both must be above 0", s.rounds, s.slice)
	}
	if *busy {
		*cells = "busy"
	}
	var err error
	if s.cells, err = parseCells(*cells); err != nil {
		return err
	}
	if s.contenders, err = pickContenders(*names); err != nil {
		return err
	}
	if len(s.command) == 0 && s.pairs == "" {
		command, remove, err := buildDemo(ctx)
		if err != nil {
			return err
		}
		defer remove()
		s.command = command
	}
	var rows []row
	if !*asJSON {
		fmt.Fprintln(stdout, heading(&s))
	}
	for _, c := range s.cells {
		entries, err := measure(ctx, &s, c)
		if err != nil {
			return err
		}
		of := rowsOf(c, entries)
		if !*asJSON {
			writeTables(stdout, c, of)
		}
		rows = append(rows, of...)
	}
	if *asJSON {
		return writeJSON(stdout, &s, rows)
	}
	return nil
}

// entry is one client in one cell.
type entry struct {
	seat    *seat
	samples []sample // one a round
}

// measure lets every client take its turns. The order rotates, so that none
// always follows the same other one.
func measure(ctx context.Context, s *settings, c cell) (_ []*entry, err error) {
	var entries []*entry
	defer func() {
		for _, e := range slices.Backward(entries) {
			if cerr := e.seat.close(); cerr != nil && err == nil {
				err = cerr
			}
		}
	}()
	for _, k := range s.contenders {
		seat, err := openSeat(s, k, c)
		if err != nil {
			return nil, err
		}
		entries = append(entries, &entry{seat: seat})
	}
	for round := range s.rounds {
		for i := range entries {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			e := entries[(round+i)%len(entries)]
			taken, err := e.seat.slice(s.slice, c.busy)
			if err != nil {
				return nil, err
			}
			e.samples = append(e.samples, taken)
		}
	}
	return entries, nil
}
