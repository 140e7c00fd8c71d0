//go:build !race && !poison

package frame

const poisoned = false
