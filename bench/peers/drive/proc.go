package drive

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
)

// systemCalls are how many reads and writes a process has begun. Where there
// is no /proc they are not known.
type systemCalls struct{ reads, writes float64 }

func callsOf(pid int) systemCalls {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return systemCalls{math.NaN(), math.NaN()}
	}
	return systemCalls{field(text, "syscr:"), field(text, "syscw:")}
}

// peakOf is the largest resident set of a process, in bytes.
func peakOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return math.NaN()
	}
	return field(text, "VmHWM:") * 1024
}

// field gives the number behind a name.
func field(text []byte, name string) float64 {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			if words := bytes.Fields(rest); len(words) > 0 {
				if v, err := strconv.ParseFloat(string(words[0]), 64); err == nil {
					return v
				}
			}
		}
	}
	return math.NaN()
}
