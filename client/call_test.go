package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

func TestCall(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, tools(), nil)
		ctx := t.Context()
		type pair struct{ A, B float64 }
		if sum, err := client.Call[float64](ctx, c, "add", pair{2, 3}); sum != 5 || err != nil {
			t.Errorf("got %v, %v", sum, err)
		}
		if p, err := client.Call[pair](ctx, c, "echo", map[string]int{"a": 1, "b": 2}); p != (pair{1, 2}) || err != nil {
			t.Errorf("a struct: %v, %v", p, err)
		}
		if p, err := client.Call[*pair](ctx, c, "echo", nil); p != nil || err != nil {
			t.Errorf("null: %v, %v", p, err)
		}
		if raw, err := client.Call[codec.RawMessage](ctx, c, "echo", codec.RawMessage(`{"a" : 1.50}`)); string(raw) != `{"a" : 1.50}` || err != nil {
			t.Errorf("JSON text: %s, %v", raw, err)
		}
		if v, err := client.Call[any](ctx, c, "echo", []int{1}); fmt.Sprint(v) != "[1]" || err != nil {
			t.Errorf("any: %v, %v", v, err)
		}
		if p, err := client.Call[pair](ctx, c, "echo", []int{1}); err == nil {
			t.Errorf("an array went into a struct: %v", p)
		}
		if sum, err := client.Call[float64](ctx, c, "add", pair{1, 1}); sum != 2 || err != nil {
			t.Errorf("the call behind that: %v, %v", sum, err)
		}
	})
}

func TestCallRaw(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, tools(), nil)
		buf := append(make([]byte, 0, 100), "kept"...)
		out, err := c.CallRaw(t.Context(), buf, "echo", []byte(`{"id": 18446744073709551616, "s":"\u0041"}`))
		if string(out) != `kept{"id": 18446744073709551616, "s":"\u0041"}` || err != nil || &out[0] != &buf[0] {
			t.Errorf("got %s, %v", out, err)
		}
		for _, method := range []string{"fail", "nosuch"} {
			if out, err = c.CallRaw(t.Context(), buf, method, nil); string(out) != "kept" || err == nil {
				t.Errorf("of %s got %s, %v", method, out, err)
			}
		}
	})
}

func TestNotify(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		go func() {
			p.Notify(t.Context(), "a", nil)
			p.Notify(t.Context(), "b", map[string]int{"x": 1})
			p.Notify(t.Context(), "c", codec.RawMessage(`[1, 2]`))
			p.NotifyRaw(t.Context(), "d", []byte(`{"y":"<&>"}`))
			p.NotifyRaw(t.Context(), "e", nil)
		}()
		for _, want := range []string{
			`{"method":"a"}`, `{"method":"b","params":{"x":1}}`, `{"method":"c","params":[1, 2]}`,
			`{"method":"d","params":{"y":"<&>"}}`, `{"method":"e"}`,
		} {
			p.want(want)
		}
		p.end()
	})
}

// TestBadParamsAreNotSent in whatever way they come.
func TestBadParamsAreNotSent(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		ctx := t.Context()
		for _, params := range []any{5, "text", true, math.NaN(), make(chan int), codec.RawMessage("5"), codec.RawMessage("[1"), codec.RawMessage("[1]\n{}")} {
			_, called := client.Call[any](ctx, p.Client, "m", params)
			_, watched := client.Call[any](client.WithProgress(ctx, func([]byte) {}), p.Client, "m", params)
			_, ahead := client.Go[any](ctx, p.Client, "m", params).Get(ctx)
			b := p.NewBatch()
			client.Add[any](b, "m", params)
			for i, err := range []error{called, watched, ahead, b.Send(ctx), p.Notify(ctx, "m", params)} {
				if err == nil {
					t.Errorf("%v went out in way %d", params, i)
				}
			}
		}
		p.end()
	})
}

// TestErrorAnswers are *codec.Error with all that was said.
func TestErrorAnswers(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, tools(), nil)
		for name, call := range map[string]func() error{
			"Call":    func() error { _, err := client.Call[int](t.Context(), c, "fail", nil); return err },
			"CallRaw": func() error { _, err := c.CallRaw(t.Context(), nil, "fail", nil); return err },
			"Go":      func() error { _, err := client.Go[int](t.Context(), c, "fail", nil).Get(t.Context()); return err },
		} {
			err := fmt.Errorf("wrapped: %w", call())
			e, ok := errors.AsType[*codec.Error](err)
			if !ok || e.Code != 423 || e.Message != "locked" || string(e.Data) != `{"by":"Ada"}` {
				t.Errorf("%s gave %v", name, err)
			}
			if !errors.Is(err, &client.Error{Code: 423}) || errors.Is(err, client.ErrClosed) {
				t.Errorf("%s gave an error of another kind: %v", name, err)
			}
		}
		if _, err := client.Call[int](t.Context(), c, "nosuch", nil); !errors.Is(err, codec.MethodNotFound("")) {
			t.Errorf("got %v", err)
		}
	})
}

