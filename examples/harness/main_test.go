package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
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

func TestHarness(t *testing.T) {
	var out bytes.Buffer
	run(t.Context(), &out)
	for name, want := range map[string][]string{
		"red":   {"file 1 of 2", "file 2 of 2", "2 files indexed"},
		"green": {"file 1 of 3", "file 2 of 3", "file 3 of 3", "3 files indexed"},
		"blue":  {"file 1 of 4", "file 2 of 4", "file 3 of 4", "file 4 of 4", "4 files indexed"},
	} {
		var got []string
		for line := range strings.Lines(out.String()) {
			if said, ok := strings.CutPrefix(line, name+": "); ok {
				got = append(got, strings.TrimSpace(said))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s said %q, want %q", name, got, want)
		}
	}
}
