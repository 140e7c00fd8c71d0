package main

import (
	"context"
	"encoding/json"

	goccy "github.com/goccy/go-json"
	"go.lsp.dev/jsonrpc2"
)

func serveLSP(s *stream) error { return serveConn(s) }

func serveLSPGoccy(s *stream) error { return serveConn(s, jsonrpc2.WithCodec(goccyCodec{})) }

// serveConn leaves handlers on the goroutine that reads, which is that
// library's default; they may release it, and the slow one does.
func serveConn(s *stream, o ...jsonrpc2.Option) error {
	c := jsonrpc2.NewConn(jsonrpc2.NewNDJSONStream(s), o...)
	var decoder jsonrpc2.Codec = jsonrpc2.DefaultCodec
	if len(o) > 0 {
		decoder = goccyCodec{}
	}
	c.Go(context.Background(), func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		switch r.Method() {
		case "echo":
			return r.Params(), nil
		case "slow":
			params := r.Clone().Params()
			jsonrpc2.Async(ctx)
			return answer("slow", params, nil)
		}
		params := r.Params()
		return answer(r.Method(), params, func(into any) error { return decoder.Unmarshal(params, into) })
	})
	<-c.Done()
	return c.Err()
}

// goccyCodec is what that library's own codec for goccy/go-json amounts to. It
// lives in a module that module proxies do not have, so it is written here.
type goccyCodec struct{ jsonrpc2.JSONCodec }

var _ jsonrpc2.Codec = goccyCodec{}

func (c goccyCodec) Marshal(v any) ([]byte, error) {
	switch v.(type) {
	case jsonrpc2.RawMessage, json.RawMessage:
		return c.JSONCodec.Marshal(v) // passes it through
	}
	return goccy.MarshalWithOption(v, goccy.DisableHTMLEscape())
}

func (c goccyCodec) Unmarshal(data []byte, v any) error {
	switch v.(type) {
	case *jsonrpc2.RawMessage, *json.RawMessage:
		return c.JSONCodec.Unmarshal(data, v)
	}
	return goccy.Unmarshal(data, v)
}
