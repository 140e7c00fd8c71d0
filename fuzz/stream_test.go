package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

var streamHandler = peer.HandlerFunc(func(ctx context.Context, w peer.Reply, r peer.Request) error {
	switch r.Method() {
	case "echo":
		return w.Raw(r.Params())
	case "add", "sum":
		var p struct{ A, B float64 }
		if err := r.Decode(&p); err != nil {
			return err
		}
		return w.Encode(p.A + p.B)
	case "boom":
		return errors.New("boom")
	case "panic":
		panic("panic")
	case "progress":
		if err := w.Notify("progress", []int{1}); err != nil {
			return err
		}
		return nil
	}
	return codec.MethodNotFound(r.Method())
})

// marker is a good line that stands behind every line of the input.
const marker = `{"jsonrpc":"2.0","id":"marker-%d","method":"echo","params":["alive",%d]}` + "\n"

// answer is an output object, checked for its shape.
type answer struct {
	id    string // as it was written; empty for a notification
	isErr bool
	code  int
	raw   string
}

// parseAnswer reads an output object. It must be a well-formed message.
func parseAnswer(t *testing.T, raw []byte) answer {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("not an object: %q", raw)
	}
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := m[n]; !ok {
				return false
			}
		}
		return len(m) == len(names)
	}
	a := answer{id: string(m["id"]), raw: string(raw)}
	switch {
	case string(m["jsonrpc"]) != `"2.0"`:
		t.Fatalf("no version: %q", raw)
	case has("jsonrpc", "id", "result"):
	case has("jsonrpc", "id", "error"):
		var e struct {
			Code    *int
			Message *string
			Data    json.RawMessage
		}
		dec := json.NewDecoder(bytes.NewReader(m["error"]))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&e); err != nil || e.Code == nil || e.Message == nil {
			t.Fatalf("a malformed error: %q", raw)
		}
		a.isErr, a.code = true, *e.Code
	case has("jsonrpc", "method"), has("jsonrpc", "method", "params"):
		return a
	default:
		t.Fatalf("neither a response nor a notification: %q", raw)
	}
	if c := a.id[0]; c != '"' && c != '-' && (c < '0' || c > '9') && a.id != "null" {
		t.Fatalf("an id that is none: %q", raw)
	}
	return a
}

// parseOutput reads a whole output: messages, and arrays of responses.
func parseOutput(t *testing.T, out []byte) (answers []answer) {
	t.Helper()
	if len(out) == 0 {
		return nil
	}
	if !utf8.Valid(out) || out[len(out)-1] != '\n' {
		t.Fatalf("not UTF-8, or no line end: %q", out)
	}
	for line := range bytes.Lines(out) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if !json.Valid(line) {
			t.Fatalf("not JSON: %q", line)
		}
		if line[0] != '[' {
			answers = append(answers, parseAnswer(t, line))
			continue
		}
		var items []json.RawMessage
		json.Unmarshal(line, &items)
		if len(items) == 0 {
			t.Fatal("an empty array")
		}
		for _, item := range items {
			a := parseAnswer(t, item)
			if a.id == "" {
				t.Fatalf("a notification in an array: %q", line)
			}
			answers = append(answers, a)
		}
	}
	return answers
}

// expected gives the ids that must be answered, sorted; by a judge who knows
// encoding/json only. Requests with the id null and invalid lines are null.
func expected(line []byte) (ids []string) {
	line = bytes.Trim(line, " \t\r\n")
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) || !utf8.Valid(line) {
		return []string{"null"}
	}
	if line[0] != '[' {
		return expectedOf(line)
	}
	var items []json.RawMessage
	if json.Unmarshal(line, &items) != nil || len(items) == 0 || len(items) > codec.DefaultMaxItems {
		return []string{"null"}
	}
	for _, item := range items {
		ids = append(ids, expectedOf(item)...)
	}
	return ids
}

