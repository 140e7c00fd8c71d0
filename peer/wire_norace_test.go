//go:build !race && !poison

package peer_test

const checked = false
