package interop

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/client"
)

// Servers have bounds of their own on a line. At one that is longer the server
// is gone, and the call says so.
func TestLargeMessagesToServers(t *testing.T) {
	tools := func(argv []string, tool, member string) func(t *testing.T, sizes []int) (*driven, []error) {
		return func(t *testing.T, sizes []int) (*driven, []error) {
			h := driveMCP(t, withInitialize, &host{}, argv...)
			var errs []error
			for _, size := range sizes {
				_, err := h.tool(h.ctx, tool, object{member: strings.Repeat("x", size<<20)})
				errs = append(errs, err)
			}
			return h.driven, errs
		}
	}
	for _, test := range []struct {
		name  string
		sizes []int // MiB
		send  func(t *testing.T, sizes []int) (*driven, []error)
		whole []bool
	}{
		{"GoSDK", []int{15, 17}, tools([]string{program("everything-server")}, "test_sampling", "prompt"), []bool{true, false}},
		{"MCPGo", []int{15, 20}, tools(party(t, "mcp-go"), "echo", "message"), []bool{true, true}},
		{"TypeScriptV1", []int{9, 11}, tools(reference("everything"), "echo", "message"), []bool{true, false}},
		{"TypeScriptV2", []int{9, 11}, tools([]string{"node", "node/mcp-server.mjs"}, "echo", "message"), []bool{true, false}},
		{"CoderACP", []int{9, 11}, prompts(party(t, "acp")), []bool{true, false}},
		{"TypeScriptACP", []int{31, 33}, prompts([]string{"node", "node/acp-agent.mjs"}), []bool{true, false}},
		{"JRPC2", []int{20}, echoes(party(t, "jrpc2")), []bool{true}},
		{"JSONRPC20", []int{20}, echoes([]string{"node", "node/json-rpc-2.0-server.mjs"}), []bool{true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, errs := test.send(t, test.sizes)
			var whole []bool
			for i, err := range errs {
				whole = append(whole, err == nil)
				if err != nil {
					t.Logf("%d MiB: %.300v", test.sizes[i], err)
				}
			}
			if !slices.Equal(whole, test.whole) {
				t.Errorf("of %v MiB went through: %v, want %v", test.sizes, whole, test.whole)
			}
			if last := errs[len(errs)-1]; last != nil && !errors.Is(last, client.ErrClosed) {
				t.Errorf("the last call gave %v", last)
			}
			d.end()
		})
	}
}

func prompts(argv []string) func(t *testing.T, sizes []int) (*driven, []error) {
	return func(t *testing.T, sizes []int) (*driven, []error) {
		d := driveACP(t, argv...)
		var errs []error
		for _, size := range sizes {
			_, err := d.prompt(d.ctx, strings.Repeat("x", size<<20), chose("reject"))
			errs = append(errs, err)
		}
		return d.driven, errs
	}
}

func echoes(argv []string) func(t *testing.T, sizes []int) (*driven, []error) {
	return func(t *testing.T, sizes []int) (*driven, []error) {
		d := drive(t, client.Options{}, argv...)
		var errs []error
		for _, size := range sizes {
			text := strings.Repeat("x", size<<20)
			got, err := client.Call[[]string](d.ctx, d.Client, "echo", []string{text})
			if err == nil && (len(got) != 1 || got[0] != text) {
				err = errors.New("it came back as something else")
			}
			errs = append(errs, err)
		}
		return d, errs
	}
}
