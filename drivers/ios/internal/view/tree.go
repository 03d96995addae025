// Package view reads the screen of one device: a source of WebDriverAgent, its alerts, bars and pages become a
// screen.Tree.
package view

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/apps"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
)

// Reader reads the elements of one device's screen. Its methods are called one at a time.
type Reader struct {
	link     *wda.Link
	geometry *geometry.Screen
	web      *webview.Views
	watch    *apps.Watch

	mu      sync.Mutex
	told    bool          // WebDriverAgent returns traits
	tree    *screen.Tree  // that was read last
	app     string        // of it
	bar     statusBar     // that was there last
	standIn []buttonPlace // for the buttons of an alert with unreadable elements
}

// New returns the Reader of one device, which keeps g informed of what it saw.
func New(l *wda.Link, g *geometry.Screen, web *webview.Views, watch *apps.Watch) *Reader {
	return &Reader{link: l, geometry: g, web: web, watch: watch}
}

// Last returns the tree that was read last, nil when there was none.
func (r *Reader) Last() *screen.Tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tree
}

// Tree reads the source of the foreground app and the alert of the system over it, which is not a part of that,
// and queries which element has the focus, which is not in a source; the status bar, and pages in WebViews, as
// ReadWebViews says.
func (r *Reader) Tree(ctx context.Context) (*screen.Tree, error) {
	shot := r.geometry.Size()
	taken := time.Now()
	seen, err := r.readFront(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := r.longTexts(ctx, seen); err != nil {
		return nil, err
	}
	if seen.Screen, err = r.link.WholeScreen(ctx, seen.Bounds, shot); err != nil {
		return nil, err
	}
	bar, err := r.readStatusBar(ctx, seen)
	if err != nil {
		return nil, err
	}
	var lost error
	tree, scale := seen.Tree(shot, taken, func(scale float64) { lost = r.web.ReadPages(ctx, &seen, scale) })
	if lost != nil {
		return nil, lost
	}
	tree.Parts, tree.Loading = r.web.PartsRead(), r.web.Loading()
	tree.Bars, tree.SwipeEdges = geometry.Bars(tree.Size, scale, bar)
	r.geometry.Saw(tree.Size.X > tree.Size.Y, scale, seen.Bounds.Min)
	r.mu.Lock()
	r.tree, r.app = tree, seen.App
	r.mu.Unlock()
	return tree, r.focus(ctx, tree)
}

// QuickTree is Tree without distinguishing what is hidden from what is seen, without the focus, and without texts that
// are longer than a source has: each of these costs requests to the app, about each of its elements. WebDriverAgents
// before 9.12 report what is hidden at no cost.
func (r *Reader) QuickTree(ctx context.Context) (*screen.Tree, error) {
	if !r.traits() {
		return nil, nil
	}
	taken := time.Now()
	seen, err := r.readFront(ctx, true)
	if err != nil || len(seen.Long) > 0 || r.web.Wants(seen) {
		return nil, err
	}
	tree, _ := seen.Tree(image.Point{}, taken, nil)
	return tree, nil
}

// App names the app of the tree that was read last; "": none was, or it is not reported.
func (r *Reader) App() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.app
}

// readFront returns the elements of the foreground app, and of the alert of the system over it.
func (r *Reader) readFront(ctx context.Context, quick bool) (source.Reading, error) {
	seen, err := r.read(ctx, quick)
	if err != nil {
		return source.Reading{}, err
	}
	over, err := r.systemAlert(ctx, seen)
	seen.Windows = append(seen.Windows, over...)
	return seen, err
}

// read returns the elements of one application, as deep as they go.
func (r *Reader) read(ctx context.Context, quick bool) (source.Reading, error) {
	for {
		seen, err := r.readOnce(ctx, quick)
		if err != nil || seen.Depth() < r.link.Agent.Reach() {
			return seen, err
		}
		if deeper, err := r.link.Agent.Deepen(ctx); err != nil || !deeper {
			seen.Cut(fmt.Sprintf("WebDriverAgent reads %d elements inside one another, and this screen may have more",
				wda.DeepestSnapshot))
			return seen, err
		}
	}
}

