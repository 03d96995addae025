package web

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// A selector that picks several elements is an error with a selector for each, and each of these picks the one that it
// is documented to.
func TestSeveralElementsAreProposed(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestClick and TestOneTextTwice look at such errors")
	for _, c := range []struct{ page, selector, first string }{{"twice.html", "button", "#first"},
		{"inputs.html", "button", "#still"}, {"twice.html", "p", "p >> nth=0"},
		{"inputs.html", "input, button", "#"}} {
		d := browse(t, c.page)
		for _, act := range []func(drivers.WebTarget) error{
			func(at drivers.WebTarget) error { return d.ClickOn(t.Context(), at, drivers.WebClick{}) },
			func(at drivers.WebTarget) error { return d.Hover(t.Context(), at) },
			func(at drivers.WebTarget) error { return d.PressOn(t.Context(), at, "a") },
			func(at drivers.WebTarget) error { _, err := d.TextOf(t.Context(), at); return err },
		} {
			err := act(soon(c.selector))
			var several *screen.AmbiguousError
			if !errors.As(err, &several) || several.Choices == nil || !strings.Contains(err.Error(), c.first) {
				t.Fatalf("%s on %s: %v", c.selector, c.page, err)
			}
			for i, choice := range several.Choices() {
				selector, err := strconv.Unquote(choice)
				if err != nil {
					t.Fatalf("%d: %s: %v", i, choice, err)
				}
				r, err := d.Reader.LookIn(t.Context(), "", selector)
				if err != nil || r.Count != 1 || r.What[0] != several.Candidates[i] {
					t.Errorf("%s is proposed for %s, and picks %+v, %v", choice, several.Candidates[i], r, err)
				}
			}
		}
	}
}
