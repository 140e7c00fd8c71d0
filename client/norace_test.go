//go:build !race && !poison

package client

const checked = false
