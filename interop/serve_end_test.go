package interop

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server that does not end is told so, and killed, by every client that
// starts its server itself. docs/compatibility.md has the times; a client that
// waits less than it says would surprise servers that are written after it.
func TestClientsKillAServerThatStays(t *testing.T) {
	second := time.Second
	for _, test := range []struct {
		name             string
		toTERM, thenKILL time.Duration
		start            func(t *testing.T, w *wire)
	}{
		{"GoSDK", 5 * second, 5 * second, func(t *testing.T, w *wire) {
			var asked string
			session, _ := goSDK(t.Context(), t, w, stubborn, "", &asked)
			session.Close() // it says that the server was killed
		}},
		{"MCPGo", 2 * second, 3 * second, func(t *testing.T, w *wire) {
			c, _ := mcpGo(t.Context(), t, w, stubborn, "", &user{})
			c.Close()
		}},
		{"TypeScriptV1", 2 * second, 2 * second, func(t *testing.T, w *wire) {
			script[any](t, w, "mcp-v1.mjs", append([]string{"close"}, w.command(stubborn, "mcp-tools")...)...)
		}},
		{"TypeScriptV2", 2 * second, 2 * second, func(t *testing.T, w *wire) {
			script[any](t, w, "mcp-v2.mjs", append([]string{"close", "legacy"}, w.command(stubborn, "mcp-tools")...)...)
		}},
		{"Inspector", 2 * second, 2 * second, func(t *testing.T, w *wire) {
			node(t, w, inspectorLine(w, stubborn, "--method", "tools/list")...)
		}},
		{"MCPorter", 700 * time.Millisecond, 700 * time.Millisecond, func(t *testing.T, w *wire) {
			node(t, w, mcporterLine(w, stubborn, "list", "--json")...)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // they all wait
			w := newWire(t)
			test.start(t, w)
			l := w.finish(1)[0]
			end, signal := l.first(ended), l.first(signaled)
			if end.At.IsZero() || signal.Text != "terminated" {
				t.Fatalf("there was no end of input, and no SIGTERM\n%s", l)
			}
			near(t, "SIGTERM came", signal.At.Sub(end.At), test.toTERM)
			near(t, "SIGKILL came", l.ended.Sub(signal.At), test.thenKILL)
		})
	}
}

// near allows what a busy machine adds.
func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want-100*time.Millisecond || got > want+time.Second {
		t.Errorf("%s after %v, want about %v", what, got, want)
	}
}

// The TypeScript SDKs hand a notification on later than a response that stands
// behind it in the same piece of input, and by then nobody is told of progress.
// A server can't help it but by writing them at different times.
func TestProgressBesideItsResponse(t *testing.T) {
	typeScript := func(name string, args ...string) func(*testing.T, *wire) []float64 {
		return func(t *testing.T, w *wire) []float64 {
			return script[[]float64](t, w, name, slices.Concat([]string{"steps"}, args, w.command(gathering, "mcp-tools"))...)
		}
	}
	for _, test := range []struct {
		name  string
		steps func(t *testing.T, w *wire) []float64
		want  []float64
	}{
		{"TypeScriptV1", typeScript("mcp-v1.mjs"), nil},
		{"TypeScriptV2", typeScript("mcp-v2.mjs", "legacy"), nil},
		{"GoSDK", func(t *testing.T, w *wire) (told []float64) {
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			var asked string
			session, steps := goSDK(ctx, t, w, gathering, "2025-11-25", &asked)
			params := &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{"steps": 3, "ms": 5}}
			params.SetProgressToken("token")
			if _, err := session.CallTool(ctx, params); err != nil {
				t.Error(err)
			}
			for range 3 {
				told = append(told, <-steps)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			return told
		}, []float64{1, 2, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t)
			got := test.steps(t, w)
			l := w.orderly()
			if !slices.Equal(got, test.want) {
				t.Errorf("it was told of %v, want %v\n%s", got, test.want, l)
			}
		})
	}
}
