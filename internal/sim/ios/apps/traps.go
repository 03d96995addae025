package apps

import (
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// traps is com.example.traps: screens on which what a source says and what a finger meets are two things. The argument
// -page chooses one.
type traps struct {
	app      *device.App
	said     string
	on       map[string]bool
	nickname *ui.Field
	opened   time.Time        // the panel
	ask      *device.Question // an alert of the app's
	terms    *ui.Field
}

// slideTime is how long the panel slides in.
const slideTime = 900 * time.Millisecond

func (p *traps) Alert() *device.Question { return p.ask }

// Answered closes the alert.
func (p *traps) Answered(q *device.Question) {
	if p.ask == q {
		p.ask = nil
	}
}

func (p *traps) says(what string) func() {
	return func() {
		p.said = what
		p.app.Device.Note("traps: %s", what)
	}
}

// flips is what a tap on a switch does.
func (p *traps) flips(name string) func() {
	return func() {
		if p.on == nil {
			p.on = map[string]bool{}
		}
		p.on[name] = !p.on[name]
		p.says(fmt.Sprintf("%s is %v", name, p.on[name]))()
	}
}

func (p *traps) View(m ui.Metrics) *ui.View {
	var content []*ui.View
	switch p.app.Argument("-page") {
	case "switches":
		content = p.switches(m)
	case "covers":
		content = p.covers(m)
	case "bars":
		content = p.bars(m)
	case "panel":
		content = p.panel(m, 500, slideTime)
	case "panel-far":
		content = p.panel(m, 1500, slideTime) // at first nothing of it is on the screen
	case "panel-slow":
		content = p.panel(m, 500, 4*time.Second)
	case "fields":
		content = []*ui.View{m.Edit(p.nickname, "Nickname", "nickname", m.Rect(20, 110, m.Size.X-40, 44))}
	case "later":
		content = p.later(m)
	case "deep":
		content = p.deep(m, 52)
	case "deeper":
		content = p.deep(m, 70)
	default:
		content = p.hostile(p.app.Argument("-page"), m)
	}
	status := m.Text("Said: "+p.said, m.Rect(10, m.Size.Y-44, m.Size.X-20, 34))
	status.ID = "said"
	return m.Page().Add(content...).Add(m.Title("Traps")).Add(status)
}

// switches: a Toggle of SwiftUI, which is a switch as wide as its row around the one that reacts; a label next to its
// switch in one row; a row with a disabled switch.
func (p *traps) switches(m ui.Metrics) []*ui.View {
	value := func(name string) string { return map[bool]string{true: "1", false: "0"}[p.on[name]] }
	inner := &ui.View{Kind: "Switch", Value: value("Wi-Fi"), B: m.Rect(m.Size.X-80, 116, 60, 32), OnTap: p.flips("Wi-Fi"),
		Fill: ui.RGB(0xb0b0b8), Traits: []string{"Button", "ToggleButton"}}
	outer := &ui.View{Kind: "Switch", ID: "wifi", Label: "Wi-Fi", Value: value("Wi-Fi"), B: m.Rect(0, 110, m.Size.X, 44),
		Ink: m.InkOn(), Traits: []string{"Button", "ToggleButton"}}
	return []*ui.View{(&ui.View{Kind: "Cell", B: m.Rect(0, 110, m.Size.X, 44)}).Add(outer.Add(inner)),
		p.row(m, 170, "Cell", "Sounds", false), p.row(m, 230, "Other", "Badges", false),
		p.row(m, 290, "Cell", "Managed", true)}
}

// row is a row with a label at its left and a switch at its right, which has the same label.
func (p *traps) row(m ui.Metrics, y int, kind, name string, disabled bool) *ui.View {
	toggle := &ui.View{Kind: "Switch", Label: name, Value: map[bool]string{true: "1", false: "0"}[p.on[name]],
		B: m.Rect(m.Size.X-80, y+6, 60, 32), Fill: ui.RGB(0xb0b0b8),
		OnTap: p.flips(name), Disabled: disabled, Traits: []string{"Button", "ToggleButton"}}
	return (&ui.View{Kind: kind, B: m.Rect(0, y, m.Size.X, 44), Fill: m.Ground()}).Add(
		m.Text(name, m.Rect(16, y+8, 180, 28)),
		toggle,
	)
}

// covers: a text and a button under an image, a button under a plain view, and one that is free.
func (p *traps) covers(m ui.Metrics) []*ui.View {
	w := m.Size.X - 40
	photo := func(y int) *ui.View {
		return &ui.View{Kind: "Image", B: m.Rect(10, y, w+20, 70), Fill: ui.RGB(0x303848)}
	}
	return []*ui.View{m.Text("Balance 100", m.Rect(20, 120, w, 30)), photo(100),
		m.Button("Buy", "buy", m.Rect(20, 200, w, 44), p.says("bought")), photo(190),
		m.Button("Sell", "sell", m.Rect(20, 290, w, 44), p.says("sold")),
		&ui.View{Kind: "Other", B: m.Rect(0, 280, m.Size.X, 70), Fill: ui.RGB(0xc8c8d0), Blocks: true},
		m.Button("Free", "free", m.Rect(20, 380, w, 44), p.says("free"))}
}

// bars: a row half under a toolbar, which is before it in the source.
func (p *traps) bars(m ui.Metrics) []*ui.View {
	table := &ui.View{Kind: "Table", B: image.Rect(0, 91, m.Size.X, m.Size.Y-44)}
	for i, name := range []string{"First", "Second"} {
		y := 110 + i*60
		table.Add(m.Cell(name, m.Rect(0, y, m.Size.X, 56), p.says(name+" row")))
	}
	y := m.Size.Y - 160 // of a row with its middle under the bar
	table.Add(m.Cell("Last", m.Rect(0, y, m.Size.X, 70), p.says("Last row")))
	bar := &ui.View{Kind: "Toolbar", B: image.Rect(0, y+30, m.Size.X, m.Size.Y-44), Fill: ui.RGB(0xd8d8e8), Blocks: true}
	return []*ui.View{{Kind: "Other", B: table.B, Children: []*ui.View{table}}, bar}
}

// panel slides in by so many points: its frames are those of its end from the start, its pixels are not.
func (p *traps) panel(m ui.Metrics, by, takes time.Duration) []*ui.View {
	w := m.Size.X - 40
	content := []*ui.View{m.Button("Open panel", "open", m.Rect(20, 110, w, 44),
		func() { p.opened = time.Now(); p.says("opened")() })}
	if p.opened.IsZero() {
		return content
	}
	sheet := &ui.View{Kind: "Other", B: m.Rect(0, 300, m.Size.X, 200), Fill: ui.RGB(0xe8e8f8), Blocks: true}
	sheet.Add(m.Button("Confirm", "confirm", m.Rect(20, 330, w, 48), p.says("confirmed")))
	if left := takes - m.Now.Sub(p.opened); left > 0 {
		sheet.Moving = true
		sheet.Shift = image.Pt(0, int(by*left/takes))
	}
	return append(content, sheet)
}

// later: "Pay later" is there first, "Pay" comes after two seconds.
func (p *traps) later(m ui.Metrics) []*ui.View {
	w := m.Size.X - 40
	content := []*ui.View{m.Button("Pay later", "later", m.Rect(20, 110, w, 44), p.says("later"))}
	if m.Now.Sub(p.app.Started) > 2*time.Second {
		content = append(content, m.Button("Pay", "pay", m.Rect(20, 170, w, 44), p.says("paid")))
	}
	return content
}

// deep has a text in many elements inside one another.
func (p *traps) deep(m ui.Metrics, levels int) []*ui.View {
	inner := m.Text("Deep down", m.Rect(20, 110, m.Size.X-40, 30))
	for range levels {
		inner = (&ui.View{Kind: "Other", B: m.Rect(0, 100, m.Size.X, 60)}).Add(inner)
	}
	return []*ui.View{inner}
}
