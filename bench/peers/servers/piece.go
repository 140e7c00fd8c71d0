package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
	"github.com/linerpc/linerpc/server"
)

// A piece is a server with some of the layers of linerpc. Each does what the
// one before it does and one thing more, so that what a layer costs is the
// difference between two of them under the same load:
//
//	read       reads, and writes a newline when so many bytes have come
//	write      writes each read back
//	frame      takes lines out of what it reads and puts them together again
//	sniff      checks each line and finds the members of its envelope
//	envelope   puts the params of each into the envelope of an answer
//	dispatch   is a whole server with a handler of JSON text
//	decode     decodes the params and answers with their text all the same
//	encode     answers with what was decoded
//	handler    is a typed handler, to which the author's function belongs
var pieces = []struct {
	name string
	run  func(bytes int, in io.ReadCloser, out io.WriteCloser) error
}{
	{"read", pieceRead},
	{"write", pieceWrite},
	{"frame", pieceOf(func(dst, line []byte) ([]byte, error) { return append(dst, line...), nil })},
	{"sniff", func(_ int, in io.ReadCloser, out io.WriteCloser) error {
		p := codec.NewParser(codec.Limits{})
		return linesOf(in, out, func(dst, line []byte) ([]byte, error) {
			if m := p.Parse(line); m.Kind != codec.Request {
				return nil, errNoRequest
			}
			return append(dst, line...), nil
		})
	}},
	{"envelope", func(_ int, in io.ReadCloser, out io.WriteCloser) error {
		p := codec.NewParser(codec.Limits{})
		return linesOf(in, out, func(dst, line []byte) ([]byte, error) {
			m := p.Parse(line)
			if m.Kind != codec.Request {
				return nil, errNoRequest
			}
			return codec.V2.AppendResult(dst, m.ID, m.Params), nil
		})
	}},
	{"dispatch", pieceServer(server.HandlerFunc(echo))},
	{"decode", pieceServer(decoded(func(w server.Reply, r server.Request, _ *record) error { return w.Raw(r.Params()) }))},
	{"encode", pieceServer(decoded(func(w server.Reply, _ server.Request, p *record) error { return w.Encode(p) }))},
	{"handler", pieceServer(server.Typed(func(_ context.Context, p record) (record, error) { return p, nil }))},
}

// decoded takes its records from a pool, because typed handlers do.
func decoded(then func(w server.Reply, r server.Request, p *record) error) server.HandlerFunc {
	pool := sync.Pool{New: func() any { return new(record) }}
	return func(_ context.Context, w server.Reply, r server.Request) error {
		p := pool.Get().(*record)
		*p = record{}
		err := r.Decode(p)
		if err == nil {
			err = then(w, r, p)
		}
		pool.Put(p)
		return err
	}
}

var errNoRequest = errors.New("a line that is no request")

func runPiece(args []string, in io.ReadCloser, out io.WriteCloser) error {
	if len(args) == 0 || len(args) > 2 {
		return errors.New("usage: servers piece NAME [BYTES]")
	}
	bytes := 0
	if len(args) == 2 {
		var err error
		if bytes, err = strconv.Atoi(args[1]); err != nil {
			return err
		}
	}
	for _, p := range pieces {
		if p.name == args[0] {
			return p.run(bytes, in, out)
		}
	}
	return fmt.Errorf("no piece %q", args[0])
}

// pieceBuffer is as large as a pipe.
const pieceBuffer = 64 << 10

func pieceRead(bytes int, in io.ReadCloser, out io.WriteCloser) error {
	if bytes <= 0 {
		return errors.New("the piece that reads must be told of how many bytes a burst is")
	}
	buf, mark := make([]byte, pieceBuffer), []byte("\n")
	for due := bytes; ; {
		n, err := in.Read(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if due -= n; due > 0 {
			continue
		}
		due += bytes
		if _, err := out.Write(mark); err != nil {
			return err
		}
	}
}

func pieceWrite(_ int, in io.ReadCloser, out io.WriteCloser) error {
	buf := make([]byte, pieceBuffer)
	for {
		n, err := in.Read(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(buf[:n]); err != nil {
			return err
		}
	}
}

type lineFunc func(dst, line []byte) ([]byte, error)

func pieceOf(each lineFunc) func(int, io.ReadCloser, io.WriteCloser) error {
	return func(_ int, in io.ReadCloser, out io.WriteCloser) error { return linesOf(in, out, each) }
}

// linesOf goes through lines as a connection does: what is at hand first, and
// what gathered meanwhile is written before it waits.
func linesOf(in io.Reader, out io.Writer, each lineFunc) error {
	r, w := frame.NewReader(in, 0), frame.NewWriter(out, frame.WriterOptions{})
	defer r.Close()
	for {
		line, ok, err := r.Buffered()
		if !ok {
			if err := w.Flush(); err != nil {
				return err
			}
			line, err = r.ReadLine()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		buf, err := each(w.Begin(), line)
		if err != nil {
			w.Abort()
			return err
		}
		if w.Commit(append(buf, '\n')) {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

// pieceServer serves through a Mux, as servers do.
func pieceServer(h server.Handler) func(int, io.ReadCloser, io.WriteCloser) error {
	return func(_ int, in io.ReadCloser, out io.WriteCloser) error {
		mux := server.NewMux()
		mux.Handle("echo", h)
		return server.Serve(context.Background(), in, out, mux, nil)
	}
}
