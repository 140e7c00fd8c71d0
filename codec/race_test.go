//go:build race

package codec_test

// raceEnabled says that allocations can't be counted: the detector allocates,
// and sync.Pool drops what it is given at random.
const raceEnabled = true
