package web

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

func TestTreeOfAForm(t *testing.T) {
	t.Parallel()
	d := visit(t, "form.html")
	tr := tree(t, d)
	if !tr.HitTested || tr.Size.X != 1280 || tr.Size.Y != 720 {
		t.Errorf("tree: hit tested %v, size %v", tr.HitTested, tr.Size)
	}
	name := byID(t, tr, "name")
	if name.Type != "input" || name.Role != "textbox" || name.Desc != "Name" || name.Hint != "Full name" || !name.Editable ||
		!name.Clickable || name.Disabled || name.Bounds.Empty() || name.Ref == "" {
		t.Errorf("name field: %+v", name)
	}
	for id, ok := range map[string]func(n *drivers.Node) bool{
		"code":   func(n *drivers.Node) bool { return !n.Editable && n.Text == "FIXED" },
		"coupon": func(n *drivers.Node) bool { return n.Disabled },
		"size":   func(n *drivers.Node) bool { return n.Role == "combobox" && n.Text == "Medium" && len(n.Children) == 0 },
		"gift":   func(n *drivers.Node) bool { return n.Role == "checkbox" && !n.Checked && n.Desc == "Gift wrap" },
		"amount": func(n *drivers.Node) bool { return n.Text == "1" && n.Role == "spinbutton" },
	} {
		if n := byID(t, tr, id); !ok(n) {
			t.Errorf("%s: %+v", id, n)
		}
	}
	if n := find(tr, func(n *drivers.Node) bool { return n.TestID == "send" }); n == nil || n.Text != "Submit" || !n.Clickable {
		t.Errorf("submit button: %+v", n)
	}
}
