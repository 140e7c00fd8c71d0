package client

import (
	"context"
	"os/exec"
	"slices"
	"time"
)

// Restart says how a child that has ended is started again.
type Restart struct {
	Min time.Duration // the first wait; 100 ms when zero
	Max time.Duration // the wait doubles up to this; 30 s when zero
	// Settled is after how long a child counts as well, so that the next wait
	// is the first again; 10 s when zero.
	Settled time.Duration
	// Failed, when set, is told why a child could not be started or did not get
	// through Options.Start. The next try follows after the next wait.
	Failed func(error)
}

func (r *Restart) settled() Restart {
	s := *r
	s.Min = orDefault(s.Min, 100*time.Millisecond)
	s.Max = max(orDefault(s.Max, 30*time.Second), s.Min)
	s.Settled = orDefault(s.Settled, 10*time.Second)
	return s
}

// tend starts a new child when the one of l has ended, and so on until Close.
func (c *Client) tend(l *link) {
	o := c.opts.Restart.settled()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.wound.Go(func() { c.cancelAtEnd(ctx, cancel) })
	wait := o.Min
	for since := time.Now(); ; {
		<-l.gone
		if time.Since(since) >= o.Settled {
			wait = o.Min
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		wait = min(2*wait, o.Max)
		next, err := c.begin(ctx, c.spawn)
		since = time.Now()
		if err != nil {
			if o.Failed != nil && ctx.Err() == nil {
				o.Failed(err)
			}
			continue
		}
		if l = next; !c.install(l) {
			l.shut(ctx)
			return
		}
	}
}

// cancelAtEnd calls cancel when the client is closed.
func (c *Client) cancelAtEnd(ctx context.Context, cancel func()) {
	for {
		c.mu.Lock()
		change, closed := c.change, c.closed
		c.mu.Unlock()
		if closed {
			cancel()
			return
		}
		select {
		case <-change:
		case <-ctx.Done():
			return
		}
	}
}

// clone gives a command that has not been started, like the one that is about
// to be.
func clone(cmd *exec.Cmd) *exec.Cmd {
	return &exec.Cmd{
		Path: cmd.Path, Args: slices.Clone(cmd.Args), Env: slices.Clone(cmd.Env), Dir: cmd.Dir,
		Stderr: cmd.Stderr, ExtraFiles: slices.Clone(cmd.ExtraFiles), SysProcAttr: cmd.SysProcAttr, Err: cmd.Err,
	}
}
