package action_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/taproot-dev/taproot/drivers/web"
)

// chromium is the one browser of this package's tests; each session has a context of its own in it.
var chromium = web.New(web.Options{Slots: 8})

// few gives every nth of some rows in the short mode: make test-full has them all.
func few[T any](nth int, rows []T) []T {
	if !testing.Short() {
		return rows
	}
	var list []T
	for i := 0; i < len(rows); i += nth {
		list = append(list, rows[i])
	}
	return list
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
