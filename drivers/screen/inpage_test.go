package screen_test

import (
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// TestPageInAView: in the page that a phone's view shows, the page reports what covers an element; over the view, what
// is drawn later does.
func TestPageInAView(t *testing.T) {
	button := func() *screen.Node {
		return &screen.Node{Type: "button", Text: "Pay", Clickable: true, InPage: true,
			Bounds: image.Rect(100, 200, 300, 260), Press: &image.Point{X: 150, Y: 230}}
	}
	veil := &screen.Node{Type: "div", InPage: true, Clickable: true, Bounds: image.Rect(0, 100, 400, 800)}
	chat := func(r image.Rectangle) *screen.Node {
		return &screen.Node{Type: "android.widget.ImageButton", Desc: "Chat", Clickable: true, Bounds: r}
	}
	covered := button()
	covered.Covered = "div#cookies"
	for name, c := range map[string]struct {
		page  []*screen.Node
		over  *screen.Node
		cover string
	}{
		"a clear layer that lets touches through": {[]*screen.Node{button(), veil}, nil, ""},
		"the page says that it is covered":        {[]*screen.Node{covered}, nil, "div#cookies"},
		"the app's button over it": {[]*screen.Node{button()}, chat(image.Rect(140, 210, 200, 270)),
			`ImageButton "Chat" [140,210][200,270]`},
		"the app's button beside it": {[]*screen.Node{button()}, chat(image.Rect(320, 210, 380, 270)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			view := &screen.Node{Type: "android.webkit.WebView", Bounds: image.Rect(0, 100, 400, 800), Children: []*screen.Node{
				{Type: "html", InPage: true, Bounds: image.Rect(0, 100, 400, 800), Children: c.page}}}
			root := &screen.Node{Bounds: image.Rect(0, 0, 400, 800), Children: []*screen.Node{view}}
			if c.over != nil {
				root.Children = append(root.Children, c.over)
			}
			tree := screen.NewTree([]*screen.Node{root}, image.Pt(400, 800), time.Now())
			found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Pay"}, Action: true})
			if err != nil || len(found) != 1 || found[0].Point != image.Pt(150, 230) || found[0].CoverText != c.cover {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}
