package android

import (
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// onTrap opens one of the pages of com.example.list on phones of all kinds that write windows.
func onTrap(t *testing.T, page string, do func(t *testing.T, d *Device, p *androidsim.Phone)) {
	t.Helper()
	for name, o := range map[string]androidsim.Options{
		"30": {API: 30}, "30 without windows": {API: 30, Dump: androidsim.DumpStyle{Windows: "none"}}, "34": {API: 34},
		"36":                {API: 36},
		"36 in both places": {API: 36, Dump: androidsim.DumpStyle{Windows: "both", Attributes: "all"}},
		"36 flat":           {API: 36, Dump: androidsim.DumpStyle{Windows: "flat", Attributes: "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Width, o.Height, o.Density = androidsim.Small.Width, androidsim.Small.Height, androidsim.Small.Density
			d, p := openPhone(t, o)
			if err := d.Launch(t.Context(), androidsim.ListPackage+"/."+page+"Activity", true); err != nil {
				t.Fatal(err)
			}
			do(t, d, p)
		})
	}
}

// status is the line at the bottom that says what happened.
func status(t *testing.T, d *Device) string {
	t.Helper()
	return waitNode(t, d, "status").Text
}

func TestMenuInItsOwnWindow(t *testing.T) {
	t.Parallel()
	onTrap(t, "Menu", func(t *testing.T, d *Device, _ *androidsim.Phone) {
		tapOn(t, d, "More options")
		tapOn(t, d, "Log out")
		if got := status(t, d); got != "Log out chosen" {
			t.Errorf("%q", got)
		}
	})
}

func TestDropDownInItsOwnWindow(t *testing.T) {
	t.Parallel()
	onTrap(t, "Dropdown", func(t *testing.T, d *Device, _ *androidsim.Phone) {
		tapOn(t, d, "Medium")
		tapOn(t, d, "Large")
		tapOn(t, d, "Order")
		if got := status(t, d); got != "Ordered Large" {
			t.Errorf("%q", got)
		}
	})
}

// TestSuggestionsOverThePage: a list of suggestions is above the page, which is still there.
func TestSuggestionsOverThePage(t *testing.T) {
	t.Parallel()
	onTrap(t, "Suggest", func(t *testing.T, d *Device, p *androidsim.Phone) {
		tapOn(t, d, "city")
		if err := d.Type(t.Context(), "Ber"); err != nil {
			t.Fatal(err)
		}
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list := findNode(tree, "Bern")
		if strings.Contains(t.Name(), "without") { // such a phone reports one window
			if list != nil {
				t.Error("a list in a dump of one window")
			}
			return
		}
		if list == nil || list.Window != len(tree.Windows)-1 || list.Window == 0 || findNode(tree, "Search") == nil {
			t.Fatalf("%d windows, suggestion %v", len(tree.Windows), list)
		}
		if err := d.Tap(t.Context(), centre(list)); err != nil || status(t, d) != "Bern" {
			t.Errorf("%v, %v", err, p.Taps())
		}
	})
}

// TestForeignWindow: a notification, a call, a bubble lie above the app and belong to others.
func TestForeignWindow(t *testing.T) {
	t.Parallel()
	for page, pkg := range map[string]string{"HeadsUp": "com.android.systemui", "Call": "com.google.android.dialer",
		"Bubble": "com.example.chat"} {
		onTrap(t, page, func(t *testing.T, d *Device, p *androidsim.Phone) {
			if strings.Contains(t.Name(), "without") {
				return
			}
			var top *screen.Node
			await(t, page, func() bool {
				tree, err := d.Tree(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				pay := findNode(tree, "Pay now")
				if pay == nil {
					t.Fatal("the app's page is there all along")
				}
				top = tree.Topmost(centre(pay))
				return top != nil && top.Package == pkg
			})
			if err := d.Tap(t.Context(), centre(waitNode(t, d, "Archive"))); err != nil || status(t, d) != "Archived" {
				t.Errorf("beside it: %v, %v", err, p.Taps())
			}
		})
	}
}

// TestHintOfAnEmptyField: on every kind of phone it is distinguished from a text as far as the phone reports it.
func TestHintOfAnEmptyField(t *testing.T) {
	t.Parallel()
	onTrap(t, "Fields", func(t *testing.T, d *Device, _ *androidsim.Phone) {
		field := func(id string) *screen.Node { return waitNode(t, d, id) }
		if n := field("password"); n.Text != "" || n.Hint != "Password" || n.HintUnsure {
			t.Errorf("an empty password: %+v", n)
		}
		if n := field("email"); !n.HintUnsure || n.Hint != "you@example.com" {
			t.Errorf("an empty field: %+v", n)
		}
		if n := field("bare"); n.HintUnsure || n.Text != "" {
			t.Errorf("one without a hint: %+v", n)
		}
		for id, text := range map[string]string{"quantity": "1", "email": "you@example.com"} {
			if err := d.Tap(t.Context(), centre(field(id))); err != nil {
				t.Fatal(err)
			}
			if n := field(id); !n.HintUnsure || !n.Focused {
				t.Errorf("%s, empty, with the focus: %+v", id, n)
			}
			if err := d.Type(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			if n := field(id); n.Text != text || n.HintUnsure {
				t.Errorf("%s holds what its hint says: %+v", id, n)
			}
		}
		if err := d.Tap(t.Context(), centre(field("password"))); err != nil {
			t.Fatal(err)
		}
		if err := d.Type(t.Context(), "s3cret pass"); err != nil {
			t.Fatal(err)
		}
		if n := field("password"); len([]rune(n.Text)) != len("s3cret pass") || n.HintUnsure {
			t.Errorf("a password: %+v", n)
		}
	})
}

// TestOrderOfDrawing: where the tree has it, the element that is drawn last takes the touch.
func TestOrderOfDrawing(t *testing.T) {
	t.Parallel()
	onTrap(t, "Order", func(t *testing.T, d *Device, _ *androidsim.Phone) {
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(slices.Collect(tree.All), func(n *screen.Node) bool { return n.DrawOrder > 0 })
		if top := tree.Topmost(centre(findNode(tree, "above"))); told &&
			(top == nil || !strings.HasSuffix(top.ID, "/above")) {
			t.Errorf("topmost: %v", top)
		}
	})
}
