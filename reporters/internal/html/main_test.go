package html

import (
	"fmt"
	"os"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(testutil.CheckLeaks(code))
}
