package interop

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// acpVisit is what a client gets to see of examples/acp-agent.
type acpVisit struct {
	Version int
	Agent   string
	Session string
	Turns   []acpTurn // allowed, rejected, ended by session/cancel, request cancelled
}

type acpTurn struct {
	Updates []string // kind and text or status
	Asked   string   // which tool call it was asked about
	Stop    string   // the reason
	Code    int      // of an error in its stead
}

// expect compares a visit with what must be.
func (v acpVisit) expect(t *testing.T, l *life) {
	t.Helper()
	begin := []string{"agent_message_chunk:dear ", "agent_message_chunk:diary ", "tool_call:pending"}
	then := func(more ...string) []string { return append(begin[:len(begin):len(begin)], more...) }
	want := acpVisit{1, "linerpc-acp-agent", "session-1", []acpTurn{
		{then("tool_call_update:completed", "agent_message_chunk:It is written."), "call-1", "end_turn", 0},
		{then("tool_call_update:failed", "agent_message_chunk:I left it."), "call-1", "end_turn", 0},
		{begin, "call-1", "cancelled", 0},
		{begin, "call-1", "", -32800},
	}}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("got  %+v\nwant %+v\n%s", v, want, l)
	}
	l.expectAnswered(t)
}

// expectAnswered: in ACP a cancelled call is answered, in both directions.
func (l *life) expectAnswered(t *testing.T) {
	t.Helper()
	prompts, withdrawn := 0, 0
	for _, m := range l.messages(sent) {
		if m.Method == "session/prompt" {
			prompts++
			if n := len(answers(l.messages(received), m.ID)); n != 1 {
				t.Errorf("turn %s has %d answers\n%s", m.ID, n, l)
			}
		}
	}
	for _, m := range l.messages(received) {
		if m.Method == "$/cancel_request" {
			withdrawn++
			var p struct{ RequestID json.RawMessage }
			json.Unmarshal(m.Params, &p)
			if n := len(answers(l.messages(sent), p.RequestID)); n != 1 {
				t.Errorf("question %s has %d answers\n%s", p.RequestID, n, l)
			}
		}
	}
	if prompts != 4 || withdrawn != 2 {
		t.Errorf("%d turns, %d questions taken back\n%s", prompts, withdrawn, l)
	}
}

func TestTypeScriptACPClient(t *testing.T) {
	w := newWire(t)
	v := script[acpVisit](t, w, "acp.mjs", w.command(polite, "acp-agent")...)
	l := w.orderly()
	v.expect(t, l)
	l.expectHabits(t, habits{FirstID: "0"})
	l.expectMethods(t, "initialize", "session/new", "session/prompt", "session/cancel", "$/cancel_request")
}

// editor is a client of coder/acp-go-sdk. What it can do besides is not asked for.
type editor struct {
	acp.Client
	turn    acpTurn
	updated chan struct{} // one for each update
	decide  func(ctx context.Context) (acp.RequestPermissionResponse, error)
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		e.turn.Updates = append(e.turn.Updates, "agent_message_chunk:"+u.AgentMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		e.turn.Updates = append(e.turn.Updates, "tool_call:"+string(u.ToolCall.Status))
	case u.ToolCallUpdate != nil:
		e.turn.Updates = append(e.turn.Updates, "tool_call_update:"+string(*u.ToolCallUpdate.Status))
	}
	e.updated <- struct{}{}
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	for range 3 { // this client lets a request overtake the notifications before it
		<-e.updated
	}
	e.turn.Asked = string(r.ToolCall.ToolCallId)
	return e.decide(ctx)
}

func coderVisit(t *testing.T, w *wire) (v acpVisit) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	argv := w.command(polite, "acp-agent")
	cmd := grouped(ctx, argv[0], argv[1:]...)
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	e := &editor{}
	conn := acp.NewClientSideConnection(e, in, out)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	first, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil {
		t.Fatal(err)
	}
	session, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: "/", McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	v = acpVisit{Version: int(first.ProtocolVersion), Agent: first.AgentInfo.Name, Session: string(session.SessionId)}
	turn := func(ctx context.Context, decide func(context.Context) (acp.RequestPermissionResponse, error)) error {
		e.turn, e.updated, e.decide = acpTurn{}, make(chan struct{}, 16), decide
		r, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("dear diary")}})
		e.turn.Stop = string(r.StopReason)
		v.Turns = append(v.Turns, e.turn)
		return err
	}
	selected := func(option string) func(context.Context) (acp.RequestPermissionResponse, error) {
		return func(context.Context) (acp.RequestPermissionResponse, error) {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}, nil
		}
	}
	withdraw := func(ctx context.Context) (acp.RequestPermissionResponse, error) {
		<-ctx.Done()
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	err = errors.Join(turn(ctx, selected("allow")), turn(ctx, selected("reject")), turn(ctx, func(ctx context.Context) (acp.RequestPermissionResponse, error) {
		if err := conn.Cancel(ctx, acp.CancelNotification{SessionId: session.SessionId}); err != nil {
			t.Error(err)
		}
		return withdraw(ctx)
	}))
	if err != nil {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(ctx)
	err = turn(stopped, func(ctx context.Context) (acp.RequestPermissionResponse, error) {
		stop()
		return withdraw(ctx)
	})
	if r, ok := errors.AsType[*acp.RequestError](err); ok {
		v.Turns[len(v.Turns)-1].Code = r.Code
	}
	w.await("the end of the cancelled turn", func(l *life) bool {
		all := l.messages(sent)
		return len(answers(all, json.RawMessage("4"))) == 1 && slices.Contains(l.methods(), "$/cancel_request")
	})
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
	return v
}

func TestCoderACPClient(t *testing.T) {
	w := newWire(t)
	v := coderVisit(t, w)
	l := w.orderly()
	v.expect(t, l)
	l.expectHabits(t, habits{FirstID: "1"})
	l.expectMethods(t, "initialize", "session/new", "session/prompt", "session/cancel", "$/cancel_request")
}
