package main

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/linerpc/linerpc/bench/peers/histogram"
)

// Each caller compares its first answers with what it sent, and then one of
// many: seldom enough to cost nothing.
const (
	comparedFirst = 100
	comparedEvery = 1000
)

// A slice goes through these; callers look before each call.
const (
	warming int32 = iota
	measuring
	over
)

// worker is one caller of a client, in all slices of a cell.
type worker struct {
	caller caller
	params []byte
	ctx    context.Context
	calls  int // since the client was opened
	times  histogram.Histogram
	max    time.Duration // of the slice, with the call that its end cut
	err    error
}

func (w *worker) step() error {
	got, err := w.caller.call(w.ctx)
	if err != nil {
		return err
	}
	w.calls++
	if (w.calls <= comparedFirst || w.calls%comparedEvery == 0) && !bytes.Equal(got, w.params) {
		return fmt.Errorf("call %d was answered %.100q (%d bytes); sent was %.100q (%d bytes)", w.calls, got, len(got), w.params, len(w.params))
	}
	return nil
}

// run calls until the slice is over. The clock is read once a call, where the
// last call ends and the next one begins; that and the histogram cost the same
// few dozen nanoseconds for every client.
func (w *worker) run(phase *atomic.Int32) {
	begin := time.Now()
	var last time.Duration
	for {
		if w.err = w.step(); w.err != nil {
			return
		}
		now := time.Since(begin)
		switch phase.Load() {
		case measuring:
			w.times.Add(now - last)
			w.max = max(w.max, now-last)
		case over:
			w.max = max(w.max, now-last)
			return
		}
		last = now
	}
}

// work uses a processor until the slice is over.
func work(phase *atomic.Int32) (n uint64) {
	for phase.Load() != over {
		n++
	}
	return n
}
