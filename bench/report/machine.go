package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
)

var modelLine = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)

// machineKind says what kind of machine this is, and not which.
func machineKind() string {
	kind := fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if m := modelLine.FindSubmatch(text); m != nil {
			kind += " of " + strings.Join(strings.Fields(string(m[1])), " ")
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		// The two numbers that tell features; what follows names who built it.
		if parts := strings.SplitN(strings.TrimSpace(string(text)), ".", 3); len(parts) > 1 {
			kind += ", kernel " + parts[0] + "." + parts[1]
		}
	}
	return kind
}
