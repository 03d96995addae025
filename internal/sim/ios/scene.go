package iossim

import (
	"image"
	"image/color"
	"strings"
	"time"
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
type Entry struct{ f field }

// Text is what is in it; in handlers and scenes only.
func (e *Entry) Text() string { return string(e.f.text) }

// SceneApp is the app that shows the scene; it may be used in the scene's handlers.
type SceneApp struct{ a *app }

// Crash ends the app.
func (s SceneApp) Crash(why string) { s.a.device.crash(why) }

// Relaunch ends it by a crash, and opens it again.
func (s SceneApp) Relaunch(why string) {
	s.a.device.crash(why)
	s.a.device.launch(s.a, false, nil)
}

// Ask lets the system ask something over the app.
func (s SceneApp) Ask(title string, buttons []string, answer func(string)) {
	s.a.device.question = &question{title: title, buttons: buttons, answer: answer, opened: time.Now()}
}

// ShowScene installs com.example.scene, or shows another scene in it.
func (d *Device) ShowScene(s Scene) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.apps[SceneBundle] == nil {
		d.put(SceneBundle, "Scene")
	}
	d.scene, d.question, d.banner = s, nil, ""
}

// Change lets a test change what its scene looks at.
func (d *Device) Change(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

type scenePage struct{ app *app }

func (p *scenePage) alert() *question { return nil }

func (p *scenePage) view(m metrics) *view {
	root := m.page()
	d := p.app.device
	root.onTap = func() { d.focus = nil }
	for _, part := range d.scene(Moment{Since: m.now.Sub(p.app.started), Size: m.size, Picture: d.pictured,
		App: SceneApp{p.app}}) {
		root.add(part.view(m))
	}
	return root
}

func (p Part) view(m metrics) *view {
	v := &view{kind: p.Kind, id: p.ID, label: p.Label, value: p.Value, placeholder: p.Placeholder, b: p.Bounds,
		fill: p.Fill, ink: p.Ink,
		disabled: p.Disabled, unseen: p.Unseen, blocks: p.Blocks, mute: p.Mute, moving: p.Moving, shift: p.Shift,
		onTap: p.Tapped, scroll: p.Scrolled}
	if v.kind == "" {
		v.kind, v.value = "StaticText", p.Label
	}
	if v.ink == nil && v.kind == "StaticText" {
		v.ink = m.inkOn()
	}
	if v.kind == "StaticText" || v.kind == "Button" {
		v.traits = []string{v.kind}
	}
	if p.Disabled {
		v.traits = append(v.traits, "NotEnabled")
	}
	if p.Entry != nil {
		v.field, v.value = &p.Entry.f, string(p.Entry.f.text)
		if p.Entry.f.secret = p.Kind == "SecureTextField"; p.Entry.f.secret {
			v.value = strings.Repeat("•", len(p.Entry.f.text))
		}
	}
	for _, c := range p.Parts {
		v.add(c.view(m))
	}
	return v
}
