// Package peer runs one JSON-RPC 2.0 connection over a pair of byte streams,
// one message a line. JSON-RPC is symmetric: either side may call the other,
// so there is one [Conn] for both ends. Package server is its face for the author
// of a tool server, package client for who starts and calls one.
//
// Read it in this order:
//
//	handler.go   Handler, Request, Reply: what an author sees of a call
//	context.go   the context of a handler, and Remote: the other side; asked.go
//	options.go   Options and their bounds; profile.go, hooks.go
//	conn.go      Conn: made and closed; serve.go how it runs and ends
//	reader.go    the reading role: from a line to a handler
//	takeover.go  how the role leaves a goroutine that is slow
//	beside.go    requests that run beside the reader, or wait
//	exchange.go  one request on its way to its answer; panics.go
//	batch.go     arrays
//	call.go      calls to the other side; pending.go those that are waited for
//	             later, and arrays of them
//	deliver.go   how an answer finds its call, and wakes who waits for it
//	order.go     answers, and the notifications that stand before them
//	lift.go      a handler that waits in a call, out of everybody's way
//	lend.go      a caller that is alone reads for itself
//	send.go      how messages leave
//	pipe.go      Pipe: two connections in memory; oneshot.go: Exchange
//
// # Lifetimes
//
// What a handler is given, the id and the params of its Request, is borrowed:
// valid until the handler returns. [Request.Clone] makes it last. Method names
// are strings of their own and may be kept. [Reply] and [Request] are small
// values that know which call they belong to: used after their handler has
// returned they give [ErrDone]. A handler's context is done when it has returned,
// for good, as in net/http; [FromContext] gives ErrDone from then on.
//
// # Order
//
// Requests and notifications are released to their handlers in the order of
// the wire. A notification is a barrier: its handler ends before anything
// after it starts. Responses go out as they are ready. What a handler sends
// precedes its own response and follows the responses that were ready before.
//
// The answer to a call is given to the caller when the handlers of the
// notifications that stand before it on the wire have ended. A handler that
// waits in a call with its own context is passed, and Options.OrderWait ends
// any other wait.
//
// # Fast and slow
//
// A handler that returns at once runs on the goroutine that read its line. One
// that has been running for a millisecond or two loses the reading role to
// another goroutine, so responses, cancellations and further requests are
// always read. Nothing has to be marked as slow. A handler may call the other
// side and wait. What was slow is remembered by method and starts beside the
// reader next time, as does the first call of each method: two requests that
// are under way together may be answered in either order.
//
// # Limits
//
// Everything that waits or grows is bounded: see [Options].
//
// # Security
//
// Whatever stands on a line, it costs at most one error answer; the stream
// goes on. A handler's panic is answered with -32603 and harms nobody else.
package peer
