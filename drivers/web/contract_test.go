package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
)

// kept is a driver that a subtest does not close: one browser serves them all.
type kept struct{ *Driver }

func (kept) Close() error { return nil }

// TestContract: the driver keeps the promises of package drivers. The page is the one that the sample suites sign in to.
func TestContract(t *testing.T) {
	pages := httptest.NewServer(http.FileServer(http.Dir("../../suites/pages")))
	t.Cleanup(pages.Close)
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		Driver: func(*testing.T) drivers.Driver { return kept{shared} },
		ID:     "web-1",
		Login: func(ctx context.Context, dev drivers.Device) error {
			return dev.(drivers.Browser).OpenPage(ctx, pages.URL+"/login.html", drivers.PageOptions{})
		},
		Patience: patience,
	})
}
