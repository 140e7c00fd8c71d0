package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
	"github.com/linerpc/linerpc/peer"
)

func TestBatch(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		mux := tools()
		told := make(chan string, 1)
		mux.HandleFunc("told", func(_ context.Context, _ peer.Reply, r peer.Request) error {
			told <- string(r.Params())
			return nil
		})
		c := joined(t, mux, nil)
		ctx := t.Context()
		b := c.NewBatch()
		for range 2 { // an array that was sent leaves an empty one
			sum := client.Add[float64](b, "add", map[string]int{"a": 2, "b": 3})
			b.Notify("told", []int{1})
			failed := client.Add[int](b, "fail", nil)
			unknown := client.Add[int](b, "nosuch", nil)
			text := client.Add[[]string](b, "echo", []string{"x"})
			if _, err := sum.Get(ctx); err == nil {
				t.Error("there is a result before Send")
			}
			if err := b.Send(ctx); err != nil {
				t.Fatal(err)
			}
			// In any order, and more than once.
			for range 2 {
				if v, err := text.Get(ctx); err != nil || len(v) != 1 || v[0] != "x" {
					t.Errorf("echo: %v, %v", v, err)
				}
				if _, err := failed.Get(ctx); !errors.Is(err, &codec.Error{Code: 423}) {
					t.Errorf("fail: %v", err)
				}
				if v, err := sum.Get(ctx); v != 5 || err != nil {
					t.Errorf("add: %v, %v", v, err)
				}
				if _, err := unknown.Get(ctx); !errors.Is(err, codec.MethodNotFound("")) {
					t.Errorf("nosuch: %v", err)
				}
			}
			if got := <-told; got != "[1]" {
				t.Errorf("the notification came as %s", got)
			}
		}
	})
}

// send sends a batch and gives what was heard of it.
func (p *other) send(ctx context.Context, b *client.Batch) string {
	p.t.Helper()
	sent := make(chan error, 1)
	go func() { sent <- b.Send(ctx) }()
	line := p.hear()
	if err := <-sent; err != nil {
		p.t.Error(err)
	}
	return line
}

func TestBatchOnTheWire(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		b := p.NewBatch()
		client.Add[int](b, "a", nil)
		b.Notify("n", map[string]int{"x": 1})
		client.Add[int](b, "b", codec.RawMessage(`[ 1 ]`))
		want := `[{"id":1,"method":"a"},{"method":"n","params":{"x":1}},{"id":2,"method":"b","params":[ 1 ]}]`
		if line := p.send(t.Context(), b); line != want {
			t.Errorf("heard %s", line)
		}
		p.tell("[" + answer(1, "1") + "," + answer(2, "2") + "]")
		b = p.NewBatch()
		b.Notify("n", nil)
		if line := p.send(t.Context(), b); line != `[{"method":"n"}]` {
			t.Errorf("heard %s", line)
		}
		p.end()
	})
}

