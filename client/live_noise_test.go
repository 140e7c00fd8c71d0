package client

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// noise are lines that are no messages, as programs write them to where only
// messages belong.
var noise = []string{
	"2026/01/02 15:04:05 INFO listening on stdio",
	"\x1b[32m\u2714\x1b[0m ready in 12 ms \x1b[?25l",
	"+---------------------+",
	"npm WARN deprecated left-pad@1.3.0",
	`{"jsonrpc":"2.0","id":`,
	`{"jsonrpc":"2.0","id":"x","result":{"half":[1,2`,
	`"result":null}`,
	"\ufeff{\"a\":1}",
	"\x00\x00\x00",
	"before\x00after",
	`{"level":"info","msg":"structured log"}`,
	`{"jsonrpc":"1.0","id":"x","result":1}`,
	"true",
	"[]",
	"42",
	"\xff\xfe latin",
	`{"jsonrpc":"2.0","id":"x","result":1} trailing`,
	strings.Repeat("=", 100_000),
}

func init() {
	// Noise before every answer. A message that is not one of ours ends it.
	roles["noise"] = func() {
		os.Stdout.WriteString("\ufeff")
		for m := range received() {
			if m.Method != "echo" || m.Result != nil || m.Error != nil {
				fmt.Fprintf(os.Stderr, "answered: %+v\n", m)
				os.Exit(97)
			}
			for _, line := range noise {
				os.Stdout.WriteString(line + "\n")
			}
			m.answer(m.Params)
		}
		os.Stdout.WriteString("half a line at the end")
	}
}

// TestLiveNoise: what is no message is skipped, counted and reported, never
// answered and never fatal: to a caller that is alone and to many.
func TestLiveNoise(t *testing.T) {
	var mu sync.Mutex
	heard := make(map[string]int)
	c := live(t, "noise", &Options{Hooks: Hooks{Noise: func(line []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		heard[string(line)]++
		if err == nil {
			t.Errorf("no reason given for %q", line)
		}
	}}})
	const alone, together = 20, 50
	for i := range alone {
		ping(t, c, fmt.Sprint(i))
	}
	var all sync.WaitGroup
	for i := range together {
		all.Go(func() { ping(t, c, fmt.Sprint(i)) })
	}
	all.Wait()
	if got, want := c.Stats().Noise+c.Stats().Stray, uint64((alone+together)*len(noise)); got != want {
		t.Errorf("%d lines were counted, want %d", got, want)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if e := c.Err().(*ClosedError); e.State == nil || !e.State.Success() {
		t.Errorf("the child: %v", e)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, line := range noise {
		if heard[line] != alone+together {
			t.Errorf("%.50q was heard %d times, want %d", line, heard[line], alone+together)
		}
	}
	if heard["half a line at the end"] != 1 {
		t.Error("the line without an end was not heard")
	}
}
