package peer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// rig is a connection under test whose other side is the test itself, over
// pipes of a few bytes.
type rig struct {
	t       testing.TB
	c       *Conn
	in, out stream
	lines   *bufio.Reader
	served  chan error
	cancel  context.CancelCauseFunc
}

func newRig(t testing.TB, pipe int, h Handler, o *Options) *rig {
	r := &rig{t: t, served: make(chan error, 1)}
	r.in.init(pipe)
	r.out.init(pipe)
	r.c = New(&r.in, &r.out, h, o)
	r.lines = bufio.NewReader(&r.out)
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel = cancel
	go func() {
		err := r.c.Serve(ctx)
		r.out.close()
		r.served <- err
	}()
	t.Cleanup(func() {
		cancel(nil)
		r.in.close()
		r.out.close()
	})
	return r
}

func (r *rig) send(lines ...string) {
	for _, l := range lines {
		if _, err := r.in.Write([]byte(l + "\n")); err != nil {
			r.t.Errorf("write: %v", err)
		}
	}
}

// callLine is the line of a request.
func callLine(id int, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q%s}`, id, method, params)
}

func noteLine(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// msg is what the test sees of an incoming line.
type msg struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	line string
}

// recv reads the next line; ok is false at the end of the output.
func (r *rig) recv() (m msg, ok bool) {
	line, err := r.lines.ReadBytes('\n')
	if err != nil {
		if len(line) > 0 {
			r.t.Errorf("half a line: %q", line)
		}
		return m, false
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	m.line = string(line)
	if line[0] == '[' {
		return m, true
	}
	if err := json.Unmarshal(line, &m); err != nil {
		r.t.Errorf("not JSON: %.200q: %v", line, err)
	}
	return m, true
}

// want reads the next line and compares it.
func (r *rig) want(line string) {
	r.t.Helper()
	if m, ok := r.recv(); !ok || m.line != line {
		r.t.Fatalf("got  %s\nwant %s", m.line, line)
	}
}

// finish closes the input and reads what is still to come.
func (r *rig) finish() []msg {
	r.in.close()
	return r.finishReading()
}

// finishReading reads all output; somebody else closes the input.
func (r *rig) finishReading() []msg {
	var all []msg
	r.readAll(func(m msg) { all = append(all, m) })
	return all
}

func (r *rig) readAll(each func(msg)) {
	for {
		m, ok := r.recv()
		if !ok {
			break
		}
		each(m)
	}
	if err := <-r.served; err != nil {
		r.t.Errorf("Serve: %v", err)
	}
}

func resultLine(id int, v string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, v)
}
