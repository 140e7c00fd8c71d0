// Package codec turns one line into one JSON-RPC 2.0 message and back. It
// never does I/O and knows nothing of line ends.
//
// Read it in this order:
//
//	message.go    Message, Kind and Fault: what a line turned out to be
//	parser.go     Limits and Parser.Parse: a line, and a batch of messages
//	envelope.go   one message: the sniffer that finds the envelope members
//	classify.go   what the members found make of it
//	scan.go       the validator below: one value, and walk.go its inner loop;
//	              string.go, number.go and utf8.go its parts
//	lookup.go     one member of an object; partial.go the id of a line too long
//	append.go     Form: the four envelopes, written by appending
//	error.go      Error, the five codes of JSON-RPC 2.0 section 5.1
//	codec.go      Codec: how an author's params and results become JSON
//
// # One pass
//
// [Parser.Parse] reads a line once. That pass checks the whole of it against
// RFC 8259 (grammar, UTF-8, depth) and notes where the members jsonrpc, id,
// method, params, result and error stand. Nothing is decoded: after the pass,
// params and results are slices of the line that are known to be one valid
// JSON value each, so they can be relayed byte for byte.
//
// # Lifetimes
//
// A [Message] and all its slices are borrowed. They point into the line given
// to Parse, or into the Parser where a method name was written with escapes,
// and are valid until the next Parse or until the line's memory is used again,
// whichever comes first. [Error] values and whatever a [Codec] decodes are
// copies that alias nothing.
//
// # Limits
//
// [Limits] bounds the nesting depth, the bytes of an id and the items of a
// batch; its zero value means the documented defaults.
//
// # Security
//
// The scanner is iterative: no input makes it recurse, and its work is linear
// in the length of the line. It allocates only to remember nesting deeper than
// 63 levels, batch items and escaped method names, and keeps that memory for
// the next line.
package codec
