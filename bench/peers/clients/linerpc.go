package main

import (
	"context"
	"os/exec"

	linerpc "github.com/linerpc/linerpc/client"
)

type linerpcClient struct{ *linerpc.Client }

func openLinerpc(cmd *exec.Cmd) (client, error) {
	c, err := linerpc.Command(context.Background(), cmd, nil)
	if err != nil {
		return nil, err
	}
	return linerpcClient{c}, nil
}

func (l linerpcClient) pid() int     { return l.Pid() }
func (l linerpcClient) close() error { return l.Close() }

func (l linerpcClient) caller(params []byte) caller {
	return &linerpcCall{client: l.Client, params: params}
}

type linerpcCall struct {
	client *linerpc.Client
	params []byte
	dst    []byte // the last result, whose memory takes the next one
}

func (c *linerpcCall) call(ctx context.Context) (_ []byte, err error) {
	c.dst, err = c.client.CallRaw(ctx, c.dst[:0], method, c.params)
	return c.dst, err
}
