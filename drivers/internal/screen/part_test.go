package screen_test

import (
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func words(s string) dsl.Selector { return dsl.Selector{Label: s, Match: dsl.MatchWords} }

func rightOf(s string, of dsl.Selector) dsl.Selector { return dsl.Selector{Label: s, RightOf: &of} }

func links(n *screen.Node) { n.Clickable, n.HoldsLinks = true, true }

// TestPartsOnPhones: of a phone, nothing says where in a text its words are.
func TestPartsOnPhones(t *testing.T) {
	people := func(buttons ...*screen.Node) *screen.Tree {
		return screenOf(append(buttons, el("Zoe Quill\nAda Byron\nTim Vale", 0, 0, 500, 300))...)
	}
	call := func(y int) *screen.Node { return el("Call", 600, y, 900, y+90, button) }
	line := el("Name, E-mail:", 0, 0, 300, 60)
	for _, test := range []struct {
		name     string
		tree     *screen.Tree
		sel      dsl.Selector
		point    image.Point
		unplaced bool // the match cannot be touched
		lost     bool // the relation does not decide
	}{
		{name: "a button in each line", tree: people(call(5), call(105), call(205)), sel: rightOf("Call", words("Ada Byron")),
			lost: true},
		{name: "a button in one of the lines", tree: people(call(205)), sel: rightOf("Call", words("Ada Byron")), lost: true},
		{name: "one button beside all lines", tree: people(el("Call", 600, 0, 900, 300, button)),
			sel: rightOf("Call", words("Ada Byron")), point: image.Pt(750, 150)},
		{name: "a field beside one line", tree: screenOf(line, el("", 320, 0, 900, 60, field)),
			sel:   dsl.Selector{Type: "EditText", RightOf: &dsl.Selector{Label: "E-mail:", Match: dsl.MatchWords}},
			point: image.Pt(610, 30)},
		{name: "buttons below one line, in its columns", tree: screenOf(el("Morning Noon Night", 0, 0, 900, 60),
			el("Book", 0, 70, 200, 130, button), el("Book", 700, 90, 900, 150, button)),
			sel: dsl.Selector{Label: "Book", Below: &dsl.Selector{Label: "Night", Match: dsl.MatchWords}}, lost: true},
		{name: "a line in a text", tree: people(), sel: words("Tim Vale"), point: image.Pt(250, 150), unplaced: true},
		{name: "a part of a button", tree: screenOf(el("Pay 12 €", 0, 0, 300, 100, button)), sel: words("Pay"),
			point: image.Pt(150, 50)},
		{name: "a text in a row that reacts",
			tree: screenOf(el("", 0, 0, 1000, 100, button, around(el("Battery, 80 %", 0, 0, 500, 100)))), sel: words("Battery"),
			point: image.Pt(250, 50)},
		{name: "a text that may hold links", tree: screenOf(el("Read our terms and wait", 0, 0, 900, 60, links)),
			sel: words("terms"), point: image.Pt(450, 30), unplaced: true},
		{name: "all of such a text", tree: screenOf(el("Terms", 0, 0, 900, 60, links)), sel: words("terms"),
			point: image.Pt(450, 30)},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, err := test.tree.Find(screen.Query{Selector: test.sel, Action: true})
			var lost *screen.UnplacedError
			switch {
			case test.lost:
				if !errors.As(err, &lost) || !errors.Is(err, screen.ErrNotFound) {
					t.Errorf("%v, %v; want an error that says where the words are is not known", found, err)
				}
			case err != nil || len(found) != 1:
				t.Errorf("%v, %v", found, err)
			case found[0].Point != test.point || (found[0].Unplaced != "") != test.unplaced:
				t.Errorf("touched at %v, %q", found[0].Point, found[0].Unplaced)
			}
		})
	}
}

