package interop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// oddLines are some that a client could send, with what servers of one kind or
// another do not take. Our client sends none of them where the profile has no
// batches.
var oddLines = []struct{ name, line string }{
	{"CRLF", `{"jsonrpc":"2.0","id":"odd","method":"ping","params":{}}` + "\r\n"},
	{"used id", `{"jsonrpc":"2.0","id":"odd","method":"ping","params":{}}` + "\n"},
	{"blank", "\n"},
	{"1.5", `{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{}}` + "\n"},
	{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping","params":{}}` + "\n"},
	{"batch", `[{"jsonrpc":"2.0","id":"one","method":"ping","params":{}}]` + "\n"},
	{"no JSON", "{bad\n"},
}

// What can come of a line, beside an answer.
const (
	silence = "silence"
	theEnd  = "the end"
)

const (
	initializeMCP = `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	initializeACP = `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":1}}`
)

func TestOddLines(t *testing.T) {
	for _, test := range []struct {
		name  string
		argv  []string
		first string
		want  []string // for each of the lines
	}{
		{"GoSDK", []string{program("everything-server")}, initializeMCP,
			[]string{`"odd" has a result`, `"odd" has a result`, silence, "1 has a result", silence, theEnd, theEnd}},
		{"MCPGo", party(t, "mcp-go"), initializeMCP,
			[]string{`"odd" has a result`, `"odd" has a result`, "null has -32700", "1.5 has a result", silence, "null has -32700", "null has -32700"}},
		{"TypeScriptV1", reference("sequential-thinking"), initializeMCP,
			[]string{`"odd" has a result`, `"odd" has a result`, silence, silence, silence, silence, silence}},
		{"TypeScriptV2", []string{"node", "node/mcp-server.mjs"}, initializeMCP,
			[]string{`"odd" has a result`, `"odd" has a result`, silence, silence, silence, silence, silence}},
		{"CoderACP", party(t, "acp"), initializeACP,
			[]string{`"odd" has -32601`, `"odd" has -32601`, silence, "1.5 has -32601", silence, silence, silence}},
		{"TypeScriptACP", []string{"node", "node/acp-agent.mjs"}, initializeACP,
			[]string{`"odd" has -32601`, `"odd" has -32601`, silence, "1.5 has -32601", "null has -32601", "null has -32600", "null has -32700"}},
		{"JRPC2", party(t, "jrpc2"), "",
			[]string{`"odd" has -32601`, `"odd" has -32600`, "null has -32700", "1.5 has -32601", silence, `"one" has -32601`, "null has -32700"}},
		{"Ours", []string{program("mcp-tools")}, initializeMCP,
			[]string{`"odd" has a result`, `"odd" has a result`, silence, "1.5 has a result", "null has a result", `"one" has a result`, "null has -32700"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &prober{t: t, argv: test.argv, first: test.first, stop: func() {}}
			defer func() { p.stop() }()
			got := map[string]string{}
			want := map[string]string{}
			for i, odd := range oddLines {
				got[odd.name] = p.probe(odd.line, test.want[i])
				want[odd.name] = test.want[i]
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// prober sends lines to a server as they are, and starts another one when it
// has ended.
type prober struct {
	t     *testing.T
	argv  []string
	first string // the handshake; empty: there is none
	stop  func()

	in  io.Writer // nil: there is none
	out *bufio.Reader
	n   int // pings so far
}

func (p *prober) start() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		p.t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	p.stop = func() {
		in.Close()
		io.Copy(io.Discard, p.out)
		cmd.Wait()
		cancel()
	}
	if p.first != "" {
		io.WriteString(in, p.first+"\n")
		if _, err := p.out.ReadString('\n'); err != nil {
			p.t.Fatal(err)
		}
	}
}

// probe gives what a server says to a line. That it says nothing is known from
// the answers to two pings that come behind it, one after the other: a server
// may work on several requests at once.
func (p *prober) probe(line, want string) string {
	p.t.Helper()
	if p.in == nil {
		p.start()
	}
	io.WriteString(p.in, line)
	var said []string
	for ping := 0; ping < 2 || want != silence && want != theEnd && len(said) == 0; ping++ {
		p.n++
		id := fmt.Sprintf(`"ping %d"`, p.n)
		io.WriteString(p.in, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping","params":{}}`+"\n")
		for {
			text, err := p.out.ReadString('\n')
			if err != nil {
				p.stop()
				p.in = nil
				return theEnd
			}
			m := (&life{records: []record{{Kind: received, Text: text}}}).messages(received)[0]
			if string(m.ID) == id {
				break
			}
			said = append(said, outcome(m))
		}
	}
	if len(said) == 0 {
		return silence
	}
	return strings.Join(said, ", ")
}

func outcome(m message) string {
	if m.Error == nil {
		return string(m.ID) + " has a result"
	}
	return fmt.Sprintf("%s has %d", m.ID, errorCode(m))
}
