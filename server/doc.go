// Package server is what the author of a tool server imports: a [Mux] of
// methods, typed handlers, and [Stdio] to serve them.
//
//	mux := server.NewMux()
//	server.Handle(mux, "math.add", func(ctx context.Context, p AddParams) (float64, error) {
//		return p.A + p.B, nil
//	})
//	err := server.Stdio(ctx, mux, nil)
//
// Read it in this order:
//
//	server.go   Serve, and the names of package peer that an author needs
//	mux.go      Mux and middleware
//	typed.go    Handle: functions on Go types as handlers
//	stdio.go    Stdio: the process as a tool server
//
// # Two shapes of handler
//
// A typed handler is a function from params to a result; most methods want
// one. A raw handler ([HandlerFunc]) is given the [Request] and a [Reply] and
// may answer with JSON text as it is, and notify before that. In both an error
// that is returned is the answer; nobody can forget to answer.
//
// A typed handler reaches the other side through its context: [FromContext].
//
// # Params
//
// Params are matched to struct fields as github.com/goccy/go-json does it:
// without regard to case, and of a name that stands twice the last wins.
// Absent params (or null) give nil for a pointer, map, slice or interface
// type, nothing at all for an empty struct, and -32602 for any other type. An
// array is refused for a struct, unless the handler names its positions:
// [Positional].
//
// Lifetimes, order and limits are those of package peer.
package server
