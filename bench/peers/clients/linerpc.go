package main

import (
	"context"
	"os/exec"

	"github.com/linerpc/linerpc/peer"
)

type linerpcClient struct {
	*child
	conn   *peer.Conn
	served chan error
}

func openLinerpc(cmd *exec.Cmd) (client, error) {
	c, err := start(cmd)
	if err != nil {
		return nil, err
	}
	l := &linerpcClient{
		child:  c,
		conn:   peer.New(c.stdout, c.stdin, nil, &peer.Options{Client: true}),
		served: make(chan error, 1),
	}
	go func() { l.served <- l.conn.Serve(context.Background()) }()
	return l, nil
}

func (l *linerpcClient) close() error {
	return l.end(func() error {
		l.conn.Close()
		return <-l.served
	})
}

func (l *linerpcClient) caller(params []byte) caller {
	return &linerpcCall{conn: l.conn, params: params}
}

type linerpcCall struct {
	conn   *peer.Conn
	params []byte
	dst    []byte // the last result, whose memory takes the next one
}

func (c *linerpcCall) call(ctx context.Context) (_ []byte, err error) {
	c.dst, err = c.conn.CallRaw(ctx, c.dst[:0], method, c.params)
	return c.dst, err
}
