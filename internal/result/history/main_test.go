package history

import (
	"os"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// childEnv makes the test binary play a part in another process: see children in child_test.go.
const childEnv = "REPORTERS_TEST_CHILD"

func TestMain(m *testing.M) {
	if play := children[os.Getenv(childEnv)]; play != nil {
		os.Exit(play())
	}
	testutil.NoLeaks(m)
}
