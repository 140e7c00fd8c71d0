package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/linerpc/linerpc/server"
)

// A transport is a way to a server in this process: the streams of the client,
// and a function that serves the other ends until they are closed.
type transport func(t *testing.T) (r io.Reader, w io.Writer, serve func(h server.Handler) error)

func inMemory(*testing.T) (io.Reader, io.Writer, func(server.Handler) error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	return fromServer, toServer, func(h server.Handler) error {
		defer toClient.Close()
		return server.Serve(context.Background(), fromClient, toClient, h, nil)
	}
}

// likeAChild is the pipes that a child has.
func likeAChild(t *testing.T) (io.Reader, io.Writer, func(server.Handler) error) {
	p, err := pipes()
	if err != nil {
		t.Fatal(err)
	}
	return p.r, p.w, func(h server.Handler) error {
		defer p.stdin.Close()
		defer p.stdout.Close()
		return server.Serve(context.Background(), p.stdin, p.stdout, h, nil)
	}
}

// fewest gives the allocations per run, of both sides, on a machine that others
// use as well: a handler that loses the processor for a millisecond is slow,
// and from then on its method costs. So the best of several attempts counts,
// each with a connection of its own.
func fewest(t *testing.T, way transport, run func(c *Client)) float64 {
	t.Helper()
	if checked {
		t.Skip("this build allocates for its checks")
	}
	echo := server.HandlerFunc(func(_ context.Context, w server.Reply, r server.Request) error { return w.Raw(r.Params()) })
	best := math.Inf(1)
	for range 10 {
		r, w, serve := way(t)
		served := make(chan error, 1)
		go func() { served <- serve(echo) }()
		c, err := New(r, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			run(c)
		}
		best = min(best, testing.AllocsPerRun(100, func() { run(c) }))
		c.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if best == 0 {
			break
		}
	}
	return best
}

var ways = map[string]transport{"memory": inMemory, "pipes": likeAChild}

func TestAllocationsOfCallRaw(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, way := range ways {
		for _, size := range []int{0, 64, 16 << 10} {
			for _, ctx := range []context.Context{context.Background(), ctx} {
				t.Run(fmt.Sprintf("%s/size=%d/cancel=%v", name, size, ctx.Done() != nil), func(t *testing.T) {
					params := []byte(`["` + strings.Repeat("x", size) + `"]`)
					dst := make([]byte, 0, 2*size+64)
					n := fewest(t, way, func(c *Client) {
						if err := c.NotifyRaw(ctx, "note", params); err != nil {
							t.Fatal(err)
						}
						if out, err := c.CallRaw(ctx, dst[:0], "echo", params); err != nil || !bytes.Equal(out, params) {
							t.Fatalf("got %.100q, %v", out, err)
						}
					})
					if n != 0 {
						t.Errorf("%v allocations, want none", n)
					}
				})
			}
		}
	}
}

func TestAllocationsOfCall(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	type pair struct{ A, B float64 }
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			n := fewest(t, way, func(c *Client) {
				if p, err := Call[pair](t.Context(), c, "echo", pair{1, 2}); err != nil || p != (pair{1, 2}) {
					t.Fatalf("got %v, %v", p, err)
				}
			})
			if n > 3 {
				t.Errorf("%v allocations, want 3 at most", n)
			}
		})
	}
}
