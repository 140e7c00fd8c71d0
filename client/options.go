package client

import (
	"io"
	"log/slog"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/peer"
)

// Defaults of Options.
const (
	DefaultStderrTail = 8 << 10
	DefaultCloseWait  = 2 * time.Second
	DefaultTermWait   = 2 * time.Second
)

// Options sets up a client. Nil is the right default. A zero field means its
// default; for the bounds and the durations, a negative value means no limit.
//
// The bounds are those of peer.Options and hold for what the other side sends
// and asks for, but for these:
//
//	field       default  beyond it
//	MaxSend     none     the message is not sent, and the error is ErrTooLarge; an answer becomes -32603
//	MaxPending  16 MiB   a call waits for room as long as its context lasts
//	OrderWait   1 s      the answer to a call no longer waits for the handler of a notification before it
//	StderrTail  8 KiB    the oldest bytes of a child's standard error are forgotten
//	CloseWait   2 s      a child that has not exited since the end of its input is sent TERM
//	TermWait    2 s      and since TERM, KILL
type Options struct {
	Profile *peer.Profile // peer.JSONRPC
	Codec   codec.Codec   // codec.Goccy

	// Handler answers what the other side asks, and takes the notifications
	// that nobody has subscribed to. Nil knows no method.
	Handler peer.Handler
	// Middleware wraps every call; the first is the outermost.
	Middleware []func(Invoker) Invoker

	MaxLine     int // bytes of a line
	MaxDepth    int // levels of arrays and objects
	MaxID       int // bytes of an id
	MaxBatch    int // items of an array
	MaxHandlers int // handlers running at once
	MaxQueued   int // bytes of requests that wait for a handler to end
	MaxPending  int // bytes that wait to be written
	MaxSend     int // bytes of a message that is sent

	Stall     time.Duration // see peer.Options
	OrderWait time.Duration // see peer.Options

	// Start is called with each connection before any other call goes through,
	// for the handshake of the protocol. When it fails the connection is closed.
	Start Starter
	// Restart starts a child again that has ended by itself. Calls that are in
	// flight fail; those that are made meanwhile wait for the new one.
	Restart *Restart

	StderrTail int       // bytes of a child's standard error that a ClosedError shows
	Stderr     io.Writer // is given all of it, by one goroutine; an error ends that
	CloseWait  time.Duration
	TermWait   time.Duration

	HideErrors   bool // as in peer.Options
	CrashOnPanic bool
	Logger       *slog.Logger
	Hooks        peer.Hooks
}

// settled gives options with every default of the client's own filled in.
func (o *Options) settled() Options {
	var s Options
	if o != nil {
		s = *o
	}
	if s.Profile == nil {
		s.Profile = peer.JSONRPC
	}
	if s.Codec == nil {
		s.Codec = codec.Goccy
	}
	if s.StderrTail == 0 {
		s.StderrTail = DefaultStderrTail
	}
	s.CloseWait = orDefault(s.CloseWait, DefaultCloseWait)
	s.TermWait = orDefault(s.TermWait, DefaultTermWait)
	return s
}

func orDefault(d, def time.Duration) time.Duration {
	switch {
	case d == 0:
		return def
	case d < 0:
		return 1<<63 - 1
	}
	return d
}

func (o *Options) peer() *peer.Options {
	return &peer.Options{
		Client:  true,
		Profile: o.Profile, Codec: o.Codec,
		MaxLine: o.MaxLine, MaxDepth: o.MaxDepth, MaxID: o.MaxID, MaxBatch: o.MaxBatch,
		MaxHandlers: o.MaxHandlers, MaxQueued: o.MaxQueued, MaxPending: o.MaxPending, MaxSend: o.MaxSend,
		Stall: o.Stall, OrderWait: o.OrderWait, HideErrors: o.HideErrors, CrashOnPanic: o.CrashOnPanic,
		Logger: o.Logger, Hooks: o.Hooks,
	}
}

func (o *Options) process() processOptions {
	return processOptions{
		stderrTail: max(o.StderrTail, 1), stderr: o.Stderr,
		afterEOF: o.CloseWait, afterTerm: o.TermWait,
	}
}
