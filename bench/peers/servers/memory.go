package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/linerpc/linerpc/bench/peers/cputime"
	"github.com/linerpc/linerpc/bench/peers/drive"
)

// runMemory serves connections in memory. For each duration that it reads as a
// line it lets requests flow for so long, and writes what that took as a line
// of JSON. What feeds the server is measured along with it: it is the same for
// every contender, and the copier shows how much it is.
func runMemory(args []string, in io.ReadCloser, out io.WriteCloser) error {
	if len(args) == 0 {
		return errors.New("usage: servers memory NAME FLAGS")
	}
	k, err := pick(args[0])
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("memory", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	method := flags.String("method", "echo", "what to call")
	size := flags.Int("size", 64, "bytes of text in the params; below 0 for no params")
	window := flags.Int("window", 256, "requests in flight on each connection")
	count := flags.Int("connections", 1, "connections")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	m, err := openMemory(k, *method, *size, *window, *count)
	if err != nil {
		return err
	}
	defer m.close()
	commands, answers := bufio.NewScanner(in), json.NewEncoder(out)
	if err := answers.Encode(drive.Opened{BytesEach: m.heap, GoroutinesEach: m.goroutines}); err != nil {
		return err
	}
	for commands.Scan() {
		d, err := time.ParseDuration(commands.Text())
		if err != nil {
			return err
		}
		s, err := m.slice(d)
		if err != nil {
			return err
		}
		if err := answers.Encode(s); err != nil {
			return err
		}
	}
	return commands.Err()
}

type memory struct {
	open       atomic.Bool
	wires      []*wire
	heap       float64 // bytes that a connection holds, its share of the heap and of the stacks
	goroutines float64 // goroutines of a connection
	done       int     // answers until now
}

func openMemory(k contender, method string, size, window, count int) (*memory, error) {
	m := new(memory)
	before, goroutines := inUse(), runtime.NumGoroutine()
	for range count {
		w := newWire(method, drive.Params(size), window, &m.open)
		go func() {
			err := k.serve(&stream{in: w, out: w})
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.closed {
				w.failLocked(fmt.Errorf("ended: %w", errors.Join(err, io.ErrUnexpectedEOF)))
			}
		}()
		m.wires = append(m.wires, w)
		if k.mcp {
			if err := w.say(drive.Hello, 1); err != nil {
				return nil, err
			}
		}
	}
	if _, err := m.slice(time.Millisecond); err != nil {
		return nil, err
	}
	m.heap = (inUse() - before) / float64(count)
	m.goroutines = float64(runtime.NumGoroutine()-goroutines) / float64(count)
	return m, nil
}

// inUse is what the heap and the stacks hold. What a pool still has from before
// two collections is gone.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc + s.StackInuse)
}

func (m *memory) close() {
	for _, w := range m.wires {
		w.Close()
	}
}

func (m *memory) slice(d time.Duration) (drive.MemorySample, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, begin := cputime.Micros(0), time.Now()
	m.open.Store(true)
	for _, w := range m.wires {
		w.wake()
	}
	time.Sleep(d)
	m.open.Store(false) // one store: servers that never wait would keep a lock from whoever wants it
	total := 0
	for _, w := range m.wires {
		n, err := w.settle()
		if err != nil {
			return drive.MemorySample{}, err
		}
		total += n
	}
	wall := time.Since(begin)
	cpu = cputime.Micros(0) - cpu
	runtime.ReadMemStats(&after)
	n := total - m.done
	m.done = total
	return drive.MemorySample{
		Messages: n,
		Wall:     float64(wall) / float64(n),
		CPU:      drive.Figure(cpu * 1e3 / float64(n)),
		Allocs:   float64(after.Mallocs-before.Mallocs) / float64(n),
		Bytes:    float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}, nil
}
