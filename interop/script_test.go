package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// deadline is for one client, with what it takes to kill its server.
const deadline = 2 * time.Minute

// grouped makes a command the leader of a process group, which is killed as a
// whole when ctx ends.
func grouped(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// node runs a program of Node, which starts the server of w, and gives what it
// printed. Its home is an empty folder: it must not depend on, nor leave,
// anything in another.
func node(t *testing.T, w *wire, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := grouped(ctx, "node", args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "NO_COLOR=1", "CI=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %q: %v\n%s%s", args, err, &out, &errs)
	}
	w.group = cmd.Process.Pid
	return out.String()
}

// script runs one of the scripts in folder node, which prints a JSON value.
func script[T any](t *testing.T, w *wire, name string, args ...string) (result T) {
	t.Helper()
	out := node(t, w, append([]string{"node/" + name}, args...)...)
	in := json.NewDecoder(bytes.NewBufferString(out))
	in.DisallowUnknownFields()
	if err := in.Decode(&result); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return result
}
