package peer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

type diskFull struct{ path string }

func (e diskFull) Error() string { return e.path + " is full" }

type wrapping struct{ error }

func (w wrapping) Unwrap() error { return w.error }

// touchy panics when it is nil, as careless error types do.
type touchy struct{ text string }

func (e *touchy) Error() string { return e.text }

// hostile panics whenever somebody looks at it.
type hostile struct{}

func (hostile) Error() string { panic("do not look at me") }
func (hostile) Is(error) bool { panic("do not compare me") }
func (hostile) Unwrap() error { panic("do not unwrap me") }
func (hostile) As(any) bool   { panic("do not convert me") }
func fails(err error) peer.Handler {
	return peer.HandlerFunc(func(context.Context, peer.Reply, peer.Request) error { return err })
}

func exception(kind, detail string) string {
	quote := func(s string) string { return string(codec.AppendQuote(nil, s)) }
	return `{"exception":` + quote(kind) + `,"detail":` + quote(detail) + "}"
}

func TestHandlerErrors(t *testing.T) {
	_, notThere := os.Open("/no/such/file")
	mine := &codec.Error{Code: 42, Message: "mine", Data: codec.RawMessage(`{"a" : 1}`)}
	var (
		nilCodec *codec.Error
		nilOwn   *touchy
	)
	for _, c := range []struct {
		name       string
		err        error
		want, data string // what is shown; and the data unless HideErrors
		own        bool   // a codec.Error: HideErrors changes nothing
	}{
		{"codec.Error", mine, `1 error 42 mine`, `{"a" : 1}`, true},
		{"codec.Error, wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", mine)), `1 error 42 mine`, `{"a" : 1}`, true},
		{"codec.Error, joined", errors.Join(errors.New("x"), mine), `1 error 42 mine`, `{"a" : 1}`, true},
		{"codec.Error, wrapped by a type", wrapping{mine}, `1 error 42 mine`, `{"a" : 1}`, true},
		{"codec.Error, no data", &codec.Error{Code: -7, Message: "é\n\"<&>"}, "1 error -7 é\n\"<&>", "", true},
		{"codec.Error, data that is not JSON", &codec.Error{Code: 1, Message: "m", Data: codec.RawMessage(`1},"x":{`)}, `1 error 1 m`, `"1},\"x\":{"`, true},
		{"codec.Error, data with a newline", &codec.Error{Code: 1, Message: "m", Data: codec.RawMessage("[1,\n2]")}, `1 error 1 m`, `[1, 2]`, true},
		{"codec.Error, message that is not UTF-8", &codec.Error{Code: 1, Message: "a\xffb"}, "1 error 1 a\ufffdb", "", true},
		{"plain", errors.New("boom"), `1 error -32603 Internal error`, exception("*errors.errorString", "boom"), false},
		{"own type", diskFull{"/tmp"}, `1 error -32603 Internal error`, exception("peer_test.diskFull", "/tmp is full"), false},
		{"behind fmt", fmt.Errorf("saving: %w", fmt.Errorf("writing: %w", diskFull{"/tmp"})), `1 error -32603 Internal error`, exception("peer_test.diskFull", "saving: writing: /tmp is full"), false},
		{"behind fmt with two", fmt.Errorf("%w and %w", diskFull{"/a"}, errors.New("x")), `1 error -32603 Internal error`, exception("peer_test.diskFull", "/a is full and x"), false},
		{"behind errors.Join", errors.Join(nil, diskFull{"/a"}, errors.New("x")), `1 error -32603 Internal error`, exception("peer_test.diskFull", "/a is full\nx"), false},
		{"behind an own wrapper", fmt.Errorf("x: %w", wrapping{diskFull{"/a"}}), `1 error -32603 Internal error`, exception("peer_test.wrapping", "x: /a is full"), false},
		{"of a library", fmt.Errorf("load: %w", notThere), `1 error -32603 Internal error`, exception("*fs.PathError", "load: "+notThere.Error()), false},
		{"fmt without a cause", fmt.Errorf("just %d", 1), `1 error -32603 Internal error`, exception("*fmt.wrapError", ""), false},
		{"context.Canceled though nobody cancelled", fmt.Errorf("x: %w", context.Canceled), `1 error -32603 Internal error`, exception("*errors.errorString", "x: context canceled"), false},
		{"context.DeadlineExceeded", context.DeadlineExceeded, `1 error -32603 Internal error`, exception("context.deadlineExceededError", "context deadline exceeded"), false},
		{"text that is not UTF-8", errors.New("a\xff\x00"), `1 error -32603 Internal error`, `{"exception":"*errors.errorString","detail":"a*\u0000"}`, false},
		{"HTML", errors.New("a<b>&"), `1 error -32603 Internal error`, exception("*errors.errorString", "a<b>&"), false},
		{"a nil *codec.Error in an error", nilCodec, `1 error -32603 Internal error`, exception("*codec.Error", "<nil>"), false},
		{"a nil pointer in an error", nilOwn, `1 error -32603 Internal error`, exception("*peer_test.touchy", "<nil>"), false},
		{"a hostile error", hostile{}, `1 error -32603 *`, "*", false},
		{"a hostile error, wrapped", fmt.Errorf("x: %w", wrapping{fs.ErrExist}), `1 error -32603 Internal error`, exception("peer_test.wrapping", "x: file already exists"), false},
	} {
		if c.name == "fmt without a cause" { // errors made by fmt without %w have the type that errors.New has
			c.data = exception(fmt.Sprintf("%T", c.err), c.err.Error())
		}
		for _, hide := range []bool{false, true} {
			inBubble(t, fmt.Sprintf("%s/hide=%v", c.name, hide), func(t *testing.T) {
				want := c.want
				if c.data != "" && (c.own || !hide) {
					want += " data " + c.data
				}
				o := &peer.Options{HideErrors: hide}
				// The answer, and the same in a batch; a notification that
				// fails so is silent.
				in := call("1", "m", "") + note("m", "") + array(call("2", "m", ""), note("m", ""))
				compare(t, talk(t, fails(c.err), o, in, whole), []string{want, "[2" + want[1:] + "]"}, false)
			})
		}
	}
}

func TestCancelledCallAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		err  func(ctx context.Context) error
		want string
	}{
		{"Err", func(ctx context.Context) error { return ctx.Err() }, "1 error -32800 *"},
		{"wrapped", func(ctx context.Context) error { return fmt.Errorf("x: %w", ctx.Err()) }, "1 error -32800 *"},
		{"Cause", context.Cause, "1 error -32800 *"},
		{"another error", func(context.Context) error { return diskFull{"/"} }, "1 error -32603 *diskFull*"},
		{"a codec.Error", func(context.Context) error { return &codec.Error{Code: 5, Message: "m"} }, "1 error 5 m"},
		{"none", func(context.Context) error { return nil }, "1 result null"},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
				<-ctx.Done()
				return c.err(ctx)
			})
			compare(t, talk(t, h, nil, call("1", "m", "")+note("$/cancelRequest", `{"id":1}`), whole), []string{c.want}, true)
		})
	}
}

func TestPanics(t *testing.T) {
	rows := []struct {
		name string
		do   func()
		want string
	}{
		{"string", func() { panic("dropped") }, `1 error -32603 *dropped*`},
		{"error", func() { panic(diskFull{"/"}) }, `1 error -32603 *is full*`},
		{"nil", func() { panic(nil) }, `1 error -32603 *`},
		{"runtime error", func() { s := []int{}; s[len(s)] = 1 }, `1 error -32603 *out of range*`},
		{"a value that panics when printed", func() { panic(hostile{}) }, `1 error -32603 *`},
		{"Goexit", func() { (&testing.T{}).Skip() }, `1 error -32603 *`},
	}
	for _, c := range rows {
		inBubble(t, c.name, func(t *testing.T) {
			h := peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
				if r.Method() == "echo" {
					return w.Raw(r.Params())
				}
				if r.Method() == "late" {
					w.Raw([]byte("[1]"))
				}
				c.do()
				return nil
			})
			in := call("1", "m", "") + call("5", "echo", "[5]") + note("m", "") + call("6", "echo", "[6]") +
				array(call("2", "m", ""), call("4", "echo", "[2]")) + call("3", "late", "") + after
			compare(t, talk(t, h, nil, in, whole), []string{
				c.want, "5 result [5]", "6 result [6]", "[2" + c.want[1:] + "; 4 result [2]]", "3 result [1]", `"after" result ["alive"]`,
			}, false)
			lines := talk(t, h, &peer.Options{HideErrors: true}, call("1", "m", ""), whole)
			compare(t, lines, []string{"1 error -32603 *"}, true)
			if strings.Contains(strings.Join(lines, ""), "data") {
				t.Errorf("not hidden: %q", lines)
			}
		})
	}
}

