package main

import (
	"context"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

// serveJRPC2 uses the options that a nil means: as many handlers at a time as
// there are processors.
func serveJRPC2(s *stream) error {
	h := func(_ context.Context, r *jrpc2.Request) (any, error) {
		return answer(r.Method(), []byte(r.ParamString()), r.UnmarshalParams)
	}
	methods := handler.Map{}
	for _, name := range []string{"echo", "slow", "ping", "note"} {
		methods[name] = h
	}
	methods["typed"] = handler.New(func(_ context.Context, p record) (record, error) { return p, nil })
	return jrpc2.NewServer(methods, nil).Start(channel.Line(s.in, s.out)).Wait()
}
