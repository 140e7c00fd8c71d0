package peer

import (
	"context"
	"errors"
	"log/slog"
)

// Direction tells which way a message goes.
type Direction uint8

const (
	In  Direction = iota // from the other side
	Out                  // to the other side
)

// String gives "in" or "out".
func (d Direction) String() string {
	if d == In {
		return "in"
	}
	return "out"
}

// Info describes a call or a notification to the Begin hook. Its slices are
// borrowed until the function that Begin returned has been called.
type Info struct {
	Direction    Direction
	Method       string
	ID           []byte // raw JSON; nil for a notification
	Params       []byte // raw JSON; nil when absent
	Notification bool
}

// Result describes how a call ended.
type Result struct {
	Err error // what the handler returned, or what the call gave; nil on success
}

// Hooks watch a connection. They run on its goroutines and should be quick;
// they are called without a lock held. What is nil costs nothing.
type Hooks struct {
	// Begin is called before a handler runs and before a call is sent. The
	// context it returns takes the place of ctx and must be derived from it;
	// the function, which may be nil, is called at the end.
	Begin func(ctx context.Context, info *Info) (context.Context, func(Result))
	// Line is given every line read and written, without its newline, borrowed.
	Line func(dir Direction, line []byte)
	// Noise is told of lines that were dropped or refused: a response that
	// nobody waits for, a line that is no message. The line is borrowed and,
	// where it was above the bound, only its beginning.
	Noise func(line []byte, err error)
	// Panic is given what a handler panicked with and its stack. For
	// runtime.Goexit the value is nil.
	Panic func(method string, value any, stack []byte)
	// Lost is told of errors of a handler that could not be sent to anybody:
	// those of notifications and those returned after an answer.
	Lost func(method string, err error)
}

// withLogger adds a logger to the hooks that are there.
func (h Hooks) withLogger(log *slog.Logger) Hooks {
	if log == nil {
		return h
	}
	noise, panicked, lost := h.Noise, h.Panic, h.Lost
	h.Noise = func(line []byte, err error) {
		level := slog.LevelWarn
		if errors.Is(err, ErrLate) {
			level = slog.LevelDebug
		}
		log.Log(context.Background(), level, "linerpc: line dropped or refused", "err", err, "line", string(line[:min(len(line), 256)]))
		if noise != nil {
			noise(line, err)
		}
	}
	h.Panic = func(method string, v any, stack []byte) {
		log.Error("linerpc: handler panicked", "method", method, "panic", v, "stack", string(stack))
		if panicked != nil {
			panicked(method, v, stack)
		}
	}
	h.Lost = func(method string, err error) {
		log.Warn("linerpc: error with nowhere to go", "method", method, "err", err)
		if lost != nil {
			lost(method, err)
		}
	}
	return h
}
