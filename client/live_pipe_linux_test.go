package client

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// sipper is our end of a child's output, of which no more than 1 KB is taken
// each time that something is there.
type sipper struct{ *pipeReader }

func (r sipper) Read(p []byte) (int, error) {
	runtime.Gosched()
	return r.pipeReader.Read(p[:min(len(p), 1<<10)])
}

// narrow is a client and a server that are joined by the pipes of a child, of
// 4 KiB each.
func narrow(t *testing.T, h peer.Handler, so *peer.Options, co *Options, sip bool) (*Client, *peer.Conn) {
	t.Helper()
	leavesNothing(t)
	p, err := pipes()
	if err != nil {
		t.Fatal(err)
	}
	r := p.r.(*pipeReader)
	for _, fd := range []int{r.fd, int(p.stdin.Fd())} {
		if got, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 4<<10); err != nil || got > 4<<10 {
			t.Fatal(got, err)
		}
	}
	s := peer.New(p.stdin, p.stdout, h, so)
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(context.Background())
		p.stdout.Close()
	}()
	var c *Client
	if sip {
		c, err = New(sipper{r}, p.w, co)
	} else {
		c, err = New(r, p.w, co)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		p.stdin.Close()
	})
	return c, s
}

// TestLiveSlowReader: as in memory, on real pipes of 4 KiB, for a caller that
// reads for itself as well.
func TestLiveSlowReader(t *testing.T) {
	b := newBulky(100_000)
	c, _ := narrow(t, b, &peer.Options{MaxPending: 512 << 10}, nil, true)
	for i := range 5 { // one by one
		got, err := c.CallRaw(t.Context(), nil, "bulk", fmt.Appendf(nil, "[%d]", i))
		if err != nil || string(got) != string(b.reply(i)) {
			t.Fatalf("call %d: %d bytes, or wrong ones: %.50q, %v", i, len(got), got, err)
		}
	}
	before := heap()
	all := b.replies(t, c, 100)
	for range 3 {
		b.cancelOne(t, c)
		if grown := heap() - before; grown > 10<<20+8<<20 { // what the callers were given, and what waits
			t.Errorf("%d bytes wait", grown)
		}
	}
	all.Wait()
	if s := c.Stats(); s.Noise > 0 || s.Stray > 3 {
		t.Errorf("%d lines were noise, %d stray", s.Noise, s.Stray)
	}
}

// TestLiveBothSides: both sides call each other 10,000 times at once, over
// pipes of 4 KiB, and some of those calls come back.
func TestLiveBothSides(t *testing.T) {
	answer := func(ctx context.Context, w Reply, r Request) error {
		if r.Method() == "back" {
			var got codec.RawMessage
			if err := peer.FromContext(ctx).Call(ctx, "echo", codec.RawMessage(r.Params()), &got); err != nil {
				return err
			}
			return w.Raw(got)
		}
		return w.Raw(r.Params())
	}
	c, s := narrow(t, HandlerFunc(answer), nil, &Options{Handler: HandlerFunc(answer)}, false)
	const calls = 10_000
	var all sync.WaitGroup
	for side, conn := range []*peer.Conn{c.Conn(), s} {
		for i := range calls {
			all.Go(func() {
				method := "echo"
				if i%10 == 0 {
					method = "back"
				}
				want := fmt.Sprintf(`{"side":%d,"call":%d,"text":"0123456789012345678901234567890123456789"}`, side, i)
				got, err := conn.CallRaw(context.Background(), nil, method, []byte(want))
				if err != nil || string(got) != want {
					t.Errorf("%q, %v; want %q", got, err, want)
				}
			})
		}
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Error("they wait for each other")
		c.Close()
		all.Wait()
	}
}
