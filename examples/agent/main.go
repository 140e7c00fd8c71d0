// Command agent shows two programs that call each other over one pair of
// pipes. The one that is started asks the agent, its child, to greet somebody;
// the agent asks back who that is, and says what it is doing meanwhile.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"time"

	"github.com/linerpc/linerpc/client"
	"github.com/linerpc/linerpc/server"
)

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		err = server.Stdio(context.Background(), agent(), nil)
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err = run(ctx, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type person struct{ Name string }

// agent is the side that works: it needs the other side to do so.
func agent() *server.Mux {
	mux := server.NewMux()
	server.Handle(mux, "greet", func(ctx context.Context, p struct{ ID int }) (string, error) {
		harness := server.FromContext(ctx)
		if err := harness.Notify("status", map[string]string{"text": fmt.Sprint("looking up ", p.ID)}); err != nil {
			return "", err
		}
		var who person
		if err := harness.Call(ctx, "people/find", p, &who); err != nil {
			return "", fmt.Errorf("cannot greet: %w", err)
		}
		return "hello, " + who.Name, nil
	})
	return mux
}

// harness is the side that asks, and knows what the agent wants to know.
func harness(out io.Writer) *server.Mux {
	mux := server.NewMux()
	server.Handle(mux, "people/find", func(_ context.Context, p struct{ ID int }) (person, error) {
		if p.ID != 1 {
			return person{}, &server.Error{Code: 404, Message: "nobody has that number"}
		}
		return person{"Ada"}, nil
	})
	server.Handle(mux, "status", func(_ context.Context, p struct{ Text string }) (any, error) {
		fmt.Fprintf(out, "the agent is %s\n", p.Text)
		return nil, nil
	})
	return mux
}

func run(ctx context.Context, out io.Writer) error {
	c, err := client.Command(ctx, exec.Command(os.Args[0], "serve"), &client.Options{Handler: harness(out)})
	if err != nil {
		return err
	}
	for id := 1; id <= 2; id++ {
		text, err := client.Call[string](ctx, c, "greet", map[string]int{"id": id})
		fmt.Fprintln(out, cmp.Or(text, fmt.Sprint(err)))
	}
	return c.Close()
}
