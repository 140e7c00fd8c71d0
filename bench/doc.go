// Package bench measures what every layer of linerpc costs, each beside the
// same work in encoding/json:
//
//	go test -bench . ./bench
//
// Names carry their configuration, so that benchstat can compare two runs.
//
// What needs more than this module stands in modules of its own: peers, which
// measures other libraries the same way, and report, which does that for all of
// them and writes docs/performance.md.
package bench
