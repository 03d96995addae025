package device

import (
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// Hands touch the screen of a device and press its keys.
type Hands struct{ *Device }

// top returns the frontmost view that takes a touch.
func (d *Hands) top(p image.Point, takes func(*ui.View) bool) *ui.View {
	_, windows := d.Screen()
	for i := len(windows) - 1; i >= 0; i-- {
		if v := windows[i].At(p, takes); v != nil {
			return v
		}
		if windows[i].Kind == "Alert" || windows[i].Kind == "Sheet" || windows[i].Kind == "Keyboard" && p.In(windows[i].B) {
			return nil // nothing goes through an alert
		}
	}
	return nil
}

// Touched does what the view under the finger does.
func (d *Hands) Touched(p image.Point, gesture int) {
	if d.Locked {
		return
	}
	if p.Add(d.Opts.Part.Min).In(d.StatusBar()) {
		d.Note("status bar touched at %v", p)
		return
	}
	v := d.top(p, func(v *ui.View) bool {
		return v.Blocks || v.OnTap != nil || v.Field != nil && v.Field.Keyed == nil || v.Web != nil || v.Key != "" ||
			v.OnLong != nil || v.OnDouble != nil
	})
	switch {
	case v == nil || v.Disabled: // a disabled control takes the touch and does nothing
		return
	case v.Web != nil:
		v.Web.Touched(p, map[bool]time.Duration{true: time.Second, false: 0}[gesture == Holds])
	case v.Field != nil && d.Focus == v.Field && !v.Field.Secret && len(v.Field.Text) > 0 && p.X > v.B.Max.X-30:
		// the clear button
		v.Field.Set("")
	case v.Field != nil:
		d.Focus = v.Field
		v.Field.Caret = len(v.Field.Text)
		if x := p.X - v.B.Min.X - 4; x/9 < len(v.Field.Text) {
			v.Field.Caret = max(x/9, 0)
		}
	case v.Key != "":
		d.Pressed(v.Key)
	case gesture == Holds && v.OnLong != nil:
		v.OnLong()
	case gesture == Taps2 && v.OnDouble != nil:
		v.OnDouble()
	case v.OnTap != nil:
		v.OnTap()
	}
}

// Drag moves a finger from one point to another; one that does not move is a tap or a long press.
func (d *Hands) Drag(s Stroke) {
	way := s.To.Sub(s.From)
	if max(way.X, -way.X, way.Y, -way.Y) < 10 {
		d.Touched(s.From, map[bool]int{true: Holds, false: Taps}[s.Held >= 500*time.Millisecond])
		return
	}
	if d.takesSwipe(s.From.Add(d.Opts.Part.Min), way) {
		return
	}
	if s.Held >= 500*time.Millisecond {
		if v := d.top(s.From, func(v *ui.View) bool { return v.OnDrag != nil }); v != nil {
			v.OnDrag(s.To)
			return
		}
	}
	if v := d.top(s.From, func(v *ui.View) bool { return v.Scroll != nil }); v != nil {
		v.Scroll(way)
	}
	d.Note("swiped %v to %v in %v", s.From, s.To, s.moved)
}

// Pinched is a movement of two fingers, by their distances before and after.
func (d *Hands) Pinched(from, to int) {
	if a := d.Apps[d.Front]; a != nil {
		if p, ok := a.Page.(interface{ Zoomed(in bool) }); ok {
			p.Zoomed(max(to, -to) > max(from, -from))
		}
	}
}

// The gestures of one finger that stays where it is.
const (
	Taps = iota
	Taps2
	Holds
)

// Pointer is one finger of W3C actions.
type Pointer struct {
	Actions []struct {
		Type     string
		Duration float64
		X, Y     float64
	}
}

// Stroke is what a finger did between down and up.
type Stroke struct {
	From, To image.Point
	Held     time.Duration // before it moved
	moved    time.Duration
}

// Stroke is what the finger did.
func (p Pointer) Stroke() Stroke {
	var s Stroke
	var at image.Point
	down, moving := false, false
	for _, a := range p.Actions {
		switch a.Type {
		case "pointerMove":
			at = image.Pt(int(a.X), int(a.Y))
			if down {
				moving = true
				s.moved += time.Duration(a.Duration) * time.Millisecond
			}
		case "pointerDown":
			down, s.From = true, at
		case "pause":
			if down && !moving {
				s.Held += time.Duration(a.Duration) * time.Millisecond
			}
		case "pointerUp":
			s.To = at
		}
	}
	return s
}

// TypeText types into the field with the focus.
func (d *Hands) TypeText(text string) {
	for _, c := range text {
		if d.Focus == nil {
			return
		}
		d.typed(d.Focus, c)
	}
}

// typed puts one character in.
func (d *Device) typed(f *ui.Field, c rune) {
	if f.Keyed != nil {
		f.Keyed(c)
		return
	}
	if f.All { // everything is selected
		f.All = false
		f.Set("")
		if c == '\b' || c == 0x7f {
			return
		}
	}
	switch c {
	case '\b':
		if f.Caret > 0 {
			f.Text = slices.Delete(f.Text, f.Caret-1, f.Caret)
			f.Caret--
		}
	case 0x7f:
		if f.Caret < len(f.Text) {
			f.Text = slices.Delete(f.Text, f.Caret, f.Caret+1)
		}
	case '\n', '\r':
		if d.Focus == f {
			d.Focus = nil
		}
		if f.OnReturn != nil {
			f.OnReturn()
		}
	default:
		if !strings.ContainsRune(f.Eats, c) {
			f.Text = slices.Insert(f.Text, f.Caret, c)
			f.Caret++
		}
	}
}

// HardKey presses a key of a plugged-in keyboard.
func (d *Hands) HardKey(name string) {
	f := d.Focus
	if f == nil {
		return
	}
	switch name {
	case "LeftArrow":
		f.Caret = max(f.Caret-1, 0)
	case "RightArrow":
		f.Caret = min(f.Caret+1, len(f.Text))
	case "Home", "UpArrow":
		f.Caret = 0
	case "End", "DownArrow":
		f.Caret = len(f.Text)
	case "ForwardDelete":
		d.typed(f, 0x7f)
	case "Delete":
		d.typed(f, '\b')
	case "Return", "Enter":
		d.typed(f, '\n')
	case "Tab":
		d.nextField()
	case "Escape":
	default:
		d.TypeText(name) // an unknown name is text
	}
}

// Chord: the third bit is control, the fifth command.
func (d *Hands) Chord(key string, flags int) {
	if d.Focus == nil {
		return
	}
	switch {
	case key == "a" && flags == 1<<4:
		d.Focus.All = len(d.Focus.Text) > 0
	case key == "\uf701" && flags == 1<<4:
		d.Focus.Caret = len(d.Focus.Text)
	case key == "a" && flags == 1<<2:
		d.Focus.Caret = 0
	case key == "\t":
		d.nextField()
	}
}

func (d *Hands) nextField() {
	_, windows := d.Screen()
	var fields []*ui.Field
	for _, w := range windows {
		for v := range w.All() {
			if v.Field != nil {
				fields = append(fields, v.Field)
			}
		}
	}
	if i := slices.Index(fields, d.Focus); i >= 0 {
		d.Focus = fields[(i+1)%len(fields)]
	}
}

// Pressed is a key of the keyboard on the screen.
func (d *Hands) Pressed(key string) {
	switch {
	case key == "Hide keyboard":
		d.Focus = nil
	case len(key) == 1:
		d.TypeText(key)
	default:
		d.TypeText(map[string]string{"space": " ", "delete": "\b", "Return": "\n", "Done": "\n"}[key])
	}
}

// Hittable is what XCTest finds at the middle of an element: whatever takes the touch there is it, or in it, or around
// it.
func (d *Hands) Hittable(v *ui.View) bool {
	window := image.Rectangle{Max: d.Metrics().Size}
	part := v.B.Intersect(window)
	if v.Mute || v.Unseen || part.Empty() {
		return false
	}
	at := part.Min.Add(part.Size().Div(2))
	top := d.top(at, func(c *ui.View) bool {
		return c.Blocks || c.Web != nil || c.OnTap != nil || c.Field != nil || c.Key != "" || c.OnLong != nil ||
			c.OnDouble != nil
	})
	switch {
	case top == nil: // nothing takes it: the text or image at that place is found
		return v.Label != "" || v.Kind == "Image"
	case top.Blocks && top.Mute: // nothing is found that has a name
		return false
	}
	return top.Holds(v) && (v.Label != "" || v.Kind == "Image" || top.Same(v)) || v.Holds(top)
}
