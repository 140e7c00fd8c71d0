package server_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("LINERPC_TEST_ROLE"); role != "" {
		os.Exit(play(role)) // this process is a child of a test of Stdio
	}
	goleak.VerifyTestMain(m)
}
