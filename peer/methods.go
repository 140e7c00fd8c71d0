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
}

// The economics of running a method beside the reader. To be wrong about a
// slow one costs a millisecond of stall, about a fast one a microsecond: what
// was slow once stays beside for slowRuns fast runs. A method that was never
// seen starts there for one run, so methods that are slow from the start never
// stall anybody.
const (
	slowRuns  = 1024
	firstRuns = 1
)

// methodTable interns method names: those in use cost no allocation, and
// hostile ones cannot fill memory. It belongs to the reading role.
type methodTable struct {
	last *method
	slot [methodSlots]*method
}

const (
	methodSlots  = 128
	methodProbes = 4
	maxInterned  = 256 // bytes of a name that is worth remembering
)

var methodSeed = maphash.MakeSeed()

// find returns the entry of a name.
func (t *methodTable) find(name []byte) *method {
	if t.last != nil && t.last.name == string(name) {
		return t.last
	}
	if len(name) > maxInterned {
		return newMethod(name)
	}
	h := maphash.Bytes(methodSeed, name)
	free := h % methodSlots
	for i := range uint64(methodProbes) {
		at := (h + i) % methodSlots
		m := t.slot[at]
		if m == nil {
			free = at
			break
		}
		if m.name == string(name) {
			t.last = m
			return m
		}
		if m.unknown.Load() {
			free = at
		}
	}
	m := newMethod(name)
	t.slot[free], t.last = m, m
	return m
}

func newMethod(name []byte) *method {
	m := &method{name: string(name)}
	m.slow.Store(firstRuns)
	return m
}

// wasFast notes a run beside the reader that a tick would not have noticed.
func (m *method) wasFast() {
	if m.slow.Load() > 0 {
		m.slow.Add(-1)
	}
}

// wasSlow notes a run that held the reader up, or would have.
func (m *method) wasSlow() { m.slow.Store(slowRuns) }
