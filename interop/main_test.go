package interop

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// built is the folder with our programs, mcp-tools, acp-agent and demo, and
// everything-server, which the MCP Go SDK has for its own tests.
var built string

// mark is a variable that shows whether a client passes its environment on.
const mark = "INTEROP_MARK"

func program(name string) string { return filepath.Join(built, name) }

// TestMain makes this binary the tap, or a server of others, where it was
// started as one: clients pass arguments on to a server, but not all of them
// pass the environment on.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == tapRole {
		os.Exit(tap(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == partyRole {
		os.Exit(parties[os.Args[2]]())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if built, err = os.MkdirTemp("", "interop"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(built)
	os.Setenv(mark, "1")
	if err := errors.Join(build(), install()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build builds our programs in the root module, with what its go.sum says.
func build() error {
	ours := []string{"./cmd/demo", "./examples/mcp-tools", "./examples/acp-agent"}
	for dir, packages := range map[string][]string{
		"..": ours,
		".":  {"github.com/modelcontextprotocol/go-sdk/conformance/everything-server"},
	} {
		cmd := exec.Command("go", append([]string{"build", "-o", built + "/"}, packages...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	return nil
}

// attempts is how often the packages are asked for: a registry may be out of
// reach for a moment.
const attempts = 3

// install installs what package-lock.json lists, unless it is there already.
// No script of any package is run.
func install() error {
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		return err
	}
	const stamp = "node_modules/.installed"
	want := fmt.Sprintf("%x\n", sha256.Sum256(lock))
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		return nil
	}
	for range attempts {
		cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		out, failure := cmd.CombinedOutput()
		if failure == nil {
			return os.WriteFile(stamp, []byte(want), 0o644)
		}
		err = fmt.Errorf("npm ci: %w\n%s", failure, out)
	}
	return err
}
