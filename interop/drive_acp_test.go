package interop

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// desk is a client of ACP on ours: it shows updates, decides, and has files.
type desk struct {
	*driven
	version int
	agent   string
	session string

	mu      sync.Mutex
	turn    acpTurn
	updated chan struct{} // one for each update of the turn
	files   map[string]string
	decides func(ctx context.Context) (object, error)
}

func driveACP(t *testing.T, argv ...string) *desk {
	t.Helper()
	d := &desk{files: map[string]string{"/diary": greeting}}
	d.driven = drive(t, client.Options{Profile: client.ACP, Handler: d.handler(), Start: d.start}, argv...)
	return d
}

func (d *desk) start(ctx context.Context, c *peer.Conn) error {
	var first struct {
		ProtocolVersion int
		AgentInfo       struct{ Name string }
	}
	var session struct{ SessionID string }
	able := object{"fs": object{"readTextFile": true, "writeTextFile": true}}
	if err := c.Call(ctx, "initialize", object{"protocolVersion": 1, "clientCapabilities": able}, &first); err != nil {
		return err
	}
	err := c.Call(ctx, "session/new", object{"cwd": "/", "mcpServers": []any{}}, &session)
	d.version, d.agent, d.session = first.ProtocolVersion, first.AgentInfo.Name, session.SessionID
	return err
}

func (d *desk) handler() client.Handler {
	mux := server.NewMux()
	server.HandleNotification(mux, "session/update", func(_ context.Context, p struct {
		Update struct {
			SessionUpdate, Status string
			Content               json.RawMessage
		}
	}) error {
		var content struct{ Text string }
		json.Unmarshal(p.Update.Content, &content)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.turn.Updates = append(d.turn.Updates, p.Update.SessionUpdate+":"+content.Text+p.Update.Status)
		d.updated <- struct{}{}
		return nil
	})
	server.Handle(mux, "session/request_permission", func(ctx context.Context, p struct{ ToolCall struct{ ToolCallID string } }) (object, error) {
		d.mu.Lock()
		d.turn.Asked = p.ToolCall.ToolCallID
		decides := d.decides
		d.mu.Unlock()
		outcome, err := decides(ctx)
		return object{"outcome": outcome}, err
	})
	server.Handle(mux, "fs/read_text_file", func(_ context.Context, p struct{ Path string }) (object, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return object{"content": d.files[p.Path]}, nil
	})
	server.Handle(mux, "fs/write_text_file", func(_ context.Context, p struct{ Path, Content string }) (object, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.files[p.Path] = p.Content
		return object{}, nil
	})
	return mux
}

func chose(option string) func(context.Context) (object, error) {
	return func(context.Context) (object, error) { return object{"outcome": "selected", "optionId": option}, nil }
}

// takenBack is what is decided when the agent takes its question back.
func (d *desk) takenBack(ctx context.Context) (object, error) {
	select {
	case <-ctx.Done():
	case <-d.ctx.Done():
		d.t.Error("the question was not taken back")
	}
	return object{"outcome": "cancelled"}, nil
}

// prompt goes through a turn, and gives why it stopped.
func (d *desk) prompt(ctx context.Context, text string, decides func(context.Context) (object, error)) (stop string, err error) {
	d.mu.Lock()
	d.turn, d.updated, d.decides = acpTurn{}, make(chan struct{}, 16), decides
	d.mu.Unlock()
	params := object{"sessionId": d.session, "prompt": []object{{"type": "text", "text": text}}}
	end, err := client.Call[struct{ StopReason string }](ctx, d.Client, "session/prompt", params)
	return end.StopReason, err
}

