package interop

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Servers whose tools are echo, slow and ask, in both eras: of mcp-go, of
// version 2 of the TypeScript SDK, and ours.

// toolServer is one of them, and how it is known to write.
type toolServer struct {
	name     string
	argv     []string
	tools    []string // in the order of its list
	manners  manners  // in the newer era it makes no calls
	answered int      // how often it answers a cancelled call
}

// visit does what each of them must stand, in both eras.
func (s toolServer) visit(t *testing.T) {
	for _, version := range []string{withInitialize, stateless} {
		t.Run("version="+version, func(t *testing.T) {
			h := driveMCP(t, version, &host{}, s.argv...)
			h.expectServer(version, s.name)
			h.lists(s.tools...)
			h.says(greeting, "echo", object{"message": greeting})
			if told := h.progress("slow", object{"steps": 3, "ms": 5}); !slices.Equal(told, []float64{1, 2, 3}) {
				t.Errorf("it told of the steps %v", told)
			}
			h.cancelledTool("slow", object{"steps": 100_000, "ms": 10})
			h.says(after, "echo", object{"message": after})
			h.says("the user says: "+reply, "ask", object{"question": question})
			h.expectAsked("elicitation/create: " + question)
			if _, err := h.tool(h.ctx, "brew", object{}); code(err) != -32602 {
				t.Errorf("a tool that does not exist: %v", err)
			}
			l := h.close(success)
			if !strings.Contains(h.stderr.String(), "slow: cancelled in step") {
				t.Errorf("standard error: %q", &h.stderr)
			}
			if h.modern {
				s.manners.FirstID = ""
			}
			l.expectManners(t, s.manners)
			h.expectWithdrawn(l, "notifications/cancelled", "requestId", s.answered)
		})
	}
}

func TestMCPGoServer(t *testing.T) {
	toolServer{
		"interop-mcp-go", party(t, "mcp-go"), []string{"ask", "echo", "slow"},
		manners{FirstID: "1"}, 1,
	}.visit(t)
}

func TestTypeScriptV2Server(t *testing.T) {
	toolServer{
		"interop-ts", []string{"node", "node/mcp-server.mjs"}, []string{"echo", "slow", "ask"},
		manners{FirstID: "0", IDLast: true}, 0,
	}.visit(t)
}

func TestOurToolServer(t *testing.T) {
	toolServer{
		"linerpc-mcp-tools", []string{program("mcp-tools")}, allTools,
		manners{FirstID: "1"}, 0,
	}.visit(t)
}

// Progress that arrives in the same piece as the response of its call is not
// lost; of clients that lose it see TestProgressBesideItsResponse.
func TestOurClientHearsProgressBesideItsResponse(t *testing.T) {
	w := newWire(t)
	argv := w.tapped(gathering, "node", "node/mcp-server.mjs")
	h := &host{}
	h.driven = driveCommand(t, w, h.options(withInitialize), exec.Command(argv[0], argv[1:]...))
	if told := h.progress("slow", object{"steps": 3, "ms": 5}); !slices.Equal(told, []float64{1, 2, 3}) {
		t.Errorf("it told of the steps %v", told)
	}
	h.close(success)
}
