package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/linerpc/linerpc/peer"
	"github.com/linerpc/linerpc/server"
)

// feed is an input of n requests, given in reads of as many whole ones as fit
// 64 KiB, which is what a pipe holds; larger ones come in several reads.
type feed struct {
	chunk []byte
	per   int // requests in a chunk
	n     int // requests to come
	rest  []byte
}

func newFeed(line []byte, n int) *feed {
	per := max(1, (64<<10)/len(line))
	return &feed{chunk: bytes.Repeat(line, per), per: per, n: n}
}

func (f *feed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.n == 0 {
			return 0, io.EOF
		}
		k := min(f.n, f.per)
		f.n -= k
		f.rest = f.chunk[:len(f.chunk)/f.per*k]
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// sink counts lines.
type sink struct{ lines int }

func (s *sink) Write(p []byte) (int, error) {
	s.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

type serveFunc func(r io.Reader, w io.Writer) error

type servedParams struct {
	A, B float64
	Text string
}

func linerpc(r io.Reader, w io.Writer) error {
	mux := server.NewMux()
	mux.HandleFunc("raw", func(_ context.Context, w server.Reply, r server.Request) error { return w.Raw(r.Params()) })
	server.Handle(mux, "typed", func(_ context.Context, p servedParams) (float64, error) {
		return p.A + p.B + float64(len(p.Text)), nil
	})
	return server.Serve(context.Background(), r, w, mux, nil)
}

// std is what one writes with bufio.Scanner and encoding/json, and the same
// methods.
func std(r io.Reader, w io.Writer) error {
	type request struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	type response struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil || q.Version != "2.0" {
			return errors.Join(err, errors.New("a bad request"))
		}
		var result any = q.Params
		if q.Method == "typed" {
			var p servedParams
			if err := json.Unmarshal(q.Params, &p); err != nil {
				return err
			}
			result = p.A + p.B + float64(len(p.Text))
		}
		if err := out.Encode(response{"2.0", q.ID, result}); err != nil {
			return err
		}
	}
	return lines.Err()
}

var sizes = []struct {
	name string
	n    int
}{{"0B", 0}, {"64B", 64}, {"1KiB", 1 << 10}, {"16KiB", 16 << 10}, {"1MiB", 1 << 20}}

var servers = []struct {
	name  string
	serve serveFunc
}{{"linerpc", linerpc}, {"encoding-json", std}}

// BenchmarkServe is one stream of requests through a whole server in memory:
// reading, parsing, the handler, encoding and writing. The size is that of a
// string in the params; MB/s are those of the input.
func BenchmarkServe(b *testing.B) {
	for _, method := range []string{"raw", "typed"} {
		for _, size := range sizes {
			for _, s := range servers {
				b.Run(fmt.Sprintf("%s/size=%s/impl=%s", method, size.name, s.name), func(b *testing.B) {
					line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":12345,"method":"%s","params":{"a":1.5,"b":2,"text":"%s"}}`+"\n", method, strings.Repeat("x", size.n))
					run(b, s.serve, line, 1)
				})
			}
		}
	}
}

// run serves b.N requests and checks that each has its answer.
func run(b *testing.B, serve serveFunc, line []byte, answers int) {
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	b.ResetTimer()
	var out sink
	if err := serve(newFeed(line, b.N), &out); err != nil {
		b.Fatal(err)
	}
	if out.lines != b.N*answers {
		b.Fatalf("%d answers to %d requests", out.lines, b.N)
	}
}

// BenchmarkDispatch is Exchange: a line in, a line out, no stream around it.
func BenchmarkDispatch(b *testing.B) {
	h := peer.HandlerFunc(func(_ context.Context, w peer.Reply, r peer.Request) error { return w.Raw(r.Params()) })
	line := []byte(`{"jsonrpc":"2.0","id":12345,"method":"raw","params":{"a":1.5,"b":2}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	ctx := context.Background()
	var dst []byte
	for b.Loop() {
		if dst = peer.Exchange(ctx, h, line, dst[:0], nil); len(dst) == 0 {
			b.Fatal("no answer")
		}
	}
}

// BenchmarkBatch is an array of small requests through a whole server.
func BenchmarkBatch(b *testing.B) {
	for _, items := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			var line []byte
			for i := range items {
				line = fmt.Appendf(line, `,{"jsonrpc":"2.0","id":%d,"method":"raw","params":[1]}`, i)
			}
			line[0] = '['
			run(b, linerpc, append(line, "]\n"...), 1)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*items), "ns/item")
		})
	}
}
