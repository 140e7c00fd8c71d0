package peer

import (
	"hash/maphash"
	"sync/atomic"
)

// method is what a connection remembers of a method name.
type method struct {
	name    string
	slow    atomic.Int32 // above 0: run it beside the reader (takeover.go)
	unknown atomic.Bool  // nobody serves it; its place may be taken
	strikes uint8        // how often it was slow of late; guarded by Conn.mu
	turn    uint64       // when it was slow last; guarded by Conn.mu
	loose   bool         // no answer waits for its notifications; guarded by Conn.mu
	route   atomic.Pointer[route]
}

// route is what Request.Route found last.
type route struct {
	table   *map[string]Handler
	handler Handler
}

// Route finds the handler of the request's method in a table, and nil when
// there is none. The table must not change any more: what was found is
// remembered with the method's name, so that the next request on the same
// connection that asks the same table is spared the search.
func (r Request) Route(table *map[string]Handler) Handler {
	if known := r.method.route.Load(); known != nil && known.table == table {
		return known.handler
	}
	h := (*table)[r.method.name]
	if h != nil {
		r.method.route.Store(&route{table, h})
	}
	return h
}

// The economics of running a method beside the reader. To be wrong about a
// slow one costs a millisecond of stall, about a fast one a microsecond: so
// each fast run beside takes one off a counter, and the method stays there as
// long as that is above zero.
//
// How much a slow run is worth depends on how long ago the last one was. One
// in thousands may be the machine's fault, which preempted the handler, and
// costs one run beside; those that come within nearTurns of each other are
// worth twice that, and so on to maxRuns. A method that was never seen starts
// beside for one run, so methods that are slow from the start never stall
// anybody.
const (
	firstRuns  = 1
	minRuns    = 1
	maxStrikes = 10
	maxRuns    = minRuns << maxStrikes
	nearTurns  = 256
)

// wasSlowLocked notes a run that held the reader up, or would have. The turn
// is the reading role's.
func (m *method) wasSlowLocked(turn uint64) {
	switch {
	case turn-m.turn > nearTurns:
		m.strikes = 0
	case m.strikes < maxStrikes:
		m.strikes++
	}
	m.turn = turn
	m.slow.Store(minRuns << m.strikes)
}

// wasFast notes a run beside the reader that would not have held it up.
func (m *method) wasFast() {
	if m.slow.Load() > 0 {
		m.slow.Add(-1)
	}
}

// methodTable interns method names: those in use cost no allocation, and
// hostile ones cannot fill memory. It belongs to the reading role. It grows
// from minSlots to maxSlots; then newcomers push others out. A name that nobody
// serves takes a free place or that of its like, or is not kept.
type methodTable struct {
	has  func(name string) bool // nil: nobody can tell
	last *method
	slot []*method
}

const (
	minSlots    = 16
	maxSlots    = 256
	probes      = 4
	maxInterned = 256 // bytes of a name that is worth remembering
)

var methodSeed = maphash.MakeSeed()

// find returns the entry of a name.
func (t *methodTable) find(name []byte) *method {
	if t.last != nil && t.last.name == string(name) {
		return t.last
	}
	if len(name) > maxInterned {
		return t.make(name)
	}
	h := maphash.Bytes(methodSeed, name)
	for i := range uint64(min(probes, len(t.slot))) {
		if m := t.slot[(h+i)%uint64(len(t.slot))]; m != nil && m.name == string(name) {
			t.last = m
			return m
		}
	}
	t.last = t.make(name)
	t.put(h, t.last)
	return t.last
}

// put finds a place for a new entry.
func (t *methodTable) put(h uint64, m *method) {
	n := uint64(len(t.slot))
	for i := range min(probes, n) {
		if at := &t.slot[(h+i)%n]; *at == nil || (*at).unknown.Load() {
			*at = m
			return
		}
	}
	if m.unknown.Load() && n > 0 {
		return
	}
	if n == maxSlots {
		t.slot[h%n] = m
		return
	}
	old := t.slot
	t.slot = make([]*method, max(minSlots, 2*n))
	for _, e := range old {
		if e != nil {
			t.put(maphash.String(methodSeed, e.name), e)
		}
	}
	t.put(h, m)
}

// make makes the entry of a name that was not seen before. To say that nobody
// serves it is fast; and where nobody can tell, a flood of names is likely not
// to be served.
func (t *methodTable) make(name []byte) *method {
	m := &method{name: string(name)}
	switch {
	case t.has == nil && len(t.slot) < maxSlots, t.has != nil && t.has(m.name):
		m.slow.Store(firstRuns)
	case t.has != nil:
		m.unknown.Store(true)
	}
	return m
}
