package geometry

import (
	"image"
	"math"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
)

// The status bar and the home indicator belong to the system: no app's source has them, and a touch of the status bar
// never reaches the app below it.

const (
	// MostStatusBar is the height in points of the highest status bar: where none is known, one may have come.
	MostStatusBar = 62
	// lowStatusBar is the height in points up to which a status bar is not next to a camera.
	lowStatusBar = 24
	// tallPhone is the least ratio of the sides of a phone without a Home button, which has a home indicator.
	tallPhone = 2
	// homeUpright and homeOnSide are the heights in points of the area of the home indicator, which an app's layout leaves
	// free; edgeStrip is that of the strip along the lower edge from which other devices take swipes.
	homeUpright, homeOnSide, edgeStrip = 34, 21, 20
)

// IsPhone reports whether a screen of such sides is a phone's, which is longer than that of any iPad.
func IsPhone(size image.Point) bool { return max(size.X, size.Y)*5 >= min(size.X, size.Y)*8 }

// StatusBarOf returns the height of the status bar of a screen in points, of the width and height that WebDriverAgent
// reports. These are of the home screen, which may not have turned with the app.
func StatusBarOf(screen image.Point, width, height int) int {
	if width != screen.X && IsPhone(screen) || height < 0 || height > screen.Y/4 {
		return 0
	}
	return height
}

// Bars returns the status bar of a height in points, and the strip from which the system takes swipes, on a
// screen of so many pixels.
func Bars(size image.Point, scale float64, height int) (bars []*screen.Node, edges []image.Rectangle) {
	pixels := func(points int) int { return int(math.Round(float64(points) * scale)) }
	if height > 0 {
		bar := &screen.Node{Type: source.Prefix + "StatusBar", Desc: "the status bar", Blocks: true,
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
