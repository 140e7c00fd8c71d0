package codec

import "strconv"

// Kind says what a line is.
type Kind uint8

const (
	// Invalid is a line that is none of the others; Message.Fault says why.
	Invalid Kind = iota
	// Request is a call with an id, which may be null (JSON-RPC 2.0 section 4).
	Request
	// Notification is a call without an id, never answered (section 4.1).
	Notification
	// Response carries a result or an error (section 5). One that breaks the
	// rules of section 5 is a Response with a Fault: it is never answered.
	Response
	// Batch is a non-empty array; its items stand in Message.Items (section 6).
	Batch
)

var kindNames = [...]string{"invalid", "request", "notification", "response", "batch"}

// String gives the lower-case name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Message is one parsed message. Its slices are borrowed: see the package
// comment. A nil slice means that the member was absent.
type Message struct {
	Kind   Kind
	Fault  Fault
	Offset int    // for FaultSyntax, FaultUTF8 and FaultDepth: the byte at which the scan stopped
	ID     []byte // raw JSON: a number, a string or null; nil when absent or not usable
	Method []byte // the name with its escapes resolved
	Params []byte // raw JSON array or object; nil when absent or null
	Result []byte // raw JSON of a response's result
	Error  []byte // raw JSON of a response's error; nil when absent or null
	Items  []Message
}

// HasID reports whether the message carries a usable id. The id null counts:
// a request may have it, and is answered with it.
func (m *Message) HasID() bool { return m.ID != nil }

// NullID reports whether the id is present and null.
func (m *Message) NullID() bool { return len(m.ID) == 4 && m.ID[0] == 'n' }

// Fault is the reason why a line is not a well-formed message. The zero value
// means that it is.
type Fault uint8

const (
	FaultNone       Fault = iota
	FaultSyntax           // not one JSON value (RFC 8259 section 2)
	FaultUTF8             // not UTF-8 (RFC 8259 section 8.1)
	FaultDepth            // nested deeper than Limits.MaxDepth
	FaultNotObject        // a JSON value that is neither object nor array
	FaultVersion          // jsonrpc is missing or not "2.0"
	FaultEmpty            // neither method, result nor error
	FaultMethod           // a method that is not a string
	FaultParams           // params that are neither array, object nor null
	FaultID               // an id that is neither string, number nor null
	FaultIDLong           // an id of more than Limits.MaxID bytes
	FaultDuplicate        // an envelope member that stands there twice
	FaultEmptyBatch       // an empty array
	FaultItems            // an array of more than Limits.MaxItems items
	FaultNoBatch          // an array where Limits.NoBatch refuses it
	FaultResponse         // a response without result and error, or with both
)

var faultTexts = [...]string{
	FaultNone:       "no fault",
	FaultSyntax:     "Parse error: not one JSON value",
	FaultUTF8:       "Parse error: invalid UTF-8",
	FaultDepth:      "Parse error: nested too deeply",
	FaultNotObject:  "Invalid Request: neither an object nor an array",
	FaultVersion:    `Invalid Request: jsonrpc must be "2.0"`,
	FaultEmpty:      "Invalid Request: no method",
	FaultMethod:     "Invalid Request: method must be a string",
	FaultParams:     "Invalid Request: params must be an array or an object",
	FaultID:         "Invalid Request: id must be a string, a number or null",
	FaultIDLong:     "Invalid Request: id is too long",
	FaultDuplicate:  "Invalid Request: an envelope member stands there twice",
	FaultEmptyBatch: "Invalid Request: empty batch",
	FaultItems:      "Invalid Request: too many items in the batch",
	FaultNoBatch:    "Invalid Request: batches are not supported",
	FaultResponse:   "malformed response: needs exactly one of result and error",
}

// Code gives the JSON-RPC error code that answers the fault: -32700 where the
// line is not JSON, else -32600, and 0 for FaultNone.
func (f Fault) Code() int {
	switch f {
	case FaultNone:
		return 0
	case FaultSyntax, FaultUTF8, FaultDepth:
		return CodeParseError
	}
	return CodeInvalidRequest
}

// String gives the message that goes with the code.
func (f Fault) String() string {
	if int(f) < len(faultTexts) {
		return faultTexts[f]
	}
	return "Fault(" + strconv.Itoa(int(f)) + ")"
}

// FaultError gives the error object that answers the message's fault. The
// message of a parse error names the byte at which the scan stopped, counted
// from 0 at the first byte of the line.
func (m *Message) FaultError() *Error {
	text := m.Fault.String()
	if m.Fault.Code() == CodeParseError {
		text += " at byte " + strconv.Itoa(m.Offset)
	}
	return &Error{Code: m.Fault.Code(), Message: text}
}
