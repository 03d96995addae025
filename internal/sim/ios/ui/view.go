// Package ui has the elements of a simulated iPhone's screen, and draws them.
package ui

import (
	"image"
	"image/color"
	"iter"
	"slices"
	"strings"
	"time"
)

// View is an element: what is in the source and what is drawn. Rectangles are in points of the window.
type View struct {
	Kind        string // XCUIElementType without the prefix
	ID          string // accessibility identifier
	Label       string
	Value       string
	Placeholder string
	Traits      []string
	B           image.Rectangle
	Disabled    bool
	Unseen      bool // visible="false", though it is on the screen
	Fill, Ink   color.Color
	centred     bool
	// takes every touch on it, and does nothing: a UIView. An image or a text lets touches through
	Blocks bool
	// an animation of UIView moves it: touches of it are lost, and only the screenshot shows where it is
	Moving   bool
	Mute     bool        // never hittable
	Shift    image.Point // how far from its frame it is drawn
	Children []*View

	OnTap, OnDouble, OnLong func()
	OnDrag                  func(to image.Point)
	Scroll                  func(by image.Point) // a finger moved the content by that much
	Field                   *Field
	Web                     remoteView               // it takes touches by where they are
	Picture                 image.Image              // that it shows, in pixels
	Key                     string                   // what a key of the keyboard types
	Takes                   func(value string) error // of what is set to a value: a picker wheel, a slider
}

// remoteView is a page that another process draws. The device's lock is held.
type remoteView interface {
	// Touched is a finger that stays where it is for a while.
	Touched(p image.Point, held time.Duration)
}

// Field is a text field's content.
type Field struct {
	Text     []rune
	Caret    int
	Secret   bool
	OnReturn func()
	Eats     string       // characters that it drops
	All      bool         // everything is selected
	Keyed    func(c rune) // takes the characters instead
}

// Set replaces the text, and puts the caret behind it.
func (f *Field) Set(text string) { f.Text, f.Caret = []rune(text), len([]rune(text)) }

// Add appends children to the view.
func (v *View) Add(more ...*View) *View {
	v.Children = append(v.Children, more...)
	return v
}

// At returns the frontmost view that takes a touch there.
func (v *View) At(p image.Point, takes func(*View) bool) *View {
	if v.Moving {
		return nil
	}
	for i := len(v.Children) - 1; i >= 0; i-- {
		if found := v.Children[i].At(p, takes); found != nil {
			return found
		}
	}
	if p.In(v.B) && takes(v) {
		return v
	}
	return nil
}

// Listed returns the children as XCTest lists them: a navigation bar comes before the content that scrolls under it,
// although it is drawn over it.
func (v *View) Listed() []*View {
	isBar := func(c *View) bool { return c.Kind == "NavigationBar" }
	if !slices.ContainsFunc(v.Children, isBar) {
		return v.Children
	}
	listed := slices.Clone(v.Children)
	slices.SortStableFunc(listed, func(a, b *View) int {
		switch {
		case isBar(a) == isBar(b):
			return 0
		case isBar(a):
			return -1
		}
		return 1
	})
	return listed
}

// all goes through the view and what is in it, as listed.
func (v *View) all(yield func(*View) bool) bool {
	if !yield(v) {
		return false
	}
	for _, c := range v.Listed() {
		if !c.all(yield) {
			return false
		}
	}
	return true
}

// Metrics are what an app lays itself out in.
type Metrics struct {
	Size image.Point
	Now  time.Time
	Dark bool
}

// Ground is the colour of the background.
func (m Metrics) Ground() color.Color {
	if m.Dark {
		return RGB(0x101014)
	}
	return RGB(0xf8f8fc)
}

// InkOn is the colour of text on the ground.
func (m Metrics) InkOn() color.Color {
	if m.Dark {
		return RGB(0xf0f0f4)
	}
	return RGB(0x18181c)
}

// RGB is an opaque colour, as 0xrrggbb.
func RGB(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// Page is the whole window of an app.
func (m Metrics) Page() *View {
	return &View{Kind: "Other", B: image.Rectangle{Max: m.Size}, Fill: m.Ground()}
}

// Rect is a rectangle by its corner and size.
func (m Metrics) Rect(x, y, w, h int) image.Rectangle { return image.Rect(x, y, x+w, y+h) }

// Text makes a static text.
func (m Metrics) Text(label string, b image.Rectangle) *View {
	return &View{Kind: "StaticText", Label: label, Value: label, B: b, Ink: m.InkOn(), Traits: []string{"StaticText"}}
}

// Title makes a navigation bar with a text.
func (m Metrics) Title(label string) *View {
	bar := &View{Kind: "NavigationBar", ID: label, B: m.Rect(0, 47, m.Size.X, 44), Fill: RGB(0xd8d8f0), Blocks: true}
	t := m.Text(label, m.Rect(20, 55, m.Size.X-140, 28))
	t.Traits, t.Ink = []string{"Header"}, RGB(0x18181c)
	return bar.Add(t)
}

// Button is a button with its label in it, as UIKit makes them.
func (m Metrics) Button(label, id string, b image.Rectangle, tap func()) *View {
	v := &View{Kind: "Button", ID: id, Label: label, B: b, Traits: []string{"Button"}, Fill: RGB(0x4f46c8), OnTap: tap}
	t := m.Text(label, image.Rect(b.Min.X+8, b.Min.Y+8, b.Max.X-8, b.Max.Y-8))
	t.Ink, t.centred = RGB(0xffffff), true
	return v.Add(t)
}

// Edit makes a text field.
func (m Metrics) Edit(f *Field, placeholder, id string, b image.Rectangle) *View {
	v := &View{Kind: "TextField", ID: id, Placeholder: placeholder, B: b, Field: f, Fill: RGB(0xe2e2ea),
		Ink: RGB(0x18181c)}
	v.Value = string(f.Text)
	if f.Secret {
		v.Kind, v.Value = "SecureTextField", strings.Repeat("•", len(f.Text))
	}
	return v
}

// Toggle is a switch; its label is next to it on the screen.
func (m Metrics) Toggle(label, id string, b image.Rectangle, on *bool) *View {
	v := &View{Kind: "Switch", ID: id, Label: label, Value: "0", B: b, Traits: []string{"Button", "ToggleButton"},
		Fill: RGB(0xb0b0b8), OnTap: func() { *on = !*on }}
	if *on {
		v.Value, v.Fill = "1", RGB(0x30a040)
	}
	return v
}

// Cell is a row of a table.
func (m Metrics) Cell(label string, b image.Rectangle, tap func()) *View {
	v := &View{Kind: "Cell", B: b, OnTap: tap, Fill: m.Ground()}
	return v.Add(m.Text(label, image.Rect(b.Min.X+16, b.Min.Y+6, b.Max.X-16, b.Max.Y-6)))
}

// All goes through the view and what is in it.
func (v *View) All() iter.Seq[*View] {
	return func(yield func(*View) bool) { v.all(yield) }
}

// Same reports whether two views are one element, each in its own frame.
func (v *View) Same(other *View) bool {
	return v == other || v.Kind == other.Kind && v.ID == other.ID && v.Label == other.Label && v.B == other.B
}

// Holds reports whether another view is in this one, or is it.
func (v *View) Holds(other *View) bool {
	for c := range v.All() {
		if c.Same(other) {
			return true
		}
	}
	return false
}
