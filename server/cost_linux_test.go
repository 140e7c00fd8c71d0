package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/linerpc/linerpc/server"
)

// What noise cannot move: system calls of a server that is a process of its
// own, behind pipes, as the kernel counts them.

func init() {
	roles["cost"] = func() int {
		mux := server.NewMux()
		mux.HandleFunc("echo", func(_ context.Context, w server.Reply, r server.Request) error { return w.Raw(r.Params()) })
		server.Handle(mux, "typed", func(_ context.Context, p point) (point, error) { return p, nil })
		mux.HandleFunc("note", func(context.Context, server.Reply, server.Request) error { return nil })
		mux.HandleFunc("burst", func(_ context.Context, w server.Reply, r server.Request) error {
			for range burstNotes {
				if err := w.NotifyRaw("notifications/progress", r.Params()); err != nil {
					return err
				}
			}
			return w.Raw(r.Params())
		})
		if err := server.Stdio(context.Background(), mux, nil); err != nil {
			return 1
		}
		return 0
	}
}

const burstNotes = 1000

// counted is a child whose system calls are counted.
type counted struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Reader
}

func startCounted(t *testing.T) *counted {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // that of the test ends before its cleanup
	t.Cleanup(cancel)
	c := &counted{t: t, cmd: exec.CommandContext(ctx, os.Args[0])}
	c.cmd.Env = append(os.Environ(), roleVariable+"=cost")
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 1<<20)
	c.cmd.Stdin, c.cmd.Stdout = theirIn, theirOut
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, c.out)
		if err := c.cmd.Wait(); err != nil {
			t.Error(err)
		}
		out.Close()
	})
	return c
}

// say writes lines at once and waits for so many answers.
func (c *counted) say(lines []byte, answers int) {
	if _, err := c.in.Write(lines); err != nil {
		c.t.Fatal(err)
	}
	for range answers {
		line, err := c.out.ReadSlice('\n')
		if err != nil || bytes.Contains(line, []byte(`"error"`)) {
			c.t.Fatalf("%q, %v", line, err)
		}
	}
}

// calls are the read and write system calls that the child has ended until now.
func (c *counted) calls() (reads, writes int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", c.cmd.Process.Pid))
	if err != nil {
		c.t.Skip("no counts here:", err)
	}
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "syscr: %d", &reads)
		fmt.Sscanf(line, "syscw: %d", &writes)
	}
	return reads, writes
}

// fewestCalls gives the calls per round of the best of several attempts: a
// child that loses the processor in the middle of a burst finds the rest of it
// in another read, and a handler that does is taken for slow.
func fewestCalls(c *counted, rounds int, lines []byte, answers int, good func(reads, writes float64) bool) (reads, writes float64) {
	for range 100 {
		c.say(lines, answers)
		beforeReads, beforeWrites := c.calls()
		for range rounds {
			c.say(lines, answers)
		}
		afterReads, afterWrites := c.calls()
		reads, writes = float64(afterReads-beforeReads)/float64(rounds), float64(afterWrites-beforeWrites)/float64(rounds)
		if good(reads, writes) {
			break
		}
	}
	return reads, writes
}

func TestSystemCalls(t *testing.T) {
	if checked {
		t.Skip("a child of this build takes a second to end, and the plain build makes the same calls")
	}
	many := func(n int, method, params string) []byte {
		var lines []byte
		for i := range n {
			lines = append(lines, call(fmt.Sprint(i), method, params)...)
		}
		return lines
	}
	const small = `{"x":1.5,"y":2}`
	for _, c := range []struct {
		name          string
		rounds        int
		lines         []byte
		answers       int
		reads, writes float64 // at most, per round
	}{
		// A count is taken while the last call may not have been counted yet:
		// hence the hundredth.
		{"ping-pong", 200, many(1, "echo", small), 1, 1.01, 1.01},
		{"ping-pong, typed", 200, many(1, "typed", small), 1, 1.01, 1.01},
		{"256 pipelined", 20, many(256, "echo", small), 256, 2.56, 2.56},
		{"256 pipelined, typed", 20, many(256, "typed", small), 256, 2.56, 2.56},
		{"255 notifications and a request", 20, append(bytes.Repeat([]byte(note("note", small)), 255), many(1, "echo", small)...), 1, 2.56, 1.05},
		{"a batch of 100", 20, append([]byte("["+strings.Repeat(strings.TrimSpace(call("1", "note", small))+",", 99)), []byte(strings.TrimSpace(call("2", "note", small))+"]\n")...), 1, 1.05, 1.05},
		{"progress in a burst", 3, many(1, "burst", `{"progress":50}`), burstNotes + 1, 1.05, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			child := startCounted(t)
			reads, writes := fewestCalls(child, c.rounds, c.lines, c.answers, func(reads, writes float64) bool { return reads <= c.reads && writes <= c.writes })
			t.Logf("%.2f reads, %.2f writes", reads, writes)
			if reads > c.reads || writes > c.writes {
				t.Errorf("%.2f reads and %.2f writes a round, want at most %v and %v", reads, writes, c.reads, c.writes)
			}
		})
	}
}
