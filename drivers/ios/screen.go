package ios

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // WebDriverAgent before 2019, and some that others build
	_ "image/png"
	"math"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	maxPixels = 80 << 20
	// snapshotDepth is how many elements inside one another WebDriverAgent reads; XCTest fails on some apps with more, and
	// on all beyond the deepest.
	snapshotDepth   = 50
	deepestSnapshot = 62
)

// Tree reads the source of the foreground app and the alert of the system over it, which is not a part of that,
// and queries which element has the focus, which is not in a source; the status bar, and pages in WebViews, as
// ReadWebViews says.
func (d *Device) Tree(ctx context.Context) (*screen.Tree, error) {
	d.mu.Lock()
	shot := d.shot
	d.mu.Unlock()
	taken := time.Now()
	seen, err := d.readFront(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := d.longTexts(ctx, seen); err != nil {
		return nil, err
	}
	if seen.screen, err = d.wholeScreen(ctx, seen.bounds, shot); err != nil {
		return nil, err
	}
	bar, err := d.readStatusBar(ctx, seen)
	if err != nil {
		return nil, err
	}
	tree, scale := seen.tree(shot, taken, func(scale float64) { d.readPages(ctx, &seen, scale) })
	tree.Parts = d.partsRead()
	tree.Bars, tree.SwipeEdges = systemBars(tree.Size, scale, bar)
	d.mu.Lock()
	d.wide, d.scale, d.tree, d.corner = tree.Size.X > tree.Size.Y, scale, tree, seen.bounds.Min
	d.mu.Unlock()
	return tree, d.focus(ctx, tree)
}

// QuickTree is Tree without distinguishing what is hidden from what is seen, without the focus, and without texts that
// are longer than a source has: each of these costs requests to the app, about each of its elements. WebDriverAgents
// before 9.12 report what is hidden at no cost.
func (d *Device) QuickTree(ctx context.Context) (*screen.Tree, error) {
	if !d.traits() {
		return nil, nil
	}
	taken := time.Now()
	seen, err := d.readFront(ctx, true)
	if err != nil || len(seen.long) > 0 || d.web.wants(seen) {
		return nil, err
	}
	tree, _ := seen.tree(image.Point{}, taken, nil)
	return tree, nil
}

// readFront returns the elements of the foreground app, and of the alert of the system over it.
func (d *Device) readFront(ctx context.Context, quick bool) (reading, error) {
	seen, err := d.read(ctx, quick)
	if err != nil {
		return reading{}, err
	}
	over, err := d.systemAlert(ctx, seen)
	seen.windows = append(seen.windows, over...)
	return seen, err
}

// read returns the elements of one application, as deep as they go.
func (d *Device) read(ctx context.Context, quick bool) (reading, error) {
	for {
		seen, err := d.readOnce(ctx, quick)
		if err != nil || seen.depth() < d.wda.reach() {
			return seen, err
		}
		if deeper, err := d.wda.deepen(ctx); err != nil || !deeper {
			seen.cut(fmt.Sprintf("WebDriverAgent reads %d elements inside one another, and this screen may have more",
				deepestSnapshot))
			return seen, err
		}
	}
}

func (d *Device) readOnce(ctx context.Context, quick bool) (reading, error) {
	// What is left out is dear to compute or of no use here; an old WebDriverAgent does not know how to leave it out.
	left := "nativeFrame,nativeAccessibilityElement,minValue,maxValue,customActions,index"
	if d.traits() {
		left += ",accessible" // one more question to the app about each element, and the traits show what reacts
	}
	if quick {
		left += ",visible"
	}
	ask := get("the element tree", "/source?format=xml&excluded_attributes="+left)
	ask.limit, ask.look = sourceLimit, true
	var source string
	if err := d.do(ctx, ask, &source); err != nil {
		return reading{}, err
	}
	seen, err := readSource([]byte(source))
	if err != nil {
		return reading{}, fmt.Errorf("%w: device %s: %w", drivers.ErrNotReady, d.info.ID, err)
	}
	d.mu.Lock()
	d.told = d.told || seen.traits
	d.mu.Unlock()
	return seen, nil
}

// traits reports whether this WebDriverAgent returns traits.
func (d *Device) traits() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.told
}

// TreeAheadOfScreen: UIKit moves a view's frame at once to where its animation ends.
func (d *Device) TreeAheadOfScreen() bool { return true }

// focus marks the element that has the keyboard's focus. Where there is no field, it is not needed.
func (d *Device) focus(ctx context.Context, tree *screen.Tree) error {
	fields := false
	for n := range tree.All {
		fields = fields || n.Editable
	}
	if !fields {
		return nil
	}
	active, err := d.active(ctx)
	if err != nil || active == nil {
		return err
	}
	want := active.pixels(d.factor())
	for n := range tree.All {
		if n.Type == active.Type && n.ID == active.Name && near(n.Bounds, want) {
			n.Focused = true
			return nil
		}
	}
	return nil
}

// factor is how many pixels a point has.
func (d *Device) factor() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.scale
}

// activeElement is the element with the focus, as WebDriverAgent describes it.
type activeElement struct {
	ID   string `json:"element-6066-11e4-a52e-4f735466cecf"`
	Old  string `json:"ELEMENT"`
	Type string `json:"type"`
	Rect *rect  `json:"rect"`
	Name string `json:"attribute/name"`
}

