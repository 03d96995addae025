package iossim

import (
	"fmt"
	"image"
	"time"
)

// traps is com.example.traps: screens on which what a source says and what a finger meets are two things. The argument
// -page chooses one.
type traps struct {
	app      *app
	said     string
	on       map[string]bool
	nickname *field
	opened   time.Time // the panel
	ask      *question // an alert of the app's
	terms    *field
}

// slideTime is how long the panel slides in.
const slideTime = 900 * time.Millisecond

// InstallTraps installs com.example.traps.
func (d *Device) InstallTraps() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(TrapsBundle, "Traps")
}

func (p *traps) alert() *question { return p.ask }

func (p *traps) says(what string) func() {
	return func() {
		p.said = what
		p.app.device.note("traps: %s", what)
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

func (p *traps) view(m metrics) *view {
	var content []*view
	switch p.app.argument("-page") {
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
		content = []*view{m.edit(p.nickname, "Nickname", "nickname", m.rect(20, 110, m.size.X-40, 44))}
	case "later":
		content = p.later(m)
	case "deep":
		content = p.deep(m, 52)
	case "deeper":
		content = p.deep(m, 70)
	default:
		content = p.hostile(p.app.argument("-page"), m)
	}
	status := m.text("Said: "+p.said, m.rect(10, m.size.Y-44, m.size.X-20, 34))
	status.id = "said"
	return m.page().add(content...).add(m.title("Traps")).add(status)
}

// argument is the value of a user default that was given at the start.
func (a *app) argument(name string) string {
	for i, arg := range a.args {
		if arg == name && i+1 < len(a.args) {
			return a.args[i+1]
		}
	}
	return ""
}

// switches: a Toggle of SwiftUI, which is a switch as wide as its row around the one that reacts; a label next to its
// switch in one row; a row with a disabled switch.
func (p *traps) switches(m metrics) []*view {
	value := func(name string) string { return map[bool]string{true: "1", false: "0"}[p.on[name]] }
	inner := &view{kind: "Switch", value: value("Wi-Fi"), b: m.rect(m.size.X-80, 116, 60, 32), onTap: p.flips("Wi-Fi"),
		fill: rgb(0xb0b0b8), traits: []string{"Button", "ToggleButton"}}
	outer := &view{kind: "Switch", id: "wifi", label: "Wi-Fi", value: value("Wi-Fi"), b: m.rect(0, 110, m.size.X, 44),
		ink: m.inkOn(), traits: []string{"Button", "ToggleButton"}}
	return []*view{(&view{kind: "Cell", b: m.rect(0, 110, m.size.X, 44)}).add(outer.add(inner)),
		p.row(m, 170, "Cell", "Sounds", false), p.row(m, 230, "Other", "Badges", false),
		p.row(m, 290, "Cell", "Managed", true)}
}

// row is a row with a label at its left and a switch at its right, which has the same label.
func (p *traps) row(m metrics, y int, kind, name string, disabled bool) *view {
	toggle := &view{kind: "Switch", label: name, value: map[bool]string{true: "1", false: "0"}[p.on[name]],
		b: m.rect(m.size.X-80, y+6, 60, 32), fill: rgb(0xb0b0b8),
		onTap: p.flips(name), disabled: disabled, traits: []string{"Button", "ToggleButton"}}
	return (&view{kind: kind, b: m.rect(0, y, m.size.X, 44), fill: m.ground()}).add(m.text(name, m.rect(16, y+8, 180, 28)),
		toggle)
}

// covers: a text and a button under an image, a button under a plain view, and one that is free.
func (p *traps) covers(m metrics) []*view {
	w := m.size.X - 40
	photo := func(y int) *view {
		return &view{kind: "Image", b: m.rect(10, y, w+20, 70), fill: rgb(0x303848)}
	}
	return []*view{m.text("Balance 100", m.rect(20, 120, w, 30)), photo(100),
		m.button("Buy", "buy", m.rect(20, 200, w, 44), p.says("bought")), photo(190),
		m.button("Sell", "sell", m.rect(20, 290, w, 44), p.says("sold")),
		&view{kind: "Other", b: m.rect(0, 280, m.size.X, 70), fill: rgb(0xc8c8d0), blocks: true},
		m.button("Free", "free", m.rect(20, 380, w, 44), p.says("free"))}
}

// bars: a row half under a toolbar, which is before it in the source.
func (p *traps) bars(m metrics) []*view {
	table := &view{kind: "Table", b: image.Rect(0, 91, m.size.X, m.size.Y-44)}
	for i, name := range []string{"First", "Second"} {
		y := 110 + i*60
		table.add(m.cell(name, m.rect(0, y, m.size.X, 56), p.says(name+" row")))
	}
	y := m.size.Y - 160 // of a row with its middle under the bar
	table.add(m.cell("Last", m.rect(0, y, m.size.X, 70), p.says("Last row")))
	bar := &view{kind: "Toolbar", b: image.Rect(0, y+30, m.size.X, m.size.Y-44), fill: rgb(0xd8d8e8), blocks: true}
	return []*view{{kind: "Other", b: table.b, children: []*view{table}}, bar}
}

// panel slides in by so many points: its frames are those of its end from the start, its pixels are not.
func (p *traps) panel(m metrics, by, takes time.Duration) []*view {
	w := m.size.X - 40
	content := []*view{m.button("Open panel", "open", m.rect(20, 110, w, 44),
		func() { p.opened = time.Now(); p.says("opened")() })}
	if p.opened.IsZero() {
		return content
	}
	sheet := &view{kind: "Other", b: m.rect(0, 300, m.size.X, 200), fill: rgb(0xe8e8f8), blocks: true}
	sheet.add(m.button("Confirm", "confirm", m.rect(20, 330, w, 48), p.says("confirmed")))
	if left := takes - m.now.Sub(p.opened); left > 0 {
		sheet.moving = true
		sheet.shift = image.Pt(0, int(by*left/takes))
	}
	return append(content, sheet)
}

// later: "Pay later" is there first, "Pay" comes after two seconds.
func (p *traps) later(m metrics) []*view {
	w := m.size.X - 40
	content := []*view{m.button("Pay later", "later", m.rect(20, 110, w, 44), p.says("later"))}
	if m.now.Sub(p.app.started) > 2*time.Second {
		content = append(content, m.button("Pay", "pay", m.rect(20, 170, w, 44), p.says("paid")))
	}
	return content
}

// deep has a text in many elements inside one another.
func (p *traps) deep(m metrics, levels int) []*view {
	inner := m.text("Deep down", m.rect(20, 110, m.size.X-40, 30))
	for range levels {
		inner = (&view{kind: "Other", b: m.rect(0, 100, m.size.X, 60)}).add(inner)
	}
	return []*view{inner}
}
