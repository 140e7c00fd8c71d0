package main

import "github.com/linerpc/linerpc/bench/peers/drive"

// The layers, from the bottom up, each with the pieces whose difference it is.
// What encodes an answer is in two places: the envelope around it, and the
// value in it.
var layerList = []struct {
	name  string
	more  []string
	less  []string
	about string
}{
	{"read", []string{"read"}, nil, "the read system call, waking up, and one write of a byte for every burst"},
	{"frame", []string{"frame"}, []string{"write"}, "lines out of a stream, and back into one buffer"},
	{"sniff", []string{"sniff"}, []string{"frame"}, "the check against RFC 8259, UTF-8 included, which finds the envelope members"},
	{"dispatch", []string{"dispatch"}, []string{"envelope"}, "the engine: take-over, cancellation, order, bounds, and the Mux"},
	{"decode", []string{"decode"}, []string{"dispatch"}, "params into a struct of five fields"},
	{"handler", []string{"handler"}, []string{"encode"}, "the generic wrapper of a typed handler, and the author's function, which does nothing"},
	{"encode", []string{"envelope", "encode"}, []string{"sniff", "decode"}, "the envelope of the answer, and the struct in it"},
	{"write", []string{"write"}, []string{"read"}, "the write system call, which wakes the other side"},
}

// layerCosts gives the nanoseconds of CPU per message of each layer: the
// median of the differences within each round. A difference of two figures
// that are almost the same may be below 0.
func (r *result) layerCosts() []float64 {
	var costs []float64
	for _, l := range layerList {
		var rounds []float64
		for i := range r.rows[0].samples {
			sum := 0.0
			for _, piece := range l.more {
				sum += r.row(piece).samples[i][cpu]
			}
			for _, piece := range l.less {
				sum -= r.row(piece).samples[i][cpu]
			}
			rounds = append(rounds, sum)
		}
		costs = append(costs, drive.Median(rounds))
	}
	return costs
}
