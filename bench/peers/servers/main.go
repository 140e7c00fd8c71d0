// Command servers answers JSON-RPC 2.0 on standard input and output with one
// of several libraries, so that whoever measures them starts the same program
// for each.
//
//	servers NAME                 serve with the contender of that name
//	servers piece NAME [BYTES]   run a piece of linerpc: see piece.go
//	servers memory NAME FLAGS    serve in memory, a slice at a time: see memory.go
//	servers list                 print the names
//
// All contenders are in one program. It is larger than one of each would be,
// by the same bytes for all: what a contender needs is what it takes beyond the
// copier, which needs nothing but its buffers.
//
// Read it in this order:
//
//	contender.go    what a contender must offer, and the list of them
//	work.go         what their methods do
//	linerpc.go      linerpc, and one file for each of the others
//	plain.go        bufio.Scanner with encoding/json, and the line copier
//	piece.go        linerpc in pieces, each with one layer more
//	memory.go       slices in memory: time, CPU, allocations
//	wire.go         a connection in memory, with so many requests in flight
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.ReadCloser, stdout io.WriteCloser) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: servers NAME | piece NAME [BYTES] | memory NAME FLAGS | list; names are %s", strings.Join(names(), " "))
	}
	switch args[0] {
	case "list":
		_, err := fmt.Fprintln(stdout, strings.Join(names(), "\n"))
		return err
	case "piece":
		return runPiece(args[1:], stdin, stdout)
	case "memory":
		return runMemory(args[1:], stdin, stdout)
	}
	k, err := pick(args[0])
	if err != nil {
		return err
	}
	return k.serve(&stream{in: stdin, out: stdout})
}
