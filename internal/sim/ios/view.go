package iossim

import (
	"image"
	"image/color"
	"strings"
	"time"
)

// view is an element: what is in the source and what is drawn. Rectangles are in points of the window.
type view struct {
	kind        string // XCUIElementType without the prefix
	id          string // accessibility identifier
	label       string
	value       string
	placeholder string
	traits      []string
	b           image.Rectangle
	disabled    bool
	unseen      bool // visible="false", though it is on the screen
	fill, ink   color.Color
	centred     bool
	// takes every touch on it, and does nothing: a UIView. An image or a text lets touches through
	blocks bool
	// an animation of UIView moves it: touches of it are lost, and only the screenshot shows where it is
	moving   bool
	mute     bool        // never hittable
	shift    image.Point // how far from its frame it is drawn
	children []*view

	onTap, onDouble, onLong func()
	onDrag                  func(to image.Point)
	scroll                  func(by image.Point) // a finger moved the content by that much
	field                   *field
	web                     *webPage                 // it takes touches by where they are
	picture                 image.Image              // that it shows, in pixels
	key                     string                   // what a key of the keyboard types
	takes                   func(value string) error // of what is set to a value: a picker wheel, a slider
}

// field is a text field's content.
type field struct {
	text     []rune
	caret    int
	secret   bool
	onReturn func()
	eats     string       // characters that it drops
	all      bool         // everything is selected
	keyed    func(c rune) // takes the characters instead
}

func (f *field) set(text string) { f.text, f.caret = []rune(text), len([]rune(text)) }

// add appends children to the view.
func (v *view) add(more ...*view) *view {
	v.children = append(v.children, more...)
	return v
}

// at returns the frontmost view that takes a touch there.
func (v *view) at(p image.Point, takes func(*view) bool) *view {
	if v.moving {
		return nil
	}
	for i := len(v.children) - 1; i >= 0; i-- {
		if found := v.children[i].at(p, takes); found != nil {
			return found
		}
	}
	if p.In(v.b) && takes(v) {
		return v
	}
	return nil
}

// all goes through the view and what is in it.
func (v *view) all(yield func(*view) bool) bool {
	if !yield(v) {
		return false
	}
	for _, c := range v.children {
		if !c.all(yield) {
			return false
		}
	}
	return true
}

// metrics are what an app lays itself out in.
type metrics struct {
	size image.Point
	now  time.Time
	dark bool
}

func (m metrics) ground() color.Color {
	if m.dark {
		return rgb(0x101014)
	}
	return rgb(0xf8f8fc)
}

func (m metrics) inkOn() color.Color {
	if m.dark {
		return rgb(0xf0f0f4)
	}
	return rgb(0x18181c)
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// page is the whole window of an app.
func (m metrics) page() *view {
	return &view{kind: "Other", b: image.Rectangle{Max: m.size}, fill: m.ground()}
}

func (m metrics) rect(x, y, w, h int) image.Rectangle { return image.Rect(x, y, x+w, y+h) }

func (m metrics) text(label string, b image.Rectangle) *view {
	return &view{kind: "StaticText", label: label, value: label, b: b, ink: m.inkOn(), traits: []string{"StaticText"}}
}

func (m metrics) title(label string) *view {
	bar := &view{kind: "NavigationBar", id: label, b: m.rect(0, 47, m.size.X, 44), fill: rgb(0xd8d8f0), blocks: true}
	t := m.text(label, m.rect(20, 55, m.size.X-140, 28))
	t.traits, t.ink = []string{"Header"}, rgb(0x18181c)
	return bar.add(t)
}

// button is a button with its label in it, as UIKit makes them.
func (m metrics) button(label, id string, b image.Rectangle, tap func()) *view {
	v := &view{kind: "Button", id: id, label: label, b: b, traits: []string{"Button"}, fill: rgb(0x4f46c8), onTap: tap}
	t := m.text(label, image.Rect(b.Min.X+8, b.Min.Y+8, b.Max.X-8, b.Max.Y-8))
	t.ink, t.centred = rgb(0xffffff), true
	return v.add(t)
}

func (m metrics) edit(f *field, placeholder, id string, b image.Rectangle) *view {
	v := &view{kind: "TextField", id: id, placeholder: placeholder, b: b, field: f, fill: rgb(0xe2e2ea),
		ink: rgb(0x18181c)}
	v.value = string(f.text)
	if f.secret {
		v.kind, v.value = "SecureTextField", strings.Repeat("•", len(f.text))
	}
	return v
}

// toggle is a switch; its label is next to it on the screen.
func (m metrics) toggle(label, id string, b image.Rectangle, on *bool) *view {
	v := &view{kind: "Switch", id: id, label: label, value: "0", b: b, traits: []string{"Button", "ToggleButton"},
		fill: rgb(0xb0b0b8), onTap: func() { *on = !*on }}
	if *on {
		v.value, v.fill = "1", rgb(0x30a040)
	}
	return v
}

// cell is a row of a table.
func (m metrics) cell(label string, b image.Rectangle, tap func()) *view {
	v := &view{kind: "Cell", b: b, onTap: tap, fill: m.ground()}
	return v.add(m.text(label, image.Rect(b.Min.X+16, b.Min.Y+6, b.Max.X-16, b.Max.Y-6)))
}
