package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	m.Run()
}

// connect gives a client of the server in memory. What the server tells it
// comes on the channel.
func connect(t *testing.T) (*peer.Conn, <-chan string) {
	told := make(chan string, 100)
	mux := server.NewMux()
	mux.HandleFunc("notifications/progress", func(_ context.Context, _ server.Reply, r server.Request) error {
		told <- string(r.Params())
		return nil
	})
	mux.HandleFunc("elicitation/create", func(_ context.Context, w server.Reply, r server.Request) error {
		return w.Raw([]byte(`{"action":"accept","content":{"answer":"yes"}}`))
	})
	o := &server.Options{Profile: server.MCP}
	client, srv := peer.Pipe(mux, newMux(), o, o)
	served := make(chan error, 2)
	for _, c := range []*peer.Conn{client, srv} {
		go func() { served <- c.Serve(context.Background()) }()
	}
	t.Cleanup(func() {
		synctest.Wait() // what was cancelled has been answered
		client.Close()
		for range 2 {
			if err := <-served; err != nil {
				t.Error(err)
			}
		}
	})
	return client, told
}

// outcome makes a call and gives its result, or the error's text.
func outcome(t *testing.T, c *peer.Conn, method, params string) string {
	var result json.RawMessage
	if err := c.Call(t.Context(), method, json.RawMessage(params), &result); err != nil {
		if e, ok := errors.AsType[*server.Error](err); ok {
			return e.Error() + string(e.Data)
		}
		return err.Error()
	}
	return string(result)
}

const now = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

type exchange struct{ method, params, want string }

func converse(t *testing.T, exchanges []exchange) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := connect(t)
		for _, x := range exchanges {
			if got := outcome(t, c, x.method, x.params); !strings.Contains(got, x.want) {
				t.Errorf("%s %s\ngot  %s\nwant %s", x.method, x.params, got, x.want)
			}
		}
	})
}

func TestEraWithInitialize(t *testing.T) {
	converse(t, []exchange{
		{"ping", `{}`, `{}`},
		{"tools/list", `{}`, `(-32602)`},
		{"initialize", `{"protocolVersion":"2099-01-01","capabilities":{}}`, `"protocolVersion":"2025-11-25"`},
		{"tools/call", `{"name":"ask","arguments":{"question":"q"}}`, `"isError":true`},
		{"initialize", `{"protocolVersion":"2024-11-05","capabilities":{"elicitation":{}}}`, `"protocolVersion":"2024-11-05"`},
		{"tools/list", `{}`, `"name":"echo"`},
		{"server/discover", `{}`, `(-32602)`},
		{"tools/call", `{"name":"echo","arguments":{"message":"hé"}}`, `{"content":[{"text":"hé","type":"text"}]}`},
		{"tools/call", `{"name":"add","arguments":{"a":2,"b":3}}`, `"structuredContent":{"sum":5}`},
		{"tools/call", `{"name":"add","arguments":{"a":2}}`, `"isError":true`},
		{"tools/call", `{"name":"add","arguments":{"a":"2"}}`, `"isError":true`},
		{"tools/call", `{"name":"ask","arguments":{"question":"q"}}`, `the user says: yes`},
		{"tools/call", `{"name":"brew"}`, `there is no tool brew (-32602)`},
		{"prompts/list", `{}`, `(-32601)`},
	})
}

func TestEraWithoutInitialize(t *testing.T) {
	converse(t, []exchange{
		{"server/discover", `{` + now + `}`, `"supportedVersions":["2026-07-28"]`},
		{"tools/list", `{` + now + `}`, `"ttlMs":0`},
		{"tools/call", `{"name":"add","arguments":{"a":2,"b":3},` + now + `}`, `"resultType":"complete"`},
		{"tools/call", `{"name":"ask","arguments":{"question":"q"},` + now + `}`, `"resultType":"input_required"`},
		{"tools/call", `{"name":"ask","arguments":{},"inputResponses":{"question":{"action":"decline"}},` + now + `}`, `did not answer: decline`},
		{"tools/call", `{"name":"ask","arguments":{},"inputResponses":{"question":{"role":"assistant","content":{"type":"text","text":"no"}}},` + now + `}`, `the model says: no`},
		{"tools/call", `{"name":"ask","arguments":{},` + strings.Replace(now, `"elicitation":{}`, ``, 1) + `}`, `(-32021){"requiredCapabilities":{"elicitation":{}}}`},
		{"ping", `{` + now + `}`, `(-32601)`},
		{"initialize", `{` + now + `}`, `(-32601)`},
		{"tools/list", `{` + strings.Replace(now, "2026", "2027", 1) + `}`, `(-32022){"requested":"2027-07-28","supported":["2026-07-28"]}`},
		{"tools/list", `{` + strings.Replace(now, "clientCapabilities", "clientInfo", 1) + `}`, `clientCapabilities" (-32602)`},
		{"tools/list", `{}`, `protocolVersion" (-32602)`},
	})
}

func TestProgressAndCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := connect(t)
		outcome(t, c, "initialize", `{"protocolVersion":"2025-06-18"}`)
		got := outcome(t, c, "tools/call", `{"name":"slow","arguments":{"steps":2,"ms":50},"_meta":{"progressToken":"t"}}`)
		if first, second := <-told, <-told; !strings.Contains(got, "2 steps") ||
			first != `{"progress":1,"progressToken":"t","total":2}` || second != `{"progress":2,"progressToken":"t","total":2}` {
			t.Error(got, first, second)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		params := json.RawMessage(`{"name":"slow","arguments":{"steps":1,"ms":3600000}}`)
		if err := c.Call(ctx, "tools/call", params, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if got := outcome(t, c, "ping", `{}`); got != `{}` { // and the end of the test does not wait for an hour
			t.Error(got)
		}
	})
}
