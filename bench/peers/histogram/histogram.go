// Package histogram counts durations without keeping a list of them, so that
// what measures a million messages allocates for none of them.
package histogram

import (
	"math"
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that are at most a 64th of their value
// wide. Adding touches one counter; all memory is there from the start. The
// zero value is empty.
type Histogram struct {
	total   uint64
	buckets [buckets]uint32
}

const (
	halfBits = 6
	half     = 1 << halfBits // buckets to an octave
	octaves  = 32            // above the first 128 ns: up to 9 minutes
	buckets  = (octaves + 2) * half
)

// bucketOf: below 128 the value itself, above it the seven leading bits behind
// the number of those cut off.
func bucketOf(ns uint64) int {
	cut := max(0, bits.Len64(ns)-halfBits-1)
	return min(cut*half+int(ns>>cut), buckets-1)
}

// bounds gives the first value of a bucket and how many it has.
func bounds(bucket int) (low, width uint64) {
	cut := max(0, bucket/half-1)
	return uint64(bucket-cut*half) << cut, 1 << cut
}

// Add counts a duration; one below 0 counts as 0.
func (h *Histogram) Add(d time.Duration) {
	h.total++
	h.buckets[bucketOf(uint64(max(0, d)))]++
}

// Merge adds what another one has counted.
func (h *Histogram) Merge(other *Histogram) {
	h.total += other.total
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
}

// Reset forgets everything.
func (h *Histogram) Reset() { *h = Histogram{} }

// Total is how many were counted.
func (h *Histogram) Total() uint64 { return h.total }

// Quantile gives the value in microseconds that a share q of all are not
// above, as if those in a bucket were spread evenly. NaN when there are none.
func (h *Histogram) Quantile(q float64) float64 {
	if h.total == 0 {
		return math.NaN()
	}
	rank := q * float64(h.total)
	var seen float64
	for i, n := range h.buckets {
		if n == 0 {
			continue
		}
		if seen += float64(n); seen >= rank {
			low, width := bounds(i)
			share := 1 - (seen-rank)/float64(n)
			return (float64(low) + float64(width)*share) / 1e3
		}
	}
	return math.NaN()
}
