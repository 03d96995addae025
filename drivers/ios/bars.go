package ios

import (
	"cmp"
	"context"
	"image"
	"math"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// The status bar and the home indicator belong to the system: no app's source has them, and a touch of the status bar
// never reaches the app below it.

const (
	// mostStatusBar is the height in points of the highest status bar: where none is known, one may have come.
	mostStatusBar = 62
	// lowStatusBar is the height in points up to which a status bar is not next to a camera.
	lowStatusBar = 24
	// tallPhone is the least ratio of the sides of a phone without a Home button, which has a home indicator.
	tallPhone = 2
	// homeUpright and homeOnSide are the heights in points of the area of the home indicator, which an app's layout leaves
	// free; edgeStrip is that of the strip along the lower edge from which other devices take swipes.
	homeUpright, homeOnSide, edgeStrip = 34, 21, 20
)

// statusBar is what WebDriverAgent has reported of the status bar while an app filled a screen of so many points.
type statusBar struct {
	app    string
	screen image.Point
	height int // in points; 0: there is none
}

// readStatusBar returns the height of the status bar in points, 0 where there is none. WebDriverAgent is asked when
// another app is in the foreground, when the screen has turned, and when the middle of something is in the bar's place:
// the app may hide the bar.
func (d *Device) readStatusBar(ctx context.Context, seen reading) (int, error) {
	d.mu.Lock()
	known := d.bar
	d.mu.Unlock()
	now := statusBar{app: seen.app, screen: seen.screen, height: known.height}
	if isPhone(seen.screen) && seen.screen.X > seen.screen.Y { // it shows none on its side
		return 0, nil
	}
	if now == known && !seen.showsAbove(cmp.Or(known.height, mostStatusBar)) {
		return now.height, nil
	}
	var s struct {
		StatusBarSize struct{ Width, Height float64 }
	}
	if err := d.do(ctx, get("the size of the status bar", "/wda/screen"), &s); err != nil {
		if now != known {
			known.height = 0
		}
		return known.height, unlessRefused(err)
	}
	now.height = statusBarOf(seen.screen, whole(s.StatusBarSize.Width), whole(s.StatusBarSize.Height))
	d.mu.Lock()
	d.bar = now
	d.mu.Unlock()
	return now.height, nil
}

// isPhone reports whether a screen of such sides is a phone's, which is longer than that of any iPad.
func isPhone(size image.Point) bool { return max(size.X, size.Y)*5 >= min(size.X, size.Y)*8 }

// statusBarOf returns the height of the status bar of a screen in points, of the width and height that WebDriverAgent
// reports. These are of the home screen, which may not have turned with the app.
func statusBarOf(screen image.Point, width, height int) int {
	if width != screen.X && isPhone(screen) || height < 0 || height > screen.Y/4 {
		return 0
	}
	return height
}

// showsAbove reports whether the middle of something that reacts, or shows a text, is above a line.
func (r reading) showsAbove(y int) bool {
	tree := screen.Tree{Windows: r.windows}
	for n := range tree.All {
		middle := (n.Bounds.Min.Y + n.Bounds.Max.Y) / 2
		if !n.Hidden && middle < y && n.Bounds.Max.Y > 0 && !n.Bounds.Empty() &&
			(n.Clickable || n.Editable || n.Text != "" || n.Desc != "") {
			return true
		}
	}
	return false
}

// systemBars returns the status bar of a height in points, and the strip from which the system takes swipes, on a
// screen of so many pixels.
func systemBars(size image.Point, scale float64, height int) (bars []*screen.Node, edges []image.Rectangle) {
	pixels := func(points int) int { return int(math.Round(float64(points) * scale)) }
	if height > 0 {
		bar := &screen.Node{Type: elementPrefix + "StatusBar", Desc: "the status bar", Blocks: true,
			Bounds: image.Rect(0, 0, size.X, pixels(height))}
		for _, at := range shownInBar(size.X, height) {
			bar.Children = append(bar.Children, &screen.Node{Type: bar.Type, Desc: bar.Desc,
				Bounds: image.Rect(at[0], 0, at[1], bar.Bounds.Max.Y)})
		}
		bars = append(bars, bar)
	}
	strip := edgeStrip
	switch long, short := max(size.X, size.Y), min(size.X, size.Y); {
	case long < tallPhone*short:
	case size.X > size.Y:
		strip = homeOnSide
	default:
		strip = homeUpright
	}
	return bars, []image.Rectangle{image.Rect(0, size.Y-pixels(strip), size.X, size.Y)}
}

// shownInBar returns from where to where a status bar shows something of its own, of so many pixels: the rest is clear.
// High ones are next to the camera.
func shownInBar(width, height int) [][2]int {
	if height > lowStatusBar {
		return [][2]int{{0, width * 35 / 100}, {width * 65 / 100, width}}
	}
	return [][2]int{{0, width}}
}

// aboveHome moves the way of a swipe that would start where the system takes swipes for itself, as from the home
// indicator, above that.
func (d *Device) aboveHome(a, b image.Point) (from, to image.Point) {
	d.mu.Lock()
	size, scale, wide := d.shot, d.scale, d.wide
	d.mu.Unlock()
	if wide != (size.X > size.Y) {
		size = image.Pt(size.Y, size.X)
	}
	_, edges := systemBars(size, scale, 0)
	if !a.In(edges[0]) {
		return a, b
	}
	by := a.Y - edges[0].Min.Y + 1
	return image.Pt(a.X, a.Y-by), image.Pt(b.X, max(b.Y-by, 0))
}
