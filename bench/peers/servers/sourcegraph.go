package main

import (
	"context"
	"encoding/json"
	"io"
	"log"

	"github.com/sourcegraph/jsonrpc2"
)

// serveSourcegraph handles requests on the goroutine that reads, which is that
// library's default.
func serveSourcegraph(s *stream) error {
	h := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Params == nil {
			return answer(r.Method, nil, nil)
		}
		return answer(r.Method, *r.Params, func(into any) error { return json.Unmarshal(*r.Params, into) })
	})
	quiet := jsonrpc2.SetLogger(log.New(io.Discard, "", 0))
	c := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewPlainObjectStream(s), h, quiet)
	<-c.DisconnectNotify()
	return nil
}