// TestResults are about what a handler answers with.
func TestResults(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	for _, c := range []struct {
		name   string
		answer func(w peer.Reply, r peer.Request) error
		want   string
	}{
		{"nothing", func(peer.Reply, peer.Request) error { return nil }, "1 result null"},
		{"raw nil", func(w peer.Reply, _ peer.Request) error { return w.Raw(nil) }, "1 result null"},
		{"raw null", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte("null")) }, "1 result null"},
		{"raw empty", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte{}) }, "1 error -32603 *"},
		{"raw scalar", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte(`"é"`)) }, `1 result "é"`},
		{"raw byte for byte", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte(`{"a" : 1.0e0}`)) }, `1 result {"a" : 1.0e0}`},
		{"raw with newlines", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte("{\n\"a\":\n1}\n")) }, `1 result {*"a":*1}`},
		{"raw forging", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte(`1},{"jsonrpc":"2.0","id":9`)) }, "1 error -32603 *"},
		{"raw forging a member", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte(`1,"id":9`)) }, "1 error -32603 *"},
		{"raw forging a line", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte("1}\n{\"id\":9")) }, "1 error -32603 *"},
		{"raw not UTF-8", func(w peer.Reply, _ peer.Request) error { return w.Raw([]byte("\"\xff\"")) }, "1 error -32603 *"},
		{"raw, cut params", func(w peer.Reply, r peer.Request) error { return w.Raw(r.Params()[:1]) }, "1 error -32603 *"},
		{"raw, params of WithParams", func(w peer.Reply, r peer.Request) error { return w.Raw(r.WithParams([]byte("{")).Params()) }, "1 error -32603 *"},
		{"raw bad, then good", func(w peer.Reply, _ peer.Request) error {
			if err := w.Raw([]byte("{")); !errors.Is(err, peer.ErrNotJSON) {
				return fmt.Errorf("got %v", err)
			}
			return w.Raw([]byte("[1]"))
		}, "1 result [1]"},
		{"twice", func(w peer.Reply, _ peer.Request) error {
			w.Raw([]byte("1"))
			if err := w.Raw([]byte("2")); !errors.Is(err, peer.ErrDone) {
				panic(err)
			}
			if err := w.Encode("3"); !errors.Is(err, peer.ErrDone) {
				panic(err)
			}
			if err := w.Notify("late", nil); !errors.Is(err, peer.ErrDone) {
				panic(err)
			}
			return errors.New("an error behind the answer")
		}, "1 result 1"},
		{"value nil", func(w peer.Reply, _ peer.Request) error { return w.Encode(nil) }, "1 result null"},
		{"value nil pointer", func(w peer.Reply, _ peer.Request) error { return w.Encode((*int)(nil)) }, "1 result null"},
		{"value with newline and HTML", func(w peer.Reply, _ peer.Request) error { return w.Encode("a\n<&>é") }, `1 result "a\n<&>é"`},
		{"NaN", func(w peer.Reply, _ peer.Request) error { return w.Encode(math.NaN()) }, "1 error -32603 *"},
		{"Inf behind much", func(w peer.Reply, _ peer.Request) error {
			return w.Encode([]any{strings.Repeat("x", 100_000), math.Inf(1)})
		}, "1 error -32603 *"},
		{"a channel", func(w peer.Reply, _ peer.Request) error { return w.Encode(make(chan int)) }, "1 error -32603 *"},
		{"bad RawMessage", func(w peer.Reply, _ peer.Request) error { return w.Encode(codec.RawMessage(`1},{`)) }, "1 error -32603 *"},
		{"bad RawMessage inside", func(w peer.Reply, _ peer.Request) error {
			return w.Encode(map[string]any{"a": json.RawMessage("\x00")})
		}, "1 error -32603 *"},
		{"MarshalJSON that lies", func(w peer.Reply, _ peer.Request) error { return w.Encode(lying("1},{")) }, "1 error -32603 *"},
		{"MarshalJSON with a newline", func(w peer.Reply, _ peer.Request) error { return w.Encode(lying("[1,\n2]")) }, "1 result [1,2]"},
		{"MarshalJSON that panics", func(w peer.Reply, _ peer.Request) error { return w.Encode(lying("panic")) }, "1 error -32603 *"},
		{"NaN, then good", func(w peer.Reply, _ peer.Request) error {
			if w.Encode([]any{"x", math.NaN()}) == nil {
				return errors.New("NaN was sent")
			}
			return w.Encode([]int{1})
		}, "1 result [1]"},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			h := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error {
				if r.Method() == "echo" {
					return w.Raw(r.Params())
				}
				return c.answer(w, r)
			})
			in := call("1", "m", `{"a":1}`) + array(call("2", "m", `{"a":1}`)) + note("m", `{"a":1}`) + after
			compare(t, talk(t, h, nil, in, whole), []string{c.want, "[2" + c.want[1:] + "]", `"after" result ["alive"]`}, false)
		})
	}
}

type lying string

func (l lying) MarshalJSON() ([]byte, error) {
	if l == "panic" {
		panic("in MarshalJSON")
	}
	return []byte(l), nil
}

func TestNotifyParams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		h := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error {
			for _, params := range []any{5, "text", true, codec.RawMessage("5"), codec.RawMessage("{"), math.NaN(), lying("1},{")} {
				errs = append(errs, w.Notify("bad", params))
			}
			for _, raw := range []string{"5", `"x"`, "[1", "[1] 2", "[1]\n{}", "[\"\xff\"]", ""} {
				errs = append(errs, w.NotifyRaw("bad", []byte(raw)))
			}
			w.Notify("good", nil)
			w.Notify("good", (*diskFull)(nil))
			w.Notify("good", struct{}{})
			w.Notify("good", codec.RawMessage(`{"a" : 1}`))
			w.NotifyRaw("good", nil)
			w.NotifyRaw("good", []byte("[1,\n2]"))
			w.NotifyRaw("a\"\n\xffé", []byte(" [] "))
			return nil
		})
		compare(t, talk(t, h, nil, call("1", "m", ""), whole), []string{
			"note good", "note good", "note good {}", `note good {"a" : 1}`, "note good", "note good [1, 2]", "note a\"\n\ufffdé*[]*", "1 result null",
		}, true)
		for i, err := range errs {
			if err == nil {
				t.Errorf("bad params %d were sent", i)
			}
		}
	})
}
