package client

import (
	"context"
	"io"
	"net"
	"os/exec"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/linerpc/linerpc/peer"
)

// Client is the calling side of a connection: to a child process (Command), to
// an address (Dial), or over any two streams (New). Its methods are safe for
// concurrent use. Close it.
type Client struct {
	opts     Options
	conn     *peer.Options
	invoke   Invoker
	spawn    func(*Client) (*link, error) // starts the child again; nil: nobody does
	inbound  inbound
	progress progress

	now    atomic.Pointer[link]
	mu     sync.Mutex
	closed bool
	change chan struct{} // closed when now or closed has changed
	wound  sync.WaitGroup
}

// Starter makes the first calls of a connection.
type Starter func(ctx context.Context, c *peer.Conn) error

// Invoker makes a call: it appends the result to dst. Params are JSON text, nil
// to leave them out, borrowed until it returns.
type Invoker func(ctx context.Context, dst []byte, method string, params []byte) ([]byte, error)

func newClient(o *Options) *Client {
	c := &Client{opts: o.settled(), change: make(chan struct{})}
	c.inbound.handler = c.opts.Handler
	c.progress.shape = c.opts.Profile.Progress
	c.conn = c.opts.peer()
	c.conn.Progress = c.progress.take
	c.invoke = c.callRaw
	for i := len(c.opts.Middleware) - 1; i >= 0; i-- {
		c.invoke = c.opts.Middleware[i](c.invoke)
	}
	return c
}

// New returns a client that reads from r and writes to w. Close closes w, if it
// is an io.Closer, and then r.
//
// Calls end with their contexts also while a write to w is blocked. When r is
// a file or a connection, closing it must end a Read, as it does for pipes and
// sockets.
func New(r io.Reader, w io.Writer, o *Options) (*Client, error) {
	return newClient(o).first(context.Background(), func(c *Client) (*link, error) { return c.join(r, w), nil })
}

// join makes a link of two streams.
func (c *Client) join(r io.Reader, w io.Writer) *link {
	l := c.newLink(r, w)
	l.w, _ = w.(io.Closer)
	if rc, ok := r.(io.Closer); ok && !same(r, w) {
		l.r = rc
	}
	return l
}

// same reports whether two interfaces hold the same thing. Values that can't be
// compared are not the same.
func same(r, w any) bool {
	return reflect.TypeOf(r) == reflect.TypeOf(w) && reflect.ValueOf(r).Comparable() && r == w
}

// Dial connects to a server that speaks on a stream: tcp or unix, as net.Dial
// takes them. The context bounds the connecting and Options.Start.
func Dial(ctx context.Context, network, address string, o *Options) (*Client, error) {
	return newClient(o).first(ctx, func(c *Client) (*link, error) {
		var d net.Dialer
		s, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return c.join(s, s), nil
	})
}

// Command starts a program and talks to it over its standard input and
// output. The context bounds Options.Start; the program lives until Close, or
// until it exits by itself. cmd's Stdin and Stdout must be nil; it belongs to
// the client from here on.
//
// The program has a process group of its own (on Windows, a job object), which
// ends with it: what it started in turn is killed when it has exited. It is
// outside the terminal's foreground group: an interrupt typed there does not
// reach it. Its standard error is always read; Options say what becomes of it.
func Command(ctx context.Context, cmd *exec.Cmd, o *Options) (*Client, error) {
	c := newClient(o)
	first, again := cmd, clone(cmd)
	start := func(c *Client) (*link, error) {
		next := first
		if first = nil; next == nil {
			next = clone(again)
		}
		return c.startChild(next)
	}
	if c.opts.Restart != nil {
		c.spawn = start
	}
	return c.first(ctx, start)
}

func (c *Client) startChild(cmd *exec.Cmd) (*link, error) {
	p, err := pipes()
	if err != nil {
		return nil, err
	}
	child, err := startProcess(cmd, p.stdin, p.stdout, c.opts.process())
	if err != nil {
		p.w.Close()
		p.r.Close()
		return nil, err
	}
	l := c.newLink(p.r, p.w)
	l.child, l.w, l.r = child, p.w, p.r
	return l, nil
}

func (c *Client) newLink(r io.Reader, w io.Writer) *link {
	return &link{
		conn:   peer.New(r, trying(w), &c.inbound, c.conn),
		known:  make(chan struct{}),
		served: make(chan struct{}),
		gone:   make(chan struct{}),
	}
}

// first makes the first link. It gives the client, or what has kept it from
// being one.
func (c *Client) first(ctx context.Context, start func(*Client) (*link, error)) (*Client, error) {
	l, err := c.begin(ctx, start)
	if err != nil {
		return nil, err
	}
	c.install(l)
	if c.spawn != nil {
		c.wound.Go(func() { c.tend(l) })
	}
	return c, nil
}

// begin makes a link and shakes hands.
func (c *Client) begin(ctx context.Context, start func(*Client) (*link, error)) (*link, error) {
	l, err := start(c)
	if err != nil {
		return nil, err
	}
	c.wound.Go(l.run)
	if c.opts.Start == nil {
		return l, nil
	}
	if err = c.opts.Start(ctx, l.conn); err != nil {
		err = l.explain(err)
		l.shut(ctx)
		return nil, err
	}
	return l, nil
}

// install makes a link the one that calls go to, and that Close closes. It
// reports false when Close has been called before.
func (c *Client) install(l *link) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.now.Store(l)
	close(c.change)
	c.change = make(chan struct{})
	return true
}

// end makes the client a closed one.
func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.change)
		c.change = make(chan struct{})
	}
}

// link gives the connection that a call goes to. Where a child is about to be
// started again it waits for that.
func (c *Client) link(ctx context.Context) (*link, error) {
	l := c.now.Load()
	if c.spawn == nil {
		return l, nil
	}
	for {
		select {
		case <-l.conn.Ended():
		default:
			return l, nil
		}
		c.mu.Lock()
		change, closed := c.change, c.closed
		next := c.now.Load()
		c.mu.Unlock()
		switch {
		case closed:
			return l, nil // which says why it has ended
		case next != l:
			l = next
			continue
		}
		select {
		case <-change:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close ends the connection and returns when nothing of it is left: no child,
// no goroutine, no descriptor. A child sees the end of its input first, and
// may answer what is in flight; after Options.CloseWait its process group is
// sent TERM, after Options.TermWait KILL. Close returns nil however the child
// exited, and an error only if the system does not permit to kill it.
func (c *Client) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is Close with a context whose end has a child killed at once.
func (c *Client) Shutdown(ctx context.Context) error {
	c.end()
	err := c.now.Load().shut(ctx)
	c.wound.Wait()
	return err
}

// Done is closed when the connection has ended: the child has exited or has
// closed its output, the other side has hung up, or Close was called. With
// Options.Restart that is the current connection.
func (c *Client) Done() <-chan struct{} { return c.now.Load().served }

// Err says how the connection ended, as a *ClosedError; nil while it has not.
func (c *Client) Err() error {
	l := c.now.Load()
	select {
	case <-l.served:
		return l.closedError()
	default:
		return nil
	}
}

// Conn is the connection underneath, for what the client does not offer. With
// Options.Restart it is the current one.
func (c *Client) Conn() *peer.Conn { return c.now.Load().conn }

// Stats are the counts of the connection.
func (c *Client) Stats() peer.Stats { return c.Conn().Stats() }

// Pid is the process id of the child, or 0 where there is none.
func (c *Client) Pid() int {
	if l := c.now.Load(); l.child != nil {
		return l.child.cmd.Process.Pid
	}
	return 0
}
