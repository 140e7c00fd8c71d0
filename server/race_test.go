//go:build race || poison

package server_test

// checked builds scribble over recycled memory and count allocations of
// their own.
const checked = true
