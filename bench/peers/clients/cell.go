package main

import (
	"fmt"
	"strconv"
	"strings"
)

// cell is one thing that is measured.
type cell struct {
	name    string
	callers int // goroutines that call, each one call at a time
	bytes   int // size of the params as JSON text
	busy    int // goroutines that do nothing but use their processor
}

var knownCells = []cell{
	{name: "1", callers: 1, bytes: 64},
	{name: "16", callers: 16, bytes: 64},
	{name: "64", callers: 64, bytes: 64},
	{name: "48k", callers: 16, bytes: 48 << 10},
	{name: "busy", callers: 1, bytes: 64, busy: 2},
}

var defaultCells = []string{"1", "16", "64", "48k", "busy"}

func parseCells(list string) ([]cell, error) {
	var cells []cell
	for name := range strings.SplitSeq(list, ",") {
		c, err := parseCell(name)
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return cells, nil
}

func parseCell(name string) (cell, error) {
	for _, c := range knownCells {
		if c.name == name {
			return c, nil
		}
	}
	parts := strings.Split(name, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return cell{}, fmt.Errorf("no cell %q", name)
	}
	var n [3]int
	for i, part := range parts {
		v, err := strconv.Atoi(part)
		if err != nil {
			return cell{}, fmt.Errorf("cell %q: %w", name, err)
		}
		n[i] = v
	}
	c := cell{name: name, callers: n[0], bytes: n[1], busy: n[2]}
	if c.callers < 1 || c.bytes < len(paramsFor(0, 0)) || c.busy < 0 {
		return cell{}, fmt.Errorf("cell %q: at least one caller and %d bytes", name, len(paramsFor(0, 0)))
	}
	return c, nil
}

func (c cell) String() string {
	text := fmt.Sprintf("%d callers", c.callers)
	if c.callers == 1 {
		text = "1 caller"
	}
	size := fmt.Sprintf("%d B", c.bytes)
	if c.bytes >= 1<<10 && c.bytes%(1<<10) == 0 {
		size = fmt.Sprintf("%d KiB", c.bytes>>10)
	}
	text += ", params of " + size
	if c.busy > 0 {
		text += fmt.Sprintf(", %d busy goroutines", c.busy)
	}
	return text
}

// paramsFor gives params of so many bytes. They carry the caller's number, so
// that an answer that went to another caller is noticed. Nothing in them needs
// an escape in any library: all of them send the same bytes.
func paramsFor(caller, size int) []byte {
	const text = "the quick brown fox jumps over the lazy dog "
	p := fmt.Appendf(nil, `{"caller":"%03d","text":"`, caller)
	for fill := size - len(p) - len(`"}`); fill > 0; fill -= len(text) {
		p = append(p, text[:min(fill, len(text))]...)
	}
	return append(p, `"}`...)
}
