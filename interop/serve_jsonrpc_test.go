package interop

import (
	"encoding/json"
	"testing"
)

// demoVisit is what a client of plain JSON-RPC gets to see of cmd/demo.
type demoVisit struct {
	Echo       json.RawMessage
	Add        float64
	Positional float64 // subtract, with 42 and 23 in an array
	Progress   string
	Steps      []int  // what the notifications before that result said
	Greet      string // for this the server calls the client
	Unknown    int    // code of a method that nobody serves
	Failed     int    // code of a handler's error

	One, Array, Null json.RawMessage // echo of one param; vscode-jsonrpc only
	Slow             int             // code of a cancelled call; vscode-jsonrpc only
	Scalar           int             // code of params that are a string; json-rpc-2.0 only
	Batch            json.RawMessage // ids with results or codes; json-rpc-2.0 only
}

func (v demoVisit) expect(t *testing.T, l *life, want demoVisit) {
	t.Helper()
	want.Echo, want.Add, want.Positional = json.RawMessage(`{"text":"héllo `+"\u2028"+`","n":1.5}`), 5, 19
	want.Progress, want.Steps, want.Greet = "done", []int{1, 2}, "hello, Ada"
	want.Unknown, want.Failed = -32601, -32603
	got, _ := json.Marshal(v)
	if expected, _ := json.Marshal(want); string(got) != string(expected) {
		t.Errorf("got  %s\nwant %s\n%s", got, expected, l)
	}
}

func TestVSCodeJSONRPCClient(t *testing.T) {
	w := newWire(t)
	v := script[demoVisit](t, w, "vscode-jsonrpc.mjs", w.command(polite, "demo", "serve")...)
	l := w.orderly()
	v.expect(t, l, demoVisit{
		One: json.RawMessage(`["scalar"]`), Array: json.RawMessage(`[[1,2]]`), Null: json.RawMessage(`[null]`),
		Slow: -32800,
	})
	l.expectHabits(t, habits{FirstID: "0"})
	var cancelled bool
	for _, m := range l.messages(sent) {
		if m.Method == "$/cancelRequest" {
			cancelled = string(m.Params) == `{"id":0}` && len(answers(l.messages(received), json.RawMessage("0"))) == 1
		}
	}
	if !cancelled {
		t.Errorf("there is no cancelled and answered call\n%s", l)
	}
}

func TestJSONRPC20Client(t *testing.T) {
	w := newWire(t)
	v := script[demoVisit](t, w, "json-rpc-2.0.mjs", w.command(polite, "demo", "serve")...)
	l := w.orderly()
	v.expect(t, l, demoVisit{Scalar: -32600, Batch: json.RawMessage(`[["a",7],["b",-32601],[10.5,2]]`)})
	l.expectHabits(t, habits{FirstID: "1", Batch: true, Scalar: true})
}
