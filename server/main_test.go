package server_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// roles are what this test binary can be when a test starts it again as a
// child; they give the exit status.
var roles = map[string]func() int{}

const roleVariable = "LINERPC_TEST_ROLE"

func TestMain(m *testing.M) {
	if play := roles[os.Getenv(roleVariable)]; play != nil {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}
