package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/server"
)

// collect gives a context whose calls leave their progress in the list.
func collect(ctx context.Context, list *[]string) context.Context {
	return client.WithProgress(ctx, func(params []byte) { *list = append(*list, string(params)) })
}

// TestProgressIsAskedFor: the token stands where the protocol has it, and
// nothing else of the params changes.
func TestProgressIsAskedFor(t *testing.T) {
	var mcp, lsp, none = client.MCP, client.LSP, client.ACP
	for _, c := range []struct {
		name    string
		profile *client.Profile
		params  string
		want    string // the request's params; empty: none
	}{
		{"MCP without params", mcp, ``, `{"_meta":{"progressToken":1}}`},
		{"MCP empty", mcp, `{}`, `{"_meta":{"progressToken":1}}`},
		{"MCP without _meta", mcp, `{"name":"x","arguments":{"a" : 1.50}}`, `{"_meta":{"progressToken":1},"name":"x","arguments":{"a" : 1.50}}`},
		{"MCP with an empty _meta", mcp, `{"name":"x","_meta":{ },"z":1}`, `{"name":"x","_meta":{"progressToken":1},"z":1}`},
		{"MCP with members in _meta", mcp, `{"_meta": {"trace":"abc"},"name":"x"}`, `{"_meta": {"progressToken":1,"trace":"abc"},"name":"x"}`},
		{"MCP with _meta null", mcp, `{"_meta":null}`, `{"_meta":{"progressToken":1}}`},
		{"MCP with a _meta deeper down", mcp, `{"arguments":{"_meta":{}}}`, `{"_meta":{"progressToken":1},"arguments":{"_meta":{}}}`},
		{"blanks", mcp, " { \"a\":1 } ", `{"_meta":{"progressToken":1},"a":1 }`},
		{"LSP without params", lsp, ``, `{"workDoneToken":1}`},
		{"LSP", lsp, `{"query":"x"}`, `{"workDoneToken":1,"query":"x"}`},
		{"a profile without progress", none, `{"a":1}`, `{"a":1}`},
		{"a profile without progress, without params", none, ``, ``},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, client.Options{Profile: c.profile})
			got := make(chan error, 1)
			go func() {
				var params []byte
				if c.params != "" {
					params = []byte(c.params)
				}
				_, err := p.CallRaw(collect(t.Context(), new([]string)), nil, "m", params)
				got <- err
			}()
			want := `{"id":1,"method":"m","params":` + c.want + `}`
			if c.want == "" {
				want = `{"id":1,"method":"m"}`
			}
			p.want(want)
			p.tell(answer(1, "1"))
			if err := <-got; err != nil {
				t.Error(err)
			}
			p.end()
		})
	}
}

// TestProgressNeedsAnObject: where there is no place for a token nothing is
// sent.
func TestProgressNeedsAnObject(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{Profile: client.MCP})
		for _, params := range []string{`[1]`, `"text"`, `5`, `{"_meta":5}`, `{"_meta":[]}`, `{"a":`, ``} {
			if _, err := p.CallRaw(collect(t.Context(), new([]string)), nil, "m", []byte(params)); err == nil {
				t.Errorf("%s went out", params)
			}
		}
		p.end()
	})
}

// reporter is a server that reports on its work n times, in the way of MCP,
// before it answers.
func reporter(n int) *server.Mux {
	mux := server.NewMux()
	server.Handle(mux, "work", func(ctx context.Context, p struct {
		Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}) (string, error) {
		for i := range n {
			report := map[string]any{"progressToken": p.Meta.ProgressToken, "progress": i}
			if err := server.FromContext(ctx).Notify("notifications/progress", report); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	server.Handle(mux, "echo", echo)
	return mux
}

// TestProgressComesBeforeTheResult: all of it, in order, also where the
// function is slower than the server.
func TestProgressComesBeforeTheResult(t *testing.T) {
	for name, pause := range map[string]time.Duration{"at once": 0, "slow": 7 * time.Millisecond} {
		inBubble(t, name, func(t *testing.T) {
			c := joined(t, reporter(500), &client.Options{Profile: client.MCP})
			for range 3 {
				seen := 0
				ctx := client.WithProgress(t.Context(), func(params []byte) {
					var p struct{ Progress int }
					if err := json.Unmarshal(params, &p); err != nil || p.Progress != seen {
						t.Errorf("report %d is %s, %v", seen, params, err)
					}
					seen++
					if pause > 0 {
						<-time.After(pause)
					}
				})
				if s, err := client.Call[string](ctx, c, "work", nil); s != "done" || err != nil || seen != 500 {
					t.Errorf("got %q, %v after %d reports", s, err, seen)
				}
			}
		})
	}
}

// TestProgressOfManyCalls: each is given its own.
func TestProgressOfManyCalls(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, reporter(20), &client.Options{Profile: client.MCP})
		results := make(chan string)
		for range 16 {
			go func() {
				var reports []string
				_, err := client.Call[string](collect(t.Context(), &reports), c, "work", nil)
				tokens := make(map[string]bool)
				for _, r := range reports {
					var p struct{ ProgressToken json.RawMessage }
					json.Unmarshal([]byte(r), &p)
					tokens[string(p.ProgressToken)] = true
				}
				results <- fmt.Sprint(len(reports), len(tokens), err)
			}()
		}
		for range 16 {
			if got := <-results; got != "20 1 <nil>" {
				t.Errorf("reports, tokens and error: %s", got)
			}
		}
	})
}

