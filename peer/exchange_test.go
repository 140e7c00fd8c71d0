package peer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// exchange answers one message and renders the answer; empty for none.
func exchange(t *testing.T, h peer.Handler, line string, o *peer.ExchangeOptions) string {
	t.Helper()
	dst := peer.Exchange(t.Context(), h, []byte(line), []byte("kept "), o)
	out, ok := strings.CutPrefix(string(dst), "kept ")
	if !ok || strings.Contains(out, "\n") {
		t.Errorf("dst was changed, or has a newline: %q", dst)
	}
	if out == "" {
		return ""
	}
	return render(out)
}

func TestExchange(t *testing.T) {
	with := func(o peer.Options) *peer.ExchangeOptions { return &peer.ExchangeOptions{Options: &o} }
	for _, c := range []struct {
		name, line, want string
		opts             *peer.ExchangeOptions
	}{
		{"a call", call("1", "echo", `{"a" : 1.0}`), `1 result {"a" : 1.0}`, nil},
		{"without a newline", strings.TrimSpace(call("1", "echo", `[1]`)), `1 result [1]`, nil},
		{"over several lines", strings.ReplaceAll(call("1", "echo", `["a b"]`), ",", ",\r\n\t"), "1 result [\"a b\"]", nil},
		{"params over several lines", call("1", "echo", "[1,\n2]"), "1 result [1, 2]", nil},
		{"a notification", note("echo", "[1]"), "", nil},
		{"a notification nobody knows", note("nosuch", "[1]"), "", nil},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":1}`, "", nil},
		{"unknown method", call("1", "nosuch", ""), "1 error -32601 *nosuch", nil},
		{"an error", call("1", "boom", ""), "1 error -32603 *boom*", nil},
		{"a panic", call("1", "panic", ""), "1 error -32603 *plate*", nil},
		{"not JSON", "oops", "null error -32700 *", nil},
		{"two messages", call("1", "echo", "") + call("2", "echo", ""), "null error -32700 *", nil},
		{"nothing", "", "null error -32700 *", nil},
		{"a newline in a string", call("1", "echo", "[\"a\nb\"]"), "null error -32700 *", nil},
		{"an empty object", "{}", "null error -32600 *", nil},
		{"a bad id", call("[]", "echo", ""), "null error -32600 *", nil},
		{"id null", call("null", "echo", "[1]"), "null result [1]", nil},
		{"a batch", array(call("1", "echo", "[1]"), note("echo", "[2]"), "5", call("3", "boom", ""), `{"jsonrpc":"2.0","id":1,"result":1}`, call("4", "nothing", "")),
			"[1 result [1]; null error -32600 *; 3 error -32603 *; 4 result null]", nil},
		{"the same id twice in a batch, one after the other", array(call("1", "echo", "[1]"), call("1", "echo", "[2]")), "[1 result [1]; 1 result [2]]", nil},
		{"a batch of one", array(call("1", "echo", "[1]")), "[1 result [1]]", nil},
		{"a batch of notifications", array(note("echo", "[1]"), note("boom", "")), "", nil},
		{"an empty batch", "[]", "null error -32600 *", nil},
		{"no batches", array(call("1", "echo", "[1]")), "null error -32600 *batch*", with(peer.Options{Profile: peer.LSP})},
		{"too many items", "[1,2,3]", "null error -32600 *", with(peer.Options{MaxBatch: 2})},
		{"bare", `{"id":1,"method":"echo","params":[1]}`, "bare 1 result [1]", with(peer.Options{Profile: peer.Codex})},
		{"too long", call("1", "echo", `["`+strings.Repeat("x", 200)+`"]`), "null error -32600 *", with(peer.Options{MaxLine: 100})},
		{"too deep", call("1", "echo", "[[[1]]]"), "null error -32700 *", with(peer.Options{MaxDepth: 3})},
		{"hidden errors", call("1", "boom", ""), "1 error -32603 Internal error", with(peer.Options{HideErrors: true})},
		{"no handler", call("1", "echo", ""), "1 error -32601 *echo", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := peer.Handler(testHandler)
			if c.name == "no handler" {
				h = nil
			}
			if got := exchange(t, h, c.line, c.opts); !matches(c.want, got) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestExchangeNotifies(t *testing.T) {
	var notes []string
	o := &peer.ExchangeOptions{Notify: func(method string, params []byte) {
		notes = append(notes, method+string(params))
	}}
	got := exchange(t, testHandler, array(call("1", "progress", ""), note("progress", ""), call("2", "echo", "[2]")), o)
	if want := `[1 result "done"; 2 result [2]]`; got != want {
		t.Errorf("got %q", got)
	}
	if got := fmt.Sprint(notes); got != "[progress[1] progress[2] progress[1] progress[2]]" {
		t.Errorf("notified %s", got)
	}
	if got := exchange(t, testHandler, call("1", "progress", ""), nil); got != `1 result "done"` {
		t.Errorf("without a function: %q", got)
	}
}

func TestExchangeHasNoPeer(t *testing.T) {
	var (
		mu   sync.Mutex
		kept peer.Remote
		w2   peer.Reply
	)
	h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
		remote := peer.FromContext(ctx)
		if remote.Conn() != nil {
			t.Error("there is a connection")
		}
		if err := remote.Call(ctx, "ask", nil, nil); !errors.Is(err, peer.ErrNoPeer) {
			t.Errorf("Call gave %v", err)
		}
		if err := remote.Notify("told", []int{1}); err != nil {
			t.Errorf("Notify gave %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		kept, w2 = remote, w
		return w.Encode("ok")
	})
	var notes []string
	o := &peer.ExchangeOptions{Notify: func(method string, params []byte) { notes = append(notes, method+string(params)) }}
	if got := exchange(t, h, call("1", "m", ""), o); got != `1 result "ok"` || len(notes) != 1 || notes[0] != "told[1]" {
		t.Errorf("got %q, notified %q", got, notes)
	}
	for i, err := range []error{kept.Notify("late", nil), w2.Notify("late", nil), w2.Raw(nil)} {
		if !errors.Is(err, peer.ErrDone) {
			t.Errorf("%d: after the end: %v", i, err)
		}
	}
	if len(notes) != 1 {
		t.Errorf("notified %q", notes)
	}
}

func TestExchangeContext(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Hour)
	h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
		deadline, ok := ctx.Deadline()
		if ctx.Value(key{}) != "value" || !ok || time.Until(deadline) > time.Hour {
			t.Errorf("the handler's context lost something: %v, %v", deadline, ctx.Value(key{}))
		}
		derived, stop := context.WithCancel(ctx)
		defer stop()
		cancel()
		<-derived.Done()
		<-ctx.Done()
		return ctx.Err()
	})
	got := string(peer.Exchange(ctx, h, []byte(call("1", "m", "")), nil, nil))
	if !matches("1 error -32800 *", render(got)) {
		t.Errorf("got %s", got)
	}
}

