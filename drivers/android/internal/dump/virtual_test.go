package dump

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// el writes an element: its class, its bounds, further attributes, its content.
func el(class string, b [4]int, attrs string, content ...string) string {
	if !strings.Contains(class, ".") {
		class = "android.widget." + class
	}
	return fmt.Sprintf(`<node class="%s" bounds="[%d,%d][%d,%d]" %s>%s</node>`, class, b[0], b[1], b[2], b[3], attrs,
		strings.Join(content, ""))
}

const (
	view  = "android.view.View"
	takes = `clickable="true" `
)

// TestDrawnBelow: what an app describes itself is drawn in another order than the dump has it.
func TestDrawnBelow(t *testing.T) {
	t.Parallel()
	whole, icon := [4]int{0, 0, 400, 800}, [4]int{330, 20, 390, 80}
	dialog := el(view, whole, "", el(view, [4]int{40, 300, 360, 500}, "", el(view, [4]int{60, 320, 340, 360},
		`content-desc="Cancel the visit?"`), el("Button", [4]int{220, 440, 340, 490}, takes+`content-desc="Confirm"`)))
	dismiss := el(view, whole, takes+`content-desc="Dismiss"`)
	search := el(view, [4]int{340, 30, 380, 70}, `content-desc="Search"`)
	for _, c := range []struct{ name, doc, label, cover, over string }{
		{name: "the kind of a button of Compose", label: "Search",
			doc: el(view, icon, takes, search, el("Button", icon, ""))},
		{name: "the kind of a tab of Compose", label: "Search", doc: el(view, icon, takes, search, el(view, icon, ""))},
		{name: "the kind of a radio button of Compose that is chosen", label: "Search",
			doc: el(view, icon, `selected="true" checkable="true" checked="true"`, search, el("RadioButton", icon, ""))},
		{name: "the kind of a button of Compose that is disabled", label: "Search",
			doc: el(view, icon, `enabled="false"`, search, el("Button", icon, ""))},
		{name: "a check box over a part of a text", label: "Search", over: "CheckBox",
			doc: el(view, icon, takes, el(view, icon, "", search), el("CheckBox", [4]int{340, 30, 380, 70}, ""))},
		{name: "a button after a text", label: "Search", over: "go",
			doc: el(view, icon, takes, search, el("Button", icon, `resource-id="go"`))},
		{name: "a button in a frame", label: "Search", over: "Button",
			doc: el("FrameLayout", icon, takes, search, el("Button", icon, ""))},
		{name: "a dialog of Flutter before its barrier", label: "Confirm",
			doc: el("FrameLayout", whole, "", el(view, whole, "", el(view, whole, "", dialog, dismiss)))},
		{name: "a dialog of Flutter after its barrier", label: "Confirm",
			doc: el("FrameLayout", whole, "", el(view, whole, "", el(view, whole, "", dismiss, dialog)))},
		{name: "a layer of Compose over all", label: "Confirm", cover: "Dismiss", over: "Dismiss",
			doc: el("androidx.compose.ui.platform.ComposeView", whole, "", el(view, whole, "", dialog, dismiss))},
		{name: "a layer of a page over all", label: "Confirm", cover: "Dismiss", over: "Dismiss",
			doc: el("android.webkit.WebView", whole, "", el(view, whole, "", dialog, dismiss))},
		{name: "a layer of Flutter over a text", label: "Offer", cover: "Dismiss", over: "Dismiss",
			doc: el("FrameLayout", whole, "", el(view, whole, "", el("Button", icon, takes+`content-desc="Offer"`), dismiss))},
		{name: "a view of Android's own before a button of Compose", label: "Search",
			doc: el(view, whole, "", el("FrameLayout", whole, takes+`content-desc="Video" drawing-order="1"`),
				el(view, icon, takes+`drawing-order="0"`, search))},
		{name: "views in another order", label: "Search", cover: "Video", over: "Video",
			doc: el("FrameLayout", whole, "", el("FrameLayout", whole, takes+`content-desc="Video" drawing-order="2"`),
				el(view, icon, takes+`drawing-order="1"`, search))},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, err := Parse([]byte(`<hierarchy rotation="0">` + el("FrameLayout", whole, "", c.doc) + `</hierarchy>`))
			if err != nil {
				t.Fatal(err)
			}
			tree := screen.NewTree(from.Windows, image.Pt(400, 800), time.Time{})
			found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: c.label}, Action: true})
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			over := ""
			for _, n := range found[0].Over {
				over += n.String()
			}
			if m := found[0]; !strings.Contains(m.CoverText, c.cover) || c.cover == "" && m.CoverText != "" {
				t.Errorf("covered by %q instead of %q", m.CoverText, c.cover)
			}
			if !strings.Contains(over, c.over) || c.over == "" && over != "" {
				t.Errorf("%q instead of %q is drawn over it", over, c.over)
			}
		})
	}
}

// TestListedByPlace: when views are drawn is unknown where the dump does not number them, but not of what an app
// describes itself.
func TestListedByPlace(t *testing.T) {
	t.Parallel()
	whole, part := [4]int{0, 0, 400, 800}, [4]int{0, 100, 400, 800}
	for _, c := range []struct {
		name, class, attrs string
		want               bool
	}{
		{"views", "FrameLayout", "", true},
		{"views with numbers", "FrameLayout", `drawing-order="1"`, false},
		{"of Compose", "androidx.compose.ui.platform.ComposeView", "", false},
		{"of an app itself", view, "", false},
		{"of a page", "android.webkit.WebView", "", false},
	} {
		from, err := Parse([]byte(`<hierarchy rotation="0">` + el(c.class, whole, "", el("TextView", whole, c.attrs),
			el("TextView", part, c.attrs)) + `</hierarchy>`))
		if err != nil {
			t.Fatal(err)
		}
		for n := range screen.NewTree(from.Windows, image.Pt(400, 800), time.Time{}).All {
			if n.ByPlace != (c.want && len(n.Children) > 0) {
				t.Errorf("%s: by place is %t for %s", c.name, n.ByPlace, n)
			}
		}
	}
}
