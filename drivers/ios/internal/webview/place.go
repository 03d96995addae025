package webview

import (
	"cmp"
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"strconv"

	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
)

// Nothing reports which of an app's pages a WebView shows, nor where in the view the page starts: bars may be over its
// edges. What accessibility has of the page decides both, for it knows the same texts by their places on the screen.
// Where it has nothing, the one page that is shown must be as large as the view.

// placeSlack is how many points the two ways of finding a place may differ.
const placeSlack = 3

// placed is a page that was read, and its place.
type placed struct {
	*dom.Page
	from  *webPage
	gen   string
	at    image.Rectangle // in pixels of the screen
	votes int             // elements by which that is known
}

// readView puts the page that a view shows into the place of what accessibility has of it; there: the view has one.
func (w *Views) readView(ctx context.Context, v *screen.Node, shown []*webPage, seen *source.Reading, scale float64) (
	there bool, err error) {
	mute := !screen.TellsOfPage(v, isWebView)
	fit := slices.DeleteFunc(slices.Clone(shown), func(p *webPage) bool { return !p.fits(v, mute, seen, scale) })
	if mute && len(fit) > 1 {
		return true, errors.New("several pages that are shown are as large as the view")
	}
	var best []placed
	for _, p := range fit {
		page, oops := w.readPlaced(ctx, p, v, mute, scale)
		switch {
		case oops != nil:
			err = oops
		case page != nil && (len(best) == 0 || page.votes > best[0].votes):
			best = []placed{*page}
		case page != nil && page.votes == best[0].votes:
			best = append(best, *page)
		}
	}
	switch {
	case len(best) == 1:
		return true, w.put(best[0], v, seen, scale)
	case len(best) > 1:
		return true, errors.New("several pages that are shown read like it")
	case err != nil:
		return true, err
	case len(fit) == 0:
		return false, errors.New("none of the pages that are shown has the size of the view")
	}
	return !mute, errors.New("the place of the page on the screen is unknown")
}

// fits reports whether a page may be the one in a view: it is not larger, and if accessibility has nothing of it just
// as large. The keyboard takes some of the height of one that was seen in the view before.
func (p *webPage) fits(v *screen.Node, mute bool, seen *source.Reading, scale float64) bool {
	width, height := float64(v.Bounds.Dx())/scale-p.about.Width, float64(v.Bounds.Dy())/scale-p.about.Height
	same := func(f float64) bool { return math.Abs(f) <= placeSlack }
	if !mute {
		return p.about.Width > 1 && width >= -placeSlack && height >= -placeSlack
	}
	return same(width) && (same(height) || height > 0 && p.last == v.Bounds && seen.HasKeyboard())
}

// readPlaced reads a page and returns its place; nil: it is not the one in the view, or nothing of the app's is on
// it.
func (w *Views) readPlaced(ctx context.Context, p *webPage, v *screen.Node, mute bool, scale float64) (*placed,
	error) {
	w.readings++
	gen := strconv.FormatInt(w.readings, 36)
	page, err := p.read(ctx, gen, w.parts)
	if errors.Is(err, inspector.ErrLeft) { // once more, for where it has gone
		page, err = p.read(ctx, gen, w.parts)
	}
	if err != nil || page.Failed() || page.Top == nil {
		return nil, err
	}
	zoom := 1.0
	if !page.Zoom.None() {
		zoom = page.Zoom[2]
	}
	size := image.Pt(int(math.Round(page.W*zoom*scale)), int(math.Round(page.H*zoom*scale)))
	if mute {
		return &placed{page, p, gen, image.Rectangle{Max: size}.Add(v.Bounds.Min), 1}, nil
	}
	corner, votes := agreed(offsets(v, page, scale), placeSlack*scale)
	at := image.Rectangle{Max: size}.Add(corner)
	if votes == 0 || !at.In(v.Bounds.Inset(-int(placeSlack*scale))) {
		return nil, nil
	}
	return &placed{page, p, gen, at, votes}, nil
}

