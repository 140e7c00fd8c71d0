package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// built are the programs that are measured. They are built within the module
// of the peers, so that the versions are those that it pins.
type built struct {
	dir      string
	peers    string // the folder of that module
	servers  string
	clients  string
	versions []string
}

const peersModule = "github.com/linerpc/linerpc/bench/peers"

// shown are the modules whose versions the page tells.
var shown = []string{
	"go.lsp.dev/jsonrpc2", "github.com/creachadair/jrpc2", "golang.org/x/exp/jsonrpc2", "github.com/sourcegraph/jsonrpc2",
	"github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go", "github.com/goccy/go-json",
}

func build(ctx context.Context) (_ *built, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", peersModule).Output()
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w; run it in its own module", peersModule, err)
	}
	b := &built{peers: strings.TrimSpace(string(out))}
	if b.dir, err = os.MkdirTemp("", "report-*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.remove()
		}
	}()
	b.servers, b.clients = filepath.Join(b.dir, "servers"), filepath.Join(b.dir, "clients")
	for path, pkg := range map[string]string{b.servers: "./servers", b.clients: "./clients"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", path, pkg)
		cmd.Dir = b.peers
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
	}
	info, err := buildinfo.ReadFile(b.servers)
	if err != nil {
		return nil, err
	}
	b.versions = append(b.versions, "Go "+strings.TrimPrefix(info.GoVersion, "go"))
	for _, path := range shown {
		if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path }); i >= 0 {
			b.versions = append(b.versions, path+" "+info.Deps[i].Version)
		}
	}
	return b, nil
}

func (b *built) remove() { os.RemoveAll(b.dir) }
