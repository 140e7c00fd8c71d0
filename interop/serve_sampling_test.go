package interop

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 what newer versions have removed is what older servers still use

// A client without a user is asked for its model instead: by a call to it, or
// in the modern era by a result. One that has neither is told so.
func TestGoSDKClientIsAskedForItsModel(t *testing.T) {
	const says = "the model says: milk, no sugar"
	for _, test := range []struct {
		name, version string
		sampling      bool
		text          string
		isError       bool
		code          int64 // of an error of the protocol
	}{
		{"legacy", "2025-11-25", true, says, false, 0},
		{"modern", "2026-07-28", true, says, false, 0},
		{"legacy without", "2025-11-25", false, "the client can ask neither a user nor a model", true, 0},
		{"modern without", "2026-07-28", false, "", false, mcp.CodeMissingRequiredClientCapabilities},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			w := newWire(t)
			options := &mcp.ClientOptions{}
			if test.sampling {
				options.CreateMessageHandler = func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
					if text, ok := r.Params.Messages[0].Content.(*mcp.TextContent); !ok || text.Text != question {
						return nil, errors.New("another question")
					}
					return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "milk, no sugar"}}, nil
				}
			}
			session := goSDKSession(ctx, t, w, polite, test.version, options)
			r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": question}})
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			l := w.orderly()
			if test.code != 0 {
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != test.code {
					t.Errorf("error %v\n%s", err, l)
				}
				return
			}
			if err != nil || r.IsError != test.isError || r.Content[0].(*mcp.TextContent).Text != test.text {
				t.Errorf("%+v, error %v\n%s", r, err, l)
			}
		})
	}
}
