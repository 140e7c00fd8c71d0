package codec

import (
	"bytes"
	"strconv"
)

// Form says whether the messages that are written carry the member jsonrpc.
type Form uint8

const (
	V2   Form = iota // "jsonrpc":"2.0" comes first, as JSON-RPC 2.0 section 4 wants it
	Bare             // the member is left out, as Codex speaks
)

func (f Form) open(dst []byte) []byte {
	if f == Bare {
		return append(dst, '{')
	}
	return append(dst, `{"jsonrpc":"2.0",`...)
}

// OpenRequest appends a request up to its params. The caller appends a comma,
// "params": and the value where there is one, then a closing brace. The id is
// raw JSON.
func (f Form) OpenRequest(dst, id []byte, method string) []byte {
	dst = append(f.open(dst), `"id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"method":`...)
	return AppendQuote(dst, method)
}

// OpenNotification is OpenRequest for a message without id.
func (f Form) OpenNotification(dst []byte, method string) []byte {
	return AppendQuote(append(f.open(dst), `"method":`...), method)
}

// OpenResult appends a response up to its result. The caller appends the
// value and a closing brace.
func (f Form) OpenResult(dst, id []byte) []byte {
	dst = append(f.open(dst), `"id":`...)
	dst = append(dst, id...)
	return append(dst, `,"result":`...)
}

// AppendRequest appends a whole request. Params are raw JSON, nil to leave
// them out; newlines between their tokens become blanks.
func (f Form) AppendRequest(dst, id []byte, method string, params []byte) []byte {
	return closeParams(f.OpenRequest(dst, id, method), params)
}

// AppendNotification appends a whole notification; params as in AppendRequest.
func (f Form) AppendNotification(dst []byte, method string, params []byte) []byte {
	return closeParams(f.OpenNotification(dst, method), params)
}

func closeParams(dst, params []byte) []byte {
	if params != nil {
		dst = AppendRaw(append(dst, `,"params":`...), params)
	}
	return append(dst, '}')
}

// AppendResult appends a whole response with a result. The result is raw
// JSON; nil is written as null, for a response always has its result.
func (f Form) AppendResult(dst, id, result []byte) []byte {
	dst = f.OpenResult(dst, id)
	if result == nil {
		return append(dst, "null}"...)
	}
	return append(AppendRaw(dst, result), '}')
}

// AppendError appends a whole response with an error. A nil id is written as
// null (JSON-RPC 2.0 section 5). Data that is not one JSON value is written
// as a string with its bytes.
func (f Form) AppendError(dst, id []byte, e *Error) []byte {
	dst = append(f.open(dst), `"id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	}
	dst = append(dst, id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendQuote(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		if Valid(e.Data) {
			dst = AppendRaw(dst, e.Data)
		} else {
			dst = AppendQuote(dst, string(e.Data))
		}
	}
	return append(dst, "}}"...)
}

// AppendRaw appends valid JSON text so that it stays on one line: newlines,
// which can only stand between its tokens, become blanks.
func AppendRaw(dst, raw []byte) []byte {
	n := len(dst)
	dst = append(dst, raw...)
	for {
		i := bytes.IndexByte(dst[n:], '\n')
		if i < 0 {
			return dst
		}
		n += i
		dst[n] = ' '
	}
}
