//go:build race

package frame

// raceEnabled skips what the race detector's own work would spoil.
const raceEnabled = true
