package bench

import (
	stdjson "encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/goccy/go-json"
	"github.com/linerpc/linerpc/codec"
)

// What an author's handlers take and give: small ones, as most are, and a page
// of records.
type (
	addParams struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	toolResult struct {
		Content []content `json:"content"`
		IsError bool      `json:"isError"`
	}
	product struct {
		ID       int       `json:"id"`
		Name     string    `json:"name"`
		Tags     []string  `json:"tags,omitempty"`
		Price    float64   `json:"price"`
		InStock  *bool     `json:"inStock"`
		Position *position `json:"position,omitempty"`
		Note     string    `json:"note,omitempty"`
	}
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	page struct {
		Items []product `json:"items"`
	}
)

var codecs = []struct {
	name  string
	codec codec.Codec
}{{"goccy", codec.Goccy}, {"encoding", codec.Std}}

// values are JSON texts with the type that they decode into.
func values() []struct {
	name string
	text []byte
	into func() any
} {
	records := func(size int) []byte { return []byte(list(rand.New(rand.NewPCG(1, 2)), size, record)) }
	return []struct {
		name string
		text []byte
		into func() any
	}{
		{"value=add", []byte(`{"a":2.5,"b":3}`), func() any { return new(addParams) }},
		{"value=toolResult", []byte(`{"content":[{"type":"text","text":"The answer is 42."}],"isError":false}`), func() any { return new(toolResult) }},
		{"value=page/size=1KiB", records(1 << 10), func() any { return new(page) }},
		{"value=page/size=64KiB", records(64 << 10), func() any { return new(page) }},
		{"value=any/size=1KiB", records(1 << 10), func() any { return new(any) }},
	}
}

// BenchmarkDecode is what params cost on their way into an author's type.
func BenchmarkDecode(b *testing.B) {
	for _, v := range values() {
		for _, c := range codecs {
			b.Run(v.name+"/codec="+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(v.text)))
				b.ReportAllocs()
				for b.Loop() {
					if err := c.codec.Decode(v.text, v.into()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkEncode is what an author's result costs on its way into a buffer
// that has room for it.
func BenchmarkEncode(b *testing.B) {
	for _, v := range values() {
		value := v.into()
		if err := codec.Std.Decode(v.text, value); err != nil {
			b.Fatal(err)
		}
		for _, c := range codecs {
			b.Run(v.name+"/codec="+c.name, func(b *testing.B) {
				buf, err := c.codec.Append(nil, value)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(buf)))
				b.ReportAllocs()
				for b.Loop() {
					if buf, err = c.codec.Append(buf[:0], value); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A stdMessage is an envelope as one writes it with a JSON library.
type stdMessage struct {
	Version string             `json:"jsonrpc"`
	ID      stdjson.RawMessage `json:"id,omitempty"`
	Method  string             `json:"method,omitempty"`
	Params  stdjson.RawMessage `json:"params,omitempty"`
	Result  stdjson.RawMessage `json:"result,omitempty"`
	Error   *codec.Error       `json:"error,omitempty"`
}

// BenchmarkEnvelope compares appending an envelope around raw JSON with
// marshalling one, which looks at the raw JSON once more.
func BenchmarkEnvelope(b *testing.B) {
	id, failure := []byte(`"req-000017"`), codec.MethodNotFound("no/such/method")
	small := []byte(`{"name":"echo","arguments":{"message":"hello world"}}`)
	big := []byte(list(rand.New(rand.NewPCG(1, 2)), 64<<10, record))
	for _, c := range []struct {
		name  string
		write func(dst []byte) []byte
		std   stdMessage
	}{
		{"kind=request/params=53B", func(dst []byte) []byte { return codec.V2.AppendRequest(dst, id, "tools/call", small) },
			stdMessage{ID: id, Method: "tools/call", Params: small}},
		{"kind=notification/params=53B", func(dst []byte) []byte { return codec.V2.AppendNotification(dst, "notifications/progress", small) },
			stdMessage{Method: "notifications/progress", Params: small}},
		{"kind=result/size=53B", func(dst []byte) []byte { return codec.V2.AppendResult(dst, id, small) },
			stdMessage{ID: id, Result: small}},
		{"kind=result/size=64KiB", func(dst []byte) []byte { return codec.V2.AppendResult(dst, id, big) },
			stdMessage{ID: id, Result: big}},
		{"kind=error", func(dst []byte) []byte { return codec.V2.AppendError(dst, id, failure) },
			stdMessage{ID: id, Error: failure}},
	} {
		c.std.Version = "2.0"
		b.Run(c.name+"/linerpc", func(b *testing.B) {
			buf := c.write(nil)
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				buf = c.write(buf[:0])
			}
		})
		for _, v := range []struct {
			name    string
			marshal func(any) ([]byte, error)
		}{{"goccy", json.Marshal}, {"encoding", stdjson.Marshal}} {
			b.Run(c.name+"/"+v.name, func(b *testing.B) {
				b.SetBytes(int64(len(c.write(nil))))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := v.marshal(&c.std); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
