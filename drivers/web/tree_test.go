package web

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

func TestTreeOfAForm(t *testing.T) {
	t.Parallel()
	d := browse(t, "form.html")
	tr := tree(t, d)
	if !tr.HitTested || tr.Size.X != 1280 || tr.Size.Y != 720 {
		t.Errorf("tree: hit tested %v, size %v", tr.HitTested, tr.Size)
	}
	name := byID(t, tr, "name")
	if name.Type != "input" || name.Role != "textbox" || name.Desc != "Name" || name.Hint != "Full name" ||
		!name.Editable ||
		!name.Clickable || name.Disabled || name.Bounds.Empty() || name.Ref == "" {
		t.Errorf("name field: %+v", name)
	}
	for id, ok := range map[string]func(n *screen.Node) bool{
		"code":   func(n *screen.Node) bool { return !n.Editable && n.Text == "FIXED" },
		"coupon": func(n *screen.Node) bool { return n.Disabled },
		"size":   func(n *screen.Node) bool { return n.Role == "combobox" && n.Text == "Medium" && len(n.Children) == 0 },
		"gift":   func(n *screen.Node) bool { return n.Role == "checkbox" && !n.Checked && n.Desc == "Gift wrap" },
		"amount": func(n *screen.Node) bool { return n.Text == "1" && n.Role == "spinbutton" },
	} {
		if n := byID(t, tr, id); !ok(n) {
			t.Errorf("%s: %+v", id, n)
		}
	}
	if n := find(tr, func(n *screen.Node) bool { return n.TestID == "send" }); n == nil || n.Text != "Submit" ||
		!n.Clickable {
		t.Errorf("submit button: %+v", n)
	}
}

// Names as a screen reader says them.
func TestAccessibleNames(t *testing.T) {
	t.Parallel()
	d := display(t, `<style>#icon::before { content: "★" / "Favourite" } #plain::before { content: "★" }</style>
		<button id=chain aria-labelledby="save draft"></button><span id=save>Save</span> <i id=draft aria-label="as draft">`+
		`</i>
		<button id=itself aria-labelledby="itself other" aria-label=Delete></button><i id=other>file</i>
		<button id=icon></button><button id=plain></button><input id=listed list=all aria-label=City><datalist id=all>`+
		`<option>Rome</datalist>
		<button id=boxless style="display:contents" onclick="this.firstChild.data = 'Pressed'">Press</button>`)
	tr := tree(t, d)
	for id, want := range map[string]string{"chain": "Save as draft", "itself": "Delete file", "icon": "Favourite",
		"plain": "", "listed": "City"} {
		if got := byID(t, tr, id).Desc; got != want {
			t.Errorf("%s is called %q, want %q", id, got, want)
		}
	}
	if role := byID(t, tr, "listed").Role; role != "combobox" {
		t.Errorf("a field with suggestions is a %s", role)
	}
	m, err := pick(tr, "Press", true)
	if err != nil || len(m) != 1 {
		t.Fatalf("a button without a box: %v, %v", m, err)
	}
	Must(t, d.Tap(t.Context(), m[0].Point))
	mustShow(t, d, "#boxless", "Pressed")
}
