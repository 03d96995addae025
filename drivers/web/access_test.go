package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// interactive are the roles that tests act on, as Chromium's accessibility tree and ours call them.
var interactive = map[string]string{"button": "button", "link": "link", "textbox": "textbox", "searchbox": "searchbox",
	"checkbox": "checkbox",
	"radio":    "radio", "combobox": "combobox", "listbox": "listbox", "slider": "slider", "spinbutton": "spinbutton",
	"switch": "switch", "heading": "heading"}

// insideDates are the parts of date and time fields, which are fields of one value to us.
var insideDates = regexp.MustCompile(
	`^spinbutton (day|month|year|week|hours|minutes|seconds|am/pm) |^button show [a-z ]*picker `)

// TestTheTreeIsTheBrowsersAccessibilityTree compares what we call the elements of a page with what Chromium reports to
// a screen reader: the same roles, by the same names.
func TestTheTreeIsTheBrowsersAccessibilityTree(t *testing.T) {
	t.Parallel()
	for _, page := range testutil.Few(4, []string{"inputs.html", "form.html", "login.html", "menu.html", "shadow.html",
		"overlay.html", "dialog.html", "files.html", "rtl.html",
		"twice.html", "popup.html", "index.html", "slow.html"}) {
		d := browse(t, page)
		var wrong []string
		// some pages are late
		if !until(t.Context(), patience, func() bool { wrong = disagreements(t, d); return len(wrong) == 0 }) {
			t.Errorf("%s: %s", page, strings.Join(wrong, "; "))
		}
	}
}

// disagreements lists what only one of the two trees holds.
func disagreements(t *testing.T, d *device) (list []string) {
	t.Helper()
	said := accessible(t, d)
	for n := range tree(t, d).All {
		if interactive[n.Role] == "" || n.Hidden {
			continue
		}
		one := n.Role + " " + screen.Normalise(nameOf(n))
		if said[one] == 0 {
			list = append(list, "Chromium does not know "+one)
			continue
		}
		said[one]--
	}
	for one, left := range said {
		if left > 0 && !insideDates.MatchString(one) {
			list = append(list, "our tree lacks "+one)
		}
	}
	return list
}

// nameOf is an element's accessible name: of what is labelled its label, else its text, else what is in it for a
// hint.
func nameOf(n *screen.Node) string {
	switch {
	case n.Desc != "":
		return n.Desc
	case n.Text != "" && !n.Editable && n.Role != "combobox" && n.Role != "listbox" && n.Role != "slider":
		return n.Text
	}
	return n.Hint
}

// accessible counts the roles and names of Chromium's own tree.
func accessible(t *testing.T, d *device) map[string]int {
	t.Helper()
	s, page, err := d.slot.Page()
	Must(t, err)
	cdp, err := s.Context.NewCDPSession(page)
	Must(t, err)
	answer, err := cdp.Send("Accessibility.getFullAXTree", map[string]any{})
	Must(t, err)
	nodes, _ := answer.(map[string]any)["nodes"].([]any)
	found := map[string]int{}
	value := func(n map[string]any, key string) string {
		v, _ := n[key].(map[string]any)
		if v == nil || v["value"] == nil {
			return ""
		}
		return fmt.Sprint(v["value"])
	}
	for _, n := range nodes {
		n, _ := n.(map[string]any)
		if role := interactive[value(n, "role")]; role != "" && n["ignored"] != true {
			found[role+" "+screen.Normalise(value(n, "name"))]++
		}
	}
	if len(found) == 0 {
		t.Fatal("Chromium's tree is empty")
	}
	return found
}
