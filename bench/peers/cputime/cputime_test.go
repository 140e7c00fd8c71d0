package cputime

import (
	"math"
	"testing"
	"time"
)

func TestMicros(t *testing.T) {
	before := Micros(0)
	if math.IsNaN(before) {
		t.Skip("not known on this system")
	}
	n := 0
	for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
		n++
	}
	if used := Micros(0) - before; used < 1e3 || used > 1e6 {
		t.Errorf("%v us for 20 ms of work", used)
	}
}
