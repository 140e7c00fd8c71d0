package interop

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// visit is what a client of examples/mcp-tools gets to see when it does what
// each of them does: it lists the tools, calls echo with message, adds 2 and
// 3, follows slow through three steps, cancels slow at its first step, calls
// echo with after, is asked question and answers it, calls a tool that does
// not exist, and closes the server.
type visit struct {
	Version  string
	Server   string
	Tools    []string
	Echo     string
	Sum      float64
	Progress []float64
	Slow     string
	Gone     bool // the cancelled call failed
	After    string
	Asked    string
	Answer   string
	Unknown  int // the code of the error
}

const (
	greeting = "h\u00e9llo <&> \u2028 \"\\ \U0001F600"
	after    = "still here"
	question = "Tea?"
	reply    = "yes, please"
)

// expect compares a visit, and what was on the wire, with what must be.
func (v visit) expect(t *testing.T, l *life, version string) {
	t.Helper()
	want := visit{
		Version:  version,
		Server:   "linerpc-mcp-tools",
		Tools:    []string{"echo", "add", "slow", "ask"},
		Echo:     greeting,
		Sum:      5,
		Progress: []float64{1, 2, 3},
		Slow:     "3 steps",
		Gone:     true,
		After:    after,
		Asked:    question,
		Answer:   "the user says: " + reply,
		Unknown:  -32602,
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("got  %+v\nwant %+v\n%s", v, want, l)
	}
	if told := l.progress(); !slices.Equal(told, []float64{1, 2, 3}) {
		t.Errorf("the server told of the steps %v\n%s", told, l)
	}
	l.expectCancelled(t)
	l.expectAsked(t, version >= "2026")
}

// progress is what the server told of the first call of slow.
func (l *life) progress() (told []float64) {
	for _, m := range l.messages(received) {
		var p struct{ Progress, Total float64 }
		if json.Unmarshal(m.Params, &p); m.Method == "notifications/progress" && p.Total == 3 {
			told = append(told, p.Progress)
		}
	}
	return told
}

// expectCancelled: a cancelled call of MCP is noticed and not answered.
func (l *life) expectCancelled(t *testing.T) {
	t.Helper()
	for _, m := range l.messages(sent) {
		if m.Method != "notifications/cancelled" {
			continue
		}
		var p struct{ RequestID json.RawMessage }
		if err := json.Unmarshal(m.Params, &p); err != nil || len(p.RequestID) == 0 {
			t.Errorf("%v: %s", err, m.Params)
		}
		if found := answers(l.messages(received), p.RequestID); len(found) != 0 || !l.logs("slow: cancelled in step") {
			t.Errorf("%d answers to a cancelled call\n%s", len(found), l)
		}
		return
	}
	t.Errorf("nothing was cancelled\n%s", l)
}

// expectAsked: the question was a call of the server, or in the modern era a
// result, after which the client called again with another id.
func (l *life) expectAsked(t *testing.T, modern bool) {
	t.Helper()
	calls := slices.ContainsFunc(l.messages(received), func(m message) bool {
		return m.Method == "elicitation/create" && m.ID != nil
	})
	var again []message
	for _, m := range l.messages(sent) {
		var p struct{ InputResponses json.RawMessage }
		if json.Unmarshal(m.Params, &p); p.InputResponses != nil {
			again = append(again, m)
		}
	}
	if calls == modern || modern != (len(again) == 1) {
		t.Errorf("a call to the client: %v, calls with input: %d\n%s", calls, len(again), l)
	}
}

// expectHabits compares how a client writes with how it is known to write.
func (l *life) expectHabits(t *testing.T, want habits) {
	t.Helper()
	if got := l.habits(); got != want {
		t.Errorf("its habits are %+v, not %+v as docs/compatibility.md says\n%s", got, want, l)
	}
}

// expectMethods compares the methods that a client used, in order.
func (l *life) expectMethods(t *testing.T, want ...string) {
	t.Helper()
	if got := l.methods(); !slices.Equal(got, want) {
		t.Errorf("the client sent %q, want %q", got, want)
	}
}

// expectEnvironment: some clients start a server with their own environment,
// others leave out what is not one of a few names.
func (l *life) expectEnvironment(t *testing.T, whole bool) {
	t.Helper()
	var names []string
	for line := range strings.Lines(l.first(started).Text) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	few := []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(few, name) })
	if slices.Contains(names, mark) != whole || whole != (len(others) > 0) {
		t.Errorf("the server's environment has %q", names)
	}
}
