package device

import (
	"image"
	"image/color"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// SceneBundle is an app that shows what a test has written.
const SceneBundle = "com.example.scene"

// Scene makes its screen. It is called for every source, screenshot and touch, with the device's lock held: it must be
// quick, and must not call the device.
type Scene func(now Moment) []Part

// Moment is when a scene is looked at.
type Moment struct {
	Since   time.Duration // since the app was opened
	Size    image.Point   // of the window, in points
	Picture bool          // a screenshot is taken, which may show something else than the source
	App     SceneApp
}

// Part is an element of a scene; its bounds are points.
type Part struct {
	Kind, ID, Label, Value, Placeholder string // Kind without XCUIElementType; default: StaticText

	Bounds           image.Rectangle
	Fill, Ink        color.Color
	Disabled, Unseen bool
	Blocks           bool        // takes every touch on it, and does nothing
	Moving           bool        // touches of it are lost
	Mute             bool        // XCTest finds it by no point: it is never hittable, whatever a touch of it does
	Shift            image.Point // how far from its frame it is drawn
	Entry            *Entry
	Tapped           func()
	Scrolled         func(by image.Point) // a finger moved the content by that much
	Parts            []Part
}

// Entry is an editable text that outlives the parts that show it.
type Entry struct{ f ui.Field }

// Text is what is in it; in handlers and scenes only.
func (e *Entry) Text() string { return string(e.f.Text) }

// SceneApp is the app that shows the scene; it may be used in the scene's handlers.
type SceneApp struct{ a *App }

// Crash ends the app.
func (s SceneApp) Crash(why string) { s.a.Device.Crash(why) }

// Relaunch ends it by a crash, and opens it again.
func (s SceneApp) Relaunch(why string) {
	s.a.Device.Crash(why)
	s.a.Device.Launch(s.a, false, nil)
}

// Ask lets the system ask something over the app.
func (s SceneApp) Ask(title string, buttons []string, answer func(string)) {
	s.a.Device.Question = &Question{Title: title, Buttons: buttons, Answer: answer, Opened: time.Now()}
}

type scenePage struct{ app *App }

func (p *scenePage) Alert() *Question { return nil }

func (p *scenePage) View(m ui.Metrics) *ui.View {
	root := m.Page()
	d := p.app.Device
	root.OnTap = func() { d.Focus = nil }
	for _, part := range d.scene(Moment{Since: m.Now.Sub(p.app.Started), Size: m.Size, Picture: d.Pictured,
		App: SceneApp{p.app}}) {
		root.Add(part.view(m))
	}
	return root
}

func (p Part) view(m ui.Metrics) *ui.View {
	v := &ui.View{Kind: p.Kind, ID: p.ID, Label: p.Label, Value: p.Value, Placeholder: p.Placeholder, B: p.Bounds,
		Fill: p.Fill, Ink: p.Ink,
		Disabled: p.Disabled, Unseen: p.Unseen, Blocks: p.Blocks, Mute: p.Mute, Moving: p.Moving, Shift: p.Shift,
		OnTap: p.Tapped, Scroll: p.Scrolled}
	if v.Kind == "" {
		v.Kind, v.Value = "StaticText", p.Label
	}
	if v.Ink == nil && v.Kind == "StaticText" {
		v.Ink = m.InkOn()
	}
	if v.Kind == "StaticText" || v.Kind == "Button" {
		v.Traits = []string{v.Kind}
	}
	if p.Disabled {
		v.Traits = append(v.Traits, "NotEnabled")
	}
	if p.Entry != nil {
		v.Field, v.Value = &p.Entry.f, string(p.Entry.f.Text)
		if p.Entry.f.Secret = p.Kind == "SecureTextField"; p.Entry.f.Secret {
			v.Value = strings.Repeat("•", len(p.Entry.f.Text))
		}
	}
	for _, c := range p.Parts {
		v.Add(c.view(m))
	}
	return v
}
