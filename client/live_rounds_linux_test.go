package client

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/linerpc/linerpc/peer"
)

// mirrored answers what it asks: the program cat gives back all that is
// written to it, so a call of ours comes to us as a request, and the answer to
// that as the answer to the call.
var mirrored = HandlerFunc(func(_ context.Context, w Reply, r Request) error { return w.Raw(r.Params()) })

// round connects to a mirror, makes some calls, and closes.
func round(t *testing.T, i int) {
	c, err := Command(t.Context(), exec.Command("cat"), &Options{Handler: mirrored})
	if err != nil {
		t.Error(err)
		return
	}
	for range i % 5 {
		ping(t, c, "mirror")
	}
	if i%7 == 0 { // while a call is in flight
		go c.CallRaw(context.Background(), nil, "echo", nil)
	}
	if i%11 == 0 {
		c.Conn().Close()
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestLiveRounds: 1,000 connections that were made and closed leave nothing.
func TestLiveRounds(t *testing.T) {
	if _, err := exec.LookPath("cat"); err != nil {
		t.Skip(err)
	}
	for i := range 20 {
		round(t, i) // pools and the poller have what they keep from now on
	}
	goleak.VerifyNone(t)
	open, before, held := descriptors(t), children(t), heap()
	var left atomic.Int32
	left.Store(1000)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := left.Add(-1); i >= 0 && !t.Failed(); i = left.Add(-1) {
				round(t, int(i))
			}
		})
	}
	all.Wait()
	wantAsBefore(t, open, before, held)
}

func wantAsBefore(t *testing.T, open, before []string, held int64) {
	t.Helper()
	goleak.VerifyNone(t)
	if now := descriptors(t); !slices.Equal(now, open) {
		t.Errorf("open before: %q, and now: %q", open, now)
	}
	if now := children(t); !slices.Equal(now, before) {
		t.Errorf("children before: %q, and now: %q", before, now)
	}
	heap() // what pools hold goes in two collections
	if grown := heap() - held; grown > 1<<20 {
		t.Errorf("%d bytes more than before", grown)
	}
}

// TestLiveRoundsOfDial: the same with a server that listens.
func TestLiveRoundsOfDial(t *testing.T) {
	dialRounds(t, 20)
	goleak.VerifyNone(t)
	open, before, held := descriptors(t), children(t), heap()
	dialRounds(t, 1000)
	wantAsBefore(t, open, before, held)
}

func dialRounds(t *testing.T, rounds int) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			s, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer s.Close()
				peer.New(s, s, mirrored, nil).Serve(context.Background())
			})
		}
	})
	for i := range rounds {
		c, err := Dial(t.Context(), "unix", l.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for range i % 5 {
			ping(t, c, "dial")
		}
		if i%7 == 0 { // while a call is in flight
			go c.CallRaw(context.Background(), nil, "echo", nil)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	l.Close()
	serving.Wait()
}
