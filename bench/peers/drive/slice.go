package drive

import (
	"bufio"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/linerpc/linerpc/bench/peers/cputime"
	"github.com/linerpc/linerpc/bench/peers/histogram"
)

// Sample is what a slice took. Figures are those of the child, but for the
// times: these are seen from here, the answer included.
type Sample struct {
	Messages int
	Wall     float64 // nanoseconds per message
	CPU      float64 // nanoseconds per message
	Reads    float64 // read system calls per message
	Writes   float64 // write system calls per message
	Times    *histogram.Histogram
}

// Slice sends for so long, waits for all answers, and gives what that took.
func (c *Child) Slice(d time.Duration) (Sample, error) {
	stuck := c.guard(d)
	defer stuck.Stop()
	before, cpu := callsOf(c.cmd.Process.Pid), cputime.Micros(c.cmd.Process.Pid)
	s := Sample{Times: new(histogram.Histogram)}
	begin := time.Now()
	var units int
	var err error
	if c.load.Burst {
		units, err = c.bursts(begin, d, s.Times)
	} else {
		units, err = c.windows(begin, d, s.Times)
	}
	wall := time.Since(begin)
	if err != nil {
		return Sample{}, err
	}
	cpu = cputime.Micros(c.cmd.Process.Pid) - cpu
	after := callsOf(c.cmd.Process.Pid)
	s.Messages = units * c.load.perUnit()
	n := float64(s.Messages)
	s.Wall, s.CPU = float64(wall)/n, cpu*1e3/n
	s.Reads, s.Writes = (after.reads-before.reads)/n, (after.writes-before.writes)/n
	return s, nil
}

// windows keeps units in flight. One goroutine sends, this one takes answers.
func (c *Child) windows(begin time.Time, d time.Duration, times *histogram.Histogram) (units int, err error) {
	var total atomic.Int64 // units to come back, known when the last of them is sent
	total.Store(-1)
	failed, stop := make(chan error, 1), make(chan struct{})
	go func() { failed <- c.send(begin, d, &total, stop) }()
	for int64(units) != total.Load() {
		done, err := c.take(begin, times)
		if err != nil {
			c.cmd.Process.Kill() // the sender may sit in a write
			close(stop)          // or wait for a slot
			if serr := <-failed; serr != nil {
				err = errors.Join(err, serr)
			}
			return 0, err
		}
		units += done
	}
	return units, <-failed
}

func (c *Child) send(begin time.Time, d time.Duration, total *atomic.Int64, stop <-chan struct{}) error {
	w := bufio.NewWriterSize(c.in, 64<<10)
	var unit []byte
	for n := int64(1); ; n++ {
		var i int
		select {
		case i = <-c.free:
		default:
			if err := w.Flush(); err != nil {
				return fmt.Errorf("the child takes no more: %w", err)
			}
			select {
			case i = <-c.free:
			case <-stop:
				return nil
			}
		}
		now := time.Since(begin)
		if now >= d {
			total.Store(n) // before it can be answered
		}
		c.sent++
		s := &c.slots[i]
		s.busy, s.sent = true, now
		s.slow = c.load.SlowIn > 0 && c.sent%c.load.SlowIn == 0
		unit = unit[:0]
		if c.load.BadIn > 0 && c.sent%c.load.BadIn == 0 {
			unit = append(unit, brokenLine...)
		}
		unit = c.load.appendUnit(unit, &c.lines, s.use, i, s.slow)
		if _, err := w.Write(unit); err != nil {
			return fmt.Errorf("the child takes no more: %w", err)
		}
		if now >= d {
			return w.Flush()
		}
	}
}

// take takes one line and gives how many units that was: 1, or 0 for the
// answer to a broken line, and for a notification that was copied.
func (c *Child) take(begin time.Time, times *histogram.Histogram) (int, error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, fmt.Errorf("no answer: %w", err)
	}
	use, i, ok := idOf(line)
	if !ok {
		if c.load.BadIn == 0 && !c.check.copies {
			return 0, fmt.Errorf("an answer to nothing: %.200q", line)
		}
		c.stray++
		return 0, nil
	}
	// The sender handed the slot over through the pipes, and gets it back
	// through the channel.
	if i >= len(c.slots) || !c.slots[i].busy || c.slots[i].use != use {
		return 0, fmt.Errorf("an answer to no request: %.200q", line)
	}
	s := &c.slots[i]
	if !s.slow { // what is looked at are those that do not wait
		times.Add(time.Since(begin) - s.sent)
		if err := c.check.answer(line); err != nil {
			return 0, err
		}
	}
	s.busy = false
	s.use++
	c.free <- i
	return 1, nil
}
