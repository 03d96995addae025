package apps

import (
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// hostile are more screens of com.example.traps: what covers, is next to and behind a button, and what a field makes of
// its text.
func (p *traps) hostile(page string, m ui.Metrics) []*ui.View {
	w := m.Size.X - 40
	pay := m.Button("Pay", "pay", m.Rect(20, 200, w, 44), p.says("paid"))
	all := image.Rectangle{Max: m.Size}
	switch page {
	case "clear layer": // UIKit's windows for texts and alerts are as large as the screen, and clear
		return []*ui.View{m.Text("Total 12", m.Rect(20, 120, w, 30)), pay, {Kind: "Other", B: all}}
	case "popover": // what is behind takes no touch: that closes the popover
		content := []*ui.View{m.Text("Total 12", m.Rect(20, 120, w, 30)), pay}
		if p.said == "closed" {
			return content
		}
		box := &ui.View{Kind: "Other", B: m.Rect(60, 400, 200, 120), Fill: ui.RGB(0xf8f0e0), Blocks: true}
		return append(content, &ui.View{Kind: "Other", ID: "PopoverDismissRegion", Label: "dismiss popup", B: all,
			Traits: []string{"Button"}, OnTap: p.says("closed")},
			box.Add(m.Button("Share", "share", m.Rect(80, 420, 160, 44), p.says("shared"))))
	case "splash": // an opaque view without a name over everything
		return []*ui.View{m.Text("Total 12", m.Rect(20, 120, w, 30)), pay, {Kind: "Other", B: all, Fill: ui.RGB(0x203050),
			Blocks: true}}
	case "busy": // a spinner on a layer that takes all touches, for a while
		content := []*ui.View{pay}
		if m.Now.Sub(p.app.Started) > 2*time.Second {
			return content
		}
		layer := &ui.View{Kind: "Other", B: all, Blocks: true}
		return append(content,
			layer.Add(&ui.View{Kind: "ActivityIndicator", Label: "In progress", B: m.Rect(m.Size.X/2-20, 400, 40, 40),
				Fill: ui.RGB(0xd0d0d8)}))
	case "hidden bar": // it was put away, and stays among the elements
		pay.B = m.Rect(20, m.Size.Y-100, w, 40)
		pay.Children[0].B = pay.B
		bar := &ui.View{Kind: "TabBar", B: m.Rect(0, m.Size.Y-110, m.Size.X, 60), Unseen: true}
		return []*ui.View{pay, bar}
	case "under bar": // a text and a row that lie under an opaque bar
		return []*ui.View{m.Text("Total 12", m.Rect(20, 52, 120, 30)), m.Text("Free text", m.Rect(20, 120, w, 30))}
	case "long":
		return []*ui.View{{Kind: "TextView", ID: "terms", Value: LongText(), B: m.Rect(20, 120, w, 200), Field: p.long(),
			Fill: ui.RGB(0xe2e2ea), Ink: ui.RGB(0x18181c)},
			m.Text(LongText()+" (label)", m.Rect(20, 340, w, 60))}
	case "flat switches": // label and switch side by side, with nothing around both
		return []*ui.View{m.Text("Sounds", m.Rect(16, 118, 180, 28)), p.row(m, 110, "Other", "Sounds", false).Children[1],
			m.Text("Badges", m.Rect(16, 178, 180, 28)), p.row(m, 170, "Other", "Badges", false).Children[1]}
	case "segments":
		at := func(i int, name string) *ui.View {
			v := m.Button(name, "", m.Rect(20+i*110, 120, 100, 36), func() { p.said = name })
			if p.said == name || p.said == "" && i == 0 {
				v.Traits, v.Value = append(v.Traits, "Selected"), "1"
			}
			return v
		}
		return []*ui.View{(&ui.View{Kind: "SegmentedControl", B: m.Rect(20, 120, 330, 36)}).Add(at(0, "Day"), at(1, "Week"),
			at(2, "Month"))}
	case "twins": // one of the two cannot be seen
		ghost := m.Button("Pay", "ghost", m.Rect(20, 140, w, 44), p.says("ghost"))
		for v := range ghost.All() {
			v.Unseen = true
		}
		return []*ui.View{ghost, pay}
	case "parent unseen": // visible="false" around what is visible
		return []*ui.View{(&ui.View{Kind: "Other", B: m.Rect(0, 100, 0, 0), Unseen: true}).Add(
			m.Text("Total 12", m.Rect(20, 120, w, 30)), pay)}
	case "toast":
		content := []*ui.View{
			m.Button("Save", "save", m.Rect(20, 120, w, 44), func() { p.opened = time.Now(); p.says("saved")() })}
		if !p.opened.IsZero() && m.Now.Sub(p.opened) < 1500*time.Millisecond {
			content = append(content, m.Text("Saved just now", m.Rect(20, 300, w, 30)))
		}
		return content
	case "bottom": // a field, and a button that the keyboard covers
		low := m.Button("Pay", "pay", m.Rect(20, m.Size.Y-150, w, 44), p.says("paid"))
		return []*ui.View{m.Edit(p.nickname, "Nickname", "nickname", m.Rect(20, 110, w, 44)), low}
	case "link": // a link within a text
		text := m.Text("Read the terms first", m.Rect(20, 120, w, 30))
		return []*ui.View{
			text.Add(&ui.View{Kind: "Link", Label: "terms", B: m.Rect(90, 120, 60, 30), Traits: []string{"Link"},
				OnTap: p.says("terms")}),
		}
	case "row of two": // a row that reacts, with a button in it
		row := m.Cell("Ada", m.Rect(0, 120, m.Size.X, 56), p.says("row"))
		return []*ui.View{
			row.Add(&ui.View{Kind: "Button", ID: "info", Label: "More info", B: m.Rect(m.Size.X-60, 126, 44, 44),
				Fill: ui.RGB(0x80a0f0), Traits: []string{"Button"}, OnTap: p.says("info")}),
		}
	case "disabled":
		pay.Disabled = m.Now.Sub(p.app.Started) < 1500*time.Millisecond
		return []*ui.View{pay}
	case "always disabled":
		pay.Disabled = true
		return []*ui.View{pay}
	case "picture button": // a button is not an image on top of itself
		b := &ui.View{Kind: "Button", ID: "cart", Label: "Cart", B: m.Rect(20, 120, 60, 60), Traits: []string{"Button"},
			OnTap: p.says("cart")}
		return []*ui.View{b.Add(&ui.View{Kind: "Image", B: m.Rect(20, 120, 60, 60), Fill: ui.RGB(0x303848)})}
	case "hint label": // the label floats over the field, which has the same placeholder
		return []*ui.View{m.Text("Nickname", m.Rect(20, 96, w, 14)), m.Edit(p.nickname, "Nickname", "nickname",
			m.Rect(20, 110, w, 44))}
	case "hungry": // takes five characters
		if len(p.nickname.Text) > 5 {
			p.nickname.Set(string(p.nickname.Text[:5]))
		}
		return []*ui.View{m.Edit(p.nickname, "Code", "nickname", m.Rect(20, 110, w, 44))}
	case "formatted":
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, string(p.nickname.Text))
		if len(digits) > 3 {
			digits = digits[:3] + "-" + digits[3:]
		}
		p.nickname.Set(digits)
		return []*ui.View{m.Edit(p.nickname, "Phone", "nickname", m.Rect(20, 110, w, 44))}
	case "secret":
		p.nickname.Secret = true
		return []*ui.View{m.Edit(p.nickname, "Password", "nickname", m.Rect(20, 110, w, 44))}
	case "unfocused": // a field that does not take the focus
		f := m.Edit(p.nickname, "Nickname", "nickname", m.Rect(20, 110, w, 44))
		f.Disabled = true
		return []*ui.View{f}
	case "carousel": // the second page is next to the screen
		content := []*ui.View{}
		for i, name := range []string{"first", "second"} {
			x := i * m.Size.X
			content = append(content, m.Text(strings.ToUpper(name[:1])+name[1:]+" offer", m.Rect(x+20, 120, w, 30)),
				m.Button("Buy "+name, "", m.Rect(x+20, 200, w, 44), p.says(name)))
		}
		return content
	case "asks": // an alert of the app's own, in words that no list knows
		content := []*ui.View{pay}
		pay.OnTap = func() {
			p.ask = &device.Question{Opened: time.Now(), Title: "Wirklich zahlen?", Buttons: []string{"Abbrechen", "Zahlen"},
				Answer: func(b string) { p.says(b)() }}
		}
		return content
	}
	return []*ui.View{m.Text(fmt.Sprintf("no page %q", page), m.Rect(20, 110, w, 30))}
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
func (p *traps) long() *ui.Field {
	if p.terms == nil {
		p.terms = &ui.Field{}
		p.terms.Set(LongText())
	}
	return p.terms
}