// TestExchangeAtOnce: nothing is shared between two that run at the same time.
func TestExchangeAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			id, params := fmt.Sprint(i), fmt.Sprintf(`["%s"]`, strings.Repeat(fmt.Sprint(i), 100*i))
			line := []byte(call(id, "echo", params))
			var dst []byte
			for range 200 {
				if dst = peer.Exchange(context.Background(), testHandler, line, dst[:0], nil); render(string(dst)) != id+" result "+params {
					t.Errorf("got %.200q", dst)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestExchangeHooks: the hooks see what they see on a connection.
func TestExchangeHooks(t *testing.T) {
	var seen []string
	o := &peer.Options{Hooks: peer.Hooks{
		Begin: func(ctx context.Context, info *peer.Info) (context.Context, func(peer.Result)) {
			seen = append(seen, "begin "+info.Method+string(info.ID))
			return ctx, func(r peer.Result) { seen = append(seen, fmt.Sprintf("end %v", r.Err != nil)) }
		},
		Panic: func(method string, v any, stack []byte) {
			seen = append(seen, fmt.Sprint("panic ", method, v, len(stack) > 0))
		},
		Lost:  func(method string, err error) { seen = append(seen, fmt.Sprint("lost ", method, err)) },
		Noise: func(line []byte, err error) { seen = append(seen, fmt.Sprintf("noise %s %d", line, errorCode(err))) },
	}}
	exchange(t, testHandler, call("1", "boom", ""), &peer.ExchangeOptions{Options: o})
	exchange(t, testHandler, note("panic", ""), &peer.ExchangeOptions{Options: o})
	exchange(t, testHandler, note("nosuch", ""), &peer.ExchangeOptions{Options: o})
	exchange(t, testHandler, "[5]", &peer.ExchangeOptions{Options: o})
	want := "begin boom1,end true,begin panic,panic panicdropped a platetrue,end true,lost panic*,begin nosuch,end true,noise [5] -32600"
	if got := strings.Join(seen, ","); !matches(want, got) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func errorCode(err error) int {
	if e, ok := errors.AsType[*codec.Error](err); ok {
		return e.Code
	}
	return 0
}
