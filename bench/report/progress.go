package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress tells how far a run is: in one line that changes where it is
// watched, else in one line a cell.
type progress struct {
	w     io.Writer
	live  bool
	total int
	cells int // done
	name  string
	start time.Time
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total, start: time.Now()}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.live = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

func (p *progress) begin(name string) {
	p.name = name
	if p.live {
		p.show(0)
	}
}

func (p *progress) within(share float64) {
	if p.live {
		p.show(share)
	}
}

func (p *progress) done() {
	if p.cells++; p.live {
		p.show(0)
	} else {
		fmt.Fprintf(p.w, "%3d/%d  %6s  %s\n", p.cells, p.total, time.Since(p.start).Round(time.Second), p.name)
	}
}

func (p *progress) show(share float64) {
	const width = 30
	done := (float64(p.cells) + share) / float64(p.total)
	left := "?"
	if passed := time.Since(p.start); done > 0.01 {
		left = time.Duration(float64(passed)/done - float64(passed)).Round(time.Second).String()
	}
	filled := min(width, int(done*width))
	fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %d/%d, %s left  %s", strings.Repeat("#", filled), strings.Repeat(".", width-filled), p.cells, p.total, left, p.name)
}

func (p *progress) end() {
	if p.live {
		fmt.Fprintln(p.w)
	}
}
