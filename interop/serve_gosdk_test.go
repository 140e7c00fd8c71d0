package interop

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// goSDK starts a server with the client of the official Go SDK. The steps that
// it is told of come on the channel.
func goSDK(ctx context.Context, t *testing.T, w *wire, how, version string, asked *string) (*mcp.ClientSession, <-chan float64) {
	t.Helper()
	steps := make(chan float64, 1000)
	session := goSDKSession(ctx, t, w, how, version, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			steps <- r.Params.Progress
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			*asked = r.Params.Message
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": reply}}, nil
		},
	})
	return session, steps
}

func goSDKSession(ctx context.Context, t *testing.T, w *wire, how, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	argv := w.command(how, "mcp-tools")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, o).Connect(ctx,
		&mcp.CommandTransport{Command: grouped(ctx, argv[0], argv[1:]...)}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func goSDKVisit(t *testing.T, w *wire, version string) (v visit) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	session, steps := goSDK(ctx, t, w, polite, version, &v.Asked)
	call := func(ctx context.Context, name string, args map[string]any, token any) (*mcp.CallToolResult, error) {
		params := &mcp.CallToolParams{Name: name, Arguments: args}
		if token != nil {
			params.SetProgressToken(token)
		}
		return session.CallTool(ctx, params)
	}
	text := func(name string, args map[string]any, token any) string {
		result, err := call(ctx, name, args, token)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "add" {
			v.Sum, _ = result.StructuredContent.(map[string]any)["sum"].(float64)
		}
		return result.Content[0].(*mcp.TextContent).Text
	}
	v.Version = session.InitializeResult().ProtocolVersion
	v.Server = session.InitializeResult().ServerInfo.Name
	if v.Version < "2026" {
		if err := session.Ping(ctx, nil); err != nil {
			t.Errorf("ping: %v", err)
		}
	}
	list, err := session.ListTools(ctx, nil)
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
	_, err = call(slow, "slow", map[string]any{"steps": 100_000, "ms": 10}, 2)
	v.Gone = errors.Is(err, context.Canceled)
	v.After = text("echo", map[string]any{"message": after}, nil)
	v.Answer = text("ask", map[string]any{"question": question}, nil)
	_, err = call(ctx, "brew", nil, nil)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		v.Unknown = int(e.Code)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	return v
}

func TestGoSDKClient(t *testing.T) {
	for _, version := range []string{"", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run("version="+version, func(t *testing.T) {
			w := newWire(t)
			v := goSDKVisit(t, w, version)
			l := w.orderly()
			if version == "" {
				version = "2026-07-28" // its own choice
			}
			v.expect(t, l, version)
			l.expectHabits(t, habits{FirstID: "1"})
			l.expectEnvironment(t, true)
			if version >= "2026" {
				l.expectMethods(t, "server/discover", "tools/list", "tools/call", "notifications/cancelled")
			} else {
				l.expectMethods(t, "initialize", "notifications/initialized", "ping", "tools/list", "tools/call", "notifications/cancelled")
			}
		})
	}
}