// TestGivenUpCalls: the error is the cause, the other side is told in its own
// way, and an answer that comes late goes nowhere.
func TestGivenUpCalls(t *testing.T) {
	deadline := func(ctx context.Context) (context.Context, func()) {
		return context.WithTimeout(ctx, time.Second)
	}
	for _, c := range []struct {
		name    string
		profile *client.Profile
		context func(context.Context) (context.Context, func())
		notice  string // empty: none
		want    error
	}{
		{"JSONRPC", client.JSONRPC, deadline, `{"method":"$/cancelRequest","params":{"id":1}}`, context.DeadlineExceeded},
		{"LSP", client.LSP, deadline, `{"method":"$/cancelRequest","params":{"id":1}}`, context.DeadlineExceeded},
		{"ACP", client.ACP, deadline, `{"method":"$/cancel_request","params":{"requestId":1}}`, context.DeadlineExceeded},
		{"Codex", client.Codex, deadline, ``, context.DeadlineExceeded},
		{"MCP", client.MCP, deadline, `{"method":"notifications/cancelled","params":{"requestId":1,"reason":"context deadline exceeded"}}`, context.DeadlineExceeded},
		{"MCP with a cause", client.MCP, func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(errUser) })
			return ctx, func() { cancel(nil) }
		}, `{"method":"notifications/cancelled","params":{"requestId":1,"reason":"the \"user\" left,\there"}}`, errUser},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, client.Options{Profile: c.profile})
			ctx, cancel := c.context(t.Context())
			defer cancel()
			got := make(chan error, 1)
			begun := time.Now()
			go func() {
				_, err := client.Call[int](ctx, p.Client, "ask", nil)
				got <- err
			}()
			p.want(`{"id":1,"method":"ask"}`)
			if c.notice != "" {
				p.want(c.notice)
			}
			if err := <-got; !errors.Is(err, c.want) || time.Since(begun) != time.Second {
				t.Errorf("got %v after %v", err, time.Since(begun))
			}
			p.tell(answer(1, "5"))
			synctest.Wait()
			if s := p.Stats(); s.Stray != 1 {
				t.Errorf("%+v", s)
			}
			// The id of the call that was given up is not used again.
			next := p.ask()
			p.tell(answer(1, "6"))
			p.tell(answer(2, "7"))
			if o := <-next; o.result != "7" || o.err != nil {
				t.Errorf("the next call got %q, %v", o.result, o.err)
			}
			p.end()
		})
	}
}

var errUser = errors.New("the \"user\" left,\there")

func TestCallWithContextThatIsOver(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errUser)
		_, called := client.Call[int](ctx, p.Client, "m", nil)
		_, raw := p.CallRaw(ctx, nil, "m", nil)
		_, ahead := client.Go[int](ctx, p.Client, "m", nil).Get(t.Context())
		_, watched := p.CallRaw(client.WithProgress(ctx, func([]byte) {}), nil, "m", nil)
		b := p.NewBatch()
		client.Add[int](b, "m", nil)
		for i, err := range []error{called, raw, ahead, watched, b.Send(ctx)} {
			if err != errUser {
				t.Errorf("way %d gave %v", i, err)
			}
		}
		p.end() // nothing was sent, no notice either
	})
}

