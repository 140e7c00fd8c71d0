package interop

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/client"
)

// The server asks for the client's roots right after the handshake, and works
// in these instead of the folder it was started with.
func TestServerFilesystem(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/diary", []byte(greeting), 0o600); err != nil {
		t.Fatal(err)
	}
	h := driveMCP(t, withInitialize, &host{root: root}, reference("filesystem", t.TempDir())...)
	h.expectServer(withInitialize, "secure-filesystem-server")
	h.awaitStderr("Updated allowed directories from MCP roots: 1 valid directories")
	h.expectAsked("roots/list: ")
	h.says("[FILE] diary", "list_directory", object{"path": root})
	h.says(greeting, "read_text_file", object{"path": root + "/diary"})
	h.says("Successfully wrote to "+root+"/copy", "write_file", object{"path": root + "/copy", "content": after})
	if text := read(t, root+"/copy"); text != after {
		t.Errorf("it wrote %q", text)
	}
	if _, err := h.tool(h.ctx, "read_text_file", object{"path": "/etc/passwd"}); !errors.Is(err, errTool) || !strings.Contains(err.Error(), "Access denied") {
		t.Errorf("a file outside: %v", err)
	}
	// What is larger than a pipe holds comes in many pieces.
	large := strings.Repeat("0123456789abcdef", 1<<16)
	h.says("Successfully wrote to "+root+"/large", "write_file", object{"path": root + "/large", "content": large})
	if a, err := h.tool(h.ctx, "read_text_file", object{"path": root + "/large"}); err != nil || a.text() != large {
		t.Errorf("%d bytes came back, %v", len(a.text()), err)
	}
	l := h.close(success)
	l.expectManners(t, manners{FirstID: "0", IDLast: true})
}

// awaitStderr waits for a text on the server's standard error.
func (d *driven) awaitStderr(text string) {
	d.t.Helper()
	d.w.await(text, func(l *life) bool { return l.logs(text) })
}

func TestServerMemory(t *testing.T) {
	file := t.TempDir() + "/memory.jsonl"
	t.Setenv("MEMORY_FILE_PATH", file)
	h := driveMCP(t, withInitialize, &host{}, reference("memory")...)
	h.expectServer(withInitialize, "memory-server")
	h.lists("create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
		"delete_relations", "read_graph", "search_nodes", "open_nodes")
	updated := h.subscribed("notifications/resources/updated")
	resources, err := client.Call[struct{ Resources []struct{ URI string } }](h.ctx, h.Client, "resources/list", nil)
	if err != nil || len(resources.Resources) != 1 {
		t.Fatalf("%+v, %v", resources, err)
	}
	uri := resources.Resources[0].URI
	if _, err := client.Call[json.RawMessage](h.ctx, h.Client, "resources/subscribe", object{"uri": uri}); err != nil {
		t.Error(err)
	}
	entity := object{"name": "Ada", "entityType": "person", "observations": []string{greeting}}
	if _, err := h.tool(h.ctx, "create_entities", object{"entities": []object{entity}}); err != nil {
		t.Error(err)
	}
	if params := h.next(updated); !strings.Contains(params, uri) {
		t.Errorf("updated: %s", params)
	}
	a, err := h.tool(h.ctx, "read_graph", object{})
	var graph struct {
		Entities []struct {
			Name         string
			Observations []string
		}
	}
	json.Unmarshal(a.StructuredContent, &graph)
	if err != nil || len(graph.Entities) != 1 || graph.Entities[0].Name != "Ada" || graph.Entities[0].Observations[0] != greeting {
		t.Errorf("the graph is %s, %v", a.StructuredContent, err)
	}
	l := h.close(success)
	l.expectManners(t, manners{IDLast: true})
	if text := read(t, file); !strings.Contains(text, `"Ada"`) {
		t.Errorf("the file: %s", text)
	}
}

// The server draws a box around each thought, on standard error and with
// newlines in it. All of it is read, however much more than a pipe holds, and
// none of it is taken for a message.
func TestServerSequentialThinking(t *testing.T) {
	h := driveMCP(t, withInitialize, &host{}, reference("sequential-thinking")...)
	h.expectServer(withInitialize, "sequential-thinking-server")
	h.lists("sequentialthinking")
	const thoughts = 40
	long := strings.Repeat("thought ", 1<<11)
	for i := 1; i <= thoughts; i++ {
		a, err := h.tool(h.ctx, "sequentialthinking", object{
			"thought": long, "nextThoughtNeeded": i < thoughts, "thoughtNumber": i, "totalThoughts": thoughts,
		})
		var state struct{ ThoughtHistoryLength int }
		if json.Unmarshal(a.StructuredContent, &state); err != nil || state.ThoughtHistoryLength != i {
			t.Fatalf("thought %d: %s, %v", i, a.StructuredContent, err)
		}
	}
	l := h.close(success)
	l.expectManners(t, manners{IDLast: true})
	why, _ := errors.AsType[*client.ClosedError](h.Err())
	text := h.stderr.String()
	if boxes := strings.Count(text, "┌"); boxes != thoughts || strings.Count(text, long) != thoughts {
		t.Errorf("%d bytes of standard error, with %d boxes", len(text), boxes)
	}
	if tail := string(why.Stderr); len(tail) == 0 || len(tail) > client.DefaultStderrTail || !strings.HasSuffix(text, tail) {
		t.Errorf("the tail of standard error has %d bytes, and ends with %.50q", len(tail), tail[max(0, len(tail)-50):])
	}
}
