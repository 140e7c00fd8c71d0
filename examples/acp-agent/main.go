// Command acp-agent is an agent of the Agent Client Protocol, version 1, on
// standard input and output. It repeats what it is told, word by word, and
// asks for permission before it pretends to write that down.
//
//	go run ./examples/acp-agent
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

func main() {
	if err := server.Stdio(context.Background(), newMux(), &server.Options{Profile: server.ACP}); err != nil {
		log.Fatal(err)
	}
}

type object = map[string]any

func newMux() *server.Mux {
	a, mux := &agent{turns: map[string]context.CancelCauseFunc{}}, server.NewMux()
	server.Handle(mux, "initialize", func(context.Context, struct{}) (object, error) {
		return object{
			"protocolVersion":   1, // also for a client that asks for another: it may hang up
			"agentCapabilities": object{"loadSession": false},
			"agentInfo":         object{"name": "linerpc-acp-agent", "version": "0.1.0"},
			"authMethods":       []object{},
		}, nil
	})
	server.Handle(mux, "session/new", a.open)
	server.Handle(mux, "session/prompt", a.prompt)
	server.HandleNotification(mux, "session/cancel", a.cancel)
	return mux
}

// agent knows its sessions, and how to end the turn that runs in one.
type agent struct {
	mu    sync.Mutex
	turns map[string]context.CancelCauseFunc // nil while a session is idle
}

func (a *agent) open(context.Context, struct{}) (object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := fmt.Sprintf("session-%d", len(a.turns)+1)
	a.turns[id] = nil
	return object{"sessionId": id}, nil
}

// errStopped ends a turn by session/cancel: it is answered with a result,
// where one whose request was cancelled is answered with an error.
var errStopped = errors.New("stopped by the user")

func (a *agent) cancel(_ context.Context, p struct{ SessionID string }) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if stop := a.turns[p.SessionID]; stop != nil {
		stop(errStopped)
	}
	return nil
}

// begin gives the context of a turn.
func (a *agent) begin(ctx context.Context, session string) (context.Context, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch stop, known := a.turns[session]; {
	case !known:
		return nil, codec.InvalidParams("there is no session " + session)
	case stop != nil:
		return nil, codec.InvalidRequest("a turn is running in " + session)
	}
	ctx, stop := context.WithCancelCause(ctx)
	a.turns[session] = stop
	return ctx, nil
}

func (a *agent) end(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns[session](nil)
	a.turns[session] = nil
}

type promptParams struct {
	SessionID string `json:"sessionId"`
	Prompt    []struct {
		Text string `json:"text"`
	} `json:"prompt"`
}

func (a *agent) prompt(ctx context.Context, p promptParams) (object, error) {
	ctx, err := a.begin(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	defer a.end(p.SessionID)
	t := turn{ctx, server.FromContext(ctx), p.SessionID}
	if err = t.run(p); errors.Is(err, errStopped) {
		return object{"stopReason": "cancelled"}, nil
	}
	return object{"stopReason": "end_turn"}, err
}

// turn is one prompt that is being answered.
type turn struct {
	ctx     context.Context
	client  server.Remote
	session string
}

func (t turn) run(p promptParams) error {
	for _, block := range p.Prompt {
		for word := range strings.FieldsSeq(block.Text) {
			if err := t.say(word + " "); err != nil {
				return err
			}
		}
	}
	tool := object{"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Write it down", "kind": "edit", "status": "pending"}
	if err := t.update(tool); err != nil {
		return err
	}
	allowed, err := t.mayI("call-1")
	if err != nil {
		return err
	}
	status, end := "failed", "I left it."
	if allowed {
		status, end = "completed", "It is written."
	}
	if err := t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": status}); err != nil {
		return err
	}
	return t.say(end)
}

func (t turn) say(text string) error {
	return t.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text}})
}

func (t turn) update(update object) error {
	return t.client.Notify("session/update", object{"sessionId": t.session, "update": update})
}

// mayI asks the user, by a call to the client in the middle of its own.
func (t turn) mayI(tool string) (bool, error) {
	var answer struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	err := t.client.Call(t.ctx, "session/request_permission", object{
		"sessionId": t.session,
		"toolCall":  object{"toolCallId": tool},
		"options": []object{
			{"optionId": "allow", "name": "Allow", "kind": "allow_once"},
			{"optionId": "reject", "name": "Reject", "kind": "reject_once"},
		},
	}, &answer)
	if err == nil && answer.Outcome.Outcome == "cancelled" {
		err = errStopped // the client cancelled the turn and says so here as well
	}
	return answer.Outcome.OptionID == "allow", err
}
