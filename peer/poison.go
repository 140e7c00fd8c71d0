//go:build race || poison

package peer

const poisoned = true
