//go:build !unix && !windows

package server

import "os"

// claimStdout can only keep this process's own prints away.
func claimStdout() (out *os.File, restore func(), err error) {
	old := os.Stdout
	os.Stdout = os.Stderr
	return old, func() { os.Stdout = old }, nil
}
