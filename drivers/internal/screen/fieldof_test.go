package screen_test

import (
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// TestFieldOfAName: the field that a text names by its place, by the one relation that is true of it; none where the
// field next to the text has another name.
func TestFieldOfAName(t *testing.T) {
	iosText := func(text string, l, t, r, b int) *screen.Node {
		n := el(text, l, t, r, b)
		n.Type = "XCUIElementTypeStaticText"
		return n
	}
	iosField := func(kind string, l, t, r, b int) *screen.Node {
		return &screen.Node{Type: "XCUIElementType" + kind, Editable: true, Clickable: true, Bounds: image.Rect(l, t, r, b)}
	}
	for _, test := range []struct {
		name  string
		text  string
		tree  *screen.Tree
		field string
	}{
		{"below", "E-mail", screenOf(el("E-mail", 0, 0, 500, 50), el("", 0, 60, 500, 120, field),
			el("Password", 0, 140, 500, 190), el("", 0, 200, 500, 260, field)), "{type: EditText, below: E-mail}"},
		{"the second", "Password", screenOf(el("E-mail", 0, 0, 500, 50), el("", 0, 60, 500, 120, field),
			el("Password", 0, 140, 500, 190), el("", 0, 200, 500, 260, field)), "{type: EditText, below: Password}"},
		{"right of", "E-mail", screenOf(el("Account", 0, 0, 900, 50), el("E-mail", 0, 60, 200, 120),
			el("", 300, 60, 900, 120, field), el("Name", 0, 140, 200, 200), el("", 300, 140, 900, 200, field)),
			"{type: EditText, rightOf: E-mail}"},
		{"above", "E-mail", screenOf(el("", 0, 60, 500, 120, field), el("E-mail", 0, 130, 500, 180)),
			"{type: EditText, above: E-mail}"},
		{"a heading is not the name of a field with a name", "Account", screenOf(el("Account", 0, 0, 900, 50),
			el("E-mail", 0, 60, 200, 120), el("", 300, 60, 900, 120, field)), ""},
		{"the field above has another name", "Terms", screenOf(el("E-mail", 0, 0, 500, 50), el("", 0, 60, 500, 120, field),
			el("Terms", 0, 140, 500, 190)), ""},
		{"a button is no name", "Send", screenOf(el("", 0, 60, 500, 120, field), el("Send", 520, 60, 700, 120, button)), ""},
		{"far away", "E-mail", screenOf(el("E-mail", 0, 0, 500, 50), el("", 0, 900, 500, 960, field)), ""},
		{"a name that is there twice", "E-mail", screenOf(el("E-mail", 0, 0, 500, 50), el("", 0, 60, 500, 120, field),
			el("E-mail", 0, 600, 500, 650), el("", 0, 660, 500, 720, field)), ""},
		{"no field", "E-mail", screenOf(el("E-mail", 0, 0, 500, 50)), ""},
		{"iOS", "E-mail", screenOf(iosText("E-mail", 0, 0, 500, 50), iosField("TextField", 0, 60, 500, 120),
			iosText("Password", 0, 140, 500, 190), iosField("SecureTextField", 0, 200, 500, 260)),
			"{type: TextField, below: E-mail}"},
		{"a password on iOS", "Password", screenOf(iosText("Password", 0, 140, 200, 190),
			iosField("SecureTextField", 240, 140, 900, 190)), "{type: SecureTextField, rightOf: Password}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for n := range test.tree.All {
				if n.Text == test.text {
					if got := test.tree.FieldOf(n); got != test.field {
						t.Errorf("got %q, want %q", got, test.field)
					}
					return
				}
			}
			t.Fatal("no such text")
		})
	}
}
