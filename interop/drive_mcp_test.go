package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// Two of the versions of MCP: with initialize, and without.
const (
	withInitialize = "2025-11-25"
	stateless      = "2026-07-28"
)

// host is what an MCP client needs to know beside our client: its user and its
// model, and what the server said of itself.
type host struct {
	*driven
	modern  bool
	form    object // what the user fills in
	root    string // the folder the server may work in
	version string // as agreed
	name    string // the server's

	mu    sync.Mutex
	asked []string // what the server asked, as "method: text"
}

// driveMCP drives an MCP server in the era of a version.
func driveMCP(t *testing.T, version string, h *host, argv ...string) *host {
	t.Helper()
	h.modern = version == stateless
	h.driven = drive(t, h.options(version), argv...)
	return h
}

func (h *host) options(version string) client.Options {
	if h.form == nil {
		h.form = object{"answer": reply}
	}
	o := client.Options{Profile: client.MCP, Handler: h.handler(), Start: h.initialize(version)}
	if version == stateless {
		o = client.Options{Profile: client.MCP2026, Start: h.discover, Middleware: []func(client.Invoker) client.Invoker{stating}}
	}
	return o
}

func abilities() object {
	return object{"elicitation": object{}, "sampling": object{}, "roots": object{"listChanged": true}}
}

// initialize is the handshake of the older era.
func (h *host) initialize(version string) client.Starter {
	return func(ctx context.Context, c *peer.Conn) error {
		var answer struct {
			ProtocolVersion string
			ServerInfo      struct{ Name string }
		}
		params := object{"protocolVersion": version, "capabilities": abilities(), "clientInfo": object{"name": "interop", "version": "1"}}
		if err := c.Call(ctx, "initialize", params, &answer); err != nil {
			return err
		}
		h.version, h.name = answer.ProtocolVersion, answer.ServerInfo.Name
		return c.Notify(ctx, "notifications/initialized", nil)
	}
}

// discover takes the place of a handshake in the newer one.
func (h *host) discover(ctx context.Context, c *peer.Conn) error {
	var answer struct {
		SupportedVersions []string
		Meta              map[string]struct{ Name string } `json:"_meta"`
	}
	if err := c.Call(ctx, "server/discover", stated(nil), &answer); err != nil {
		return err
	}
	if !slices.Contains(answer.SupportedVersions, stateless) {
		return fmt.Errorf("it speaks only %q", answer.SupportedVersions)
	}
	h.version, h.name = stateless, answer.Meta["io.modelcontextprotocol/serverInfo"].Name
	return nil
}

// stating puts into each call what the newer era wants to read there.
func stating(next client.Invoker) client.Invoker {
	return func(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
		return next(ctx, dst, method, stated(params))
	}
}

func stated(params []byte) json.RawMessage {
	whole := object{}
	if params != nil {
		if err := json.Unmarshal(params, &whole); err != nil {
			panic(err)
		}
	}
	meta := object{"io.modelcontextprotocol/protocolVersion": stateless, "io.modelcontextprotocol/clientCapabilities": abilities()}
	if own, ok := whole["_meta"].(object); ok {
		maps.Copy(meta, own)
	}
	whole["_meta"] = meta
	text, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	return text
}

// answer is what the user, the model or the program say.
func (h *host) answer(method string, params json.RawMessage) object {
	var p struct {
		Message  string
		Messages []struct{ Content struct{ Text string } }
	}
	json.Unmarshal(params, &p)
	for _, m := range p.Messages {
		p.Message += m.Content.Text
	}
	h.mu.Lock()
	h.asked = append(h.asked, method+": "+p.Message)
	h.mu.Unlock()
	switch method {
	case "elicitation/create":
		return object{"action": "accept", "content": h.form}
	case "sampling/createMessage":
		content := object{"type": "text", "text": "Paris"}
		return object{"role": "assistant", "model": "none", "content": content, "stopReason": "endTurn"}
	}
	return object{"roots": []object{{"uri": "file://" + h.root, "name": "home"}}}
}

// handler answers what a server of the older era asks.
func (h *host) handler() client.Handler {
	mux := server.NewMux()
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
		server.Handle(mux, method, func(_ context.Context, p json.RawMessage) (object, error) { return h.answer(method, p), nil })
	}
	return mux
}

// toolAnswer is the result of a tool.
type toolAnswer struct {
	ResultType        string
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
	InputRequests     map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState *string
}

func (a toolAnswer) text() string {
	var b strings.Builder
	for _, c := range a.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

var errTool = errors.New("the tool failed")

// tool calls a tool, in the newer era as often as it asks for more, and gives
// what it says.
func (h *host) tool(ctx context.Context, name string, args object) (toolAnswer, error) {
	params := object{"name": name, "arguments": args}
	for {
		a, err := client.Call[toolAnswer](ctx, h.Client, "tools/call", params)
		switch {
		case err != nil:
			return a, err
		case a.IsError:
			return a, fmt.Errorf("%w: %s", errTool, a.text())
		case a.ResultType != "input_required":
			return a, nil
		}
		responses := object{}
		for key, request := range a.InputRequests {
			responses[key] = h.answer(request.Method, request.Params)
		}
		params = object{"name": name, "arguments": args, "inputResponses": responses}
		if a.RequestState != nil {
			params["requestState"] = *a.RequestState
		}
	}
}

// says calls a tool whose text must be want.
func (h *host) says(want, name string, args object) {
	h.t.Helper()
	if a, err := h.tool(h.ctx, name, args); err != nil || a.text() != want {
		h.t.Errorf("%s says %q, %v; want %q", name, a.text(), err, want)
	}
}

// lists compares the names of the tools.
func (h *host) lists(want ...string) {
	h.t.Helper()
	list, err := client.Call[toolList](h.ctx, h.Client, "tools/list", nil)
	if got := list.names(); err != nil || !slices.Equal(got, want) {
		h.t.Errorf("it lists %q, %v; want %q", got, err, want)
	}
}

// progress calls a tool and gives the steps that it told of.
func (h *host) progress(name string, args object) (told []float64) {
	h.t.Helper()
	ctx := client.WithProgress(h.ctx, func(params []byte) {
		var p struct{ Progress float64 }
		json.Unmarshal(params, &p)
		told = append(told, p.Progress)
	})
	if _, err := h.tool(ctx, name, args); err != nil {
		h.t.Errorf("%s: %v", name, err)
	}
	return told
}

// firstStep gives a context to make a call with, and a function that waits for
// the first step it tells of.
func (d *driven) firstStep() (context.Context, func()) {
	step := make(chan struct{})
	var once sync.Once
	ctx := client.WithProgress(d.ctx, func([]byte) { once.Do(func() { close(step) }) })
	return ctx, func() {
		select {
		case <-step:
		case <-ctx.Done():
			d.t.Error("it tells of no step")
		}
	}
}

// cancelledTool cancels the call of a tool at its first step.
func (h *host) cancelledTool(name string, args object) {
	h.t.Helper()
	ctx, underWay := h.firstStep()
	h.cancelled(ctx, "tools/call", object{"name": name, "arguments": args}, underWay)
}

// expectServer compares what was agreed on.
func (h *host) expectServer(version, name string) {
	h.t.Helper()
	if h.version != version || h.name != name {
		h.t.Errorf("%s of version %s, want %s of %s", h.name, h.version, name, version)
	}
}

// expectAsked compares what the server asked.
func (h *host) expectAsked(want ...string) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.asked, want) {
		h.t.Errorf("it asked %q, want %q", h.asked, want)
	}
}
