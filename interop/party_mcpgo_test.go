package interop

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mcpGoServer is a server of mark3labs/mcp-go with the tools echo, slow and
// ask. The library makes of an answer that is missing what the client's era
// has: a call to the client, or a result that asks for more.
func mcpGoServer() int {
	s := server.NewMCPServer("interop-mcp-go", "1", server.WithElicitation(), server.WithToolCapabilities(false))
	echo := mcp.NewTool("echo", mcp.WithString("message", mcp.Required()))
	s.AddTool(echo, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("message", "")), nil
	})
	slow := mcp.NewTool("slow", mcp.WithNumber("steps", mcp.Required()), mcp.WithNumber("ms", mcp.Required()))
	s.AddTool(slow, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcpGoSlow(ctx, s, r)
	})
	ask := mcp.NewTool("ask", mcp.WithString("question", mcp.Required()))
	s.AddTool(ask, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if got := server.ElicitationResponse(r.Params.InputResponses, "question"); got != nil {
			return mcp.NewToolResultText(fmt.Sprintf("the user says: %v", got.Content.(map[string]any)["answer"])), nil
		}
		return server.NewInputRequestBuilder("").Elicit("question", mcp.ElicitationParams{
			Message:         r.GetString("question", ""),
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"answer": map[string]any{"type": "string"}}},
		}).ToolResult(), nil
	})
	return status(server.ServeStdio(s))
}

func mcpGoSlow(ctx context.Context, s *server.MCPServer, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	steps := r.GetInt("steps", 0)
	tick := time.NewTicker(time.Duration(r.GetInt("ms", 1)) * time.Millisecond)
	defer tick.Stop()
	for step := 1; step <= steps; step++ {
		if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
			progress := map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": step, "total": steps}
			if err := s.SendNotificationToClient(ctx, "notifications/progress", progress); err != nil {
				return nil, err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log.Printf("slow: cancelled in step %d", step)
			return nil, ctx.Err()
		}
	}
	return mcp.NewToolResultText(fmt.Sprintf("%d steps", steps)), nil
}
