package codec

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// The codes that JSON-RPC 2.0 section 5.1 defines, and CodeCancelled, which
// LSP and ACP use for a call that was cancelled.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
	CodeCancelled      = -32800
)

// RawMessage is JSON text that is kept as it is. It is the type of
// encoding/json, which goccy/go-json shares.
type RawMessage = json.RawMessage

// Error is the error object of a response (JSON-RPC 2.0 section 5.1). A
// handler returns one, bare or wrapped with %w, to choose what its caller
// sees; a call returns one when the other side answered with an error.
type Error struct {
	Code    int
	Message string
	Data    RawMessage // optional; nil is left out
}

// Error gives the message and the code.
func (e *Error) Error() string {
	return e.Message + " (" + strconv.Itoa(e.Code) + ")"
}

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &codec.Error{Code: codec.CodeMethodNotFound}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// WithData returns a copy of the error that carries v, encoded with
// encoding/json. A value that can't be encoded becomes a string that says so.
func (e *Error) WithData(v any) *Error {
	data, err := Std.Append(nil, v)
	if err != nil {
		data = AppendQuote(nil, "data could not be encoded: "+err.Error())
	}
	return &Error{Code: e.Code, Message: e.Message, Data: data}
}

// ParseError is the answer to a line that is not JSON.
func ParseError(reason string) *Error { return newError(CodeParseError, "Parse error", reason) }

// InvalidRequest is the answer to JSON that is not a request.
func InvalidRequest(reason string) *Error {
	return newError(CodeInvalidRequest, "Invalid Request", reason)
}

// maxMethodEcho is how many bytes of an unknown method's name its caller gets back.
const maxMethodEcho = 256

// MethodNotFound names the method that nobody serves, cut at 256 bytes.
func MethodNotFound(method string) *Error {
	if len(method) > maxMethodEcho {
		method = method[:maxMethodEcho] + "…"
	}
	return newError(CodeMethodNotFound, "Method not found", method)
}

// InvalidParams says what is wrong with the params of a request.
func InvalidParams(reason string) *Error {
	return newError(CodeInvalidParams, "Invalid params", reason)
}

// InternalError is the answer when a handler failed.
func InternalError(reason string) *Error {
	return newError(CodeInternalError, "Internal error", reason)
}

func newError(code int, text, reason string) *Error {
	if reason != "" {
		text += ": " + reason
	}
	return &Error{Code: code, Message: text}
}

var errMalformed = errors.New("codec: malformed error object")

// DecodeError reads the error object of a response. The code must be an
// integer and the message a string (JSON-RPC 2.0 section 5.1); the result
// aliases nothing.
func DecodeError(raw []byte) (*Error, error) {
	var w struct {
		Code    *int       `json:"code"`
		Message *string    `json:"message"`
		Data    RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if w.Code == nil || w.Message == nil {
		return nil, errMalformed
	}
	return &Error{Code: *w.Code, Message: *w.Message, Data: w.Data}, nil
}
