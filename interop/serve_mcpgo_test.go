package interop

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

//lint:file-ignore SA1019 what newer versions have removed is what older servers still use

// user answers what mcp-go is asked.
type user struct{ asked string }

func (u *user) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	u.asked = r.Params.Message
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"answer": reply},
	}}, nil
}

// mcpGo starts a server with the client of mcp-go.
func mcpGo(ctx context.Context, t *testing.T, w *wire, how, version string, u *user) (*client.Client, *mcp.InitializeResult) {
	t.Helper()
	argv := w.command(how, "mcp-tools")
	c := client.NewClient(transport.NewStdioWithOptions(argv[0], nil, argv[1:],
		transport.WithCommandFunc(func(ctx context.Context, name string, _, args []string) (*exec.Cmd, error) {
			return grouped(ctx, name, args...), nil
		})), client.WithElicitationHandler(u), client.WithProtocolVersion(version))
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion = version
	r.Params.ClientInfo = mcp.Implementation{Name: "interop", Version: "1"}
	first, err := c.Initialize(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return c, first
}

func mcpGoVisit(t *testing.T, w *wire, version string) (v visit) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	var u user
	c, first := mcpGo(ctx, t, w, polite, version, &u)
	steps := make(chan float64, 1000)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" {
			steps <- n.Params.AdditionalFields["progress"].(float64)
		}
	})
	call := func(ctx context.Context, name string, args map[string]any, token any) (*mcp.CallToolResult, error) {
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.Arguments = name, args
		if token != nil {
			r.Params.Meta = &mcp.Meta{ProgressToken: token}
		}
		return c.CallTool(ctx, r)
	}
	text := func(name string, args map[string]any, token any) string {
		result, err := call(ctx, name, args, token)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "add" {
			v.Sum, _ = result.StructuredContent.(map[string]any)["sum"].(float64)
		}
		return result.Content[0].(mcp.TextContent).Text
	}
	v.Version, v.Server = first.ProtocolVersion, first.ServerInfo.Name
	if v.Version < "2026" {
		if err := c.Ping(ctx); err != nil {
			t.Errorf("ping: %v", err)
		}
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		v.Tools = append(v.Tools, tool.Name)
	}
	v.Echo = text("echo", map[string]any{"message": greeting}, nil)
	text("add", map[string]any{"a": 2, "b": 3}, nil)
	v.Slow = text("slow", map[string]any{"steps": 3, "ms": 5}, "token")
	for range 3 {
		v.Progress = append(v.Progress, <-steps)
	}
	slow, stop := context.WithCancel(ctx)
	go func() {
		<-steps
		stop()
	}()
	_, err = call(slow, "slow", map[string]any{"steps": 100_000, "ms": 10}, "another")
	v.Gone = errors.Is(err, context.Canceled)
	v.After = text("echo", map[string]any{"message": after}, nil)
	v.Answer = text("ask", map[string]any{"question": question}, nil)
	v.Asked = u.asked
	if _, err = call(ctx, "brew", nil, nil); errors.Is(err, mcp.ErrInvalidParams) {
		v.Unknown = -32602
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return v
}

func TestMCPGoClient(t *testing.T) {
	for _, version := range []string{"", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run("version="+version, func(t *testing.T) {
			w := newWire(t)
			v := mcpGoVisit(t, w, version)
			l := w.orderly()
			if version == "" {
				version = "2026-07-28" // its own choice
			}
			v.expect(t, l, version)
			l.expectHabits(t, habits{FirstID: "1"})
			l.expectEnvironment(t, true)
		})
	}
}
