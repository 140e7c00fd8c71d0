package interop

import (
	"context"
	"errors"
	"log"
	"os"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

// jrpc2Server is a server of creachadair/jrpc2 with lines for its framing.
func jrpc2Server() int {
	methods := handler.Map{
		"echo":   func(_ context.Context, r *jrpc2.Request) (any, error) { return rawParams(r), nil },
		"sum":    handler.New(func(_ context.Context, terms []int) int { return sum(terms) }),
		"boom":   func(context.Context, *jrpc2.Request) (any, error) { return nil, errors.New("boom") },
		"update": handler.New(update),
		"greet":  handler.New(greet),
		"slow": func(ctx context.Context, _ *jrpc2.Request) (any, error) {
			log.Print("slow: begun")
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	s := jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 8})
	return status(s.Start(channel.Line(os.Stdin, os.Stdout)).Wait())
}

func rawParams(r *jrpc2.Request) (params any) {
	if err := r.UnmarshalParams(&params); err != nil {
		return err.Error()
	}
	return params
}

func sum(terms []int) (total int) {
	for _, n := range terms {
		total += n
	}
	return total
}

// update takes a notification and sends another in return.
func update(ctx context.Context, texts []string) error {
	log.Printf("update: %s", texts[0])
	return jrpc2.ServerFromContext(ctx).Notify(ctx, "updated", map[string]string{"text": texts[0]})
}

func greet(ctx context.Context) (string, error) {
	answer, err := jrpc2.ServerFromContext(ctx).Callback(ctx, "client/name", nil)
	if err != nil {
		return "", err
	}
	var name string
	return "hello, " + name, answer.UnmarshalResult(&name)
}
