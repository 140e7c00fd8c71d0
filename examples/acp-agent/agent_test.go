package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// editor is a client of the agent in memory.
type editor struct {
	*peer.Conn
	updates chan string // what the agent told of
	asked   chan string // one for each question for permission
	answer  chan string // the outcome to answer it with
}

func open(t *testing.T) *editor {
	e := &editor{updates: make(chan string, 100), asked: make(chan string, 1), answer: make(chan string, 1)}
	mux := server.NewMux()
	server.HandleNotification(mux, "session/update", func(_ context.Context, p struct{ Update map[string]any }) error {
		kind := p.Update["sessionUpdate"].(string)
		if content, ok := p.Update["content"].(map[string]any); ok {
			kind += ":" + content["text"].(string)
		}
		e.updates <- kind
		return nil
	})
	server.Handle(mux, "session/request_permission", func(ctx context.Context, p json.RawMessage) (any, error) {
		e.asked <- string(p)
		select {
		case outcome := <-e.answer:
			return json.RawMessage(`{"outcome":` + outcome + `}`), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	o := &server.Options{Profile: server.ACP}
	conn, agent := peer.Pipe(mux, newMux(), o, o)
	e.Conn = conn
	served := make(chan error, 2)
	for _, c := range []*peer.Conn{conn, agent} {
		go func() { served <- c.Serve(context.Background()) }()
	}
	t.Cleanup(func() {
		synctest.Wait() // what was cancelled has been answered
		conn.Close()
		for range 2 {
			if err := <-served; err != nil {
				t.Error(err)
			}
		}
	})
	var first struct{ ProtocolVersion int }
	var session struct{ SessionID string }
	if err := e.Call(t.Context(), "initialize", json.RawMessage(`{"protocolVersion":1}`), &first); err != nil || first.ProtocolVersion != 1 {
		t.Error(err, first)
	}
	if err := e.Call(t.Context(), "session/new", json.RawMessage(`{"cwd":"/","mcpServers":[]}`), &session); err != nil || session.SessionID != "session-1" {
		t.Error(err, session)
	}
	return e
}

// prompt gives the reason why the turn stopped.
func (e *editor) prompt(ctx context.Context, session string) (string, error) {
	var result struct{ StopReason string }
	err := e.Call(ctx, "session/prompt", json.RawMessage(`{"sessionId":"`+session+`","prompt":[{"type":"text","text":"dear diary"}]}`), &result)
	return result.StopReason, err
}

func TestTurn(t *testing.T) {
	for outcome, end := range map[string]string{
		`{"outcome":"selected","optionId":"allow"}`:  "end_turn It is written.",
		`{"outcome":"selected","optionId":"reject"}`: "end_turn I left it.",
		`{"outcome":"cancelled"}`:                    "cancelled",
	} {
		synctest.Test(t, func(t *testing.T) {
			e := open(t)
			e.answer <- outcome
			reason, err := e.prompt(t.Context(), "session-1")
			close(e.updates)
			var updates []string
			for u := range e.updates {
				updates = append(updates, u)
			}
			got, want := strings.Join(updates, "|"), "agent_message_chunk:dear |agent_message_chunk:diary |tool_call"
			reason2, last, _ := strings.Cut(end, " ")
			if last != "" {
				want += "|tool_call_update|agent_message_chunk:" + last
			}
			if err != nil || reason != reason2 || got != want || !strings.Contains(<-e.asked, `"toolCallId":"call-1"`) {
				t.Errorf("%v, %s, %s", err, reason, got)
			}
		})
	}
}

// A turn that session/cancel ends has a result; one whose request was
// cancelled, an error.
func TestCancelledTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t)
		go func() {
			<-e.asked
			e.Notify(t.Context(), "session/cancel", json.RawMessage(`{"sessionId":"session-1"}`))
		}()
		if reason, err := e.prompt(t.Context(), "session-1"); reason != "cancelled" || err != nil {
			t.Error(reason, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-e.asked
			_, err := e.prompt(t.Context(), "session-1") // while the other one runs
			if !errors.Is(err, &codec.Error{Code: codec.CodeInvalidRequest}) {
				t.Error(err)
			}
			cancel()
		}()
		if _, err := e.prompt(ctx, "session-1"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := e.prompt(t.Context(), "session-2"); !errors.Is(err, &codec.Error{Code: codec.CodeInvalidParams}) {
			t.Error(err)
		}
	})
}
