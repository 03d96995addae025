package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// kept is a driver that a subtest does not close: one browser serves them all.
type kept struct{ *Driver }

func (kept) Close() error { return nil }

// promise is a test of the contract. In the short mode, what tests of this package try as well is left out.
type promise struct{ *testing.T }

var alsoTried = map[string]string{
	"gestures reach the app when it says that it knows them": "TestGestures",
	"keys reach the app when it says that it has them":       "TestKeys",
	"takes text away when it says that it can":               "TestErase",
	"films when it says that it can":                         "TestRecordingGivesAClipPerOpening",
	"logs when it says that it can":                          "TestLog",
	"shows its screen live when it says that it can":         "the live picture of Studio",
	"a tree is never an old one":                             "TestTapAndType",
	"the tree fits the picture":                              "TestEmulation",
	"taps and types reach the app":                           "TestSignIn",
	"an app or a page that is not there blames the app":      "TestAddressesThatDoNotOpen",
}

func (p promise) Run(name string, do func(promise)) bool {
	return p.T.Run(name, func(t *testing.T) {
		if also := alsoTried[name]; also != "" {
			testutil.Leave(t, also+" remains")
		}
		do(promise{t})
	})
}

// TestContract: the driver keeps the promises of package drivers. The page is the one that the sample suites sign in
// to.
func TestContract(t *testing.T) {
	pages := httptest.NewServer(http.FileServer(http.Dir("../../suites/pages")))
	t.Cleanup(pages.Close)
	drivertest.Run(promise{t}, drivertest.Subject[promise]{
		Driver: func(promise) drivers.Driver { return kept{shared} },
		ID:     "web-1",
		Login: func(ctx context.Context, dev drivers.Device) error {
			return dev.(drivers.Browser).OpenPage(ctx, pages.URL+"/login.html", drivers.PageOptions{})
		},
		Patience: patience,
	})
}
