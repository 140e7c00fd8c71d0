package client

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// descriptors are what this process has open.
func descriptors(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, e := range entries {
		// The descriptor that read the folder is gone by now.
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			open = append(open, e.Name()+" "+to)
		}
	}
	return open
}

// children are the processes of this one, those included that were not reaped.
func children(t *testing.T) []string {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	if len(lists) == 0 {
		t.Skip("this kernel has no list of children")
	}
	var pids []string
	for _, name := range lists {
		list, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) { // a thread may end
			t.Fatal(err)
		}
		pids = append(pids, strings.Fields(string(list))...)
	}
	return pids
}

func startAndStop(t *testing.T, name string) error {
	t.Helper()
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err := startProcess(exec.Command(name), stdin, stdout, ladder())
	if err != nil {
		return err
	}
	in.Close()
	if _, err = io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err = p.stop(t.Context()); err != nil || !p.state().Success() {
		t.Errorf("%v, %v", p.state(), err)
	}
	p.release()
	return nil
}

// TestProcessLeaksNothing: descriptors, goroutines and children are as before
// after many processes, and after many that could not be started.
func TestProcessLeaksNothing(t *testing.T) {
	if err := startAndStop(t, "cat"); err != nil { // the poller has its descriptors from now on
		t.Skip(err)
	}
	open, before := descriptors(t), children(t)
	for range 200 {
		if err := startAndStop(t, "cat"); err != nil {
			t.Fatal(err)
		}
		if startAndStop(t, "/linerpc-no-such-program") == nil {
			t.Fatal("started what does not exist")
		}
	}
	goleak.VerifyNone(t)
	if now := descriptors(t); !slices.Equal(now, open) {
		t.Errorf("open before: %q, and now: %q", open, now)
	}
	if now := children(t); !slices.Equal(now, before) {
		t.Errorf("children before: %q, and now: %q", before, now)
	}
}
