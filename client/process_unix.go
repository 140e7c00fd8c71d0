//go:build unix

package client

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A group is a process group whose id is the pid of its leader.
type group struct {
	leader *os.Process
	// id is 0 until there is a leader, and must not be used before: signals to
	// group 0 go to this program's own. It is kept apart from the leader's Pid
	// because that changes when a Process is released.
	id int
}

// newGroup has cmd start in a group of its own. The child makes the group
// itself, before it becomes the program, so the group is there when Start has
// returned. Keys that are typed at a terminal do not signal such a child, and
// it is stopped when it reads from the terminal.
func newGroup(cmd *exec.Cmd) (*group, error) {
	var attr syscall.SysProcAttr
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	if attr.Pgid != 0 {
		return nil, errors.New("client: the command's SysProcAttr.Pgid is set, but it needs a process group of its own")
	}
	// The leader of a session leads a group with the same id, and is not
	// allowed to make another.
	attr.Setpgid = !attr.Setsid
	cmd.SysProcAttr = &attr
	return &group{}, nil
}

func (g *group) adopt(leader *os.Process) error {
	g.leader, g.id = leader, leader.Pid
	return nil
}

func (g *group) terminate() error {
	err := unix.Kill(-g.id, unix.SIGTERM)
	// TERM waits for a stopped process to go on.
	unix.Kill(-g.id, unix.SIGCONT)
	return os.NewSyscallError("kill", err)
}

func (g *group) kill() error {
	// Not every system counts a leader that has just exited as a member, so
	// whether the signal has arrived is asked of the leader alone.
	unix.Kill(-g.id, unix.SIGKILL)
	if err := g.leader.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// close kills what the leader has left behind. No process can escape by
// forking: the system does not finish a fork of a process that has a signal
// pending.
func (g *group) close() {
	if g.id != 0 {
		unix.Kill(-g.id, unix.SIGKILL)
	}
}
