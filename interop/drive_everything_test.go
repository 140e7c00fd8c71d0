package interop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
)

// reference is the command of one of the servers that MCP has for reference.
func reference(name string, args ...string) []string {
	return append([]string{"node", "node_modules/@modelcontextprotocol/server-" + name + "/dist/index.js"}, args...)
}

const longRunning = "trigger-long-running-operation"

func TestServerEverything(t *testing.T) {
	h := driveMCP(t, withInitialize, &host{form: object{"name": "Ada"}, root: "/home/ada"}, reference("everything")...)
	h.expectServer(withInitialize, "mcp-servers/everything")
	list, err := client.Call[toolList](h.ctx, h.Client, "tools/list", nil)
	for _, name := range []string{"echo", "get-sum", longRunning, "trigger-sampling-request", "trigger-elicitation-request", "get-roots-list"} {
		if !slices.Contains(list.names(), name) {
			t.Errorf("there is no tool %s: %q, %v", name, list.names(), err)
		}
	}
	h.says("Echo: "+greeting, "echo", object{"message": greeting})
	h.says("The sum of 2 and 3 is 5.", "get-sum", object{"a": 2, "b": 3})
	if told := h.progress(longRunning, object{"duration": 0.05, "steps": 4}); !slices.Equal(told, []float64{1, 2, 3, 4}) {
		t.Errorf("it told of the steps %v", told)
	}
	h.cancelledTool(longRunning, object{"duration": 0.1, "steps": 5})
	h.says("Echo: "+after, "echo", object{"message": after})

	for tool, want := range map[string]string{
		"trigger-sampling-request":    `"text": "Paris"`,
		"trigger-elicitation-request": `- Name: Ada`,
		"get-roots-list":              `URI: file:///home/ada`,
	} {
		a, err := h.tool(h.ctx, tool, object{"prompt": "What is the capital of France?"})
		if err != nil || !strings.Contains(a.text(), want) {
			t.Errorf("%s says %q, %v", tool, a.text(), err)
		}
	}
	slices.Sort(h.asked)
	h.expectAsked("elicitation/create: Please provide inputs for the following fields:", "roots/list: ",
		"sampling/createMessage: Resource trigger-sampling-request context: What is the capital of France?")
	if _, err := h.tool(h.ctx, "brew", object{}); !errors.Is(err, errTool) || !strings.Contains(err.Error(), "-32602") {
		t.Errorf("a tool that does not exist: %v", err)
	}
	l := h.close(success)
	if text := h.stderr.String(); text != "Starting default (STDIO) server...\n" {
		t.Errorf("standard error: %q", text)
	}
	l.expectManners(t, manners{FirstID: "0", IDLast: true})
	h.expectWithdrawn(l, "notifications/cancelled", "requestId", 0)
	// It adds tools when it has learnt what the client can do, and logs.
	l.expectTold(t, "notifications/tools/list_changed", "")
	l.expectTold(t, "notifications/message", "Roots updated: 1 root(s)")
}

// expectTold: the server sent a notification with that in its params.
func (l *life) expectTold(t *testing.T, method, text string) {
	t.Helper()
	if !slices.ContainsFunc(l.messages(received), func(m message) bool {
		return m.Method == method && m.ID == nil && strings.Contains(string(m.Params), text)
	}) {
		t.Errorf("no %s with %q\n%s", method, text, l)
	}
}

// Whether a server has the newer era is found out by asking it: one that has
// not must answer, whatever it answers, and stay.
func TestServersOfOneEraAreAskedForTheOther(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{"everything": nil, "filesystem": {dir}, "memory": nil, "sequential-thinking": nil} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("MEMORY_FILE_PATH", dir+"/memory.jsonl")
			h := &host{root: dir}
			o := h.options(withInitialize)
			o.CloseWait = time.Second // one of them would use up any; see TestServersThatStay
			var refused error
			initialize := o.Start
			o.Start = func(ctx context.Context, c *peer.Conn) error {
				refused = h.discover(ctx, c)
				return initialize(ctx, c)
			}
			h.driven = drive(t, o, reference(name, args...)...)
			if code(refused) != -32601 {
				t.Errorf("server/discover gave %v", refused)
			}
			h.expectServer(withInitialize, h.name)
			if _, err := client.Call[toolList](h.ctx, h.Client, "tools/list", nil); err != nil {
				t.Error(err)
			}
			h.end()
		})
	}
}