// TestProgressIsBounded: while the function is at work the oldest of what
// waits is dropped.
func TestProgressIsBounded(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{Profile: client.MCP})
		var seen []int
		goOn := make(chan struct{})
		ctx := client.WithProgress(t.Context(), func(params []byte) {
			var r struct{ N int }
			json.Unmarshal(params, &r)
			if seen = append(seen, r.N); len(seen) == 1 {
				<-goOn
			}
		})
		done := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(ctx, nil, "work", nil)
			done <- err
		}()
		p.hear()
		report := func(n int) { p.tell(note("notifications/progress", fmt.Sprintf(`{"progressToken":1,"n":%d}`, n))) }
		report(-1)
		synctest.Wait() // the function has it
		const sent = 1500
		for n := range sent {
			report(n)
		}
		p.tell(answer(1, "1"))
		synctest.Wait()
		close(goOn)
		if err := <-done; err != nil {
			t.Error(err)
		}
		want := []int{-1}
		for n := sent - 1024; n < sent; n++ {
			want = append(want, n)
		}
		if !slices.Equal(seen, want) {
			t.Errorf("saw %d reports, from %d on; want %d, from %d on", len(seen), seen[1], len(want), want[1])
		}
		p.end()
	})
}

// TestProgressFunctionPanics: the call is given up, and nothing of it stays.
func TestProgressFunctionPanics(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{Profile: client.MCP})
		caught := make(chan any)
		go func() {
			defer func() { caught <- recover() }()
			p.CallRaw(client.WithProgress(t.Context(), func([]byte) { panic("mine") }), nil, "work", nil)
		}()
		p.hear()
		p.tell(note("notifications/progress", `{"progressToken":1}`))
		if v := <-caught; v != "mine" {
			t.Errorf("caught %v", v)
		}
		p.want(`{"method":"notifications/cancelled","params":{"requestId":1,"reason":"context canceled"}}`)
		p.tell(note("notifications/progress", `{"progressToken":1}`))
		p.tell(answer(1, "1"))
		p.end()
	})
}

// TestProgressFunctionCalls: it runs where the call was made, so it may.
func TestProgressFunctionCalls(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, reporter(50), &client.Options{Profile: client.MCP})
		calls := 0
		ctx := client.WithProgress(t.Context(), func(params []byte) {
			calls++
			if raw, err := c.CallRaw(t.Context(), nil, "echo", params); err != nil || string(raw) != string(params) {
				t.Errorf("got %s, %v", raw, err)
			}
		})
		if s, err := client.Call[string](ctx, c, "work", nil); s != "done" || err != nil || calls != 50 {
			t.Errorf("got %q, %v after %d calls", s, err, calls)
		}
	})
}

func TestProgressOfCallThatIsGivenUp(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{Profile: client.MCP})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too slow"))
		defer cancel()
		got := make(chan error, 1)
		go func() {
			_, err := p.CallRaw(collect(ctx, new([]string)), nil, "work", nil)
			got <- err
		}()
		p.hear()
		p.want(`{"method":"notifications/cancelled","params":{"requestId":1,"reason":"too slow"}}`)
		if err := <-got; err == nil || err.Error() != "too slow" {
			t.Errorf("got %v", err)
		}
		p.end()
	})
}

// TestProgressThatNoCallAskedFor: it is a notification like any other.
func TestProgressThatNoCallAskedFor(t *testing.T) {
	for name, profile := range map[string]*client.Profile{"notifications/progress": client.MCP, "$/progress": client.LSP} {
		inBubble(t, profile.Name, func(t *testing.T) {
			var handled []string
			h := client.HandlerFunc(func(_ context.Context, _ client.Reply, r client.Request) error {
				handled = append(handled, r.Method()+string(r.Params()))
				return nil
			})
			p := meet(t, client.Options{Profile: profile, Handler: h})
			lines := []string{`{"token":"the server's own"}`, `{"token":7,"progressToken":7}`, `[]`}
			for _, params := range lines {
				p.tell(note(name, params))
			}
			synctest.Wait()
			var subscribed []string
			defer p.Subscribe(name, func(_ context.Context, r client.Request) { subscribed = append(subscribed, string(r.Params())) })()
			p.tell(note(name, lines[0]))
			p.end()
			if want := []string{name + lines[0], name + lines[1], name + lines[2]}; !slices.Equal(handled, want) {
				t.Errorf("the handler saw %q", handled)
			}
			if !slices.Equal(subscribed, lines[:1]) {
				t.Errorf("the subscriber saw %q", subscribed)
			}
		})
	}
}

// TestProgressInAHandler: a handler that waits in such a call holds up nobody,
// not even what stands behind its notification.
func TestProgressInAHandler(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		mux := server.NewMux()
		server.Handle(mux, "poke", func(ctx context.Context, _ struct{}) (int, error) {
			return 1, server.FromContext(ctx).Notify("poked", nil)
		})
		server.Handle(mux, "work", func(ctx context.Context, _ struct {
			Meta json.RawMessage `json:"_meta"`
		}) (name string, err error) {
			err = server.FromContext(ctx).Call(ctx, "name", nil, &name)
			return name, err
		})
		var c *client.Client
		worked := make(chan string, 1)
		own := server.NewMux()
		server.Handle(own, "name", func(context.Context, struct{}) (string, error) { return "Ada", nil })
		server.Handle(own, "poked", func(ctx context.Context, _ struct{}) (int, error) {
			name, err := client.Call[string](client.WithProgress(ctx, func([]byte) {}), c, "work", nil)
			worked <- fmt.Sprintf("%s, %v", name, err)
			return 0, nil
		})
		c = joined(t, mux, &client.Options{Profile: client.MCP, Handler: own})
		if _, err := client.Call[int](t.Context(), c, "poke", nil); err != nil {
			t.Error(err)
		}
		if got := <-worked; got != "Ada, <nil>" {
			t.Errorf("got %s", got)
		}
	})
}
