package peer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// profiles says of each profile what it must do, in words of its own.
var profiles = []struct {
	profile *peer.Profile
	cancel  string // what cancels call 1, as the server is told
	sent    string // what the client sends when its call 1 times out
	answer  bool   // a cancelled call is answered
	batch   bool
	bare    bool
	busy    string // code of the answer when overloaded
	noCalls bool
}{
	{peer.JSONRPC, note("$/cancelRequest", `{"id":1}`), `note $/cancelRequest {"id":1}`, true, true, false, "-32000", false},
	{peer.LSP, note("$/cancelRequest", `{"id":1}`), `note $/cancelRequest {"id":1}`, true, false, false, "-32000", false},
	{peer.MCP, note("notifications/cancelled", `{"requestId":1,"reason":"r"}`), `note notifications/cancelled {"requestId":1,"reason":"context deadline exceeded"}`, false, false, false, "-32000", false},
	{peer.MCP20250326, note("notifications/cancelled", `{"reason":"r","requestId":1}`), `note notifications/cancelled {"requestId":1,"reason":"context deadline exceeded"}`, false, true, false, "-32000", false},
	{peer.MCP2026, note("notifications/cancelled", `{"requestId":1}`), `note notifications/cancelled {"requestId":1,"reason":"context deadline exceeded"}`, false, false, false, "-32000", true},
	{peer.ACP, note("$/cancel_request", `{"requestId":1}`), `note $/cancel_request {"requestId":1}`, true, false, false, "-32000", false},
	{peer.Codex, "", "", true, false, true, "-32001", false},
}

// speak puts lines into the form of the profile.
func speak(bare bool, s string) string {
	if bare {
		return strings.ReplaceAll(s, `"jsonrpc":"2.0",`, "")
	}
	return s
}

func each(t *testing.T, f func(t *testing.T, i int, prefix string)) {
	for i, p := range profiles {
		prefix := ""
		if p.bare {
			prefix = "bare "
		}
		inBubble(t, p.profile.Name, func(t *testing.T) { f(t, i, prefix) })
	}
}

func TestProfileForm(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		in := call("1", "echo", "[1]") + call("2", "boom", "") + call("3", "progress", "") + "oops\n"
		compare(t, talk(t, testHandler, &peer.Options{Profile: p.profile}, speak(p.bare, in), whole), []string{
			prefix + "1 result [1]", prefix + "2 error -32603 *", prefix + "note progress [1]", prefix + "note progress [2]",
			prefix + `3 result "done"`, prefix + "null error -32700 *",
		}, false)
		// The member where the profile does not ask for it, and none where it does.
		want := []string{"1 error -32600 *jsonrpc*", "2 result [2]"}
		if p.bare {
			want = []string{"bare 1 result [1]", "bare 2 result [2]"}
		}
		in = `{"id":1,"method":"echo","params":[1]}` + "\n" + call("2", "echo", "[2]")
		compare(t, talk(t, testHandler, &peer.Options{Profile: p.profile}, in, whole), want, false)
	})
}

func TestProfileBatches(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		in := speak(p.bare, array(call("1", "echo", "[1]"), note("progress", ""), call("2", "echo", "[2]")))
		want := []string{prefix + "null error -32600 *batch*"}
		if p.batch {
			want = []string{"note progress [1]", "note progress [2]", "[1 result [1]; 2 result [2]]"}
		}
		compare(t, talk(t, testHandler, &peer.Options{Profile: p.profile}, in, whole), want, false)
		// Empty or broken arrays are what they are everywhere.
		compare(t, talk(t, testHandler, &peer.Options{Profile: p.profile}, "[]\n[1,\n", whole),
			[]string{prefix + "null error -32600 *", prefix + "null error -32700 *"}, false)
	})
}

