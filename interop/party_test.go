package interop

import (
	"fmt"
	"os"
	"testing"
)

// partyRole is the first argument that makes this binary a server written with
// a Go library of others; the second says which.
const partyRole = "party"

// parties give their exit status.
var parties = map[string]func() int{
	"mcp-go": mcpGoServer,
	"acp":    acpAgent,
	"jrpc2":  jrpc2Server,
}

func party(t *testing.T, name string) []string { return []string{self(t), partyRole, name} }

// status is that of a party that has come to its end in this way.
func status(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
