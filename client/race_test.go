//go:build race || poison

package client

// checked builds scribble over recycled memory and count allocations of
// their own.
const checked = true
