package codec

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-json"
)

// Codec turns an author's values into JSON and back. An implementation must
// be safe for concurrent use.
type Codec interface {
	// Append appends the JSON of v to dst: one value in UTF-8, no raw newline
	// in it or behind it, no HTML escaping. On an error dst may have grown in
	// its spare capacity, but its first bytes are as they were.
	Append(dst []byte, v any) ([]byte, error)
	// Decode reads the one JSON value in data into the pointer v. What it
	// stores must not alias data.
	Decode(data []byte, v any) error
}

var (
	// Goccy is the default: github.com/goccy/go-json. It matches the names of
	// struct fields without regard to case, and of a name that stands twice
	// the last wins, as encoding/json does.
	Goccy Codec = goccyCodec{}
	// Std is encoding/json, slower by far; for comparison, and for types that
	// depend on one of its details.
	Std Codec = stdCodec{}
)

var errNotUTF8 = errors.New("codec: the encoded value is not UTF-8")

type goccyCodec struct{}

// appender is where a pooled encoder writes; it lends dst for one Encode.
type appender struct {
	dst []byte
	enc *json.Encoder
}

func (a *appender) Write(p []byte) (int, error) {
	a.dst = append(a.dst, p...)
	return len(p), nil
}

var appenders = sync.Pool{New: func() any {
	a := new(appender)
	a.enc = json.NewEncoder(a)
	a.enc.SetEscapeHTML(false)
	return a
}}

func (goccyCodec) Append(dst []byte, v any) ([]byte, error) {
	a := appenders.Get().(*appender)
	n := len(dst)
	a.dst = dst
	err := a.enc.Encode(v)
	out := a.dst
	a.dst = nil
	if err != nil {
		return dst, err // the encoder is left to the collector: it may remember the error
	}
	appenders.Put(a)
	return finish(dst, out, n)
}

func (goccyCodec) Decode(data []byte, v any) error { return json.Unmarshal(data, v) }

type stdCodec struct{}

func (stdCodec) Append(dst []byte, v any) ([]byte, error) {
	n := len(dst)
	b := bytes.NewBuffer(dst)
	enc := stdjson.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return finish(dst, b.Bytes(), n)
}

func (stdCodec) Decode(data []byte, v any) error { return stdjson.Unmarshal(data, v) }

// finish takes the encoder's newline off. Both libraries pass the bytes of a
// MarshalJSON method or a RawMessage through without a look at their UTF-8.
func finish(dst, out []byte, n int) ([]byte, error) {
	out = bytes.TrimSuffix(out, []byte{'\n'})
	if !utf8.Valid(out[n:]) {
		return dst, errNotUTF8
	}
	return out, nil
}
