package main

import (
	"bytes"
	"os"
	"testing"
)

// TestMain: the harness starts the program that it stands in.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		return
	}
	m.Run()
}

func TestAgent(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Error(err)
	}
	want := "the agent is looking up 1\nhello, Ada\n" +
		"the agent is looking up 2\nnobody has that number (404)\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
}
