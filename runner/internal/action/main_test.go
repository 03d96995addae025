package action_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/taproot-dev/taproot/drivers/web"
)

// chromium is the one browser of this package's tests; each session has a context of its own in it.
var chromium = web.New(web.Options{Slots: 8})

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
