package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/client"
)

// TestMiddleware: the first is the outermost, and each sees typed calls, raw
// ones and those with progress as JSON text.
func TestMiddleware(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		var h heard
		tracing := func(name string) func(client.Invoker) client.Invoker {
			return func(next client.Invoker) client.Invoker {
				return func(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
					h.add("%s> %s%s", name, method, params)
					before := len(dst)
					dst, err := next(ctx, dst, method, params)
					h.add("%s< %s, %v", name, dst[before:], err)
					return dst, err
				}
			}
		}
		c := joined(t, reporter(3), &client.Options{
			Profile:    client.MCP,
			Middleware: []func(client.Invoker) client.Invoker{tracing("a"), tracing("b")},
		})
		ctx := t.Context()
		if v, err := client.Call[[]int](ctx, c, "echo", []int{1}); err != nil || !slices.Equal(v, []int{1}) {
			t.Errorf("got %v, %v", v, err)
		}
		h.want(t, "a> echo[1]", "b> echo[1]", "b< [1], <nil>", "a< [1], <nil>")
		if v, err := client.Call[any](ctx, c, "echo", (*struct{})(nil)); err != nil || v != nil {
			t.Errorf("got %v, %v", v, err)
		}
		h.want(t, "a> echo", "b> echo", "b< null, <nil>", "a< null, <nil>")
		if raw, err := c.CallRaw(ctx, []byte("kept"), "echo", []byte(`[ 2 ]`)); err != nil || string(raw) != "kept[ 2 ]" {
			t.Errorf("got %s, %v", raw, err)
		}
		h.want(t, "a> echo[ 2 ]", "b> echo[ 2 ]", "b< [ 2 ], <nil>", "a< [ 2 ], <nil>")
		var reports []string
		if v, err := client.Call[string](collect(ctx, &reports), c, "work", nil); v != "done" || err != nil || len(reports) != 3 {
			t.Errorf("got %q, %v and %q", v, err, reports)
		}
		h.want(t, "a> work", "b> work", `b< "done", <nil>`, `a< "done", <nil>`)
		if _, err := client.Call[any](ctx, c, "nosuch", nil); !errors.Is(err, &client.Error{Code: -32601}) {
			t.Errorf("got %v", err)
		}
		h.want(t, "a> nosuch", "b> nosuch", "b< , Method not found: nosuch (-32601)", "a< , Method not found: nosuch (-32601)")
	})
}

// TestMiddlewareMayAnswer, refuse, change and call again.
func TestMiddlewareMayAnswer(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		refused := errors.New("refused")
		c := joined(t, tools(), &client.Options{Middleware: []func(client.Invoker) client.Invoker{
			func(next client.Invoker) client.Invoker {
				return func(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error) {
					switch {
					case method == "cached":
						return append(dst, `"from the cache"`...), nil
					case method == "secret":
						return dst, refused
					case strings.HasPrefix(method, "v1."):
						return next(ctx, dst, strings.TrimPrefix(method, "v1."), []byte(`["changed"]`))
					case method == "twice":
						if _, err := next(ctx, nil, "nosuch", params); err == nil {
							return dst, fmt.Errorf("there was an answer")
						}
						return next(ctx, dst, "echo", params)
					}
					return next(ctx, dst, method, params)
				}
			},
		}})
		ctx := t.Context()
		if v, err := client.Call[string](ctx, c, "cached", nil); v != "from the cache" || err != nil {
			t.Errorf("got %q, %v", v, err)
		}
		if _, err := client.Call[string](ctx, c, "secret", nil); err != refused {
			t.Errorf("got %v", err)
		}
		if raw, err := c.CallRaw(ctx, nil, "v1.echo", nil); string(raw) != `["changed"]` || err != nil {
			t.Errorf("got %s, %v", raw, err)
		}
		if v, err := client.Call[[]string](ctx, c, "twice", []string{"x"}); err != nil || !slices.Equal(v, []string{"x"}) {
			t.Errorf("got %q, %v", v, err)
		}
	})
}
