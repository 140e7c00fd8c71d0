package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// patience is how long a child may take to end, and callers to have their
// last answers. Both take milliseconds; a run must not hang all the same.
const patience = 10 * time.Second

// child is a started process and its two pipes. Its Close makes it the
// io.ReadWriteCloser that libraries want.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
}

var _ io.ReadWriteCloser = (*child)(nil)

func start(cmd *exec.Cmd) (*child, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{cmd: cmd, stdin: stdin, stdout: stdout}, nil
}

func (c *child) Read(p []byte) (int, error)  { return c.stdout.Read(p) }
func (c *child) Write(p []byte) (int, error) { return c.stdin.Write(p) }

func (c *child) Close() error {
	return errors.Join(c.stdin.Close(), c.stdout.Close())
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// end closes the connection by hangUp, which leaves or closes the pipes as the
// library does it, and waits for the child. A child that stays is killed; that
// is an error.
func (c *child) end(hangUp func() error) error {
	timer := time.AfterFunc(patience, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	err := hangUp()
	c.stdin.Close()
	if werr := c.cmd.Wait(); werr != nil {
		err = errors.Join(err, fmt.Errorf("child: %w", werr))
	}
	return err
}

// buildDemo builds the server of cmd/demo. It works wherever the go command
// finds the module github.com/linerpc/linerpc, which is so within this one.
func buildDemo(ctx context.Context) (command []string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "clients-*")
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "demo")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/linerpc/linerpc/cmd/demo")
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return nil, nil, fmt.Errorf("building cmd/demo: %w\n%s", err, out)
	}
	return []string{path, "serve"}, func() { os.RemoveAll(dir) }, nil
}