// put hangs a page into the view. A page is in one view only: where it seems to be in two, it is in none, for one of
// them shows another page that has not answered.
func (w *Views) put(p placed, v *screen.Node, seen *source.Reading, scale float64) error {
	if other := w.in[p.from]; other != nil {
		err := cmp.Or(w.unasked, errors.New("several views look like that of one page"))
		if len(other.Children) > 0 && other.Children[0].InPage {
			other.Children = nil
			w.note([]*screen.Node{other}, shortly(err), true)
		}
		return err
	}
	w.in[p.from] = v
	w.loading = w.loading || p.Loading
	whole := image.Rect(0, 0, int(math.Round(float64(seen.Screen.X)*scale)), int(math.Round(float64(seen.Screen.Y)*scale)))
	p.Place(p.at, v.Bounds.Intersect(whole))
	dom.Each(p.Top, func(n *screen.Node) { n.Package, n.InPage = v.Package, true })
	v.Children = []*screen.Node{p.Top}
	for _, note := range p.Notes {
		v.Children = append(v.Children, &screen.Node{Type: screen.CutNote, Desc: note, Hidden: true})
	}
	p.from.last = v.Bounds
	w.owners[p.gen] = p.from
	return nil
}

// textPlace is the place of something that is read.
type textPlace struct {
	whole, letters image.Point // the middle of the element, and of its text
	text           bool        // it is a text and nothing else
	several        bool        // the same is read in several places
}

func midst(r image.Rectangle) image.Point { return r.Min.Add(r.Max).Div(2) }

// textPlaces are those of the texts in some elements, each by what is read.
func textPlaces(root *screen.Node) map[string]*textPlace {
	list := map[string]*textPlace{}
	dom.Each(root, func(n *screen.Node) {
		label := screen.Normalise(cmp.Or(n.Text, n.Desc, n.Hint))
		if label == "" || n.Hidden || n.Bounds.Empty() || isWebView(n) || n.Type == screen.CutNote {
			return
		}
		s := &textPlace{whole: midst(n.Bounds), letters: midst(n.Bounds), text: n.Type == source.Prefix+"StaticText"}
		if n.TextBounds != nil {
			s.letters = midst(*n.TextBounds)
		}
		switch before := list[label]; {
		case before == nil:
			list[label] = s
		case before.whole != s.whole && before.letters != s.letters:
			before.several = true
		}
	})
	return list
}

// offsets returns for each text that both a view's accessibility and a page know in one place where the page's corner
// is then, in pixels of the screen.
func offsets(v *screen.Node, page *dom.Page, scale float64) (list []image.Point) {
	z := page.Zoom
	if z.None() {
		z = dom.Zoom{0, 0, 1}
	}
	inPage := textPlaces(page.Top)
	for label, there := range textPlaces(v) {
		here := inPage[label]
		if here == nil || here.several || there.several {
			continue
		}
		p := here.whole
		if there.text {
			p = here.letters
		}
		list = append(list, there.whole.Sub(image.Pt(int(math.Round((float64(p.X)-z[0])*z[2]*scale)),
			int(math.Round((float64(p.Y)-z[1])*z[2]*scale)))))
	}
	return list
}

// agreed returns the place that most of some places are close to, and how many; none when they are not half of all.
func agreed(list []image.Point, slack float64) (at image.Point, votes int) {
	for _, p := range list {
		var sum image.Point
		n := 0
		for _, q := range list {
			if math.Abs(float64(p.X-q.X)) <= slack && math.Abs(float64(p.Y-q.Y)) <= slack {
				sum, n = sum.Add(q), n+1
			}
		}
		if n > votes {
			at, votes = sum.Div(n), n
		}
	}
	if votes*2 < len(list) || votes == 1 && len(list) > 1 {
		return image.Point{}, 0
	}
	return at, votes
}
