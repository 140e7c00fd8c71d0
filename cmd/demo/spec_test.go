package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

type specCase struct {
	Name string `json:"name"`
	In   string `json:"in"`
	Out  any    `json:"out"`
}

// specCases reads the examples of JSON-RPC 2.0 section 7.
func specCases(t *testing.T) []specCase {
	t.Helper()
	text, err := os.ReadFile("testdata/spec.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cases []specCase
	for line := range bytes.Lines(text) {
		var c specCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cases = append(cases, c)
	}
	if len(cases) != 15 {
		t.Fatalf("%d examples where section 7 has 15", len(cases))
	}
	return cases
}

func TestSpecExamples(t *testing.T) {
	for _, c := range specCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			checkSpec(t, c, peer.Exchange(context.Background(), newMux(), []byte(c.In), nil, nil))
			var stream bytes.Buffer
			if err := server.Serve(context.Background(), strings.NewReader(c.In+"\n"), &stream, newMux(), nil); err != nil {
				t.Fatal(err)
			}
			checkSpec(t, c, stream.Bytes())
		})
	}
}

// checkSpec compares an answer with an example. The specification leaves the
// text of a message free, and what we add in data.
func checkSpec(t *testing.T, c specCase, answer []byte) {
	t.Helper()
	var got any
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
	}
	if !reflect.DeepEqual(withoutTexts(got), withoutTexts(c.Out)) {
		t.Errorf("%s\nanswered with %s\nwant %v", c.In, answer, c.Out)
	}
}

func withoutTexts(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutTexts(v[i])
		}
	case map[string]any:
		if e, ok := v["error"].(map[string]any); ok {
			delete(e, "message")
			delete(e, "data")
		}
	}
	return v
}
