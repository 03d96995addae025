package reporters

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childEnv makes the test binary play a part in another process: see children in child_test.go.
const childEnv = "REPORTERS_TEST_CHILD"

func TestMain(m *testing.M) {
	if play := children[os.Getenv(childEnv)]; play != nil {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}
