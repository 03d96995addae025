package iossim

import (
	"fmt"
	"image"
	"strings"
	"time"
)

// hostile are more screens of com.example.traps: what covers, is next to and behind a button, and what a field makes of
// its text.
func (p *traps) hostile(page string, m metrics) []*view {
	w := m.size.X - 40
	pay := m.button("Pay", "pay", m.rect(20, 200, w, 44), p.says("paid"))
	all := image.Rectangle{Max: m.size}
	switch page {
	case "clear layer": // UIKit's windows for texts and alerts are as large as the screen, and clear
		return []*view{m.text("Total 12", m.rect(20, 120, w, 30)), pay, {kind: "Other", b: all}}
	case "popover": // what is behind takes no touch: that closes the popover
		content := []*view{m.text("Total 12", m.rect(20, 120, w, 30)), pay}
		if p.said == "closed" {
			return content
		}
		box := &view{kind: "Other", b: m.rect(60, 400, 200, 120), fill: rgb(0xf8f0e0), blocks: true}
		return append(content, &view{kind: "Other", id: "PopoverDismissRegion", label: "dismiss popup", b: all,
			traits: []string{"Button"}, onTap: p.says("closed")},
			box.add(m.button("Share", "share", m.rect(80, 420, 160, 44), p.says("shared"))))
	case "splash": // an opaque view without a name over everything
		return []*view{m.text("Total 12", m.rect(20, 120, w, 30)), pay, {kind: "Other", b: all, fill: rgb(0x203050),
			blocks: true}}
	case "busy": // a spinner on a layer that takes all touches, for a while
		content := []*view{pay}
		if m.now.Sub(p.app.started) > 2*time.Second {
			return content
		}
		layer := &view{kind: "Other", b: all, blocks: true}
		return append(content,
			layer.add(&view{kind: "ActivityIndicator", label: "In progress", b: m.rect(m.size.X/2-20, 400, 40, 40),
				fill: rgb(0xd0d0d8)}))
	case "hidden bar": // it was put away, and stays among the elements
		pay.b = m.rect(20, m.size.Y-100, w, 40)
		pay.children[0].b = pay.b
		bar := &view{kind: "TabBar", b: m.rect(0, m.size.Y-110, m.size.X, 60), unseen: true}
		return []*view{pay, bar}
	case "under bar": // a text and a row that lie under an opaque bar
		return []*view{m.text("Total 12", m.rect(20, 52, 120, 30)), m.text("Free text", m.rect(20, 120, w, 30))}
	case "long":
		return []*view{{kind: "TextView", id: "terms", value: LongText(), b: m.rect(20, 120, w, 200), field: p.long(),
			fill: rgb(0xe2e2ea), ink: rgb(0x18181c)},
			m.text(LongText()+" (label)", m.rect(20, 340, w, 60))}
	case "flat switches": // label and switch side by side, with nothing around both
		return []*view{m.text("Sounds", m.rect(16, 118, 180, 28)), p.row(m, 110, "Other", "Sounds", false).children[1],
			m.text("Badges", m.rect(16, 178, 180, 28)), p.row(m, 170, "Other", "Badges", false).children[1]}
	case "segments":
		at := func(i int, name string) *view {
			v := m.button(name, "", m.rect(20+i*110, 120, 100, 36), func() { p.said = name })
			if p.said == name || p.said == "" && i == 0 {
				v.traits, v.value = append(v.traits, "Selected"), "1"
			}
			return v
		}
		return []*view{(&view{kind: "SegmentedControl", b: m.rect(20, 120, 330, 36)}).add(at(0, "Day"), at(1, "Week"),
			at(2, "Month"))}
	case "twins": // one of the two cannot be seen
		ghost := m.button("Pay", "ghost", m.rect(20, 140, w, 44), p.says("ghost"))
		for v := range ghost.all2() {
			v.unseen = true
		}
		return []*view{ghost, pay}
	case "parent unseen": // visible="false" around what is visible
		return []*view{(&view{kind: "Other", b: m.rect(0, 100, 0, 0), unseen: true}).add(
			m.text("Total 12", m.rect(20, 120, w, 30)), pay)}
	case "toast":
		content := []*view{
			m.button("Save", "save", m.rect(20, 120, w, 44), func() { p.opened = time.Now(); p.says("saved")() })}
		if !p.opened.IsZero() && m.now.Sub(p.opened) < 1500*time.Millisecond {
			content = append(content, m.text("Saved just now", m.rect(20, 300, w, 30)))
		}
		return content
	case "bottom": // a field, and a button that the keyboard covers
		low := m.button("Pay", "pay", m.rect(20, m.size.Y-150, w, 44), p.says("paid"))
		return []*view{m.edit(p.nickname, "Nickname", "nickname", m.rect(20, 110, w, 44)), low}
	case "link": // a link within a text
		text := m.text("Read the terms first", m.rect(20, 120, w, 30))
		return []*view{text.add(&view{kind: "Link", label: "terms", b: m.rect(90, 120, 60, 30), traits: []string{"Link"},
			onTap: p.says("terms")})}
	case "row of two": // a row that reacts, with a button in it
		row := m.cell("Ada", m.rect(0, 120, m.size.X, 56), p.says("row"))
		return []*view{row.add(&view{kind: "Button", id: "info", label: "More info", b: m.rect(m.size.X-60, 126, 44, 44),
			fill: rgb(0x80a0f0), traits: []string{"Button"}, onTap: p.says("info")})}
	case "disabled":
		pay.disabled = m.now.Sub(p.app.started) < 1500*time.Millisecond
		return []*view{pay}
	case "always disabled":
		pay.disabled = true
		return []*view{pay}
	case "picture button": // a button is not an image on top of itself
		b := &view{kind: "Button", id: "cart", label: "Cart", b: m.rect(20, 120, 60, 60), traits: []string{"Button"},
			onTap: p.says("cart")}
		return []*view{b.add(&view{kind: "Image", b: m.rect(20, 120, 60, 60), fill: rgb(0x303848)})}
	case "hint label": // the label floats over the field, which has the same placeholder
		return []*view{m.text("Nickname", m.rect(20, 96, w, 14)), m.edit(p.nickname, "Nickname", "nickname",
			m.rect(20, 110, w, 44))}
	case "hungry": // takes five characters
		if len(p.nickname.text) > 5 {
			p.nickname.set(string(p.nickname.text[:5]))
		}
		return []*view{m.edit(p.nickname, "Code", "nickname", m.rect(20, 110, w, 44))}
	case "formatted":
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, string(p.nickname.text))
		if len(digits) > 3 {
			digits = digits[:3] + "-" + digits[3:]
		}
		p.nickname.set(digits)
		return []*view{m.edit(p.nickname, "Phone", "nickname", m.rect(20, 110, w, 44))}
	case "secret":
		p.nickname.secret = true
		return []*view{m.edit(p.nickname, "Password", "nickname", m.rect(20, 110, w, 44))}
	case "unfocused": // a field that does not take the focus
		f := m.edit(p.nickname, "Nickname", "nickname", m.rect(20, 110, w, 44))
		f.disabled = true
		return []*view{f}
	case "carousel": // the second page is next to the screen
		content := []*view{}
		for i, name := range []string{"first", "second"} {
			x := i * m.size.X
			content = append(content, m.text(strings.ToUpper(name[:1])+name[1:]+" offer", m.rect(x+20, 120, w, 30)),
				m.button("Buy "+name, "", m.rect(x+20, 200, w, 44), p.says(name)))
		}
		return content
	case "asks": // an alert of the app's own, in words that no list knows
		content := []*view{pay}
		pay.onTap = func() {
			p.ask = &question{opened: time.Now(), title: "Wirklich zahlen?", buttons: []string{"Abbrechen", "Zahlen"},
				answer: func(b string) { p.says(b)() }}
		}
		return content
	}
	return []*view{m.text(fmt.Sprintf("no page %q", page), m.rect(20, 110, w, 30))}
}

// LongText is longer than what a source contains of a value.
func LongText() string {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("Paragraph %d of the terms", i+1))
	}
	return strings.Join(lines, ". ")
}

// long is a field that holds the long text.
func (p *traps) long() *field {
	if p.terms == nil {
		p.terms = &field{}
		p.terms.set(LongText())
	}
	return p.terms
}