// TestIDsAreNeverUsedAgain, whatever becomes of the calls.
func TestIDsAreNeverUsedAgain(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		seen := make(map[string]bool)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { p.CallRaw(ctx, nil, "m", nil) })
			var m struct{ ID json.RawMessage }
			line := p.hear()
			if err := json.Unmarshal([]byte(line), &m); err != nil || seen[string(m.ID)] {
				t.Fatalf("%s, %v", line, err)
			}
			seen[string(m.ID)] = true
			switch i % 3 {
			case 0:
				p.tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":1}`, m.ID))
			case 1:
				p.tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"m"}}`, m.ID))
			}
			synctest.Wait()
		}
		go func() {
			for p.lines.Scan() {
			}
		}()
		cancel()
		all.Wait()
		p.say.Close()
	})
}

func TestCallsAtOnceGetTheirOwnAnswers(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, tools(), nil)
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				text := strings.Repeat(fmt.Sprint(i), 20*i)
				for range 100 {
					if got, err := client.Call[[]string](t.Context(), c, "echo", []string{text}); err != nil || len(got) != 1 || got[0] != text {
						t.Errorf("got %.100q, %v", got, err)
						return
					}
				}
			})
		}
		all.Wait()
	})
}

// TestMaxSend: what is above it does not leave, in either direction, and does
// no harm.
func TestMaxSend(t *testing.T) {
	for _, hooked := range []bool{false, true} {
		inBubble(t, fmt.Sprintf("hooked=%v", hooked), func(t *testing.T) {
			big := codec.RawMessage(`["` + strings.Repeat("x", 1000) + `"]`)
			own := server.NewMux()
			server.Handle(own, "big", func(context.Context, struct{}) (codec.RawMessage, error) { return big, nil })
			server.Handle(own, "echo", echo)
			o := client.Options{MaxSend: 1000, Handler: own}
			if hooked {
				o.Hooks.Line = func(dir peer.Direction, line []byte) {
					if dir == peer.Out && len(line) > 1000 {
						t.Errorf("the hook saw %.100q", line)
					}
				}
			}
			p := meet(t, o)
			ctx := t.Context()
			_, called := client.Call[any](ctx, p.Client, "m", big)
			_, raw := p.CallRaw(ctx, nil, "m", big)
			_, watched := p.CallRaw(client.WithProgress(ctx, func([]byte) {}), nil, "m", []byte(`{"a":`+string(big)+`}`))
			_, ahead := client.Go[any](ctx, p.Client, "m", big).Get(ctx)
			b := p.NewBatch()
			client.Add[any](b, "m", nil)
			inBatch := client.Add[any](b, "m", big)
			sent := b.Send(ctx)
			_, batched := inBatch.Get(ctx)
			for i, err := range []error{called, raw, watched, ahead, sent, batched, p.Notify(ctx, "m", big), p.NotifyRaw(ctx, "m", big)} {
				if !errors.Is(err, client.ErrTooLarge) {
					t.Errorf("way %d gave %v", i, err)
				}
			}
			for _, method := range []string{"big", "echo"} {
				p.tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":%q,"params":%s}`, method, `["`+strings.Repeat("y", 990)+`"]`))
				if line := p.hear(); !strings.HasPrefix(line, `{"id":"a","error":{"code":-32603,`) {
					t.Errorf("the answer above the bound is %s", line)
				}
			}
			got := p.ask()
			p.tell(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":5}`, p.lastID))
			if o := <-got; o.result != "5" || o.err != nil {
				t.Errorf("the call behind that got %q, %v", o.result, o.err)
			}
			p.end()
		})
	}
}

// TestCallsAfterTheEnd say that and how it has ended.
func TestCallsAfterTheEnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		end   func(p *other)
		cause error
	}{
		{"Close", func(p *other) { p.Close() }, nil},
		{"the other side hangs up", func(p *other) { p.say.Close() }, nil},
		{"the reader breaks", func(p *other) { p.say.CloseWithError(errUser) }, errUser},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, client.Options{})
			if err := p.Err(); err != nil {
				t.Errorf("before the end: %v", err)
			}
			flying := p.ask()
			c.end(p)
			<-p.Done()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, called := client.Call[int](ctx, p.Client, "m", nil)
			_, raw := p.CallRaw(context.Background(), nil, "m", nil)
			_, ahead := client.Go[int](ctx, p.Client, "m", nil).Get(ctx)
			b := p.NewBatch()
			client.Add[int](b, "m", nil)
			for i, err := range []error{(<-flying).err, called, raw, ahead, b.Send(ctx), p.Notify(ctx, "m", nil), p.NotifyRaw(context.Background(), "m", nil), p.Err()} {
				e, ok := errors.AsType[*client.ClosedError](err)
				if !ok || !errors.Is(err, client.ErrClosed) || e.State != nil || len(e.Stderr) != 0 {
					t.Errorf("way %d gave %v", i, err)
				} else if e.Cause != c.cause || c.cause != nil && !errors.Is(err, c.cause) {
					t.Errorf("way %d gave the cause %v", i, e.Cause)
				}
			}
		})
	}
}
