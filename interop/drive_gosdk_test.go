package interop

import (
	"slices"
	"testing"

	"github.com/linerpc/linerpc/client"
)

// everything-server is what the MCP Go SDK proves its conformance with.
func TestGoSDKServer(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", withInitialize} {
		t.Run("version="+version, func(t *testing.T) {
			h := driveMCP(t, version, &host{form: object{"username": "ada"}}, program("everything-server"))
			h.visitGoSDK(version)
			h.says("LLM response: Paris", "test_sampling", object{"prompt": "What is the capital of France?"})
			h.says("Elicitation result: action=accept, content=map[username:ada]", "test_elicitation", object{"message": question})
			h.expectAsked("sampling/createMessage: What is the capital of France?", "elicitation/create: "+question)
			l := h.close(success)
			l.expectManners(t, manners{FirstID: "1"})
			h.expectWithdrawn(l, "notifications/cancelled", "requestId", 0)
		})
	}
	t.Run("version="+stateless, func(t *testing.T) {
		h := driveMCP(t, stateless, &host{form: object{"name": "Ada", "color": "blue"}, root: "/home/ada"}, program("everything-server"))
		h.visitGoSDK(stateless)
		h.says("Paris Ada — 1 root(s) visible", "test_input_required_result_multiple_inputs", object{})
		slices.Sort(h.asked) // three questions in one result
		h.expectAsked("elicitation/create: What is your name?", "roots/list: ", "sampling/createMessage: Generate a greeting")
		h.says("Multi-round complete: Ada likes blue", "test_input_required_result_multi_round", object{})
		l := h.close(success)
		l.expectManners(t, manners{})
		h.expectWithdrawn(l, "notifications/cancelled", "requestId", 0)
	})
}

// visitGoSDK does what both eras have.
func (h *host) visitGoSDK(version string) {
	h.t.Helper()
	h.expectServer(version, "mcp-conformance-test-server")
	list, err := client.Call[toolList](h.ctx, h.Client, "tools/list", nil)
	if err != nil || !slices.Contains(list.names(), "test_simple_text") || len(list.Tools) < 20 {
		h.t.Errorf("it lists %q, %v", list.names(), err)
	}
	h.says("This is a simple text response for testing.", "test_simple_text", object{})
	if told := h.progress("test_tool_with_progress", object{}); !slices.Equal(told, []float64{0, 50, 100}) {
		h.t.Errorf("it told of the steps %v", told)
	}
	h.cancelledTool("test_tool_with_progress", object{})
	h.says("This is a simple text response for testing.", "test_simple_text", object{})
	if _, err := h.tool(h.ctx, "brew", object{}); code(err) != -32602 {
		h.t.Errorf("a tool that does not exist: %v", err)
	}
}
