package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/linerpc/linerpc/bench/peers/drive"
)

// asServer makes the test binary the program that it tests.
const asServer = "BENCH_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
		os.Exit(0)
	}
	os.Setenv(asServer, "1") // for children
	os.Exit(m.Run())
}

func self(args ...string) []string { return append([]string{os.Args[0]}, args...) }

// loads are one of each kind, small.
var loads = map[string]drive.Load{
	"raw":      {Method: "echo", Size: 64, Window: 16},
	"empty":    {Method: "echo", Size: 0, Window: 16},
	"large":    {Method: "echo", Size: 200_000, Window: 2},
	"typed":    {Method: "typed", Size: 64, Window: 16},
	"ping":     {Method: "ping", Size: -1, Window: 16},
	"notes":    {Method: "echo", Size: 64, Window: 2, Notes: 9},
	"slow":     {Method: "echo", Size: 64, Window: 8, SlowIn: 20},
	"burst":    {Method: "echo", Size: 64, Window: 20, Burst: true},
	"batch":    {Method: "echo", Size: 64, Window: 2, Batch: 10},
	"bad":      {Method: "echo", Size: 64, Window: 16, BadIn: 10},
	"one way":  {Method: "echo", Size: 64, Window: 1},
	"no param": {Method: "ping", Size: -1, Window: 1},
}

// cannot are the loads that end a contender or that it does not know.
var cannot = map[string][]string{
	"lsp": {"bad"}, "lsp-goccy": {"bad"}, "exp": {"bad", "batch"}, "sourcegraph": {"bad", "batch"}, "scanner": {"batch"},
}

func TestEveryContender(t *testing.T) {
	for _, k := range contenders {
		for name, l := range loads {
			copies := k.name == "copier" || k.name == "control"
			if k.mcp != (l.Method == "ping") && !copies && k.mcp {
				continue
			}
			t.Run(k.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				hello := ""
				if k.mcp {
					hello = drive.Hello
				}
				err := visit(self(k.name), l, hello, copies)
				fails := false
				for _, c := range cannot[k.name] {
					fails = fails || c == name
				}
				if fails != (err != nil) {
					t.Errorf("fails: %v, expected: %v", err, fails)
				}
			})
		}
	}
}

func visit(argv []string, l drive.Load, hello string, copies bool) error {
	c, err := drive.Start(argv, l, hello, copies)
	if err != nil {
		return err
	}
	for range 2 {
		s, err := c.Slice(10 * time.Millisecond)
		if err == nil && (s.Messages == 0 || s.Times.Total() == 0 || !(s.Wall > 0)) {
			err = fmt.Errorf("empty: %+v", s)
		}
		if err != nil {
			c.Close()
			return err
		}
	}
	if l.BadIn > 0 && c.Stray() == 0 {
		return fmt.Errorf("broken lines were not answered")
	}
	return c.Close()
}

func TestEveryPiece(t *testing.T) {
	for _, p := range pieces {
		t.Run(p.name, func(t *testing.T) {
			l := drive.Load{Method: "echo", Size: 64, Window: 50, Burst: true, OneLine: p.name == "read"}
			copies := p.name == "write" || p.name == "frame" || p.name == "sniff"
			if err := visit(self("piece", p.name, fmt.Sprint(l.BurstBytes())), l, "", copies); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEveryContenderInMemory(t *testing.T) {
	for _, k := range contenders {
		for _, connections := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", k.name, connections), func(t *testing.T) {
				t.Parallel()
				args := []string{"memory", k.name, "-window", "16", "-connections", fmt.Sprint(connections)}
				if k.mcp {
					args = append(args, "-method", "ping", "-size", "-1")
				}
				m, err := drive.StartMemory(self(args...))
				if err != nil {
					t.Fatal(err)
				}
				s, err := m.Slice(10 * time.Millisecond)
				if err != nil || s.Messages == 0 {
					t.Errorf("%+v, %v", s, err)
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{
		nil, {"nobody"}, {"piece"}, {"piece", "none"}, {"piece", "read"}, {"piece", "read", "x"},
		{"memory"}, {"memory", "nobody"}, {"memory", "linerpc", "-none"}, {"memory", "linerpc", "-method", "none"},
	} {
		in, out := &wire{closed: true, open: new(atomic.Bool)}, new(output)
		in.moved.L = &in.mu
		if err := run(args, in, out); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	out := new(output)
	if err := run([]string{"list"}, nil, out); err != nil || !strings.HasPrefix(out.String(), "linerpc\n") {
		t.Errorf("%v: %q", err, out)
	}
}

type output struct{ bytes.Buffer }

func (*output) Close() error { return nil }
