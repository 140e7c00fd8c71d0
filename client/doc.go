// Package client is what the author of a harness imports: a program that
// starts tool servers, calls them and is called by them.
//
//	c, err := client.Command(ctx, exec.Command("tool-server"), nil)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	sum, err := client.Call[float64](ctx, c, "math.add", AddParams{2, 3})
//
// Read it in this order:
//
//	client.go    Client: Command, Dial and New, and how it is closed
//	options.go   Options and their bounds
//	call.go      Call, CallRaw, Notify; errors.go what they give
//	future.go    Go: calls whose result is waited for later; batch.go: arrays of them
//	progress.go  WithProgress: what a call is told while it runs; ask.go
//	inbound.go   Subscribe, and what the other side asks
//	link.go      one connection and what is behind it, to its end
//	restart.go   Restart: the next child after one that has ended
//	process.go   a child and its group; process_unix.go, process_windows.go
//	stderr.go    a child's standard error; tail.go
//	pipe.go      the pipes of a child; pipe_linux.go, and try_unix.go for any descriptor
//
// # Calls
//
// A call ends with its context, whatever the other side does: also when it
// does not read, with the call half written. The line that was begun is
// finished by the connection in its own time, so what follows is whole. The
// other side is told in the way of the profile that nobody waits any more, and
// an answer that comes nevertheless is dropped. Ids are never used again.
//
// An answer that is an error is a [*Error] with its code and data. A call that
// ends with the connection gives a [*ClosedError]: how the child exited, and
// the last of what it wrote to its standard error.
//
// # Lifetimes
//
// [Client.CallRaw] appends to the buffer that it is given and keeps no part of
// it. What [WithProgress] hands out may be kept. The requests of a [Handler]
// and of a [Subscriber] are borrowed: valid until it returns.
//
// # Order
//
// What one goroutine sends leaves in the order it was sent. Handlers and
// subscribers are called in the order of the wire. A call returns when those
// of the notifications that stand before its answer have ended: see
// Options.OrderWait for how long, and [WithOrderWait]. Progress is given to the goroutine that made the call,
// all of it before the call returns.
//
// # Processes
//
// A child that was started with [Command] has a process group of its own, on
// Windows a job, and nothing of the group outlives it. Its standard error is
// always read, so that it cannot get stuck on it. [Client.Close] ends the
// child's input and waits for it to exit; then it asks with TERM and in the
// end kills: [Options] has the durations. When it returns, the child has been
// reaped, and no descriptor of the client is left, nor a goroutine, unless a
// reader or a sink of the caller's does not return.
//
// A child that exits by itself is noticed at once. What it has written before
// is still read, to the end or for 200 ms: something else may hold its output
// open. With Options.Restart another one is started then.
//
// # Limits
//
// Everything that waits or grows is bounded: see [Options].
//
// # Security
//
// The other side is not trusted. Lines that are no message are skipped, counted
// and told to a hook, and never answered; a handler's panic is answered with
// -32603. A child runs with the rights and the environment that its exec.Cmd
// gives it: the client adds nothing, and takes nothing away.
package client
