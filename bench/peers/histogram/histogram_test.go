package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestBucketsAdjoin(t *testing.T) {
	var next uint64
	for i := range buckets {
		low, width := bounds(i)
		if low != next || bucketOf(low) != i || bucketOf(low+width-1) != i {
			t.Fatalf("bucket %d is [%d, %d) and should begin at %d; its first is put into %d, its last into %d",
				i, low, low+width, next, bucketOf(low), bucketOf(low+width-1))
		}
		if width > 1 && width > low/half {
			t.Fatalf("bucket %d from %d is %d wide", i, low, width)
		}
		next = low + width
	}
	if got := bucketOf(math.MaxUint64); got != buckets-1 {
		t.Errorf("the longest time is in bucket %d of %d", got, buckets)
	}
}

func TestQuantilesAreThoseOfTheSortedTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var a, b Histogram
	var all []float64
	for i := range 20_000 {
		ns := math.Exp(random.Float64()*14 + 3) // 20 ns to 24 ms
		all = append(all, math.Floor(ns))
		if i%3 == 0 {
			a.Add(time.Duration(ns))
		} else {
			b.Add(time.Duration(ns))
		}
	}
	a.Merge(&b)
	slices.Sort(all)
	for _, q := range []float64{0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[int(math.Ceil(q*float64(len(all))))-1] / 1e3
		if got := a.Quantile(q); math.Abs(got-want) > want/half+1e-3 {
			t.Errorf("quantile %v is %v us; want %v", q, got, want)
		}
	}
	if a.total != uint64(len(all)) {
		t.Errorf("%d counted", a.total)
	}
	if a.Reset(); a.total != 0 || !math.IsNaN(a.Quantile(0.5)) {
		t.Error("not empty after reset")
	}
}
