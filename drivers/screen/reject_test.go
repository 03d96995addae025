package screen_test

import (
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func TestRejected(t *testing.T) {
	hidden := func(n *screen.Node) { n.Hidden = true }
	below := func(n *screen.Node) { n.Bounds = image.Rect(0, 9000, 100, 9100) }
	tree := screenOf(el("Sign in", 0, 60, 100, 90, button), el("Sing in", 0, 100, 100, 150, hidden),
		el("Sing in", 0, 200, 100, 250, below))
	var got []string
	for _, r := range tree.Rejected(screen.Query{Selector: label("Sing in")}, 3) {
		got = append(got, r.Why)
	}
	want := []string{`it says "Sign in", not "Sing in"`, "the device says that it cannot be seen",
		"it is outside the part that the screen shows; scrollTo brings it into view"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	on := true
	for _, r := range tree.Rejected(screen.Query{Selector: dsl.Selector{Label: "Sign in", Selected: &on}}, 1) {
		if !strings.Contains(r.Why, "selected") {
			t.Errorf("%q", r.Why)
		}
	}
}