func (r *Reader) readOnce(ctx context.Context, quick bool) (source.Reading, error) {
	// What is left out is dear to compute or of no use here; an old WebDriverAgent does not know how to leave it out.
	left := "nativeFrame,nativeAccessibilityElement,minValue,maxValue,customActions,index"
	if r.traits() {
		left += ",accessible" // one more question to the app about each element, and the traits show what reacts
	}
	if quick {
		left += ",visible"
	}
	ask := wda.Get("the element tree", "/source?format=xml&excluded_attributes="+left)
	ask.Limit, ask.Look = wda.SourceLimit, true
	var text string
	if err := r.link.Do(ctx, ask, &text); err != nil {
		return source.Reading{}, err
	}
	seen, err := source.Read([]byte(text))
	if err != nil {
		return source.Reading{}, fmt.Errorf("%w: device %s: %w", drivers.ErrNotReady, r.link.ID, err)
	}
	r.mu.Lock()
	r.told = r.told || seen.Traits
	r.mu.Unlock()
	return seen, nil
}

// traits reports whether this WebDriverAgent returns traits.
func (r *Reader) traits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told
}

// focus marks the element that has the keyboard's focus. Where there is no field, it is not needed.
func (r *Reader) focus(ctx context.Context, tree *screen.Tree) error {
	fields := false
	for n := range tree.All {
		fields = fields || n.Editable
	}
	if !fields {
		return nil
	}
	active, err := r.link.Focus(ctx)
	if err != nil || active == nil {
		return err
	}
	want := active.Pixels(r.geometry.Factor())
	for n := range tree.All {
		if n.Type == active.Type && n.ID == active.Name && geometry.Near(n.Bounds, want) {
			n.Focused = true
			return nil
		}
	}
	return nil
}

// mostLong is for how many elements of a source the whole text is requested.
const mostLong = 8

// longTexts requests the whole texts of those elements of which the source may contain only the start. Where
// one cannot be had, the reading says that it is cut: nothing is known not to be in it.
func (r *Reader) longTexts(ctx context.Context, seen source.Reading) error {
	for i, n := range seen.Long {
		whole := ""
		if i < mostLong {
			var err error
			if whole, err = r.wholeText(ctx, n); err != nil {
				return err
			}
		}
		if whole == "" {
			seen.Cut(fmt.Sprintf("the text of %s may be longer than the %d bytes that WebDriverAgent returns of it", n.Type,
				source.MostOfValue))
			continue
		}
		n.Text = whole
	}
	return nil
}

// wholeText finds an element of the source again by its type and place, and requests its whole text; "" where it is
// not found, or is one of several there.
func (r *Reader) wholeText(ctx context.Context, n *screen.Node) (string, error) {
	all, err := r.link.OfType(ctx, n.Type)
	if err != nil {
		return "", wda.UnlessRefused(err)
	}
	e, ok := wda.OnlyAt(all, n.Bounds, wda.Element.Box)
	if !ok {
		return "", nil
	}
	text, err := r.link.TextOf(ctx, e.ID)
	return text, wda.UnlessRefused(err)
}

// statusBar is what WebDriverAgent has reported of the status bar while an app filled a screen of so many points.
type statusBar struct {
	app    string
	screen image.Point
	height int // in points; 0: there is none
}

// readStatusBar returns the height of the status bar in points, 0 where there is none. WebDriverAgent is asked when
// another app is in the foreground, when the screen has turned, and when the middle of something is in the bar's place:
// the app may hide the bar.
func (r *Reader) readStatusBar(ctx context.Context, seen source.Reading) (int, error) {
	r.mu.Lock()
	known := r.bar
	r.mu.Unlock()
	now := statusBar{app: seen.App, screen: seen.Screen, height: known.height}
	if geometry.IsPhone(seen.Screen) && seen.Screen.X > seen.Screen.Y { // it shows none on its side
		return 0, nil
	}
	if now == known && !seen.ShowsAbove(cmp.Or(known.height, geometry.MostStatusBar)) {
		return now.height, nil
	}
	var s struct {
		StatusBarSize struct{ Width, Height float64 }
	}
	if err := r.link.Do(ctx, wda.Get("the size of the status bar", "/wda/screen"), &s); err != nil {
		if now != known {
			known.height = 0
		}
		return known.height, wda.UnlessRefused(err)
	}
	now.height = geometry.StatusBarOf(
		seen.Screen,
		source.Whole(s.StatusBarSize.Width),
		source.Whole(s.StatusBarSize.Height),
	)
	if f, ok := r.link.Agent.(wda.Forgetful); ok && f.BarsOnce() && seen.ShowsAbove(geometry.MostStatusBar) {
		f.WarnOnce("whether the status bar covers what the app has in its place is unknown: the server reports its size " +
			"once in a session, and apps may hide it")
		now.height = 0
	}
	r.mu.Lock()
	r.bar = now
	r.mu.Unlock()
	return now.height, nil
}
