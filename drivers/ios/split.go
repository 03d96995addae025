package ios

import (
	"context"
	"image"
	"math"
)

// Two apps share the screen of an iPad, or lie in windows on it: then an app is not as large as the screen, its
// elements lie where they are on the screen, and touches count from the app's own corner.

// fills reports whether an app's frame, in points, is all of a screen of so many pixels, whichever way each of them is
// held.
func fills(app image.Rectangle, pixels image.Point) bool {
	if pixels == (image.Point{}) {
		return true
	}
	long := func(p image.Point) float64 { return float64(max(p.X, p.Y)) / float64(max(min(p.X, p.Y), 1)) }
	return app.Min == image.Point{} && math.Abs(long(app.Size())-long(pixels)) < 0.05
}

// wholeScreen is the size of the screen in points, the way it is held, of which an app has the frame: the app's own,
// where it fills the screen.
func (d *Device) wholeScreen(ctx context.Context, app image.Rectangle, pixels image.Point) (image.Point, error) {
	if fills(app, pixels) {
		return app.Size(), nil
	}
	var s struct {
		ScreenSize struct{ Width, Height float64 }
	}
	if err := d.do(ctx, get("the size of the screen", "/wda/screen"), &s); err != nil {
		return app.Size(), unlessUnknown(err)
	}
	size := image.Pt(whole(s.ScreenSize.Width), whole(s.ScreenSize.Height))
	if size.X <= 0 || size.Y <= 0 {
		return app.Size(), nil
	}
	turned := image.Pt(size.Y, size.X)
	switch in := func(p image.Point) bool { return app.In(image.Rectangle{Max: p}) }; {
	case in(turned) && (!in(size) || app.Dy() == turned.Y && app.Dy() != size.Y):
		// the home screen's app, which reports it, may not have turned
		return turned, nil
	case !in(size): // it is not a part of that screen
		return app.Size(), nil
	}
	return size, nil
}
