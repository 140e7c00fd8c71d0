// Package bench measures what every layer of linerpc costs, each beside the
// same work in encoding/json:
//
//	go test -bench . ./bench
//
// Names carry their configuration, so that benchstat can compare two runs.
package bench
