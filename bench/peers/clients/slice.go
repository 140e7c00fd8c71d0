package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/linerpc/linerpc/bench/peers/cputime"
	"github.com/linerpc/linerpc/bench/peers/histogram"
)

// seat is a client that is connected, with its callers.
type seat struct {
	name    string
	client  client
	workers []*worker
	all     histogram.Histogram // of all slices
	cancels []context.CancelFunc
}

func openSeat(s *settings, k contender, c cell) (*seat, error) {
	command := s.command
	if s.pairs != "" {
		command = []string{s.pairs, k.own}
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	conn, err := k.open(cmd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.name, err)
	}
	t := &seat{name: k.name, client: conn}
	for i := range c.callers {
		params := paramsFor(i, c.bytes)
		w := &worker{caller: conn.caller(params), params: params, ctx: context.Background()}
		if s.withCancel {
			var cancel context.CancelFunc
			w.ctx, cancel = context.WithCancel(w.ctx)
			t.cancels = append(t.cancels, cancel)
		}
		t.workers = append(t.workers, w)
	}
	return t, nil
}

func (t *seat) close() error {
	for _, cancel := range t.cancels {
		cancel()
	}
	if err := t.client.close(); err != nil {
		return fmt.Errorf("%s: closing: %w", t.name, err)
	}
	return nil
}

// sample is what one slice gave. A figure that could not be had is NaN.
type sample struct {
	calls     uint64
	rate      float64 // calls per second
	p50, p99  float64 // microseconds
	max       float64 // microseconds; a caller that starved shows here
	clientCPU float64 // microseconds per call
	childCPU  float64 // microseconds per call
	fairness  float64 // calls of the slowest caller per one of the fastest
}

// slice lets all callers call, d long after a warm-up. The garbage of the
// client before is collected first, so that nobody pays for another's.
func (t *seat) slice(d time.Duration, busy int) (sample, error) {
	for _, w := range t.workers {
		w.times.Reset()
		w.max = 0
	}
	runtime.GC()
	var phase atomic.Int32
	var wg sync.WaitGroup
	for _, w := range t.workers {
		wg.Go(func() { w.run(&phase) })
	}
	for range busy {
		wg.Go(func() { work(&phase) })
	}
	time.Sleep(d / 10)
	client, child, begin := cputime.Micros(0), cputime.Micros(t.client.pid()), time.Now()
	phase.Store(measuring)
	time.Sleep(d)
	phase.Store(over)
	wall := time.Since(begin)
	client, child = cputime.Micros(0)-client, cputime.Micros(t.client.pid())-child

	stuck := time.AfterFunc(patience, t.kill)
	wg.Wait()
	if !stuck.Stop() {
		return sample{}, fmt.Errorf("%s: calls hung, and its child was killed", t.name)
	}
	if busy > 0 {
		client = math.NaN() // it is that of the busy goroutines
	}
	return t.sample(wall, client, child)
}

func (t *seat) kill() {
	if p, err := os.FindProcess(t.client.pid()); err == nil {
		p.Kill()
	}
}

func (t *seat) sample(wall time.Duration, client, child float64) (sample, error) {
	var errs []error
	var times histogram.Histogram
	var longest time.Duration
	least, most := uint64(math.MaxUint64), uint64(0)
	for _, w := range t.workers {
		errs = append(errs, w.err)
		times.Merge(&w.times)
		longest = max(longest, w.max)
		least, most = min(least, w.times.Total()), max(most, w.times.Total())
	}
	if err := errors.Join(errs...); err != nil {
		return sample{}, fmt.Errorf("%s: %w", t.name, err)
	}
	t.all.Merge(&times)
	n := float64(times.Total())
	return sample{
		calls:     times.Total(),
		rate:      n / wall.Seconds(),
		p50:       times.Quantile(0.50),
		p99:       times.Quantile(0.99),
		max:       float64(longest) / 1e3,
		clientCPU: client / n, // not a number or infinite without a call: report.go leaves it out
		childCPU:  child / n,
		fairness:  float64(least) / float64(most),
	}, nil
}
