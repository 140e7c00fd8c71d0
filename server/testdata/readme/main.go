package main

import (
	"context"
	"github.com/linerpc/linerpc/server"
	"log"
)

func main() {
	mux := server.NewMux()
	server.Handle(mux, "add", func(_ context.Context, p struct{ A, B float64 }) (float64, error) { return p.A + p.B, nil })
	if err := server.Stdio(context.Background(), mux, nil); err != nil {
		log.Fatal(err)
	}
}
