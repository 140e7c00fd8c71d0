package drive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// patience is how long a child may take for an answer, and to end.
const patience = 5 * time.Second

// Child is a server that was started, and its two pipes.
type Child struct {
	load   Load
	lines  lines
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	reader *bufio.Reader
	free   chan int // slots that nobody has
	slots  []slot
	check  checker
	burst  []byte
	sent   int // units, since it was started
	stray  int // lines that were the answer to no request
}

// slot is a place in the window.
type slot struct {
	use  int
	busy bool
	slow bool
	sent time.Duration // since the slice began
}

// Start starts a server. Hello are lines to begin with, of which one is
// answered; what is asked of the answers is left out for a server that only
// copies.
func Start(argv []string, load Load, hello string, copies bool) (*Child, error) {
	if err := load.check(); err != nil {
		return nil, err
	}
	c := &Child{load: load, lines: load.lines(), slots: make([]slot, load.Window), free: make(chan int, load.Window)}
	c.check = newChecker(&load, copies)
	for i := range c.slots {
		c.free <- i
	}
	if err := c.start(argv); err != nil {
		return nil, err
	}
	size := max(256<<10, 2*c.lines.request()*max(1, load.Batch))
	c.reader = bufio.NewReaderSize(c.out, size)
	if hello != "" {
		stuck := c.guard(0)
		_, err := io.WriteString(c.in, hello)
		if err == nil {
			_, err = c.reader.ReadSlice('\n')
		}
		stuck.Stop()
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("no answer to the first line: %w", err)
		}
	}
	return c, nil
}

func (c *Child) start(argv []string) error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer theirOut.Close()
	c.in, c.out = in, out
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Stdin, c.cmd.Stdout = theirIn, theirOut
	if err := c.cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return err
	}
	return nil
}

// guard kills the child when it takes too long, d aside: then reads end.
func (c *Child) guard(d time.Duration) *time.Timer {
	return time.AfterFunc(d+patience, func() { c.cmd.Process.Kill() })
}

// Peak is the most memory that the child has had, in bytes. It is read while
// the child lives: what the kernel tells of one that has ended begins with
// the memory of the process that started it.
func (c *Child) Peak() float64 { return peakOf(c.cmd.Process.Pid) }

// Stray is how many lines came back that were the answer to no request: those
// to broken lines.
func (c *Child) Stray() int { return c.stray }

// Close ends the input, and the child if it does not end by itself.
func (c *Child) Close() error {
	stuck := c.guard(0)
	defer stuck.Stop()
	err := c.in.Close()
	_, cerr := io.Copy(io.Discard, c.out)
	werr := c.cmd.Wait()
	return errors.Join(err, cerr, werr, c.out.Close())
}
