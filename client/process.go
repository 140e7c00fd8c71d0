package client

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// stderrGrace is how long after the exit of a child its standard error is
// still read when something else keeps it open.
const stderrGrace = 200 * time.Millisecond

// processOptions are what startProcess wants to know beside the command.
type processOptions struct {
	stderrTail int // bytes of standard error that are kept; above 0

	// stderr is given all of standard error, in order, by one goroutine; nil
	// for none. After an error it is given nothing more. While it blocks, the
	// child is held up as by any full pipe; and when it still blocks
	// stderrGrace after the exit, what it has not taken by then is lost. It
	// must not panic.
	stderr io.Writer

	// The steps of stop; 0 or less is no wait.
	afterEOF  time.Duration // from the end of the child's input to TERM
	afterTerm time.Duration // from TERM to KILL
}

// A process is a running child: the leader, which startProcess has started,
// and the group of what the leader starts in turn. No helper of a server
// outlives it unless it has left the group on purpose.
type process struct {
	cmd     *exec.Cmd
	group   *group
	stderr  *stderr
	options processOptions
	done    chan struct{} // closed when the leader has been reaped

	// mu is held while a signal is sent, so that none is sent to an id that
	// belongs to somebody else by then.
	mu    sync.Mutex
	gone  bool      // the leader has exited; from now on it may be reaped
	ended time.Time // when it was seen to have exited
}

// startProcess starts cmd in a group of its own. Its standard input and output
// are stdin and stdout, which are closed here whatever happens. Standard error
// goes to the tail and to o.stderr, and to cmd.Stderr too when that is set.
//
// cmd.Stdin and cmd.Stdout must be nil, and from here on cmd belongs to the
// process. When cmd was made with a context, the end of that context kills the
// leader as package os/exec has it, and thereby ends the group; a cmd.Cancel
// that does not return holds exited back.
//
// When it fails nothing is left behind.
func startProcess(cmd *exec.Cmd, stdin, stdout *os.File, o processOptions) (*process, error) {
	defer stdin.Close()
	defer stdout.Close()
	if cmd.Stdin != nil || cmd.Stdout != nil {
		return nil, errors.New("client: the command's Stdin or Stdout is set already")
	}
	g, err := newGroup(cmd)
	if err != nil {
		return nil, err
	}
	e, w, err := newStderr(o.stderrTail, o.stderr, cmd.Stderr)
	if err != nil {
		g.close()
		return nil, err
	}
	// Only files: for anything else Cmd.Wait would copy, and would wait for
	// whoever has inherited the other end.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, w
	err = cmd.Start()
	w.Close()
	if err != nil {
		g.close()
		e.close()
		return nil, err
	}
	if err = g.adopt(cmd.Process); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		g.close()
		e.close()
		return nil, err
	}
	p := &process{cmd: cmd, group: g, stderr: e, options: o, done: make(chan struct{})}
	go e.drain()
	go p.watch()
	return p, nil
}

// watch sees the leader exit and clears up after it.
func (p *process) watch() {
	if awaitExit(p.cmd.Process) {
		// A leader that has not been reaped keeps its id and that of its group
		// from being given to anybody else, so the rest of the group goes first.
		p.end()
		p.cmd.Wait()
	} else {
		// Its exit cannot be told from its reaping here. A group's id is kept
		// while it has members, so this is wrong only if the group is empty
		// and all ids there are have been used up since a moment ago.
		p.cmd.Wait()
		p.end()
	}
	close(p.done)
}

// end kills what is left of the group; no signal is sent after it.
func (p *process) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone, p.ended = true, time.Now()
	p.group.close()
}

// exited is closed when the leader has exited, what was left of its group has
// been sent KILL, and the leader has been reaped.
func (p *process) exited() <-chan struct{} { return p.done }

// state is how the leader exited; to be called after exited. It is nil when
// somebody else has reaped it, for one because this program ignores SIGCHLD.
func (p *process) state() *os.ProcessState { return p.cmd.ProcessState }

// tail is a copy of the last bytes of standard error so far. It is complete
// after release.
func (p *process) tail() []byte { return p.stderr.last() }

// terminate asks the group to end: SIGTERM, and CTRL_BREAK on Windows, which
// reaches only a child that shares this program's console. After exited it
// does nothing.
func (p *process) terminate() error { return p.signal(p.group.terminate) }

// kill ends the group by force. After exited it does nothing.
func (p *process) kill() error { return p.signal(p.group.kill) }

func (p *process) signal(send func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil
	}
	return send()
}

// stop ends a child whose standard input the caller has closed: it waits
// afterEOF, sends TERM to the group, waits afterTerm and kills the group. Once
// ctx is done it kills at once. It returns nil when the leader has been
// reaped, and an error, with the child still there, only if the system does
// not permit to kill it, as it may be when the child runs as another user.
func (p *process) stop(ctx context.Context) error {
	if p.await(ctx, p.options.afterEOF) {
		return nil
	}
	if ctx.Err() == nil {
		// If it cannot be asked it may still be on its way out by itself.
		p.terminate()
		if p.await(ctx, p.options.afterTerm) {
			return nil
		}
	}
	if err := p.kill(); err != nil {
		return err
	}
	<-p.done
	return nil
}

// await waits for the exit, for d at most, and says whether it has come.
func (p *process) await(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

// release frees what the process holds; to be called after exited. It reads
// standard error to its end first, though for no longer than stderrGrace after
// the exit: something that has left the group may hold it open. It may be
// called more than once. When the sink blocks, one goroutine stays until it
// does not.
func (p *process) release() {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	timer := time.NewTimer(time.Until(ended.Add(stderrGrace)))
	defer timer.Stop()
	select {
	case <-p.stderr.drained:
	case <-timer.C:
	}
	p.stderr.close()
}