func expectedOf(raw []byte) []string {
	if raw[0] != '{' {
		return []string{"null"}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.Token()
	m := make(map[string]string)
	twice := make(map[string]bool)
	for dec.More() {
		key, err := dec.Token()
		var v json.RawMessage
		if err != nil || dec.Decode(&v) != nil {
			return nil
		}
		name := key.(string)
		if _, ok := m[name]; ok {
			twice[name] = true
		}
		m[name] = string(v)
	}
	id, hasID := m["id"]
	usable := hasID && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || id == "null") && len(id) <= codec.DefaultMaxID
	_, isCall := m["method"]
	_, isResult := m["result"]
	_, isError := m["error"]
	switch {
	case !isCall && (isResult || isError):
		return nil // a response
	case twice["id"] || hasID && !usable:
		return []string{"null"}
	case hasID:
		return []string{id}
	}
	var version, method string
	params := m["params"]
	if twice["jsonrpc"] || twice["method"] || twice["params"] || twice["result"] || twice["error"] || !isCall ||
		json.Unmarshal([]byte(m["jsonrpc"]), &version) != nil || version != "2.0" || m["jsonrpc"] == "null" ||
		json.Unmarshal([]byte(m["method"]), &method) != nil || m["method"] == "null" ||
		params != "" && params != "null" && params[0] != '{' && params[0] != '[' {
		return []string{"null"}
	}
	return nil // a notification
}

func seedStreams(f *testing.F) {
	data, err := os.ReadFile("../server/testdata/cases.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c struct {
			In       any
			InBase64 []byte `json:"in_base64"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			f.Fatal(err)
		}
		if s, ok := c.In.(string); ok && !strings.Contains(s, `"slow"`) {
			f.Add([]byte(s))
		} else if c.InBase64 != nil {
			f.Add(c.InBase64)
		}
	}
	for _, s := range []string{
		"\ufeff{}\n\ufeff{}\n", "[[],{},[]]\n", `{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest","params":{"id":1}}`, "\n\r\n \r\n",
		`[{"jsonrpc":"2.0","id":1,"method":"progress"},{"jsonrpc":"2.0","method":"progress"},{"jsonrpc":"2.0","id":1,"result":1}]` + "\n",
	} {
		f.Add([]byte(s))
	}
}

// FuzzStream gives a server a stream with a good line behind every line. What
// comes back is well-formed, answers what must be answered exactly once, and
// the good lines as if the others had not been there.
func FuzzStream(f *testing.F) {
	seedStreams(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		var (
			stream bytes.Buffer
			want   []string
			n      int
		)
		for line := range bytes.Lines(input) {
			if n == 0 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
				stream.WriteString("\ufeff")
			}
			stream.Write(line)
			if line[len(line)-1] != '\n' {
				stream.WriteByte('\n')
			}
			fmt.Fprintf(&stream, marker, n, n)
			want = append(want, expected(line)...)
			n++
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var out bytes.Buffer
		if err := server.Serve(ctx, &stream, &out, streamHandler, nil); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		var got []string
		alive := make(map[string]string)
		for _, a := range parseOutput(t, out.Bytes()) {
			switch {
			case a.id == "":
			case strings.HasPrefix(a.id, `"marker-`) && alive[a.id] == "" && !a.isErr:
				alive[a.id] = a.raw
			default:
				got = append(got, a.id)
			}
		}
		for i := range n {
			id := fmt.Sprintf(`"marker-%d"`, i)
			if alive[id] != fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":["alive",%d]}`, id, i) {
				t.Errorf("the good line %d was answered %q", i, alive[id])
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("answered %q\nwant     %q\noutput %q", got, want, out.Bytes())
		}
	})
}

// FuzzExchange gives one message to Exchange, as it is and spread over lines,
// which must make no difference.
func FuzzExchange(f *testing.F) {
	seedStreams(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(bytes.TrimSpace(input)) == 0 {
			return
		}
		notes := 0
		o := &peer.ExchangeOptions{Notify: func(method string, params []byte) {
			if notes++; !json.Valid(params) {
				t.Errorf("notified %s %q", method, params)
			}
		}}
		const prefix = "kept"
		dst := peer.Exchange(t.Context(), streamHandler, slices.Clone(input), []byte(prefix), o)
		out, ok := bytes.CutPrefix(dst, []byte(prefix))
		if !ok || bytes.IndexByte(out, '\n') >= 0 {
			t.Fatalf("dst was changed, or holds a newline: %q", dst)
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		var got []string
		for _, a := range parseOutput(t, out) {
			got = append(got, a.id)
		}
		want := expected(input)
		if !slices.Equal(got, want) { // the order of the array is that of the requests
			t.Errorf("answered %q\nwant     %q\noutput %q", got, want, out)
		}
		var indented, plain, again bytes.Buffer
		if !utf8.Valid(input) || json.Indent(&indented, input, "", " ") != nil {
			return
		}
		json.Compact(&plain, out)
		json.Compact(&again, peer.Exchange(t.Context(), streamHandler, indented.Bytes(), nil, nil))
		if !bytes.Equal(again.Bytes(), plain.Bytes()) {
			t.Errorf("with newlines: %q\nwithout:       %q", again.Bytes(), plain.Bytes())
		}
	})
}
