package client

import (
	"fmt"
	"testing"
)

// TestProgressQueueIsBounded in bytes, but for one long notification.
func TestProgressQueueIsBounded(t *testing.T) {
	mib := make([]byte, 1<<20)
	for _, c := range []struct {
		name  string
		sizes []int // in MiB
		want  string
	}{
		{"within", []int{8, 8}, "[8 8]"},
		{"one too many", []int{8, 8, 1}, "[8 1]"},
		{"some too many", []int{1, 2, 3, 4, 5, 6}, "[4 5 6]"},
		{"a long one", []int{1, 2, 20}, "[20]"},
		{"behind a long one", []int{20, 1, 2}, "[1 2]"},
	} {
		var q progressQueue
		for _, n := range c.sizes {
			note := make([]byte, 0, n<<20)
			for range n {
				note = append(note, mib...)
			}
			q.addLocked(note)
		}
		var got []int
		bytes := 0
		for _, n := range q.notes {
			got = append(got, len(n)>>20)
			bytes += len(n)
		}
		if fmt.Sprint(got) != c.want || bytes != q.bytes {
			t.Errorf("%s: kept %d, %d bytes of %d; want %s", c.name, got, q.bytes, bytes, c.want)
		}
	}
}
