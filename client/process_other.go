//go:build !unix && !windows

package client

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// A group does not exist on this platform, so no process is started.
type group struct{}

func newGroup(*exec.Cmd) (*group, error) {
	return nil, fmt.Errorf("client: child processes: %w", errors.ErrUnsupported)
}

func (*group) adopt(*os.Process) error { return errors.ErrUnsupported }
func (*group) terminate() error        { return errors.ErrUnsupported }
func (*group) kill() error             { return errors.ErrUnsupported }
func (*group) close()                  {}

func awaitExit(*os.Process) bool { return false }
