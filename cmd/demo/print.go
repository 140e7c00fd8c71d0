package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"
)

// maxShown is how much of a long line is printed.
const maxShown = 240

// printer writes the conversation for people: plain text, or with colours.
type printer struct {
	w      io.Writer
	colour bool
	err    error // the first one; what comes after it is not written
}

func newPrinter(w io.Writer, colour bool) *printer { return &printer{w: w, colour: colour} }

// wantsColour reports whether f is a terminal that shows colours, and nobody
// has set NO_COLOR. A Windows console has to be asked for them first; that is
// not worth its code here.
func wantsColour(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// The styles, as parameters of the escape sequence that selects them.
const (
	bold  = "1"
	faint = "2"
	cyan  = "36"
	green = "32"
	red   = "31"
)

func (p *printer) paint(style, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (p *printer) println(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, text)
	}
}

// heading says what the lines that follow demonstrate.
func (p *printer) heading(n int, title string) {
	p.println("\n" + p.paint(bold, fmt.Sprintf("%2d. %s", n, title)))
}

func (p *printer) sent(line string) { p.println("    " + p.paint(cyan, "→ "+shown(line))) }

func (p *printer) received(line string) {
	style := green
	if strings.Contains(line, `"error":`) {
		style = red
	}
	p.println("    " + p.paint(style, "← "+shown(line)))
}

func (p *printer) remark(text string) { p.println("      " + p.paint(faint, text)) }

// shown gives a line that can be printed: cut where it is long, and without
// the bytes that a terminal would act on.
func shown(line string) string {
	whole := len(line)
	if whole > maxShown {
		line = line[:maxShown/3]
	}
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '\ufffd'
		}
		return r
	}, line)
	if whole > maxShown {
		return fmt.Sprintf("%s… (%d bytes)", line, whole)
	}
	return line
}