// TestBatchAnswers: whatever the other side makes of an array, each call ends.
func TestBatchAnswers(t *testing.T) {
	const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no arrays"}}`
	refused := func(_ int, err error) bool { return errors.Is(err, &codec.Error{Code: codec.CodeInvalidRequest}) }
	lacking := func(_ int, err error) bool { return errors.Is(err, peer.ErrMalformed) }
	long := func(_ int, err error) bool {
		_, ok := errors.AsType[*frame.LongLineError](err)
		return ok
	}
	body := `"` + strings.Repeat("x", 5000) + `"`
	waiting := func(_ int, err error) bool { return errors.Is(err, context.DeadlineExceeded) }
	is := func(want int) func(int, error) bool {
		return func(v int, err error) bool { return v == want && err == nil }
	}
	for _, c := range []struct {
		name   string
		lines  []string
		checks [3]func(int, error) bool
	}{
		{"in another order", []string{"[" + answer(3, "3") + "," + answer(1, "1") + "," + answer(2, "2") + "]"}, [3]func(int, error) bool{is(1), is(2), is(3)}},
		{"one lacks", []string{"[" + answer(3, "3") + "," + answer(1, "1") + "]"}, [3]func(int, error) bool{is(1), lacking, is(3)}},
		{"one twice and one lacks", []string{"[" + answer(1, "1") + "," + answer(1, "9") + "," + answer(3, "3") + "]"}, [3]func(int, error) bool{is(1), lacking, is(3)}},
		{"one without result", []string{`[{"jsonrpc":"2.0","id":2},` + answer(1, "1") + "," + answer(3, "3") + "]"}, [3]func(int, error) bool{is(1), lacking, is(3)}},
		{"one without result alone", []string{`[{"jsonrpc":"2.0","id":2}]`}, [3]func(int, error) bool{lacking, lacking, lacking}},
		{"item by item", []string{answer(2, "2"), answer(3, "3"), answer(1, "1")}, [3]func(int, error) bool{is(1), is(2), is(3)}},
		{"two of them item by item", []string{answer(2, "2"), answer(1, "1")}, [3]func(int, error) bool{is(1), is(2), waiting}},
		{"refused as a whole", []string{refusal}, [3]func(int, error) bool{refused, refused, refused}},
		{"refused as a whole, in an array", []string{"[" + refusal + "]"}, [3]func(int, error) bool{refused, refused, refused}},
		{"a refusal behind an answer", []string{answer(1, "1"), refusal}, [3]func(int, error) bool{is(1), waiting, waiting}},
		{"a long array", []string{"[" + answer(1, "1") + "," + answer(2, body) + "," + answer(3, "3") + "]"}, [3]func(int, error) bool{long, long, long}},
		{"a long array, ids behind", []string{`[{"jsonrpc":"2.0","result":` + body + `,"id":2}, {"result":3,"id":3} ] `}, [3]func(int, error) bool{long, long, long}},
		{"a long answer by itself", []string{answer(2, body), answer(3, "3"), answer(1, "1")}, [3]func(int, error) bool{is(1), long, is(3)}},
		{"nothing", nil, [3]func(int, error) bool{waiting, waiting, waiting}},
		{"an empty array", []string{"[]"}, [3]func(int, error) bool{waiting, waiting, waiting}},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			p := meet(t, client.Options{MaxLine: 1000})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			b := p.NewBatch()
			var futures [3]*client.Future[int]
			for i := range futures {
				futures[i] = client.Add[int](b, "m", nil)
			}
			p.send(ctx, b)
			for _, line := range c.lines {
				p.tell(line)
			}
			synctest.Wait()
			go func() { // the notices of those that are given up
				for p.lines.Scan() {
				}
			}()
			for i, f := range futures {
				if v, err := f.Get(t.Context()); !c.checks[i](v, err) {
					t.Errorf("call %d got %v, %v", i+1, v, err)
				}
			}
			p.say.Close()
		})
	}
}

// TestBatchRefusalsGoToTheOldest: of two arrays under way the first refusal is
// for the first.
func TestBatchRefusalsGoToTheOldest(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		var futures []*client.Future[int]
		for range 2 {
			b := p.NewBatch()
			futures = append(futures, client.Add[int](b, "m", nil))
			p.send(t.Context(), b)
		}
		for i, f := range futures {
			select {
			case <-f.Done():
				t.Errorf("array %d has ended", i)
			default:
			}
			p.tell(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no arrays"}}`)
			if _, err := f.Get(t.Context()); !errors.Is(err, &codec.Error{Code: codec.CodeInvalidRequest}) {
				t.Errorf("array %d got %v", i, err)
			}
		}
		p.end()
	})
}

// TestBatchIsGivenUp with the context that it was sent with: each call that
// has no answer yet is cancelled.
func TestBatchIsGivenUp(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		ctx, cancel := context.WithCancelCause(t.Context())
		b := p.NewBatch()
		answered, given := client.Add[int](b, "m", nil), client.Add[int](b, "m", nil)
		p.send(ctx, b)
		p.tell(answer(1, "1"))
		<-answered.Done()
		cancel(errUser)
		p.want(`{"method":"$/cancelRequest","params":{"id":2}}`)
		if _, err := given.Get(t.Context()); err != errUser {
			t.Errorf("got %v", err)
		}
		if v, err := answered.Get(t.Context()); v != 1 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		p.end()
	})
}

func TestNoBatch(t *testing.T) {
	for _, profile := range []*client.Profile{client.MCP, client.LSP, client.ACP, client.Codex} {
		inBubble(t, profile.Name, func(t *testing.T) {
			p := meet(t, client.Options{Profile: profile})
			b := p.NewBatch()
			f := client.Add[int](b, "m", nil)
			if err := b.Send(t.Context()); !errors.Is(err, client.ErrNoBatch) {
				t.Errorf("Send gave %v", err)
			}
			if _, err := f.Get(t.Context()); !errors.Is(err, client.ErrNoBatch) {
				t.Errorf("the future gave %v", err)
			}
			p.end()
		})
	}
	inBubble(t, "MCP 2025-03-26 has them", func(t *testing.T) {
		c := joined(t, tools(), &client.Options{Profile: client.MCP20250326})
		b := c.NewBatch()
		f := client.Add[float64](b, "add", map[string]int{"a": 1})
		if err := b.Send(t.Context()); err != nil {
			t.Error(err)
		}
		if v, err := f.Get(t.Context()); v != 1 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
	})
	inBubble(t, "an empty one", func(t *testing.T) {
		p := meet(t, client.Options{})
		if err := p.NewBatch().Send(t.Context()); err == nil {
			t.Error("it was sent")
		}
		p.end()
	})
}
