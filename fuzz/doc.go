// Package fuzz holds the fuzz targets: hostile lines against the sniffer, the
// framing and a whole server. Their seeds run with every go test; to search:
//
//	go test -fuzz FuzzSniff ./fuzz
package fuzz
