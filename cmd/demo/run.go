package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/linerpc/linerpc/peer"
)

// patience is how long an answer may take. Nothing here takes long; a line
// that does not come must end the demonstration all the same.
const patience = 20 * time.Second

// converse holds a conversation and prints it. It gives an error as soon as a
// line that came is not the one that should have come. The last scene must end
// the input.
func converse(ctx context.Context, p *printer, scenes []scene) error {
	c := connect(ctx)
	defer c.hangUp()
	p.println("→ is a line sent to the server, ← one that it wrote.")
	sent, received := 0, 0
	for i, s := range scenes {
		p.heading(i+1, s.title)
		for _, t := range s.turns {
			if err := c.take(t, p); err != nil {
				return fmt.Errorf("%d. %s: %w", i+1, s.title, err)
			}
			switch t.kind {
			case say, sayLast:
				sent++
			case hear:
				received++
			}
		}
	}
	if err := c.end(); err != nil {
		return err
	}
	n := c.conn.Stats()
	p.println(fmt.Sprintf("\n%d lines sent, %d received, each as it should be. The server ran %d requests and %d notifications,",
		sent, received, n.Requests, n.Notifications))
	p.println(fmt.Sprintf("refused %d lines and items, skipped %d too long, survived %d panic, and cancelled %d call.",
		n.Refused, n.LongLines, n.Panics, n.Cancelled))
	return p.err
}

// client is the other end of the connection: it writes lines as they are and
// reads lines, so that nothing stands between the page and the server.
type client struct {
	conn  *peer.Conn
	in    *io.PipeWriter
	lines chan string // what the server wrote; closed at its end
	ended chan error  // what Serve returned
}

func connect(ctx context.Context) *client {
	fromClient, in := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{
		conn:  peer.New(fromClient, out, newMux(), &peer.Options{MaxLine: maxLine}),
		in:    in,
		lines: make(chan string, 64),
		ended: make(chan error, 1),
	}
	go func() {
		c.ended <- c.conn.Serve(ctx)
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		for r := bufio.NewReader(fromServer); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return // what came without a newline is no line, and is missed
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return c
}

// take does one turn and prints it.
func (c *client) take(t turn, p *printer) error {
	switch t.kind {
	case say:
		p.sent(t.text)
		_, err := io.WriteString(c.in, t.text+"\n")
		return err
	case sayLast:
		p.sent(t.text)
		if _, err := io.WriteString(c.in, t.text); err != nil {
			return err
		}
		return c.in.Close()
	case remark:
		p.remark(t.text)
		return nil
	}
	line, err := c.next()
	if err != nil {
		return fmt.Errorf("%w; expected %s", err, t.text)
	}
	p.received(line)
	if !matches(t.text, line) {
		return fmt.Errorf("expected %s", t.text)
	}
	return nil
}

var (
	errSilent = errors.New("no line came")
	errExtra  = errors.New("a line came that nobody asked for")
)

func (c *client) next() (string, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case line, ok := <-c.lines:
		if !ok {
			return "", io.ErrUnexpectedEOF
		}
		return line, nil
	case <-timer.C:
		return "", errSilent
	}
}

// end sees that the server writes nothing more and that Serve returns nil.
func (c *client) end() error {
	line, err := c.next()
	switch {
	case err == nil:
		return fmt.Errorf("%w: %s", errExtra, line)
	case errors.Is(err, errSilent):
		return errors.New("the server did not end")
	}
	return <-c.ended
}

// hangUp lets go of a server that has not ended, after a failure.
func (c *client) hangUp() {
	c.conn.Close()
	c.in.Close()
	go func() {
		for range c.lines {
		}
	}()
}

// matches compares a line with what it should be, byte for byte; a * stands
// for any text.
func matches(pattern, line string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == line
	}
	rest, ok := strings.CutPrefix(line, parts[0])
	if !ok || len(rest) < len(parts[last]) {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, parts[last]); !ok {
		return false
	}
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return true
}
