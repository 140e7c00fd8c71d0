// Command harness starts three tool servers, gives them work at the same time
// and shows how far each is. It needs no other program: with the argument
// "serve" it is one of those servers itself.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/server"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := server.Stdio(context.Background(), indexer(), nil); err != nil {
			log.Fatal(err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	run(ctx, os.Stdout)
}

// indexer is a tool server with one tool. Whoever wants to be told how far it
// is gives a token, as in the Language Server Protocol.
func indexer() *server.Mux {
	mux := server.NewMux()
	server.Handle(mux, "index", func(ctx context.Context, p struct {
		Files         int
		WorkDoneToken json.RawMessage
	}) (string, error) {
		for i := range p.Files {
			report := map[string]any{"token": p.WorkDoneToken, "value": fmt.Sprintf("file %d of %d", i+1, p.Files)}
			server.FromContext(ctx).Notify("$/progress", report)
		}
		return fmt.Sprintf("%d files indexed", p.Files), nil
	})
	return mux
}

// run has each server do its work, and prints what they say as it comes.
func run(ctx context.Context, out io.Writer) {
	said := make(chan string)
	var all sync.WaitGroup
	for i, name := range []string{"red", "green", "blue"} {
		all.Go(func() {
			result, err := work(ctx, i+2, func(step string) { said <- name + ": " + step })
			said <- name + ": " + cmp.Or(result, fmt.Sprint(err))
		})
	}
	go func() { all.Wait(); close(said) }()
	for line := range said {
		fmt.Fprintln(out, line)
	}
}

func work(ctx context.Context, files int, step func(string)) (string, error) {
	c, err := client.Command(ctx, exec.Command(os.Args[0], "serve"), nil)
	if err != nil {
		return "", err
	}
	defer c.Close()
	ctx = client.WithProgress(ctx, func(params []byte) {
		var p struct{ Value string }
		json.Unmarshal(params, &p)
		step(p.Value)
	})
	return client.Call[string](ctx, c, "index", map[string]int{"files": files})
}
