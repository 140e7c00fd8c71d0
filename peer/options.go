package peer

import (
	"log/slog"
	"math"
	"time"

	"github.com/linerpc/linerpc/codec"
	"github.com/linerpc/linerpc/frame"
)

// Defaults of Options.
const (
	DefaultMaxHandlers = 4096
	DefaultMaxQueued   = 16 << 20
	DefaultDrain       = 1500 * time.Millisecond
	DefaultGrace       = 300 * time.Millisecond
	DefaultOrderWait   = time.Second
)

// Options sets up a connection. Nil is the right default. A zero field means
// its default; for the bounds, a negative value means no limit.
//
//	field        default  beyond it
//	MaxLine      64 MiB   the line is answered with -32600, skipped, and the stream goes on
//	MaxDepth     10,000   -32700
//	MaxID        16 KiB   -32600, id null
//	MaxBatch     1,000    one -32600 for the array; nothing of it runs
//	MaxHandlers  4,096    requests wait; responses and cancellations go on
//	MaxQueued    16 MiB   a waiting request is answered "overloaded"; notifications have as much again, beyond that the connection fails
//	MaxPending   16 MiB   reading stops; one larger message is admitted when nothing waits
//	MaxSend      none     a call or notification fails with ErrTooLarge; an answer becomes -32603
//	Stall        30 s     the connection fails when nothing leaves for so long while somebody waits for room
//	Drain        1.5 s    at end of input, handlers' contexts are cancelled
//	Grace        0.3 s    after that, Serve returns without them
//	OrderWait    1 s      the answer to a call no longer waits for the handler of a notification before it
type Options struct {
	Profile *Profile    // JSONRPC
	Codec   codec.Codec // codec.Goccy

	MaxLine     int // bytes of a line, its line end not counted
	MaxDepth    int // levels of arrays and objects
	MaxID       int // bytes of an id as written
	MaxBatch    int // items of an array
	MaxHandlers int // handlers running at once
	MaxQueued   int // bytes of requests that wait for a handler to end; of handlers that wait in calls (ErrNested); of answers that wait for notifications
	MaxPending  int // bytes that wait to be written
	MaxSend     int // bytes of a message that is sent; arrays of answers are not counted

	Stall time.Duration
	Drain time.Duration
	Grace time.Duration

	// OrderWait is how long answers to calls wait for the handler of a
	// notification that stands before them on the wire, counted from the first
	// answer that waits for it. A method whose handler has kept answers waiting
	// for all of that is not waited for again on that connection. Answers that wait
	// count in MaxQueued bytes; beyond that they are delivered. See WithOrderWait.
	OrderWait time.Duration

	// Client says that this side is a client: lines that are no message are
	// noise, told to the hooks and not answered.
	Client bool
	// Progress, when set, is offered the notifications that Profile.Progress
	// names; what it does not take goes to the handler. It is called by the
	// reader, one at a time, in the order of the wire and before a response
	// behind them is delivered, whatever handlers do. It must not block. The
	// params are borrowed.
	Progress func(params []byte) (taken bool)
	// NoTakeOver is for measuring what the take-over of slow handlers costs:
	// every handler runs on the goroutine that reads and holds up everything.
	NoTakeOver bool
	// HideErrors leaves out the Go type and the text of a handler's error
	// that is no *codec.Error. Set it where strangers connect.
	HideErrors bool
	// CrashOnPanic lets a handler's panic end the process, as a panic does.
	CrashOnPanic bool
	// Logger, when set, is told of panics, of noise and of errors that had
	// nowhere else to go. The library never prints by itself.
	Logger *slog.Logger
	Hooks  Hooks
}

func orDefault(v, def int) int {
	switch {
	case v == 0:
		return def
	case v < 0:
		return int(^uint(0) >> 1)
	}
	return v
}

func orDefaultTime(v, def time.Duration) time.Duration {
	switch {
	case v == 0:
		return def
	case v < 0:
		return noLimit
	}
	return v
}

const noLimit = time.Duration(math.MaxInt64)

// settled gives options with every default filled in.
func (o *Options) settled() Options {
	var s Options
	if o != nil {
		s = *o
	}
	if s.Profile == nil {
		s.Profile = JSONRPC
	}
	if s.Codec == nil {
		s.Codec = codec.Goccy
	}
	s.MaxHandlers = orDefault(s.MaxHandlers, DefaultMaxHandlers)
	s.MaxQueued = orDefault(s.MaxQueued, DefaultMaxQueued)
	s.MaxSend = orDefault(s.MaxSend, math.MaxInt)
	s.MaxPending = orDefault(s.MaxPending, frame.DefaultMaxPending)
	s.Drain = orDefaultTime(s.Drain, DefaultDrain)
	s.Grace = orDefaultTime(s.Grace, DefaultGrace)
	s.OrderWait = orDefaultTime(s.OrderWait, DefaultOrderWait)
	s.Hooks = s.Hooks.withLogger(s.Logger)
	return s
}

func (o *Options) limits() codec.Limits {
	return codec.Limits{
		MaxDepth: o.MaxDepth, MaxID: o.MaxID, MaxItems: o.MaxBatch,
		NoBatch: !o.Profile.Batch, Bare: o.Profile.Bare,
	}
}

func (o *Options) form() codec.Form {
	if o.Profile.Bare {
		return codec.Bare
	}
	return codec.V2
}

func (o *Options) writer() frame.WriterOptions {
	return frame.WriterOptions{MaxPending: o.MaxPending, Stall: o.Stall}
}
