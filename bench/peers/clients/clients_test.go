package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// demo is the child of every test.
var demo []string

func TestMain(m *testing.M) {
	command, remove, err := buildDemo(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	demo = command
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		remove()
		os.Exit(code)
	}))
}

func TestEveryContenderInEveryCell(t *testing.T) {
	for _, k := range contenders {
		t.Run(k.name, func(t *testing.T) {
			for i, c := range knownCells {
				if c.busy > 0 && strings.HasSuffix(k.name, "+reuse") {
					continue // takes a second, and is the same client with another codec
				}
				t.Run(c.name, func(t *testing.T) { callAll(t, k, c, i%2 == 0) })
			}
		})
	}
}

// callAll lets every caller of a cell call so often that there are at least 50
// calls, all answers compared, and sees that closing leaves no child.
func callAll(t *testing.T, k contender, c cell, withCancel bool) {
	calls := 50
	if c.bytes > 1<<10 {
		calls = 5
	}
	seat, err := openSeat(&settings{command: demo, withCancel: withCancel}, k, c)
	if err != nil {
		t.Fatal(err)
	}
	var phase atomic.Int32
	var busy, callers sync.WaitGroup
	for range c.busy {
		busy.Go(func() { work(&phase) })
	}
	for _, w := range seat.workers {
		callers.Go(func() {
			for w.calls < calls && w.err == nil {
				w.err = w.step()
			}
		})
	}
	callers.Wait()
	phase.Store(over)
	busy.Wait()
	for i, w := range seat.workers {
		if w.err != nil || w.calls != calls {
			t.Errorf("caller %d: %d calls, %v", i, w.calls, w.err)
		}
	}
	pid := seat.client.pid()
	if err := seat.close(); err != nil {
		t.Error(err)
	}
	// One that has ended and was not waited for would still take a signal.
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(syscall.Signal(0))
	}
	if err == nil {
		t.Errorf("the child %d is still there", pid)
	}
}

func TestRunWritesTables(t *testing.T) {
	var out bytes.Buffer
	args := append([]string{"-rounds", "2", "-slice", "10ms", "-cells", "1,4:100", "-contenders", "linerpc,linerpc,lsp.Single"}, demo...)
	if err := run(t.Context(), args, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
	for _, want := range []string{"2 rounds of 10ms", "1 caller, params of 64 B", "4 callers, params of 100 B", "linerpc#2", "lsp.Single", "linerpc /"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestRunWritesJSON(t *testing.T) {
	var out bytes.Buffer
	args := append([]string{"-json", "-ctx", "-busy", "-rounds", "1", "-slice", "30ms", "-contenders", "linerpc,lsp.Single"}, demo...)
	if err := run(t.Context(), args, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
	var got struct{ Rows []map[string]any }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Rows) != 2 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, r := range got.Rows {
		if cpu, there := r["client_cpu_us"]; !there || cpu != nil {
			t.Errorf("CPU of a client beside busy goroutines is given as %v", cpu)
		}
	}
	if got.Rows[1]["baseline_to_this"] == nil {
		t.Error("no ratios")
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"-cells", "none"}, {"-cells", "0:64"}, {"-cells", "1:2"}, {"-cells", "1:x"},
		{"-contenders", "none"}, {"-rounds", "0"}, {"-slice", "0s"}, {"-nothing"},
		{"-rounds", "1", "-slice", "1ms", "no-such-command"},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out, &out); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

// A caller that is given another's answer says so.
func TestWrongAnswersAreNoticed(t *testing.T) {
	w := &worker{caller: fixed(paramsFor(1, 64)), params: paramsFor(2, 64), ctx: t.Context()}
	if err := w.step(); err == nil {
		t.Error("no error")
	}
}

type fixed []byte

func (f fixed) call(context.Context) ([]byte, error) { return f, nil }

func TestParamsHaveTheirSize(t *testing.T) {
	for _, size := range []int{len(paramsFor(0, 0)), 64, 100, 48 << 10} {
		if p := paramsFor(7, size); len(p) != size || !json.Valid(p) {
			t.Errorf("%d bytes for %d: %.80q", len(p), size, p)
		}
	}
}

func TestSpread(t *testing.T) {
	s := spreadOf([]float64{4, math.NaN(), 1, 3, math.Inf(1), 2, 5})
	if s.Q1 != 2 || s.Median != 3 || s.Q3 != 4 {
		t.Errorf("%v", s)
	}
	if got := spreadOf(nil).String(); got != "-" {
		t.Errorf("nothing is %q", got)
	}
}
