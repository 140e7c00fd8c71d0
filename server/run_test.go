package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/linerpc/linerpc/server"
)

// render puts an output line into a form that is easy to compare: ids, results
// and params stand there byte for byte as they were written. Whatever is not a
// well-formed message says so.
//
//	1 result {"a":1}      null error -32700 Parse error: …
//	note progress [1]     2 call sum [1,2]
//	[1 result 2; null error -32600 …]
func render(line string) string {
	if !utf8.ValidString(line) || !json.Valid([]byte(line)) {
		return "BROKEN " + line
	}
	if strings.HasPrefix(line, "[") {
		var items []json.RawMessage
		if json.Unmarshal([]byte(line), &items) != nil || len(items) == 0 {
			return "BROKEN " + line
		}
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = render(string(item))
		}
		return "[" + strings.Join(parts, "; ") + "]"
	}
	m, names := members(line)
	prefix := "bare "
	if v, ok := m["jsonrpc"]; ok {
		if prefix = ""; v != `"2.0"` {
			return "BROKEN " + line
		}
		names = names[1:] // it comes first
	}
	slices.Sort(names)
	switch shape := strings.Join(names, " "); shape {
	case "id result":
		return prefix + m["id"] + " result " + m["result"]
	case "error id":
		e, _ := members(m["error"])
		var text string
		json.Unmarshal([]byte(e["message"]), &text)
		text = prefix + m["id"] + " error " + e["code"] + " " + text
		if data, ok := e["data"]; ok {
			text += " data " + data
		}
		return text
	case "method", "method params":
		return strings.TrimRight(prefix+"note "+name(m)+" "+m["params"], " ")
	case "id method", "id method params":
		return strings.TrimRight(prefix+m["id"]+" call "+name(m)+" "+m["params"], " ")
	}
	return "BROKEN " + line
}

func name(m map[string]string) (s string) {
	json.Unmarshal([]byte(m["method"]), &s)
	return s
}

// members reads an object without losing anything: raw values by name, and
// the names as often as they occur.
func members(object string) (m map[string]string, names []string) {
	m = make(map[string]string)
	dec := json.NewDecoder(strings.NewReader(object))
	dec.Token()
	for dec.More() {
		key, err := dec.Token()
		var raw json.RawMessage
		if err != nil || dec.Decode(&raw) != nil {
			return m, append(names, "BROKEN")
		}
		k := fmt.Sprint(key)
		m[k] = string(raw)
		names = append(names, k)
	}
	return m, names
}

// matches compares a rendered line with a pattern, in which * stands for
// anything.
func matches(pattern, line string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == line
	}
	if !strings.HasPrefix(line, parts[0]) {
		return false
	}
	line = line[len(parts[0]):]
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(line, part)
		if i < 0 {
			return false
		}
		line = line[i+len(part):]
	}
	return strings.HasSuffix(line, parts[last])
}

// compare reports how lines differ from the patterns, in whatever order
// unless ordered.
func compare(t *testing.T, lines, want []string, ordered bool) {
	t.Helper()
	var got []string
	for _, line := range lines {
		got = append(got, render(line))
	}
	left := slices.Clone(got)
	for i, pattern := range want {
		at := slices.IndexFunc(left, func(line string) bool { return matches(pattern, line) })
		if ordered && (i >= len(got) || !matches(pattern, got[i])) {
			at = -1
		}
		if at < 0 {
			t.Errorf("missing: %.300s\n    got: %.1000q", pattern, got)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		t.Errorf("unexpected: %.1000q", left)
	}
}

// output gathers what is written; every write must be whole lines.
type output struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	torn bool
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.torn = o.torn || len(p) < 256<<10 && !bytes.HasSuffix(p, []byte("\n"))
	return o.buf.Write(p)
}

func (o *output) lines(t *testing.T) []string {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	text := o.buf.String()
	if text == "" {
		return nil
	}
	if o.torn || !strings.HasSuffix(text, "\n") || strings.Contains(text, "\r\n") {
		t.Errorf("a line was torn or ends in something else than LF: %.300q", text)
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// talk serves input, cut into pieces, and gives what was written. The input is
// held open for a while first: what can be answered must be answered by then.
// Call it inside a synctest bubble, where that while takes no time.
func talk(t *testing.T, h server.Handler, o *server.Options, input string, piece int) []string {
	t.Helper()
	in, feed := io.Pipe()
	var out output
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), in, &out, h, o) }()
	for rest := input; rest != ""; {
		n := min(len(rest), piece)
		io.WriteString(feed, rest[:n])
		rest = rest[n:]
	}
	time.Sleep(time.Second)
	before := out.lines(t)
	feed.Close()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	after := out.lines(t)
	if strings.HasSuffix(input, "\n") && len(after) != len(before) {
		t.Errorf("held back until the input ended: %.300q", after[len(before):])
	}
	return after
}

const whole = 1 << 30

// call is a request line, note a notification.
func call(id, method, params string) string {
	s := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"`
	if params != "" {
		s += `,"params":` + params
	}
	return s + "}\n"
}

func note(method, params string) string {
	return strings.Replace(call("0", method, params), `"id":0,`, "", 1)
}
