package main

import (
	"context"
	"os"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

func serveLinerpc(s *stream) error { return serveMux(s, nil) }

func serveLinerpcStd(s *stream) error { return serveMux(s, &server.Options{Codec: codec.Std}) }

// serveMux serves standard input and output as authors of tool servers do it,
// with Stdio, and anything else with Serve.
func serveMux(s *stream, o *server.Options) error {
	if s.in == os.Stdin {
		return server.Stdio(context.Background(), newMux(), o)
	}
	return server.Serve(context.Background(), s.in, s.out, newMux(), o)
}

func newMux() *server.Mux {
	mux := server.NewMux()
	mux.HandleFunc("echo", echo)
	mux.HandleFunc("slow", func(ctx context.Context, w server.Reply, r server.Request) error {
		time.Sleep(slowness)
		return echo(ctx, w, r)
	})
	server.Handle(mux, "typed", func(_ context.Context, p record) (record, error) { return p, nil })
	server.Handle(mux, "ping", func(context.Context, struct{}) (nothing, error) { return nothing{}, nil })
	mux.HandleFunc("note", func(context.Context, server.Reply, server.Request) error { return nil })
	return mux
}

func echo(_ context.Context, w server.Reply, r server.Request) error { return w.Raw(r.Params()) }
