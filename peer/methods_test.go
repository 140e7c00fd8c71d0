package peer

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestUnknownNamesStartInlineAndPushNobodyOut(t *testing.T) {
	table := methodTable{has: func(name string) bool { return strings.HasPrefix(name, "known") }}
	var known []*method
	for i := range 20 {
		m := table.find([]byte("known" + strconv.Itoa(i)))
		if m.slow.Load() != firstRuns {
			t.Errorf("%s: the first run is not beside the reader", m.name)
		}
		known = append(known, m)
	}
	for i := range 100_000 {
		if m := table.find([]byte("nosuch" + strconv.Itoa(i))); m.slow.Load() != 0 {
			t.Fatalf("%s: to say that nobody serves it needs no goroutine", m.name)
		}
	}
	if len(table.slot) > maxSlots {
		t.Errorf("%d slots", len(table.slot))
	}
	for i, m := range known {
		if table.find([]byte("known"+strconv.Itoa(i))) != m {
			t.Errorf("%s was pushed out", m.name)
		}
	}
}

// A name that nobody serves meets a full table, whose places for it are all of
// names that are served.
func TestUnknownNameInAFullTable(t *testing.T) {
	table := methodTable{has: func(name string) bool { return strings.HasPrefix(name, "known") }}
	for i := range 20 * maxSlots {
		table.find([]byte("known" + strconv.Itoa(i)))
	}
	before := slices.Clone(table.slot)
	if len(before) != maxSlots || slices.Contains(before, nil) {
		t.Fatalf("the table has %d slots, or room", len(before))
	}
	for i := range 1000 {
		table.find([]byte("nosuch" + strconv.Itoa(i)))
	}
	if !slices.Equal(before, table.slot) {
		t.Error("a name that nobody serves has pushed out one that is served")
	}
}

func TestLongNamesAreNotKept(t *testing.T) {
	var table methodTable
	name := []byte(strings.Repeat("x", maxInterned+1))
	first, second := table.find(name), table.find(name)
	if first == second || len(table.slot) != 0 {
		t.Error("a name above the bound was kept")
	}
}
