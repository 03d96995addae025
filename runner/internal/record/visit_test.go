package record

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// TestPageThatTellsLate: a page that was opened by the browser's history and was left before it was reported is not
// mistaken for the current one.
func TestPageThatTellsLate(t *testing.T) {
	all := []drivers.WebHistoryEntry{{Index: 0, URL: "/board"}, {Index: 1, URL: "/home"}, {Index: 2, URL: "/board"},
		{Index: 3, URL: "/home"}}
	for _, c := range []struct {
		shown   int // current index
		address string
		before  int
		want    int
	}{{1, "/home", 2, 1}, {2, "/home", 2, 1}, {2, "/home", 4, 3}, {2, "", 1, 2}, {2, "/elsewhere", 1, 2}} {
		now := all[c.shown]
		now.All = all
		if got := entryOf(now, c.address, c.before); got.Index != c.want {
			t.Errorf("%+v: entry %d", c, got.Index)
		}
	}
}
