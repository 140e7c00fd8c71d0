package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// listen serves whoever connects until the test has ended.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			s, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer s.Close()
				if err := server.Serve(context.Background(), s, s, tools(), nil); err != nil {
					t.Errorf("the server: %v", err)
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

func TestDial(t *testing.T) {
	for network, address := range map[string]func() string{
		"tcp":  func() string { return "127.0.0.1:0" },
		"unix": func() string { return filepath.Join(t.TempDir(), "s") },
	} {
		t.Run(network, func(t *testing.T) {
			t.Cleanup(func() { goleak.VerifyNone(t) })
			if network == "unix" && runtime.GOOS == "windows" {
				t.Skip("not everywhere on Windows")
			}
			at := listen(t, network, address())
			for range 3 {
				c, err := client.Dial(t.Context(), network, at, nil)
				if err != nil {
					t.Fatal(err)
				}
				if sum, err := client.Call[float64](t.Context(), c, "add", map[string]int{"a": 2, "b": 3}); sum != 5 || err != nil {
					t.Errorf("got %v, %v", sum, err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				if err := c.Notify(t.Context(), "echo", nil); !errors.Is(err, client.ErrClosed) {
					t.Errorf("after Close: %v", err)
				}
				if c.Pid() != 0 {
					t.Error("it has a child")
				}
			}
		})
	}
}

func TestDialNobody(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	l.Close()
	if c, err := client.Dial(t.Context(), "tcp", l.Addr().String(), nil); err == nil || c != nil {
		t.Errorf("got %v, %v", c, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := client.Dial(over, "tcp", l.Addr().String(), nil); !errors.Is(err, context.Canceled) && err == nil || c != nil {
		t.Errorf("got %v, %v", c, err)
	}
}

// stuck is a writer that cannot be closed, and neither can the reader.
type stuck struct{ io.Writer }

// TestNewOfWhatCannotBeClosed: it need not be.
func TestNewOfWhatCannotBeClosed(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	var out strings.Builder
	c, err := client.New(strings.NewReader(""), stuck{&out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	if err := c.Err(); !errors.Is(err, client.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// closing notes what is closed, and when.
type closing struct {
	io.Reader
	io.Writer
	name  string
	order *[]string
}

func (c closing) Close() error {
	*c.order = append(*c.order, c.name)
	if r, ok := c.Reader.(io.Closer); ok {
		r.Close()
	}
	return nil
}

// TestCloseClosesTheStreams: the writer first, and each once.
func TestCloseClosesTheStreams(t *testing.T) {
	inBubble(t, "two", func(t *testing.T) {
		in, _ := io.Pipe()
		var order []string
		c, err := client.New(&closing{Reader: in, name: "r", order: &order}, &closing{Writer: io.Discard, name: "w", order: &order}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Close(); fmt.Sprint(order) != "[w r]" {
			t.Errorf("closed %v", order)
		}
	})
	inBubble(t, "one", func(t *testing.T) {
		in, _ := io.Pipe()
		var order []string
		s := &closing{Reader: in, Writer: io.Discard, name: "s", order: &order}
		c, err := client.New(s, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Close(); fmt.Sprint(order) != "[s]" {
			t.Errorf("closed %v", order)
		}
	})
}

func TestStart(t *testing.T) {
	inBubble(t, "first of all", func(t *testing.T) {
		mux := tools()
		var seen []string
		server.Handle(mux, "initialize", func(context.Context, struct{}) (string, error) {
			seen = append(seen, "initialize")
			return "1.0", nil
		})
		server.Handle(mux, "initialized", func(context.Context, struct{}) (int, error) {
			seen = append(seen, "initialized")
			return 0, nil
		})
		var version string
		c := joined(t, mux, &client.Options{Start: func(ctx context.Context, c *peer.Conn) error {
			if err := c.Call(ctx, "initialize", struct{}{}, &version); err != nil {
				return err
			}
			return c.Notify(ctx, "initialized", nil)
		}})
		if _, err := client.Call[any](t.Context(), c, "echo", nil); err != nil {
			t.Error(err)
		}
		if version != "1.0" || fmt.Sprint(seen) != "[initialize initialized]" {
			t.Errorf("version %q, seen %v", version, seen)
		}
	})
	mine := errors.New("mine")
	for name, c := range map[string]struct {
		start client.Starter
		check func(error) bool
	}{
		"its own error": {func(context.Context, *peer.Conn) error { return mine }, func(err error) bool { return err == mine }},
		"an error answer": {
			func(ctx context.Context, c *peer.Conn) error { return c.Call(ctx, "fail", nil, nil) },
			func(err error) bool { return errors.Is(err, &client.Error{Code: 423}) },
		},
		"no answer in time": {
			func(ctx context.Context, c *peer.Conn) error {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				return c.Call(ctx, "wait", nil, nil)
			},
			func(err error) bool { return errors.Is(err, context.DeadlineExceeded) },
		},
		"the end of the connection": {
			func(ctx context.Context, c *peer.Conn) error {
				c.Close()
				return c.Call(ctx, "wait", nil, nil)
			},
			func(err error) bool {
				_, ok := errors.AsType[*client.ClosedError](err)
				return ok
			},
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			fromClient, toServer := io.Pipe()
			fromServer, toClient := io.Pipe()
			served := make(chan error, 1)
			go func() {
				err := server.Serve(context.Background(), fromClient, toClient, tools(), nil)
				toClient.Close()
				served <- err
			}()
			if got, err := client.New(fromServer, toServer, &client.Options{Start: c.start}); !c.check(err) || got != nil {
				t.Errorf("got %v, %v", got, err)
			}
			if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("the server: %v", err)
			}
		})
	}
}

// TestCloseManyTimes: in a row and at once, and calls that are in flight end.
func TestCloseManyTimes(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		c := joined(t, tools(), nil)
		flying := client.Go[int](t.Context(), c, "wait", nil)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				select {
				case <-c.Done():
				default:
					t.Error("Close has returned too early")
				}
			})
		}
		all.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_, err := flying.Get(t.Context())
		if _, ok := errors.AsType[*client.ClosedError](err); !ok {
			t.Errorf("the call in flight gave %v", err)
		}
	})
}

// TestCloseLetsOutWhatWasSent: a notification that was sent before is not lost.
func TestCloseLetsOutWhatWasSent(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		p := meet(t, client.Options{})
		go func() {
			p.Notify(t.Context(), "last", []int{1})
			p.Close()
		}()
		p.want(`{"method":"last","params":[1]}`)
		p.say.Close()
	})
}

// TestCloseFromAHandler does not wait for itself for ever.
func TestCloseFromAHandler(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		closed := make(chan error, 1)
		var p *other
		p = meet(t, client.Options{Handler: client.HandlerFunc(func(context.Context, client.Reply, client.Request) error {
			closed <- p.Close()
			return nil
		})})
		p.tell(note("shutdown", `{}`))
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}