// TestAnchorsInTexts: a relation with an anchor that is a part of a longer text says so, with a selector that can be
// pasted.
func TestAnchorsInTexts(t *testing.T) {
	tree := screenOf(el("Ada Byron, London", 0, 0, 500, 60, button), el("Call", 600, 0, 900, 60, button))
	for _, test := range []struct {
		sel  dsl.Selector
		want string
	}{
		{rightOf("Call", label("Ada Byron")), `"Ada Byron, London" contains it: {label: Ada Byron, match: words}`},
		{label("London"), `"Ada Byron, London" contains it: {label: London, match: words}`},
	} {
		if why := tree.Explain(screen.Query{Selector: test.sel}); !strings.Contains(why, test.want) {
			t.Errorf("%q; want %q in it", why, test.want)
		}
	}
	text := screenOf(el("Inbox\nTrash can", 0, 0, 500, 160))
	if why, want := text.Explain(screen.Query{Selector: label("Trash can")}),
		`{label: "Inbox\nTrash can"}`; !strings.Contains(why, want) {
		t.Errorf("%q; want %q in it: its words cannot be touched for themselves", why, want)
	}
}

// page is a tree of a page, read for a part of a text.
func page(part screen.TextPart, nodes ...*screen.Node) *screen.Tree {
	root := &screen.Node{Type: "html", Bounds: image.Rect(0, 0, 1000, 2000), Children: nodes}
	t := screen.NewTree([]*screen.Node{root}, image.Pt(1000, 2000), time.Time{})
	t.HitTested, t.Parts = true, []screen.TextPart{part}
	return t
}

// TestPartsOfPages: exactly what is seen of a part counts, and a touch goes to the place of it that is in the
// relation.
func TestPartsOfPages(t *testing.T) {
	part := screen.TextPart{Text: "edit", Mode: dsl.MatchWords}
	at := func(y int, change func(*screen.PartPlace)) screen.PartPlace {
		p := screen.PartPlace{Part: part, Lines: []image.Rectangle{image.Rect(200, y, 260, y+20)}, Press: &image.Point{
			X: 230, Y: y + 10}}
		if change != nil {
			change(&p)
		}
		return p
	}
	text := func(places ...screen.PartPlace) *screen.Node {
		return el("Ada: edit\nTim: edit", 0, 0, 500, 200, func(n *screen.Node) { n.Parts = places })
	}
	away := func(p *screen.PartPlace) { p.Offscreen = true }
	cut := func(p *screen.PartPlace) { p.Cut = true }
	hidden := func(p *screen.PartPlace) { p.Obscured, p.Covered = "div#bar", "div#bar" }
	for _, test := range []struct {
		name   string
		places []screen.PartPlace
		seen   bool
		act    bool // an action finds it
	}{
		{"in view", []screen.PartPlace{at(10, nil)}, true, true},
		{"scrolled away", []screen.PartPlace{at(10, away)}, false, true},
		{"cut off", []screen.PartPlace{at(10, cut)}, false, false},
		{"covered", []screen.PartPlace{at(10, hidden)}, false, true},
		{"one of two in view", []screen.PartPlace{at(10, cut), at(110, nil)}, true, true},
		{"not known", nil, true, true},
	} {
		tree := page(part, text(test.places...))
		found, err := tree.Find(screen.Query{Selector: words("edit")})
		if err != nil || (len(found) > 0) != test.seen {
			t.Errorf("%s: seen %v, %v", test.name, found, err)
		}
		found, err = tree.Find(screen.Query{Selector: words("edit"), Action: true, Reveal: true})
		if err != nil || (len(found) > 0) != test.act {
			t.Errorf("%s: to act on %v, %v", test.name, found, err)
		}
	}
	tree := page(part, text(at(10, nil), at(110, nil)), el("2 items", 600, 110, 700, 130))
	found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "edit", Match: dsl.MatchWords,
		LeftOf: &dsl.Selector{Label: "2 items"}}, Action: true})
	if err != nil || len(found) != 1 || found[0].Point != image.Pt(230, 120) {
		t.Errorf("the second of two places: %v, %v", found, err)
	}
	tree = page(part, text(at(10, nil), at(110, nil)), el("Go", 600, 10, 700, 30, button),
		el("Go", 600, 110, 700, 130, button))
	if found, err := tree.Find(screen.Query{Selector: rightOf("Go", words("edit")), Action: true}); !errors.Is(err,
		screen.ErrAmbiguous) {
		t.Errorf("two places that lead to two buttons: %v, %v", found, err)
	}
}

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
