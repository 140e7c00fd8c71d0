package main

import (
	"context"
	"os/exec"

	"go.lsp.dev/jsonrpc2"
)

// go.lsp.dev/jsonrpc2 has three clients that share the signature of Call.
// Params and result are its RawMessage, which its codecs pass through without
// a look; a result is then a copy made for the caller.
type lspCaller interface {
	Call(ctx context.Context, method string, params, result any) (jsonrpc2.ID, error)
	Close() error
}

type lspClient struct {
	*child
	conn lspCaller
}

func openConn(cmd *exec.Cmd) (client, error)     { return openLSP(cmd, newConn) }
func openPipeline(cmd *exec.Cmd) (client, error) { return openLSP(cmd, newPipeline) }
func openSingle(cmd *exec.Cmd) (client, error)   { return openLSP(cmd, newSingle) }

func openConnReuse(cmd *exec.Cmd) (client, error) {
	return openLSP(cmd, newConn, jsonrpc2.WithCodec(reuse{}))
}

func openPipelineReuse(cmd *exec.Cmd) (client, error) {
	return openLSP(cmd, newPipeline, jsonrpc2.WithCodec(reuse{}))
}

func openSingleReuse(cmd *exec.Cmd) (client, error) {
	return openLSP(cmd, newSingle, jsonrpc2.WithCodec(reuse{}))
}

func openLSP(cmd *exec.Cmd, with func(jsonrpc2.Stream, ...jsonrpc2.Option) (lspCaller, error), opts ...jsonrpc2.Option) (client, error) {
	c, err := start(cmd)
	if err != nil {
		return nil, err
	}
	conn, err := with(jsonrpc2.NewNDJSONStream(c), opts...)
	if err != nil {
		c.end(c.Close)
		return nil, err
	}
	return &lspClient{c, conn}, nil
}

func newConn(s jsonrpc2.Stream, opts ...jsonrpc2.Option) (lspCaller, error) {
	conn := jsonrpc2.NewConn(s, opts...)
	conn.Go(context.Background(), jsonrpc2.MethodNotFoundHandler)
	return conn, nil
}

func newPipeline(s jsonrpc2.Stream, opts ...jsonrpc2.Option) (lspCaller, error) {
	conn := jsonrpc2.NewPipelineClient(s, opts...)
	conn.Go(context.Background(), nil)
	return conn, nil
}

// newSingle needs no lock around it for several callers: its documentation
// lets a call wait until the one before it has returned.
func newSingle(s jsonrpc2.Stream, opts ...jsonrpc2.Option) (lspCaller, error) {
	return jsonrpc2.NewSingleClient(s, opts...)
}

func (c *lspClient) close() error { return c.end(c.conn.Close) }

func (c *lspClient) caller(params []byte) caller {
	return &lspCall{conn: c.conn, params: jsonrpc2.RawMessage(params)}
}

type lspCall struct {
	conn   lspCaller
	params any // a jsonrpc2.RawMessage, in its interface already
	result jsonrpc2.RawMessage
}

func (c *lspCall) call(ctx context.Context) ([]byte, error) {
	_, err := c.conn.Call(ctx, method, c.params, &c.result)
	return c.result, err
}

// reuse is a codec that copies results into the memory of the caller's last
// one. No user would write it, but it shows what the copy costs.
type reuse struct{ jsonrpc2.JSONCodec }

func (r reuse) Unmarshal(data []byte, v any) error {
	if p, ok := v.(*jsonrpc2.RawMessage); ok {
		*p = append((*p)[:0], data...)
		return nil
	}
	return r.JSONCodec.Unmarshal(data, v)
}