// shown waits for that many updates, which a response does not wait for, and
// gives what was shown of the turn.
func (d *desk) shown(updates int) acpTurn {
	for range updates {
		select {
		case <-d.updated:
		case <-d.ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.turn
}

// visit goes through five turns: allowed, rejected, ended by session/cancel,
// one whose call is given up, and one more. All of them have begun before the
// agent asks.
func (d *desk) visit(agent string, begun, allowed, rejected []string) {
	d.t.Helper()
	if d.version != 1 || d.agent != agent || d.session != "session-1" {
		d.t.Errorf("version %d of %s, session %s", d.version, d.agent, d.session)
	}
	begin := []string{"agent_message_chunk:dear ", "agent_message_chunk:diary "}
	begin = append(begin, begun...)
	turn := func(stop string, more []string, decides func(context.Context) (object, error)) {
		d.t.Helper()
		reason, err := d.prompt(d.ctx, "dear diary", decides)
		want := acpTurn{Updates: slices.Concat(begin, more), Asked: "call-1"}
		if got := d.shown(len(want.Updates)); err != nil || reason != stop || !reflect.DeepEqual(got, want) {
			d.t.Errorf("got  %q, %+v, %v\nwant %q, %+v", reason, got, err, stop, want)
		}
	}
	turn("end_turn", allowed, chose("allow"))
	turn("end_turn", rejected, chose("reject"))
	turn("cancelled", nil, func(ctx context.Context) (object, error) {
		if err := d.Notify(d.ctx, "session/cancel", object{"sessionId": d.session}); err != nil {
			d.t.Error(err)
		}
		return d.takenBack(ctx)
	})
	ctx, cancel := context.WithCancelCause(d.ctx)
	enough := errors.New("enough")
	over := make(chan struct{})
	_, err := d.prompt(ctx, "dear diary", func(ctx context.Context) (object, error) {
		defer close(over)
		cancel(enough)
		return d.takenBack(ctx)
	})
	if !errors.Is(err, enough) {
		d.t.Errorf("the turn that was given up: %v", err)
	}
	<-over
	turn("end_turn", rejected, chose("reject"))
}

// closeACP: whatever was cancelled, in either direction, was answered; the turn
// that was given up with that code, or a result.
func (d *desk) closeACP(m manners, code int) {
	d.t.Helper()
	l := d.close(success)
	l.expectManners(d.t, m)
	d.expectWithdrawn(l, "$/cancel_request", "requestId", 1)
	for _, m := range l.messages(sent) {
		if m.Method == "$/cancel_request" {
			var p struct{ RequestID json.RawMessage }
			json.Unmarshal(m.Params, &p)
			if a := answers(l.messages(received), p.RequestID); len(a) != 1 || errorCode(a[0]) != code {
				d.t.Errorf("the answer to turn %s has not the code %d\n%s", p.RequestID, code, l)
			}
		}
	}
	withdrawn := 0
	for _, m := range l.messages(received) {
		if m.Method == "$/cancel_request" {
			withdrawn++
			var p struct{ RequestID json.RawMessage }
			json.Unmarshal(m.Params, &p)
			if n := len(answers(l.messages(sent), p.RequestID)); n != 1 {
				d.t.Errorf("question %s has %d answers\n%s", p.RequestID, n, l)
			}
		}
	}
	if withdrawn != 2 {
		d.t.Errorf("%d questions were taken back\n%s", withdrawn, l)
	}
}

// visitScribe is for agents that read and write files.
func (d *desk) visitScribe(agent string) {
	d.t.Helper()
	d.visit(agent, nil, []string{"agent_message_chunk:It is written."}, []string{"agent_message_chunk:I left it."})
	if text := d.files["/copy"]; text != greeting {
		d.t.Errorf("it wrote %q", text)
	}
}

func TestCoderACPAgent(t *testing.T) {
	d := driveACP(t, party(t, "acp")...)
	d.visitScribe("interop-coder")
	d.closeACP(manners{FirstID: "1"}, 0)
}

func TestTypeScriptACPAgent(t *testing.T) {
	d := driveACP(t, "node", "node/acp-agent.mjs")
	d.visitScribe("interop-ts")
	d.closeACP(manners{FirstID: "0"}, -32800)
}

func TestOurACPAgent(t *testing.T) {
	d := driveACP(t, program("acp-agent"))
	d.visit("linerpc-acp-agent", []string{"tool_call:pending"},
		[]string{"tool_call_update:completed", "agent_message_chunk:It is written."},
		[]string{"tool_call_update:failed", "agent_message_chunk:I left it."})
	d.closeACP(manners{FirstID: "1"}, -32800)
}
