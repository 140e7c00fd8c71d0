//go:build !race && !poison

package server_test

const checked = false
