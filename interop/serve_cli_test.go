package interop

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const (
	inspector = "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"
	mcporter  = "node_modules/mcporter/dist/cli.js"
)

// toolList and toolResult are what command lines print.
type (
	toolList   struct{ Tools []struct{ Name string } }
	toolResult struct {
		Content           []struct{ Text string }
		StructuredContent struct{ Sum float64 }
	}
)

func (l toolList) names() (names []string) {
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// command runs a command line and reads the JSON it prints.
func command[T any](t *testing.T, w *wire, args ...string) (result T) {
	t.Helper()
	out := node(t, w, args...)
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("node %q: %v\n%s", args, err, out)
	}
	return result
}

var allTools = []string{"echo", "add", "slow", "ask"}

func inspectorLine(w *wire, how string, args ...string) []string {
	return slices.Concat([]string{inspector, "--cli"}, w.command(how, "mcp-tools"), args)
}

func mcporterLine(w *wire, how, task string, args ...string) []string {
	return slices.Concat([]string{mcporter, task, "--stdio", strings.Join(w.command(how, "mcp-tools"), " "), "--name", "ours"}, args)
}

func TestInspectorCLI(t *testing.T) {
	w := newWire(t)
	list := command[toolList](t, w, inspectorLine(w, polite, "--method", "tools/list")...)
	l := w.orderly()
	if !slices.Equal(list.names(), allTools) {
		t.Errorf("it lists %q\n%s", list.names(), l)
	}
	l.expectHabits(t, habits{FirstID: "0", IDLate: true})
	l.expectEnvironment(t, true)
	w = newWire(t)
	echo := command[toolResult](t, w, inspectorLine(w, polite, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message="+greeting)...)
	if w.orderly(); echo.Content[0].Text != greeting {
		t.Errorf("echo: %+v", echo)
	}
	w = newWire(t)
	add := command[toolResult](t, w, inspectorLine(w, polite, "--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=2", "--tool-arg", "b=3")...)
	if w.orderly(); add.StructuredContent.Sum != 5 {
		t.Errorf("add: %+v", add)
	}
}

func TestMCPorter(t *testing.T) {
	w := newWire(t)
	list := command[toolList](t, w, mcporterLine(w, polite, "list", "--json")...)
	l := w.orderly()
	if !slices.Equal(list.names(), allTools) {
		t.Errorf("it lists %q\n%s", list.names(), l)
	}
	l.expectHabits(t, habits{FirstID: "0", IDLate: true})
	l.expectEnvironment(t, true)
	w = newWire(t)
	echo := command[toolResult](t, w, mcporterLine(w, polite, "call", "echo", "message=hello", "--output", "json")...)
	if w.orderly(); echo.Content[0].Text != "hello" {
		t.Errorf("echo: %+v", echo)
	}
	w = newWire(t)
	add := command[map[string]float64](t, w, mcporterLine(w, polite, "call", "add", "a=2", "b=3", "--output", "json")...)
	if w.orderly(); add["sum"] != 5 {
		t.Errorf("add: %+v", add)
	}
}
