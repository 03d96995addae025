package iossim

import (
	"image"
)

// statusBar is where the system's status bar is, in points of the screen; empty: there is none, as on a phone on
// its side.
func (d *Device) statusBar() image.Rectangle {
	size := d.whole()
	tall, pad := d.tall(), min(size.X, size.Y)*3 > max(size.X, size.Y)*2
	high := 20 // of a phone with a Home button
	switch {
	case d.opts.NoStatusBar || !pad && d.wide:
		return image.Rectangle{}
	case pad:
		high = 24
	case tall:
		high = 47
	}
	return image.Rect(0, 0, size.X, high)
}

// tall reports whether it is a phone without a Home button.
func (d *Device) tall() bool {
	size := d.whole()
	return max(size.X, size.Y) >= 2*min(size.X, size.Y)
}

// homeArea is where the system takes swipes for itself: around the home indicator, or along the lower edge.
func (d *Device) homeArea() image.Rectangle {
	size := d.whole()
	high := 20
	if d.tall() {
		high = map[bool]int{true: 21, false: 34}[d.wide]
	}
	return image.Rect(0, size.Y-high, size.X, size.Y)
}

// takesSwipe makes what a swipe from an edge of the screen does, and reports whether the system takes it. The lock is
// held.
func (d *Device) takesSwipe(from, way image.Point) bool {
	switch {
	case from.In(d.statusBar()) && way.Y > 0:
		d.note("notification centre opened")
	case !from.In(d.homeArea()):
		return false
	case !d.tall():
		d.note("control centre opened")
	case max(way.X, -way.X) > max(way.Y, -way.Y):
		d.note("another app swiped to")
	case way.Y < 0:
		d.note("swiped home")
		d.front, d.focus = "", nil
	default:
		return false
	}
	return true
}

// drawBars draws the system's bars over the app.
func (c *canvas) drawBars(d *Device) {
	scaled := func(r image.Rectangle) image.Rectangle {
		return image.Rectangle{Min: r.Min.Mul(c.scale), Max: r.Max.Mul(c.scale)}
	}
	if bar := d.statusBar(); !bar.Empty() {
		c.text(scaled(image.Rect(bar.Min.X+16, bar.Min.Y, bar.Min.X+80, bar.Max.Y)), "9:41", metrics{dark: d.dark}.inkOn(),
			false)
	}
}
