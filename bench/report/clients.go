package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"time"

	"github.com/linerpc/linerpc/bench/peers/drive"
)

// control2 is the second linerpc among the clients: there is no copier for
// them, so it is the control.
const control2 = "linerpc#2"

// measureClients leaves the work to the command that measures clients, whose
// turns rotate as well.
func measureClients(ctx context.Context, s *settings, b *built, c cell) (*result, error) {
	slice := max(2*s.slice, 10*time.Millisecond)
	child := []string{b.servers, "linerpc"}
	if c.pairs {
		child = []string{"-pairs", b.servers}
	}
	args := append([]string{"-json", "-rounds", strconv.Itoa(s.rounds), "-slice", slice.String(),
		"-cells", fmt.Sprintf("%d:64", c.callers), "-contenders", "linerpc,linerpc,lsp.Conn,lsp.Pipeline,lsp.Single,jrpc2"}, child...)
	cmd := exec.CommandContext(ctx, b.clients, args...)
	out, err := cmd.Output()
	if err != nil {
		var stderr []byte
		if e, ok := err.(*exec.ExitError); ok {
			stderr = e.Stderr
		}
		return nil, fmt.Errorf("%w: %.500s", err, stderr)
	}
	return readClients(c, out)
}

type spread struct {
	Median drive.Figure `json:"median"`
}

type clientRow struct {
	Contender string       `json:"contender"`
	Rate      drive.Figure `json:"calls_per_second"`
	P50       drive.Figure `json:"p50_us"`
	P99       drive.Figure `json:"p99_us"`
	ClientCPU drive.Figure `json:"client_cpu_us"`
	ChildCPU  drive.Figure `json:"child_cpu_us"`
	Ratios    *struct {
		Rate      spread `json:"calls_per_second"`
		P50       spread `json:"p50"`
		P99       spread `json:"p99"`
		ClientCPU spread `json:"client_cpu"`
		ChildCPU  spread `json:"child_cpu"`
	} `json:"baseline_to_this"`
}

// readClients takes over medians and ratios; there the ratios are those of the
// baseline to each.
func readClients(c cell, out []byte) (*result, error) {
	var got struct{ Rows []clientRow }
	if err := json.Unmarshal(out, &got); err != nil {
		return nil, err
	}
	r := &result{cell: c}
	r.settle()
	for _, g := range got.Rows {
		w := &row{label: g.Contender, median: newSample(), ratio: newSample(), limit: math.NaN()}
		w.median[wall] = 1e9 / float64(g.Rate)
		w.median[p50], w.median[p99] = float64(g.P50), float64(g.P99)
		w.median[cpu], w.median[far] = 1e3*float64(g.ClientCPU), 1e3*float64(g.ChildCPU)
		if q := g.Ratios; q != nil {
			w.ratio[wall] = float64(q.Rate.Median) // of calls per second: the inverse of that of times
			w.ratio[p50], w.ratio[p99] = 1/float64(q.P50.Median), 1/float64(q.P99.Median)
			w.ratio[cpu], w.ratio[far] = 1/float64(q.ClientCPU.Median), 1/float64(q.ChildCPU.Median)
		} else {
			for m, v := range w.median {
				w.ratio[m] = v / v // 1, or NaN where there is no figure
			}
		}
		if w.label == control2 {
			r.noise = w.ratio[wall]
		}
		r.rows = append(r.rows, w)
	}
	return r, nil
}
