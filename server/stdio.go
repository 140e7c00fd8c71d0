package server

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errSignal is the cause of a context that a signal has ended.
var errSignal = errors.New("server: told to end by a signal")

// Stdio serves the lines of standard input on standard output until the input
// ends, ctx is done, or SIGTERM or SIGINT comes; for the input's end and for
// a signal it returns nil.
//
// While it serves, standard output belongs to the protocol: the descriptor is
// moved out of the way, and whatever else is printed to it, be it by fmt, by C
// code or by child processes, goes to standard error, or nowhere when both are
// the same file. A second signal ends the process.
//
// Stdio is for main: call it once. When it has returned, the process should
// end; a read of standard input may still be under way.
func Stdio(ctx context.Context, h Handler, o *Options) error {
	out, restore, err := claimStdout()
	if err != nil {
		return err
	}
	defer restore()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			signal.Stop(signals) // the next one has its usual effect
			cancel(errSignal)
		case <-ctx.Done():
		}
	}()
	if err = Serve(ctx, os.Stdin, out, h, o); errors.Is(err, errSignal) {
		return nil
	}
	return err
}
