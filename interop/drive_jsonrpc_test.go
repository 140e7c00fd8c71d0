package interop

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/server"
)

// plainServer is a server of plain JSON-RPC, and what differs between them.
type plainServer struct {
	argv     []string
	profile  *client.Profile
	failed   int // the code of a handler's error
	answered int // how often it answers a call that was cancelled
	manners  manners
}

// visit has a call, a scalar result, a notification in each direction, a call
// to the client, errors, a cancelled call, and what the profile has besides:
// batches or progress.
func (s plainServer) visit(t *testing.T) {
	t.Helper()
	mux := server.NewMux()
	server.Handle(mux, "client/name", func(context.Context, json.RawMessage) (string, error) { return "Ada", nil })
	d := drive(t, client.Options{Profile: s.profile, Handler: mux}, s.argv...)
	updated := d.subscribed("updated")
	params := json.RawMessage(`{"text":"héllo \u2028","n":1.5,"none":null}`)
	echo, err := client.Call[struct {
		Text string
		N    float64
	}](d.ctx, d.Client, "echo", params)
	if err != nil || echo.Text != "héllo \u2028" || echo.N != 1.5 {
		t.Errorf("echo: %+v, %v", echo, err)
	}
	if n, err := client.Call[int](d.ctx, d.Client, "sum", []int{1, 2, 4}); err != nil || n != 7 {
		t.Errorf("sum: %d, %v", n, err)
	}
	if text, err := client.Call[string](d.ctx, d.Client, "greet", nil); err != nil || text != "hello, Ada" {
		t.Errorf("greet: %q, %v", text, err)
	}
	if err := d.Notify(d.ctx, "update", []string{"news"}); err != nil {
		t.Error(err)
	}
	if text := d.next(updated); text != `{"text":"news"}` {
		t.Errorf("updated: %s", text)
	}
	if _, err := client.Call[any](d.ctx, d.Client, "brew", nil); code(err) != -32601 {
		t.Errorf("a method that nobody serves: %v", err)
	}
	if e, ok := errors.AsType[*client.Error](call(d, "boom")); !ok || int(e.Code) != s.failed || !strings.Contains(e.Message, "boom") {
		t.Errorf("a handler's error: %v", e)
	}
	d.cancelled(d.ctx, "slow", object{"steps": 100_000}, func() { d.awaitStderr("slow: begun") })
	if s.profile.Batch {
		d.batches()
	}
	if s.profile == client.LSP {
		d.steps()
	}
	l := d.close(success)
	l.expectManners(t, s.manners)
	if s.profile.CancelMethod != "" {
		d.expectWithdrawn(l, s.profile.CancelMethod, s.profile.CancelID, s.answered)
	}
}

// steps follows a call through its progress.
func (d *driven) steps() {
	d.t.Helper()
	var told []int
	ctx := client.WithProgress(d.ctx, func(params []byte) {
		var p struct{ Value struct{ Step int } }
		json.Unmarshal(params, &p)
		told = append(told, p.Value.Step)
	})
	if text, err := client.Call[string](ctx, d.Client, "slow", object{"steps": 3}); err != nil || text != "done" {
		d.t.Errorf("slow: %q, %v", text, err)
	}
	if !slices.Equal(told, []int{1, 2, 3}) {
		d.t.Errorf("it told of the steps %v", told)
	}
}

func call(d *driven, method string) error {
	_, err := client.Call[any](d.ctx, d.Client, method, nil)
	return err
}

// batches are one of everything, one of a single call, and one of
// notifications alone, after which the server is still there.
func (d *driven) batches() {
	d.t.Helper()
	b := d.NewBatch()
	total := client.Add[int](b, "sum", []int{1, 2})
	b.Notify("update", []string{"in a batch"})
	unknown := client.Add[any](b, "brew", nil)
	echo := client.Add[json.RawMessage](b, "echo", []string{greeting})
	if err := b.Send(d.ctx); err != nil {
		d.t.Error(err)
	}
	if n, err := total.Get(d.ctx); n != 3 || err != nil {
		d.t.Errorf("sum in a batch: %d, %v", n, err)
	}
	if _, err := unknown.Get(d.ctx); code(err) != -32601 {
		d.t.Errorf("a method that nobody serves, in a batch: %v", err)
	}
	var text []string
	raw, err := echo.Get(d.ctx)
	if json.Unmarshal(raw, &text); err != nil || len(text) != 1 || text[0] != greeting {
		d.t.Errorf("echo in a batch: %s, %v", raw, err)
	}
	one := client.Add[int](b, "sum", []int{5})
	if err := b.Send(d.ctx); err != nil {
		d.t.Error(err)
	}
	if n, err := one.Get(d.ctx); n != 5 || err != nil {
		d.t.Errorf("sum in a batch of its own: %d, %v", n, err)
	}
	b.Notify("update", []string{"alone"})
	if err := b.Send(d.ctx); err != nil {
		d.t.Error(err)
	}
	d.awaitStderr("update: alone")
}

// jrpc2 takes a notification that cancels by the name of rpc.cancel, with the
// ids in an array: there is no profile for that, so calls are given up in silence.
func TestJRPC2Server(t *testing.T) {
	profile := &client.Profile{Name: "jrpc2", Batch: true}
	plainServer{party(t, "jrpc2"), profile, -32098, 0, manners{FirstID: "1", Batch: true}}.visit(t)
}

func TestJSONRPC20Server(t *testing.T) {
	argv := []string{"node", "node/json-rpc-2.0-server.mjs"}
	plainServer{argv, client.JSONRPC, 0, 0, manners{FirstID: "1", Batch: true}}.visit(t)
}

func TestVSCodeJSONRPCServer(t *testing.T) {
	argv := []string{"node", "node/vscode-jsonrpc-server.mjs"}
	plainServer{argv, client.LSP, -32603, 1, manners{FirstID: "0"}}.visit(t)
}
