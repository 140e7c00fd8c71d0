package drive

import (
	"encoding/json"
	"math"
	"slices"
)

// Figure is a number that may be missing: NaN, which is null in JSON.
type Figure float64

// MarshalJSON writes null for what is no number.
func (f Figure) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads null as NaN.
func (f *Figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = Figure(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// Median gives the value in the middle of those that are numbers, and NaN when
// there are none.
func Median(values []float64) float64 {
	v := slices.DeleteFunc(slices.Clone(values), func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) })
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Ratio gives the median of a[i]/b[i]: two that took their turns at about the
// same time were disturbed by the same.
func Ratio(a, b []float64) float64 {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return Median(ratios)
}
