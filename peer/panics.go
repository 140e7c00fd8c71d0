package peer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/linerpc/linerpc/codec"
)

// serve runs the handler of an open exchange and answers.
func (c *Conn) serve(x *exchange, gen uint64) {
	if c.hooks.Begin != nil {
		c.serveHooked(x, gen)
		return
	}
	returned := false
	defer func() {
		if !returned {
			var v any
			if !c.opts.CrashOnPanic {
				v = recover()
			}
			c.crashed(x, gen, v, nil)
		}
	}()
	err := c.handler.ServeRPC(x.ctx, Reply{x, gen}, x.request(gen))
	answer := c.errorOf(x, err)
	returned = true
	x.finish(gen, err, answer)
}

// serveHooked is serve with a Begin hook around it.
func (c *Conn) serveHooked(x *exchange, gen uint64) {
	var (
		returned bool
		end      func(Result)
	)
	defer func() {
		if !returned {
			var v any
			if !c.opts.CrashOnPanic {
				v = recover()
			}
			c.crashed(x, gen, v, end)
		}
	}()
	info := Info{Direction: In, Method: x.method.name, ID: x.id, Params: x.params, Notification: x.note}
	ctx := context.Context(x.ctx)
	ctx, end = c.hooks.Begin(ctx, &info)
	err := c.handler.ServeRPC(ctx, Reply{x, gen}, x.request(gen))
	answer := c.errorOf(x, err)
	returned = true
	if end != nil {
		end(Result{Err: err})
	}
	x.finish(gen, err, answer)
}

func (x *exchange) request(gen uint64) Request {
	return Request{x: x, gen: gen, method: x.method, id: x.id, params: x.params}
}

// crashed runs deferred when a handler did not return: it panicked with v, or
// it called runtime.Goexit, as t.Fatal does.
func (c *Conn) crashed(x *exchange, gen uint64, v any, end func(Result)) {
	c.counts.panics.Add(1)
	if h := c.hooks.Panic; h != nil {
		h(x.method.name, v, debug.Stack())
	}
	err := &codec.Error{Code: codec.CodeInternalError, Message: "Internal error: the handler panicked"}
	if v == nil {
		err.Message = "Internal error: the handler ended its goroutine"
	} else if !c.opts.HideErrors {
		err.Data = exception{"panic", fmt.Sprint(v)}.encode()
	}
	if end != nil {
		end(Result{Err: err})
	}
	x.finish(gen, err, err)
}

// exception is the data of an answer to an error that is no *codec.Error.
type exception struct {
	Exception string `json:"exception"`
	Detail    string `json:"detail"`
}

func (e exception) encode() codec.RawMessage {
	data, _ := codec.Std.Append(nil, e)
	return data
}

// errorOf makes the error object that answers a handler's error, nil for none.
// It calls methods of the author's error, which may be a nil pointer: call it
// where a panic is caught.
func (c *Conn) errorOf(x *exchange, err error) *codec.Error {
	if err == nil {
		return nil
	}
	var e *codec.Error
	if errors.As(err, &e) && e != nil {
		if e.Code == codec.CodeMethodNotFound {
			x.method.unknown.Store(true)
		}
		return e
	}
	if (x.cancelled.Load() || c.contexts.ended()) && errors.Is(err, context.Canceled) {
		return &codec.Error{Code: codec.CodeCancelled, Message: "Request cancelled"}
	}
	out := &codec.Error{Code: codec.CodeInternalError, Message: "Internal error"}
	if c.opts.HideErrors {
		return out
	}
	out.Data = exception{typeName(err), fmt.Sprint(err)}.encode() // Sprint puts up with a nil pointer
	return out
}

// typeName names the Go type of an error: the first in its chain that is not
// a wrapper of package fmt or errors.
func typeName(err error) string {
	for {
		name := reflect.TypeOf(err).String()
		if name != "*fmt.wrapError" && name != "*fmt.wrapErrors" && name != "*errors.joinError" {
			return name
		}
		var inner error
		switch w := err.(type) {
		case interface{ Unwrap() error }:
			inner = w.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range w.Unwrap() {
				if e != nil {
					inner = e
					break
				}
			}
		}
		if inner == nil {
			return name
		}
		err = inner
	}
}
