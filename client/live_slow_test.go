package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/linerpc/linerpc/peer"
)

// slowReader gives a little of what there is, after a pause.
type slowReader struct {
	io.ReadCloser
	piece int
	pause time.Duration
}

func (r slowReader) Read(p []byte) (int, error) {
	if r.pause > 0 {
		time.Sleep(r.pause)
	}
	return r.ReadCloser.Read(p[:min(len(p), r.piece)])
}

// bulky is a server with large replies, and a call that ends when it is
// cancelled.
type bulky struct {
	size      int
	waits     chan struct{} // one token: such a call waits
	cancelled chan struct{}
}

func newBulky(size int) *bulky {
	return &bulky{size: size, waits: make(chan struct{}, 1), cancelled: make(chan struct{}, 1)}
}

// reply is what the call with that number gives.
func (b *bulky) reply(n int) []byte {
	return fmt.Appendf(nil, `[%d,"%s"]`, n, bytes.Repeat([]byte{byte('a' + n%26)}, b.size))
}

func (b *bulky) ServeRPC(ctx context.Context, w Reply, r Request) error {
	if r.Method() == "wait" {
		b.waits <- struct{}{}
		<-ctx.Done()
		b.cancelled <- struct{}{}
		return ctx.Err()
	}
	var n [1]int
	if err := r.Decode(&n); err != nil {
		return err
	}
	return w.Raw(b.reply(n[0]))
}

// replies makes as many calls at once and checks what they give.
func (b *bulky) replies(t *testing.T, c *Client, calls int) *sync.WaitGroup {
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			got, err := c.CallRaw(context.Background(), nil, "bulk", fmt.Appendf(nil, "[%d]", i))
			if err != nil || !bytes.Equal(got, b.reply(i)) {
				t.Errorf("call %d: %d bytes, or wrong ones: %.50q, %v", i, len(got), got, err)
			}
		})
	}
	return &all
}

// cancelOne makes a call, gives it up when it is running, and sees the other
// side learn of that.
func (b *bulky) cancelOne(t *testing.T, c *Client) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-b.waits
		cancel()
	}()
	if _, err := c.CallRaw(ctx, nil, "wait", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want Canceled", err)
	}
	<-b.cancelled
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLiveSlowReaderInMemory: 100 replies of 100 KB to somebody who reads them
// 1 KB by 1 KB. They arrive whole, what waits is bounded, and a call is
// cancelled in the middle of it.
func TestLiveSlowReaderInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const bound = 512 << 10
		b := newBulky(100_000)
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		s := peer.New(toServer, fromServer, b, &peer.Options{MaxPending: bound})
		served := make(chan error, 1)
		go func() { served <- s.Serve(context.Background()) }()
		c, err := New(slowReader{toClient, 1 << 10, time.Millisecond}, fromClient, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		begun := time.Now()
		all := b.replies(t, c, 100)
		time.Sleep(100 * time.Millisecond)
		b.cancelOne(t, c)
		if grown := heap() - before; grown > 8<<20 {
			t.Errorf("%d bytes wait, of 10 MB in all", grown)
		}
		all.Wait()
		if took := time.Since(begun); took < 9*time.Second {
			t.Errorf("the reader was not slow: %v", took)
		}
		if n := c.Stats().Stray + c.Stats().Noise; n > 1 { // the answer to what was given up
			t.Errorf("%d lines were no answers", n)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		time.Sleep(time.Millisecond) // for the pause before the last read
		synctest.Wait()
	})
}
