package main

import (
	"strconv"
	"time"

	"github.com/linerpc/linerpc/bench/peers/drive"
	"github.com/linerpc/linerpc/bench/peers/histogram"
)

func open(b *built, c cell, e entry) (seat, error) {
	load, hello := c.load, ""
	if e.method != "" {
		load.Method = e.method
	}
	if e.mcp() {
		hello = drive.Hello
	}
	switch c.kind {
	case memory:
		m, err := drive.StartMemory([]string{b.servers, "memory", e.name, "-method", load.Method, "-size", strconv.Itoa(load.Size),
			"-window", strconv.Itoa(load.Window), "-connections", strconv.Itoa(c.connections)})
		if err != nil {
			return nil, err
		}
		return &memorySeat{m: m}, nil
	case layers:
		load.OneLine = e.name == "read"
		child, err := drive.Start([]string{b.servers, "piece", e.name, strconv.Itoa(load.BurstBytes())}, load, "", e.copies())
		if err != nil {
			return nil, err
		}
		return &pipeSeat{child: child}, nil
	}
	child, err := drive.Start([]string{b.servers, e.name}, load, hello, e.copies())
	if err != nil {
		return nil, err
	}
	return &pipeSeat{child: child}, nil
}

type pipeSeat struct {
	child *drive.Child
	warm  bool
	all   histogram.Histogram // of all turns but the first, which warms up
}

var (
	_ seat = (*pipeSeat)(nil)
	_ seat = (*memorySeat)(nil)
)

func (t *pipeSeat) slice(d time.Duration) (sample, error) {
	s := newSample()
	got, err := t.child.Slice(d)
	if err != nil {
		return s, err
	}
	if t.warm {
		t.all.Merge(got.Times)
	}
	t.warm = true
	s[cpu], s[wall] = got.CPU, got.Wall
	s[p50], s[p99], s[p999] = got.Times.Quantile(0.5), got.Times.Quantile(0.99), got.Times.Quantile(0.999)
	s[reads], s[writes] = got.Reads, got.Writes
	return s, nil
}

func (t *pipeSeat) end(r *row) {
	r.times = &t.all
	r.set(peak, t.child.Peak())
	t.child.Close() // what was measured is there; how it ends is of no interest
}

type memorySeat struct{ m *drive.Memory }

func (t *memorySeat) slice(d time.Duration) (sample, error) {
	s := newSample()
	got, err := t.m.Slice(d)
	if err != nil {
		return s, err
	}
	s[cpu], s[wall], s[allocs], s[garbage] = float64(got.CPU), got.Wall, got.Allocs, got.Bytes
	return s, nil
}

func (t *memorySeat) end(r *row) {
	r.set(held, t.m.Opened.BytesEach)
	r.set(tasks, t.m.Opened.GoroutinesEach)
	t.m.Close()
}
