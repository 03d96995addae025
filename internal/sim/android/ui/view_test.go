package ui

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
)

// screen has a button, a banner over its upper half, and a menu in a window of its own.
func screen() *Frame {
	size := image.Pt(400, 800)
	m := Metrics{Scale: 1, Area: image.Rectangle{Max: size}}
	page := m.Page(0xffffff).Add(
		m.Button("Pay", "pay", image.Rect(0, 100, 400, 200), func() {}),
		&View{Class: ClassImage, ID: "banner", B: image.Rect(0, 0, 400, 150), Clickable: true},
		&View{Class: ClassText, Text: "Total \"12\" & <more>", B: image.Rect(0, 300, 400, 340)},
	)
	app := &Window{Title: "shop/.Main", Kind: "APPLICATION", Root: page, Focused: true, Layer: 1}
	menu := &Window{Kind: "APPLICATION", Root: m.Label("Share", image.Rect(200, 500, 400, 540)), Layer: 2, Parent: app}
	return &Frame{Size: size, Windows: []*Window{app, menu}}
}

// TestHit: the frontmost view that takes touches gets one, whatever is behind it.
func TestHit(t *testing.T) {
	t.Parallel()
	f := screen()
	for at, want := range map[image.Point]string{
		{X: 200, Y: 120}: "banner", {X: 200, Y: 180}: "pay", {X: 200, Y: 320}: "", {X: 500, Y: 180}: "",
	} {
		got := ""
		if v := f.Windows[0].Root.Hit(at); v != nil {
			got = v.ID
		}
		if got != want {
			t.Errorf("at %v: %q, not %q", at, got, want)
		}
	}
	if w := f.WindowAt(image.Pt(300, 520)); w == nil || w.Root.Label() != "Share" {
		t.Errorf("the menu's window is not found: %+v", w)
	}
}

// TestDump: a tree quotes as the phone's serializer does, and nests a window in its parent.
func TestDump(t *testing.T) {
	t.Parallel()
	f := screen()
	one := DumpActive(f, Dumper{})
	if want := `text='Total "12" &amp; &lt;more&gt;'`; !strings.Contains(one, want) {
		t.Errorf("no %s in %s", want, one)
	}
	if strings.Contains(one, "Share") || strings.Contains(one, "drawing-order") {
		t.Errorf("too much: %s", one)
	}
	for style, outside := range map[string]bool{"": false, "flat": true, "both": true} {
		all := DumpWindows(f, Dumper{Style: spec.DumpStyle{Windows: style}})
		menu, page := strings.Index(all, "Share"), strings.Index(all, "banner")
		inside := strings.Count(all, `<window index="1"`) == 0
		if menu < 0 || page < 0 || inside == outside {
			t.Errorf("windows %q: %s", style, all)
		}
	}
}

// TestField: keys go where the caret is, and pass to the next field when one is full.
func TestField(t *testing.T) {
	t.Parallel()
	second := &Field{}
	first := &Field{Text: "ab", Full: 3, Next: second}
	first.Move(21)
	if before, after := first.Split(); string(before) != "a" || string(after) != "b" {
		t.Errorf("%q %q", string(before), string(after))
	}
	first.Erase()
	if first.Text != "b" {
		t.Errorf("erased: %q", first.Text)
	}
	first.Text = "1234"
	if first.Changed() != second || first.Text != "123" {
		t.Errorf("full: %q", first.Text)
	}
	secret := &Field{Text: "abc", Password: true}
	if secret.Display() != "•••" {
		t.Errorf("shown: %s", secret.Display())
	}
}

// TestListed: services receive views by their places, and know from Android 14 on when they are drawn; what an app
// describes itself has the order of the app.
func TestListed(t *testing.T) {
	t.Parallel()
	named := func(id string, b image.Rectangle) *View { return &View{ID: id, B: b} }
	for _, c := range []struct {
		name, class, want string
		children          []*View
	}{
		{"from top to bottom", ClassFrame, "high=2 low=1 ",
			[]*View{named("low", image.Rect(0, 200, 50, 300)), named("high", image.Rect(300, 100, 400, 200))}},
		{"of one height from left to right", ClassFrame, "left=2 right=1 ",
			[]*View{named("right", image.Rect(200, 10, 300, 60)), named("left", image.Rect(0, 30, 100, 80))}},
		{"a layer over a smaller list", ClassFrame, "layer=2 list=1 ",
			[]*View{named("list", image.Rect(0, 100, 400, 800)), named("layer", image.Rect(0, 0, 400, 800))}},
		{"a higher one at one place", ClassFrame, "high=2 low=1 ",
			[]*View{named("low", image.Rect(0, 0, 400, 100)), named("high", image.Rect(0, 0, 400, 800))}},
		{"of one size", ClassFrame, "page=1 layer=2 ",
			[]*View{named("page", image.Rect(0, 0, 400, 800)), named("layer", image.Rect(0, 0, 400, 800))}},
		{"of the app itself", virtualParent, "list=0 layer=0 ",
			[]*View{named("list", image.Rect(0, 100, 400, 800)), named("layer", image.Rect(0, 0, 400, 800))}},
	} {
		around := &View{Class: c.class, Children: c.children}
		got := ""
		for _, v := range around.Listed() {
			got += fmt.Sprintf("%s=%d ", v.ID, around.OrderOf(v))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
