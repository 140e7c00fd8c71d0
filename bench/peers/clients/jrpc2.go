package main

import (
	"context"
	"encoding/json"
	"os/exec"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

type jrpc2Client struct {
	*child
	conn *jrpc2.Client
}

func openJRPC2(cmd *exec.Cmd) (client, error) {
	c, err := start(cmd)
	if err != nil {
		return nil, err
	}
	return &jrpc2Client{c, jrpc2.NewClient(channel.Line(c.stdout, c.stdin), nil)}, nil
}

func (c *jrpc2Client) close() error { return c.end(c.conn.Close) }

// caller passes json.RawMessage: as params it is still checked and compacted
// by encoding/json, as a result it is copied.
func (c *jrpc2Client) caller(params []byte) caller {
	return &jrpc2Call{conn: c.conn, params: json.RawMessage(params)}
}

type jrpc2Call struct {
	conn   *jrpc2.Client
	params any // a json.RawMessage, in its interface already
	result json.RawMessage
}

func (c *jrpc2Call) call(ctx context.Context) ([]byte, error) {
	err := c.conn.CallResult(ctx, method, c.params, &c.result)
	return c.result, err
}
