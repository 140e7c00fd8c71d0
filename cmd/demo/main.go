// Command demo shows what linerpc does with hostile, slow and ordinary lines.
//
//	go run ./cmd/demo         a conversation, printed line by line
//	go run ./cmd/demo serve   the same methods on standard input and output
//	go run ./cmd/demo -h      help
//
// The conversation runs in memory through a real connection, and every answer
// is compared with what it should be: the status is 1 when one is not.
//
// Read it in this order:
//
//	methods.go       the methods that both ways of running it serve
//	conversation.go  what is said, and what must come back
//	run.go           the connection in memory, and the comparing
//	print.go         how it looks
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/linerpc/linerpc/server"
)

const usage = `demo shows a JSON-RPC 2.0 conversation, one message a line.

  go run ./cmd/demo         run a conversation in memory and print it;
                            status 1 when an answer is not what it should be
  go run ./cmd/demo serve   serve the same methods on standard input and output
                            until the input ends
  go run ./cmd/demo -h      this text

Methods:
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run gives the exit status: 1 when something failed, 2 for a wrong command line.
func run(args []string, stdout *os.File, stderr io.Writer) int {
	command := ""
	if len(args) > 0 {
		command = args[0]
	}
	var err error
	switch {
	case len(args) > 1:
		return misused(stderr, args)
	case command == "":
		err = converse(context.Background(), newPrinter(stdout, wantsColour(stdout)), conversation())
	case command == "serve":
		err = server.Stdio(context.Background(), newMux(), nil)
	case command == "-h" || command == "-help" || command == "--help" || command == "help":
		writeUsage(stdout)
	default:
		return misused(stderr, args)
	}
	if err != nil {
		fmt.Fprintln(stderr, "demo:", err)
		return 1
	}
	return 0
}

func misused(stderr io.Writer, args []string) int {
	fmt.Fprintf(stderr, "demo: %q is not understood\n\n", strings.Join(args, " "))
	writeUsage(stderr)
	return 2
}

func writeUsage(w io.Writer) {
	io.WriteString(w, usage)
	for _, name := range newMux().Methods() {
		fmt.Fprintln(w, " ", name)
	}
}
