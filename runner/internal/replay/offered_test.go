package replay_test

import (
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/replay"
)

// TestRepairsOfRuns: the last report that passed decides which element was meant; where that was removed, nothing is
// offered, and never another one of its label.
func TestRepairsOfRuns(t *testing.T) {
	t.Parallel()
	before := treeOf(label("Cart"), label("3 items"), button("Pay", "shop:id/pay"), button("Cancel", "shop:id/cancel"))
	for name, c := range map[string]struct {
		now  *screen.Tree
		want string
	}{
		"renamed": {treeOf(label("Cart"), label("3 items"), button("Pay now", "shop:id/pay"),
			button("Cancel", "shop:id/cancel")), "- tap: Pay now"},
		"removed":  {treeOf(label("Cart"), label("3 items"), button("Cancel", "shop:id/cancel")), ""},
		"replaced": {treeOf(label("Cart"), label("3 items"), button("Help", "h"), button("Cancel", "shop:id/cancel")), ""},
	} {
		reports := t.TempDir()
		earlier, later := filepath.Join(reports, "2026-11-29T10-00-00"), filepath.Join(reports, "2026-11-29T11-00-00")
		report{id: "shop", steps: []step{{yaml: "launch: a"}, {yaml: "tap: Pay", tree: before}}}.write(t, earlier)
		dir := report{id: "shop", result: event.Fail, steps: []step{{yaml: "launch: a"},
			{yaml: "tap: Pay", tree: c.now, result: event.Fail}}}.write(t, later)
		got, err := replay.Reports{}.Repairs([]string{dir})
		switch {
		case err != nil:
			t.Error(err)
		case c.want == "" && len(got.Repairs) > 0, c.want != "" && (len(got.Repairs) != 1 || got.Repairs[0].New != c.want):
			t.Errorf("%s: %+v, want %q", name, got.Repairs, c.want)
		}
	}
}
