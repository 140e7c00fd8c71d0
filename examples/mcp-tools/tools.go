package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/server"
)

// tool is one entry of tools/list, and what it does.
type tool struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Input       codec.RawMessage `json:"inputSchema"`
	Output      codec.RawMessage `json:"outputSchema,omitempty"`
	run         func(ctx context.Context, c *call) (object, error)
}

var tools = []tool{
	{"echo", "Gives a message back.", schema(`"message":{"type":"string"}`, `"message"`), nil, with(echo)},
	{"add", "Adds two numbers.", schema(`"a":{"type":"number"},"b":{"type":"number"}`, `"a","b"`), schema(`"sum":{"type":"number"}`, `"sum"`), with(add)},
	{"slow", "Takes a number of steps and tells of each.", schema(`"steps":{"type":"integer"},"ms":{"type":"integer"}`, `"steps"`), nil, with(slow)},
	{"ask", "Asks the user, or the model if there is no way to the user.", schema(`"question":{"type":"string"}`, `"question"`), nil, with(ask)},
}

func schema(properties, required string) codec.RawMessage {
	return codec.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`)
}

// with decodes a tool's arguments. Ones that do not fit are an error of the
// tool and not of the protocol, so that the model sees it.
func with[A any](fn func(context.Context, *call, A) (object, error)) func(context.Context, *call) (object, error) {
	return func(ctx context.Context, c *call) (object, error) {
		var args A
		if err := codec.Goccy.Decode(c.Arguments, &args); err != nil {
			return failed(err.Error()), nil
		}
		return fn(ctx, c, args)
	}
}

func text(s string) object { return object{"content": []object{{"type": "text", "text": s}}} }

func failed(why string) object {
	result := text(why)
	result["isError"] = true
	return result
}

func echo(_ context.Context, _ *call, p struct{ Message string }) (object, error) {
	return text(p.Message), nil
}

func add(_ context.Context, _ *call, p struct{ A, B *float64 }) (object, error) {
	if p.A == nil || p.B == nil {
		return failed("a and b must both be numbers"), nil
	}
	result := text(fmt.Sprint(*p.A + *p.B))
	result["structuredContent"] = object{"sum": *p.A + *p.B}
	return result, nil
}

// slow takes steps of some milliseconds each. A client that gave a token is
// told of each as it begins: some clients miss progress that comes right before
// the result. A cancelled call is not answered, so standard error says of it.
func slow(ctx context.Context, c *call, p struct{ Steps, MS int }) (object, error) {
	tick := time.NewTicker(time.Duration(max(p.MS, 1)) * time.Millisecond)
	defer tick.Stop()
	for step := 1; step <= p.Steps; step++ {
		if token := c.Meta.ProgressToken; token != nil {
			progress := object{"progressToken": token, "progress": step, "total": p.Steps}
			if err := server.FromContext(ctx).Notify("notifications/progress", progress); err != nil {
				return nil, err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log.Printf("slow: cancelled in step %d", step)
			return nil, ctx.Err()
		}
	}
	return text(fmt.Sprintf("%d steps", p.Steps)), nil
}

// answer is what a user filled in, or what a model said.
type answer struct {
	Action  string `json:"action"`
	Content struct {
		Answer string `json:"answer"`
		Text   string `json:"text"`
	} `json:"content"`
}

// ask asks by a call to the client, in mid-call; in the modern era, where a
// server makes no calls, by a result that says what is missing: the client
// calls again with the answer.
func ask(ctx context.Context, c *call, p struct{ Question string }) (object, error) {
	method, params := "elicitation/create", object{"message": p.Question, "requestedSchema": schema(`"answer":{"type":"string"}`, `"answer"`)}
	if c.client.Elicitation == nil {
		message := object{"role": "user", "content": object{"type": "text", "text": p.Question}}
		method, params = "sampling/createMessage", object{"maxTokens": 100, "messages": []object{message}}
	}
	got, answered := c.InputResponses["question"]
	switch {
	case answered:
	case c.client.Elicitation == nil && c.client.Sampling == nil && c.era == modern:
		e := &server.Error{Code: -32021, Message: "Missing required client capability"}
		return nil, e.WithData(object{"requiredCapabilities": object{"elicitation": object{}}})
	case c.client.Elicitation == nil && c.client.Sampling == nil:
		return failed("the client can ask neither a user nor a model"), nil
	case c.era == modern:
		requests := object{"question": object{"method": method, "params": params}}
		return object{"resultType": "input_required", "inputRequests": requests}, nil
	default:
		if err := server.FromContext(ctx).Call(ctx, method, params, &got); err != nil {
			return nil, err
		}
	}
	switch got.Action {
	case "accept":
		return text("the user says: " + got.Content.Answer), nil
	case "": // a model's answer has none
		return text("the model says: " + got.Content.Text), nil
	}
	return text("the user did not answer: " + got.Action), nil
}
