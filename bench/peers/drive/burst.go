package drive

import (
	"bytes"
	"fmt"
	"time"

	"github.com/linerpc/linerpc/bench/peers/histogram"
)

// bursts writes all units of the window at once and reads until all answers
// are there. Each burst costs a server that reads what there is, and writes
// when nothing is left, one read and one write, however fast it is: so servers
// that differ in what they do between the two can be compared.
func (c *Child) bursts(begin time.Time, d time.Duration, times *histogram.Histogram) (units int, err error) {
	want := c.load.Window
	if c.load.OneLine {
		want = 1
	}
	for last := time.Duration(0); last < d; {
		c.burst = c.burst[:0]
		for i := range c.slots {
			c.burst = c.load.appendUnit(c.burst, &c.lines, c.sent, i, false)
		}
		c.sent++
		if _, err := c.in.Write(c.burst); err != nil {
			return 0, fmt.Errorf("the child takes no more: %w", err)
		}
		if err := c.takeLines(want); err != nil {
			return 0, err
		}
		now := time.Since(begin)
		times.Add(now - last)
		last = now
		units += c.load.Window
	}
	return units, nil
}

// takeLines takes so many lines, the first of a burst compared. It counts what
// is there at once: looking at each line would cost more than some servers do.
func (c *Child) takeLines(want int) error {
	for first := true; want > 0; first = false {
		if _, err := c.reader.Peek(1); err != nil {
			return fmt.Errorf("no answer: %w", err)
		}
		there, _ := c.reader.Peek(c.reader.Buffered())
		if first && !c.load.OneLine {
			if i := bytes.IndexByte(there, '\n'); i >= 0 {
				if err := c.check.answer(there[:i+1]); err != nil {
					return err
				}
			}
		}
		want -= bytes.Count(there, []byte("\n"))
		c.reader.Discard(len(there))
	}
	if want < 0 {
		return fmt.Errorf("%d answers too many", -want)
	}
	return nil
}
