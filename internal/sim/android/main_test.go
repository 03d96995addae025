package androidsim

import (
	"fmt"
	"os"
	"testing"

	"github.com/taproot-dev/taproot/internal/leaktest"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// chromium shows the pages of this package's WebViews.
var chromium chromiumtest.DevTools

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(leaktest.Check(code))
}
