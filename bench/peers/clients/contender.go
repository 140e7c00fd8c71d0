package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// contender is a client library, or one way of using it.
type contender struct {
	name string
	// own is the name of the server of the same library in ../servers.
	own string
	// open starts cmd, which has not been started and has no streams yet, and
	// connects to it.
	open func(cmd *exec.Cmd) (client, error)
}

// client is a connection to a child.
type client interface {
	// caller is for one goroutine, which calls with the same params each time:
	// what a library wants them wrapped into is wrapped here, once.
	caller(params []byte) caller
	// pid is the child's.
	pid() int
	// close returns when the child has ended.
	close() error
}

// caller calls the method "echo". The result is JSON text, valid until the
// next call.
type caller interface {
	call(ctx context.Context) ([]byte, error)
}

const method = "echo"

// baseline is the contender whose ratios to the others are shown.
const baseline = "linerpc"

var contenders = []contender{
	{baseline, "linerpc", openLinerpc},
	{"lsp.Conn", "lsp", openConn},
	{"lsp.Pipeline", "lsp", openPipeline},
	{"lsp.Single", "lsp", openSingle},
	{"jrpc2", "jrpc2", openJRPC2},
	{"lsp.Conn+reuse", "lsp", openConnReuse},
	{"lsp.Pipeline+reuse", "lsp", openPipelineReuse},
	{"lsp.Single+reuse", "lsp", openSingleReuse},
}

var defaultContenders = []string{baseline, "lsp.Conn", "lsp.Pipeline", "lsp.Single", "jrpc2"}

func contenderNames() (names []string) {
	for _, k := range contenders {
		names = append(names, k.name)
	}
	return names
}

// pickContenders gives those named. One that is named again gets a number
// behind its name.
func pickContenders(list string) ([]contender, error) {
	var picked []contender
	times := make(map[string]int)
next:
	for name := range strings.SplitSeq(list, ",") {
		for _, k := range contenders {
			if k.name != name {
				continue
			}
			if times[name]++; times[name] > 1 {
				k.name = fmt.Sprintf("%s#%d", name, times[name])
			}
			picked = append(picked, k)
			continue next
		}
		return nil, fmt.Errorf("no contender %q, but %s", name, strings.Join(contenderNames(), " "))
	}
	return picked, nil
}
