package drive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Opened is what connections hold before they have much to do.
type Opened struct {
	BytesEach      float64 // heap and stacks of a connection
	GoroutinesEach float64
}

// MemorySample is what a slice in memory took, per message.
type MemorySample struct {
	Messages int
	Wall     float64 // nanoseconds
	CPU      Figure  // nanoseconds
	Allocs   float64
	Bytes    float64 // allocated
}

// Memory is a process that serves itself.
type Memory struct {
	Opened Opened
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errs   strings.Builder
}

// StartMemory starts one: argv is what makes the program for servers serve in
// memory.
func StartMemory(argv []string) (*Memory, error) {
	m := &Memory{cmd: exec.Command(argv[0], argv[1:]...)}
	m.cmd.Stderr = &m.errs
	in, err := m.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	m.in, m.out = in, bufio.NewReader(out)
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	if err := m.read(0, &m.Opened); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Memory) read(d time.Duration, into any) error {
	stuck := time.AfterFunc(d+patience, func() { m.cmd.Process.Kill() })
	defer stuck.Stop()
	line, err := m.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, into)
	}
	return err
}

// Slice lets requests flow for so long.
func (m *Memory) Slice(d time.Duration) (s MemorySample, err error) {
	if _, err = fmt.Fprintln(m.in, d); err == nil {
		err = m.read(d, &s)
	}
	return s, err
}

// Close ends the process.
func (m *Memory) Close() error {
	m.in.Close()
	stuck := time.AfterFunc(patience, func() { m.cmd.Process.Kill() })
	defer stuck.Stop()
	io.Copy(io.Discard, m.out)
	if err := m.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %.300s", err, m.errs.String())
	}
	return nil
}
