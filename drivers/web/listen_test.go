package web

import (
	"slices"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestListen: what the pages and frames of a context report is received with the tab that it came from, of those that
// come later, too; in a browser of the user's own, other tabs are left alone.
func TestListen(t *testing.T) {
	testutil.Leave(t, "package record listens to pages, in a browser that it attaches to")
	for name, how := range map[string]drivers.PageOptions{"our own browser": {}, "the user's browser": {
		Connect: running(t)}} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			Must(t, d.OpenPage(t.Context(), site.Page("popup.html"), how))
			var mu sync.Mutex
			var heard []string
			Must(t, d.Listen(t.Context(), "tellTest", `tellTest(location.pathname)`, func(tab int, text string) {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, string(rune('0'+tab))+" "+text)
			}))
			hears := func(want string) {
				t.Helper()
				if !until(t.Context(), patience, func() bool {
					mu.Lock()
					defer mu.Unlock()
					return slices.Contains(heard,
						want)
				}) {
					t.Errorf("%q is not heard: %q", want, heard)
				}
			}
			hears("0 /popup.html")
			Must(t, d.ClickOn(t.Context(), target("#tab"), drivers.WebClick{}))
			Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{URL: "**/framed.html*"}, patience))
			hears("1 /framed.html")
			mu.Lock()
			defer mu.Unlock()
			for _, told := range heard {
				if told == "2 /late.html" || told == "-1 /late.html" {
					t.Errorf("another tab of the user's was listened to: %q", heard)
				}
			}
		})
	}
	WantError(t, open(t).Listen(t.Context(), "x", "1", nil), drivers.ErrPage)
}