func TestProfileCancelReceived(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		if p.cancel == "" {
			return // nothing cancels: the call runs until the input ends
		}
		for _, method := range []string{"wait", "stubborn"} {
			var want []string
			if p.answer {
				want = []string{"1 error -32800 *"}
				if method == "stubborn" { // a result that is there all the same is one
					want = []string{`1 result "stubborn"`}
				}
			}
			compare(t, talk(t, testHandler, &peer.Options{Profile: p.profile}, call("1", method, "")+p.cancel, whole), want, false)
		}
		// A call that still waits for its turn is never started.
		want := []string{`0 result "slow"`}
		if p.answer {
			want = append(want, "1 error -32800 *")
		}
		o := &peer.Options{Profile: p.profile, MaxHandlers: 1}
		compare(t, talk(t, testHandler, o, call("0", "slow", "")+call("1", "panic", "")+p.cancel, whole), want, false)
		// One that never was, one that has another type, params that say nothing: silence.
		const other = `"1"`
		in := p.cancel + p.cancel + call(other, "slow", "") + p.cancel +
			note(p.profile.CancelMethod, "") + note(p.profile.CancelMethod, "[1]") + note(p.profile.CancelMethod, `{"`+p.profile.CancelID+`":null}`)
		compare(t, talk(t, testHandler, &peer.Options{Profile: p.profile}, in, whole), []string{other + ` result "slow"`}, false)
	})
}

func TestProfileCancelSent(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		side := meet(t, nil, peer.Options{Profile: p.profile, Client: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := make(chan error, 1)
		go func() { got <- side.conn.Call(ctx, "ask", []int{1}, nil) }()
		if line := side.hear(t); line != prefix+"1 call ask [1]" {
			t.Errorf("heard %q", line)
		}
		if p.sent != "" {
			if line := side.hear(t); line != p.sent {
				t.Errorf("heard %q, want %q", line, p.sent)
			}
		}
		if err := <-got; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		side.end(t)
	})
}

func TestProfileOverloaded(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		o := &peer.Options{Profile: p.profile, MaxHandlers: 1, MaxQueued: 1000}
		in := call("0", "slow", "") + call("1", "echo", "[1]") + call("2", "echo", "[2]") + call("3", "echo", "[3]")
		compare(t, talk(t, testHandler, o, speak(p.bare, in), whole), []string{
			prefix + `0 result "slow"`, prefix + "1 result [1]", prefix + "2 error " + p.busy + " *overloaded*", prefix + "3 error " + p.busy + " *overloaded*",
		}, false)
	})
}

func TestProfileCallsFromServer(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		asking := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
			var n int
			if err := peer.FromContext(ctx).Call(ctx, "ask", nil, &n); err != nil {
				return err
			}
			return w.Encode(n)
		})
		for _, client := range []bool{false, true} {
			side := meet(t, asking, peer.Options{Profile: p.profile, Client: client})
			side.tell(speak(p.bare, call(`"x"`, "go", "")))
			if p.noCalls && !client {
				if line := side.hear(t); !matches(`"x" error -32603 *`+peer.ErrNoPeer.Error()+`*`, line) {
					t.Errorf("heard %q", line)
				}
			} else {
				if line := side.hear(t); line != prefix+"1 call ask" {
					t.Errorf("heard %q", line)
				}
				side.tell(speak(p.bare, `{"jsonrpc":"2.0","id":1,"result":7}`+"\n"))
				if line := side.hear(t); line != prefix+`"x" result 7` {
					t.Errorf("heard %q", line)
				}
			}
			side.end(t)
		}
	})
}

func TestIDIsFreeAfterCancel(t *testing.T) {
	each(t, func(t *testing.T, i int, prefix string) {
		p := profiles[i]
		if p.cancel == "" {
			return
		}
		side := meet(t, testHandler, peer.Options{Profile: p.profile})
		for range 3 {
			side.tell(call("1", "wait", "") + p.cancel)
			if p.answer {
				if line := side.hear(t); !matches("1 error -32800 *", line) {
					t.Errorf("heard %q", line)
				}
			}
			time.Sleep(10 * time.Millisecond) // the handler has ended by then
		}
		side.tell(call("1", "echo", "[1]"))
		if line := side.hear(t); line != "1 result [1]" {
			t.Errorf("heard %q", line)
		}
		side.end(t)
		s := side.conn.Stats()
		unsent := uint64(3)
		if p.answer {
			unsent = 0
		}
		if s.Cancelled != 3 || s.Unsent != unsent {
			t.Errorf("%+v", s)
		}
	})
}

func TestOwnProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine := &peer.Profile{CancelMethod: "stop", CancelID: "call", Overloaded: 429}
		o := &peer.Options{Profile: mine, MaxHandlers: 1, MaxQueued: 1}
		compare(t, talk(t, testHandler, o, call("1", "wait", "")+call("2", "echo", "")+note("stop", `{"call":1}`), whole),
			[]string{"1 error -32800 *", "2 error 429 *"}, false)
	})
	if codec.CodeCancelled != -32800 {
		t.Errorf("CodeCancelled = %d", codec.CodeCancelled)
	}
}
