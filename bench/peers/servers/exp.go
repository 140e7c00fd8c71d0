package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"golang.org/x/exp/jsonrpc2"
)

// serveExp uses golang.org/x/exp/jsonrpc2, whose users bring their own framing
// when it is not that of LSP.
func serveExp(s *stream) error {
	h := func(_ context.Context, r *jsonrpc2.Request) (any, error) {
		result, err := answer(r.Method, r.Params, func(into any) error { return json.Unmarshal(r.Params, into) })
		if err == errMethod {
			return nil, jsonrpc2.ErrNotHandled
		}
		return result, err
	}
	c, err := jsonrpc2.Dial(context.Background(), dialed{s}, jsonrpc2.ConnectionOptions{Framer: lines{}, Handler: jsonrpc2.HandlerFunc(h)})
	if err != nil {
		return err
	}
	if err := c.Wait(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// dialed is a dialer to where the connection is already.
type dialed struct{ s *stream }

func (d dialed) Dial(context.Context) (io.ReadWriteCloser, error) { return d.s, nil }

type lines struct{}

var _ jsonrpc2.Framer = lines{}

func (lines) Reader(r io.Reader) jsonrpc2.Reader { return lineReader{bufio.NewReaderSize(r, 64<<10)} }
func (lines) Writer(w io.Writer) jsonrpc2.Writer { return lineWriter{w} }

type lineReader struct{ r *bufio.Reader }

func (l lineReader) Read(context.Context) (jsonrpc2.Message, int64, error) {
	line, err := l.r.ReadBytes('\n')
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(line)
	return m, int64(len(line)), err
}

type lineWriter struct{ w io.Writer }

func (l lineWriter) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	line, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	n, err := l.w.Write(append(line, '\n'))
	return int64(n), err
}
