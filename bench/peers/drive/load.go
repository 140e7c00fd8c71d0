package drive

import (
	"fmt"
	"strconv"
	"strings"
)

// Load is what a child is given.
type Load struct {
	Method  string // echo, typed or ping
	Size    int    // bytes of text in the params; 0 for an empty object, below 0 for no params
	Window  int    // units in flight
	Batch   int    // requests to a batch; 0 for none
	Notes   int    // notifications in front of each request; the unit is all of them
	BadIn   int    // one line in so many is broken JSON, in addition; 0 for none
	SlowIn  int    // one request in so many is for a handler that waits; 0 for none
	Burst   bool   // Window units in one write, then all their answers, then the next
	OneLine bool   // of a burst: one line is the answer to all of it
}

// perUnit is how many messages are answered, or passed over, for one line
// that comes back.
func (l *Load) perUnit() int { return max(1, l.Batch) + l.Notes }

const words = "the quick brown fox jumps over the lazy dog "

// Text gives so many bytes of text that no JSON encoder escapes.
func Text(size int) string {
	return strings.Repeat(words, size/len(words)+1)[:size]
}

// Params gives the JSON text of params with five members, the longest of size
// bytes. All servers take and give the same members in the same order, and in
// the form in which encoders write them.
func Params(size int) string {
	switch {
	case size < 0:
		return ""
	case size == 0:
		return "{}"
	}
	return `{"text":"` + Text(size) + `","count":12,"ratio":2.5,"ok":true,"kind":"line"}`
}

// Hello are the lines with which a client of MCP begins, the first of which is
// answered.
const Hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// An id says which slot of the window its request has, which use of the slot
// it is, and which item of a batch. All have twelve digits: messages of one
// load are equally long.
const (
	firstID    = 100_000_000_000
	slotBits   = 12
	itemBits   = 7
	maxWindow  = 1 << slotBits
	maxItems   = 1 << itemBits
	idDigits   = 12
	useStep    = 1 << (slotBits + itemBits)
	brokenLine = `{"jsonrpc":"2.0","id":7,"method":"echo","params":[1,}` + "\n"
)

func makeID(use, slot, item int) int64 {
	return firstID + int64(use)*useStep + int64(slot)<<itemBits + int64(item)
}

func splitID(id int64) (use, slot int) {
	id -= firstID
	return int(id / useStep), int(id>>itemBits) % maxWindow
}

// lines are the parts of a unit, made once.
type lines struct {
	head, tail, slow []byte // of a request: up to the id, behind it, and that for the handler that waits
	note             []byte
}

func (l *Load) lines() lines {
	params := ""
	if p := Params(l.Size); p != "" {
		params = `,"params":` + p
	}
	tail := func(method string) []byte { return []byte(`,"method":"` + method + `"` + params + "}") }
	return lines{
		head: []byte(`{"jsonrpc":"2.0","id":`),
		tail: tail(l.Method),
		slow: tail("slow"),
		note: []byte(`{"jsonrpc":"2.0","method":"note"` + params + "}\n"),
	}
}

// request is how many bytes a request has, its newline included.
func (t *lines) request() int { return len(t.head) + idDigits + len(t.tail) + 1 }

// BurstBytes is how many bytes a burst of this load has.
func (l *Load) BurstBytes() int {
	t := l.lines()
	return l.Window * t.request()
}

// BurstOf gives the most requests of a size that fit a pipe at once, so that a
// burst takes one write, one read, and the same for the answers; at most
// limit, and at least one.
func BurstOf(method string, size, limit int) int {
	t := (&Load{Method: method, Size: size}).lines()
	return max(1, min(limit, (60<<10)/t.request()))
}

func (l *Load) check() error {
	if l.Window < 1 || l.Window > maxWindow || l.Batch > maxItems {
		return fmt.Errorf("drive: %d in flight, batches of %d: at most %d and %d", l.Window, l.Batch, maxWindow, maxItems)
	}
	return nil
}

// appendUnit appends the lines of a unit.
func (l *Load) appendUnit(dst []byte, t *lines, use, slot int, slow bool) []byte {
	for range l.Notes {
		dst = append(dst, t.note...)
	}
	tail := t.tail
	if slow {
		tail = t.slow
	}
	if l.Batch == 0 {
		return append(appendRequest(dst, t.head, tail, makeID(use, slot, 0)), '\n')
	}
	for i := range l.Batch {
		if i == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = appendRequest(dst, t.head, tail, makeID(use, slot, i))
	}
	return append(dst, "]\n"...)
}

func appendRequest(dst, head, tail []byte, id int64) []byte {
	dst = append(dst, head...)
	dst = strconv.AppendInt(dst, id, 10)
	return append(dst, tail...)
}