// rect is a rectangle in points.
type rect struct{ X, Y, Width, Height float64 }

func (a activeElement) pixels(factor float64) image.Rectangle {
	at := func(v float64) int { return int(math.Round(v * factor)) }
	return image.Rect(at(a.Rect.X), at(a.Rect.Y), at(a.Rect.X+a.Rect.Width), at(a.Rect.Y+a.Rect.Height))
}

// near allows for what rounding does to points.
func near(a, b image.Rectangle) bool {
	alike := func(p, q int) bool { return max(p-q, q-p) <= 4 }
	return alike(a.Min.X, b.Min.X) && alike(a.Min.Y, b.Min.Y) && alike(a.Max.X, b.Max.X) && alike(a.Max.Y, b.Max.Y)
}

// active returns the element with the focus; nil when none has it.
func (d *Device) active(ctx context.Context) (*activeElement, error) {
	var a activeElement
	err := d.do(ctx, get("the focus", "/element/active"), &a)
	switch {
	case errors.Is(err, screen.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if a.ID == "" {
		a.ID = a.Old
	}
	if a.ID == "" || a.Type != "" && a.Rect != nil {
		return &a, nil
	}
	return d.describe(ctx, a)
}

// describe queries an old WebDriverAgent, which returns only the element's id, for the rest. An element that is gone
// meanwhile has no focus.
func (d *Device) describe(ctx context.Context, a activeElement) (*activeElement, error) {
	a.Rect = &rect{}
	for path, to := range map[string]any{"/rect": a.Rect, "/attribute/type": &a.Type, "/attribute/name": &a.Name} {
		err := d.do(ctx, get("the focus", "/element/"+a.ID+path), to)
		if errors.Is(err, screen.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return &a, nil
}

// Screenshot returns the screen the way up in which the app is.
func (d *Device) Screenshot(ctx context.Context) (image.Image, error) {
	img, err := d.takeScreenshot(ctx)
	if err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	d.mu.Lock()
	wide, known := d.wide, d.shot != (image.Point{})
	d.mu.Unlock()
	if known && wide != (size.X > size.Y) || !known {
		if img, err = d.turned(ctx, img); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shot = img.Bounds().Size()
	return img, nil
}

// takeScreenshot takes a screenshot; where WebDriverAgent cannot, simctl may.
func (d *Device) takeScreenshot(ctx context.Context) (image.Image, error) {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	data, err := d.capture(ctx)
	if shooter, ok := d.host.(shooter); ok && errors.Is(err, drivers.ErrNotReady) {
		var shotErr error
		if data, shotErr = shooter.screenshot(ctx); shotErr != nil {
			return nil, errors.Join(err, shotErr)
		}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return d.decode(data)
}

// capture requests from WebDriverAgent a screenshot.
func (d *Device) capture(ctx context.Context) ([]byte, error) {
	var text string
	if err := d.wda.call(ctx, get("a screenshot", "/screenshot"), &text); err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: device %s: the screenshot is not base64: %w", drivers.ErrDeviceLost, d.info.ID, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: device %s: the screenshot is empty", drivers.ErrNotReady, d.info.ID)
	}
	return data, nil
}

// decode makes an image of a file. The pixels of a whole PNG are decoded when they are needed, and those of a
// screen that has not changed only once.
func (d *Device) decode(data []byte) (img image.Image, err error) {
	if bytes.HasSuffix(data, pngEnd) {
		img, err = d.taken.Of(data, maxPixels)
	} else {
		img, err = decodeAll(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: device %s: the screenshot is not an image: %w", drivers.ErrDeviceLost, d.info.ID, err)
	}
	return img, nil
}

// pngEnd is the last part of a PNG file: one that was cut is without it.
var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

// decodeAll reads an image of any kind.
func decodeAll(data []byte) (image.Image, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if head.Width*head.Height > maxPixels {
		return nil, fmt.Errorf("it has %dx%d pixels", head.Width, head.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

// turned queries the orientation of the app and rotates an image with another one: some systems return the screen as it
// is built into the phone.
func (d *Device) turned(ctx context.Context, img image.Image) (image.Image, error) {
	var window struct{ Width, Height float64 }
	if err := d.do(ctx, get("the size of the window", "/window/size"), &window); err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	points, err := d.wholeScreen(ctx, image.Rect(0, 0, whole(window.Width), whole(window.Height)), size)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.wide = points.X > points.Y
	if longer := max(points.X, points.Y); longer > 0 {
		d.scale = float64(max(size.X, size.Y)) / float64(longer)
	}
	d.mu.Unlock()
	if (size.X > size.Y) == (points.X > points.Y) {
		return img, nil
	}
	clockwise, err := d.liesRight(ctx)
	if err != nil {
		return nil, err
	}
	return turn(img, clockwise), nil
}

// liesRight reports whether the screen, as it is built into the phone, has to be turned clockwise to be seen as the app
// is.
func (d *Device) liesRight(ctx context.Context) (bool, error) {
	var rotation struct{ Z int }
	err := d.do(ctx, get("the rotation", "/rotation"), &rotation)
	return rotation.Z == 90, err
}

// landscape reports whether the app was in landscape when it was read last.
func (d *Device) landscape() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wide
}
