package device

import (
	"image"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// StatusBar is where the system's status bar is, in points of the screen; empty: there is none, as on a phone on
// its side.
func (d *Device) StatusBar() image.Rectangle {
	size := d.Whole()
	tall, pad := d.tall(), min(size.X, size.Y)*3 > max(size.X, size.Y)*2
	high := 20 // of a phone with a Home button
	switch {
	case d.Opts.NoStatusBar || !pad && d.Wide:
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
	size := d.Whole()
	return max(size.X, size.Y) >= 2*min(size.X, size.Y)
}

// homeArea is where the system takes swipes for itself: around the home indicator, or along the lower edge.
func (d *Device) homeArea() image.Rectangle {
	size := d.Whole()
	high := 20
	if d.tall() {
		high = map[bool]int{true: 21, false: 34}[d.Wide]
	}
	return image.Rect(0, size.Y-high, size.X, size.Y)
}

// takesSwipe makes what a swipe from an edge of the screen does, and reports whether the system takes it. The lock is
// held.
func (d *Device) takesSwipe(from, way image.Point) bool {
	switch {
	case from.In(d.StatusBar()) && way.Y > 0:
		d.Note("notification centre opened")
	case !from.In(d.homeArea()):
		return false
	case !d.tall():
		d.Note("control centre opened")
	case max(way.X, -way.X) > max(way.Y, -way.Y):
		d.Note("another app swiped to")
	case way.Y < 0:
		d.Note("swiped home")
		d.Front, d.Focus = "", nil
	default:
		return false
	}
	return true
}

// drawBars draws the system's bars over the app.
func (d *Device) drawBars(c *ui.Canvas) {
	scaled := func(r image.Rectangle) image.Rectangle {
		return image.Rectangle{Min: r.Min.Mul(c.Scale), Max: r.Max.Mul(c.Scale)}
	}
	if bar := d.StatusBar(); !bar.Empty() {
		c.Text(scaled(image.Rect(bar.Min.X+16, bar.Min.Y, bar.Min.X+80, bar.Max.Y)), "9:41", ui.Metrics{Dark: d.Dark}.InkOn(),
			false)
	}
}

// MetricsNow are metrics where the lock is not held.
func (d *Device) MetricsNow() ui.Metrics {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return d.Metrics()
}

// Metrics are the window's; the lock is held.
func (d *Device) Metrics() ui.Metrics {
	size := d.Whole()
	if !d.Opts.Part.Empty() {
		size = d.Opts.Part.Size()
	}
	return ui.Metrics{Size: size, Now: time.Now(), Dark: d.Dark}
}

// Whole is the size of the screen in points.
func (d *Device) Whole() image.Point {
	if d.Wide {
		return image.Pt(d.Opts.Height, d.Opts.Width)
	}
	return image.Pt(d.Opts.Width, d.Opts.Height)
}

// OwnWindows are those of one app, or of the home screen: what is in front of them belongs to another.
func (d *Device) OwnWindows(owner string) []*ui.View {
	m := d.Metrics()
	a := d.Apps[owner]
	if a == nil || a.Page == nil {
		windows := []*ui.View{d.home(m)}
		if d.Front != "" { // its icons lie under the app
			for v := range windows[0].All() {
				v.Unseen = true
			}
		}
		if d.Question != nil {
			windows = append(windows, d.alertView(m, d.Question))
		}
		return windows
	}
	windows := []*ui.View{a.Page.View(m)}
	if d.Focus != nil {
		windows = append(windows, d.Keyboard(m))
	}
	if q := a.Page.Alert(); q != nil {
		windows = append(windows, d.alertView(m, q))
	}
	return windows
}

// Screen is all that can be seen: the windows of the foreground app, from back to front, and their owners. The lock is
// held.
func (d *Device) Screen() (owner string, windows []*ui.View) {
	m := d.Metrics()
	a := d.Apps[d.Front]
	switch {
	case a == nil:
		owner, windows = Springboard, []*ui.View{d.home(m)}
	default:
		p := a.Page
		owner, windows = a.bundle, []*ui.View{p.View(m)}
		if a.Page == nil { // it died of what it was about to show
			return d.Screen()
		}
		if d.Focus != nil {
			windows = append(windows, d.Keyboard(m))
		}
		if q := p.Alert(); q != nil {
			windows = append(windows, d.alertView(m, q))
		}
	}
	if d.Question != nil {
		windows = append(windows, d.alertView(m, d.Question))
	}
	return owner, windows
}

// home shows an icon for every app.
func (d *Device) home(m ui.Metrics) *ui.View {
	root := m.Page()
	i := 0
	for _, bundle := range []string{LoginBundle, ListBundle} {
		a := d.Apps[bundle]
		if a == nil {
			continue
		}
		b := m.Rect(24+i*96, 80, 76, 90)
		root.Add(&ui.View{Kind: "Icon", ID: a.Name, Label: a.Name, B: b, Fill: ui.RGB(0xc0c8f0), Ink: ui.RGB(0x101010),
			Traits: []string{"Button"},
			OnTap:  func() { d.Launch(a, false, nil) }})
		i++
	}
	return root
}

// Keyboard is one with few keys.
func (d *Device) Keyboard(m ui.Metrics) *ui.View {
	top := m.Size.Y - m.Size.Y*3/10
	board := &ui.View{Kind: "Keyboard", B: image.Rect(0, top, m.Size.X, m.Size.Y), Fill: ui.RGB(0xc8ccd4)}
	keys := []string{"q", "w", "e", "space", "delete", "Return"}
	if d.Focus != nil && d.Focus.OnReturn != nil {
		keys[5] = "Done" // which sends the form
	}
	if d.Opts.HideKey {
		keys = append(keys, "Hide keyboard")
	}
	for i, key := range keys {
		w := m.Size.X / len(keys)
		v := &ui.View{
			Kind:   "Key",
			ID:     key,
			Label:  key,
			B:      m.Rect(i*w, top+8, w-4, 44),
			Fill:   ui.RGB(0xffffff),
			Ink:    ui.RGB(0x101010),
			Traits: []string{"KeyboardKey"},
			Key:    key,
		}
		if key == "Return" || key == "Done" {
			v.Kind = "Button"
		}
		board.Add(v)
	}
	return board
}

// alertView is an alert in the middle of the screen.
func (d *Device) alertView(m ui.Metrics, q *Question) *ui.View {
	stacked, high := len(q.Buttons) > 2, 180 // as iOS has three and more
	if stacked {
		high = 100 + 52*len(q.Buttons)
	}
	b := m.Rect(m.Size.X/2-135, m.Size.Y/2-high/2, 270, high)
	v := &ui.View{Kind: map[bool]string{true: "Sheet", false: "Alert"}[q.Sheet], ID: q.Title, Label: q.Title, B: b,
		Fill: ui.RGB(0xf2f2f6)}
	t := m.Text(q.Title, m.Rect(b.Min.X+10, b.Min.Y+12, 250, 40))
	t.Ink = ui.RGB(0x101010)
	v.Add(t)
	if q.Field != nil {
		v.Add(m.Edit(q.Field, "", "", m.Rect(b.Min.X+16, b.Min.Y+64, 238, 36)))
	}
	w := 270 / max(len(q.Buttons), 1)
	for i, name := range q.Buttons {
		at := m.Rect(b.Min.X+i*w+4, b.Max.Y-56, w-8, 48)
		if stacked {
			at = m.Rect(b.Min.X+4, b.Max.Y-52*(len(q.Buttons)-i), 262, 48)
		}
		v.Add(m.Button(name, "", at, func() { d.Answer(q, name) }))
	}
	return v
}

// Window is what UIKit puts around all that an app shows; without children.
func (d *Device) Window() *ui.View {
	return &ui.View{Kind: "Window", B: image.Rectangle{Max: d.Metrics().Size}}
}

// Render returns the screen in pixels; the lock is held.
func (d *Device) Render() (*image.RGBA, error) {
	c, err := ui.NewCanvas(d.Whole(), d.Opts.Scale)
	if err != nil {
		return nil, err
	}
	d.Pictured = true
	_, windows := d.Screen()
	d.Pictured = false
	for _, w := range windows {
		c.Moved(w, d.Focus, d.Opts.Part.Min)
	}
	d.drawBars(c)
	if !d.Opts.PortraitPictures {
		return c.Img, nil
	}
	return d.asBuilt(c.Img), nil
}

// BuiltIn is the screen as it is built into the phone; the lock is held.
func (d *Device) BuiltIn() (*image.RGBA, error) {
	img, err := d.Render()
	if err != nil || d.Opts.PortraitPictures {
		return img, err
	}
	return d.asBuilt(img), nil
}

// asBuilt rotates what an app in landscape shows.
func (d *Device) asBuilt(img *image.RGBA) *image.RGBA {
	if !d.Wide {
		return img
	}
	b := img.Bounds() // the phone is turned to its left: its upper edge is the left one of what it shows
	out := image.NewRGBA(image.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetRGBA(b.Dy()-1-y, x, img.RGBAAt(x, y))
		}
	}
	return out
}
