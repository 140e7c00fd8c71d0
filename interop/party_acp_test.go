package interop

import (
	"context"
	"os"
	"strings"

	acp "github.com/coder/acp-go-sdk"
)

// scribe is an agent of coder/acp-go-sdk that repeats words, asks for
// permission, and then reads one of the client's files and writes to another.
// What an agent can do besides is not asked for.
type scribe struct {
	acp.Agent
	ready chan struct{} // closed when conn is there: the first request may be before
	conn  *acp.AgentSideConnection
}

func acpAgent() int {
	s := &scribe{ready: make(chan struct{})}
	s.conn = acp.NewAgentSideConnection(s, os.Stdout, os.Stdin)
	close(s.ready)
	<-s.conn.Done()
	return 0
}

func (s *scribe) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "interop-coder", Version: "1"},
	}, nil
}

func (s *scribe) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: "session-1"}, nil
}

// Cancel has nothing left to do: the library has ended the turn's context.
func (s *scribe) Cancel(context.Context, acp.CancelNotification) error { return nil }

func (s *scribe) say(ctx context.Context, text string) error {
	return s.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: "session-1", Update: acp.UpdateAgentMessageText(text)})
}

// Prompt ends with the same result when session/cancel has stopped it and when
// its request was cancelled: its context does not tell one from the other.
func (s *scribe) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	<-s.ready
	err := s.turn(ctx, p.Prompt[0].Text.Text)
	if err != nil && ctx.Err() != nil {
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, err
}

func (s *scribe) turn(ctx context.Context, text string) error {
	for word := range strings.FieldsSeq(text) {
		if err := s.say(ctx, word+" "); err != nil {
			return err
		}
	}
	decision, err := s.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: "session-1",
		ToolCall:  acp.ToolCallUpdate{ToolCallId: "call-1"},
		Options: []acp.PermissionOption{
			{OptionId: "allow", Name: "Allow", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: "reject", Name: "Reject", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	switch {
	case err != nil:
		return err
	case decision.Outcome.Selected == nil:
		return context.Canceled
	case decision.Outcome.Selected.OptionId == "reject":
		return s.say(ctx, "I left it.")
	}
	file, err := s.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: "session-1", Path: "/diary"})
	if err != nil {
		return err
	}
	if _, err := s.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: "session-1", Path: "/copy", Content: file.Content}); err != nil {
		return err
	}
	return s.say(ctx, "It is written.")
}
