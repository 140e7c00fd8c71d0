package peer_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/linerpc/linerpc/peer"
)

// gated is an output that takes nothing until its gate is open.
type gated struct {
	gate   chan struct{}
	mu     sync.Mutex
	writes int
	lines  int
}

func (g *gated) Write(p []byte) (int, error) {
	<-g.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes++
	g.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

func (g *gated) TryWrite(p []byte) (int, error) {
	select {
	case <-g.gate:
		return g.Write(p)
	default:
		return 0, nil
	}
}

func (g *gated) counts() (writes, lines int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.writes, g.lines
}

// A pile that the other side has let grow is written, and is no reason to
// write each of the notifications that come later by itself.
func TestBurstGathersAgainBehindAPile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const notes = 1000
		in, feed := io.Pipe()
		out := &gated{gate: make(chan struct{})}
		piled, more := make(chan struct{}), make(chan struct{})
		burst := func(w peer.Reply) error {
			for range notes {
				if err := w.NotifyRaw("note", []byte(`["`+strings.Repeat("x", 80)+`"]`)); err != nil {
					return err
				}
			}
			return nil
		}
		c := peer.New(in, out, peer.HandlerFunc(func(_ context.Context, w peer.Reply, _ peer.Request) error {
			if err := burst(w); err != nil {
				return err
			}
			close(piled)
			<-more
			return burst(w)
		}), nil)
		served := make(chan error, 1)
		go func() { served <- c.Serve(t.Context()) }()
		io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"burst"}`+"\n")
		<-piled
		close(out.gate)
		synctest.Wait()
		before, lines := out.counts()
		if lines != notes {
			t.Fatalf("%d of %d lines have left", lines, notes)
		}
		close(more)
		synctest.Wait()
		after, lines := out.counts()
		if lines != 2*notes+1 {
			t.Errorf("%d lines have left, want %d", lines, 2*notes+1)
		}
		if after-before > notes/2 {
			t.Errorf("%d writes for %d notifications", after-before, notes)
		}
		feed.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
