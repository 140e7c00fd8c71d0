package interop

import (
	"context"
	"slices"
	"strings"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mark3labs/mcp-go/mcp"
)

// Clients have bounds of their own on a line, at which they give up the
// connection. The server takes whatever they send, and ends when they do.
func TestLargeMessages(t *testing.T) {
	typeScript := func(name string, args ...string) func(*testing.T, *wire) []bool {
		return func(t *testing.T, w *wire) []bool {
			return script[[]bool](t, w, name, slices.Concat([]string{"large"}, args, w.command(polite, "mcp-tools"))...)
		}
	}
	for _, test := range []struct {
		name  string
		echo  func(t *testing.T, w *wire) []bool // whether messages came back whole
		whole []bool
	}{
		{"TypeScriptV1/9MiB,11MiB", typeScript("mcp-v1.mjs"), []bool{true, false}},
		{"TypeScriptV2/9MiB,11MiB", typeScript("mcp-v2.mjs", "legacy"), []bool{true, false}},
		{"GoSDK/15MiB,17MiB", goSDKEchoes, []bool{true, false}},
		{"MCPGo/15MiB,20MiB", mcpGoEchoes, []bool{true, true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t)
			got := test.echo(t, w)
			w.finish(1)[0].expectNoComplaint(t)
			if !slices.Equal(got, test.whole) {
				t.Errorf("came back whole: %v, want %v", got, test.whole)
			}
		})
	}
}

// expectNoComplaint: the server answered no request with an error.
func (l *life) expectNoComplaint(t *testing.T) {
	t.Helper()
	for _, m := range l.messages(received) {
		if m.Error != nil {
			t.Errorf("the server answered %s with the error %.300s", m.ID, m.Error)
		}
	}
}

func goSDKEchoes(t *testing.T, w *wire) (whole []bool) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	var asked string
	session, _ := goSDK(ctx, t, w, polite, "2025-11-25", &asked)
	for _, size := range []int{15, 17} {
		message := strings.Repeat("x", size<<20)
		r, err := session.CallTool(ctx, &gosdk.CallToolParams{Name: "echo", Arguments: map[string]any{"message": message}})
		whole = append(whole, err == nil && r.Content[0].(*gosdk.TextContent).Text == message)
	}
	session.Close() // it says again why the last call failed
	return whole
}

func mcpGoEchoes(t *testing.T, w *wire) (whole []bool) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	c, _ := mcpGo(ctx, t, w, polite, "2025-11-25", &user{})
	for _, size := range []int{15, 20} {
		message := strings.Repeat("x", size<<20)
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.Arguments = "echo", map[string]any{"message": message}
		result, err := c.CallTool(ctx, r)
		whole = append(whole, err == nil && result.Content[0].(mcp.TextContent).Text == message)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return whole
}
