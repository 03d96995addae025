package apps

import (
	"image"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// menuPage has a menu in a window of its own, and a row that the menu covers.
type menuPage struct {
	listPage
	open bool
}

func (l *menuPage) View(m ui.Metrics) *ui.View {
	more := &ui.View{
		Class: ui.ClassImage, Desc: "More options", B: m.Rect(m.Width()-56, 4, 48, 48), Clickable: true, Focusable: true,
		Image: true,
		Fill:  ui.RGB(0xeaddff), Ink: ui.RGB(0x6750a4), OnTap: func() { l.open = true },
	}
	w := m.Width() - 32
	return m.Page(0xfefbff).Add(m.Title("Article").Add(more),
		row(m, "Comments", m.Rect(16, 70, w, 52), l.says("Comments opened")),
		m.Label("A text to read", m.Rect(16, 340, w, 40)),
		l.footer(m, l.status))
}

func (l *menuPage) Popups(m ui.Metrics) []*system.Popup {
	if !l.open {
		return nil
	}
	choose := func(text string) func() {
		return func() { l.open, l.status = false, text+" chosen" }
	}
	return []*system.Popup{{Root: dropList(m, m.Rect(m.Width()-190, 8, 180, 3*48), choose, "Share", "Comments", "Log out"),
		Focusable: true, Close: func() { l.open = false }}}
}

func (l *menuPage) Back() bool {
	was := l.open
	l.open = false
	return was
}

// dropList is what drops down: a list of texts, each with something to do.
func dropList(m ui.Metrics, b image.Rectangle, choose func(text string) func(), texts ...string) *ui.View {
	list := &ui.View{Class: "android.widget.ListView", B: b, Fill: ui.RGB(0xf3edf7), Focusable: true, Scrollable: true}
	for i, text := range texts {
		height := b.Dy() / len(texts)
		row := &ui.View{Class: ui.ClassLinear, B: image.Rect(b.Min.X, b.Min.Y+i*height, b.Max.X, b.Min.Y+(i+1)*height),
			Clickable: true, Focusable: true, OnTap: choose(text)}
		label := m.Label(text, row.B.Inset(m.Dp(4)))
		label.ID = spec.ListPackage + ":id/title"
		list.Add(row.Add(label))
	}
	return list
}

// suggestPage has a field that suggests cities in a list over the button below it.
type suggestPage struct {
	listPage
	city *ui.Field
}

func (l *suggestPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	edit := m.Edit(l.city, "City", spec.ListPackage+":id/city", m.Rect(16, 80, w, 52))
	edit.Class = "android.widget.AutoCompleteTextView"
	return m.Page(0xfefbff).Add(m.Title("Journey"), edit,
		m.Button("Search", spec.ListPackage+":id/search", m.Rect(16, 150, w, 52), l.says("Searched")),
		l.footer(m, l.status))
}

func (l *suggestPage) Popups(m ui.Metrics) []*system.Popup {
	if l.screen.Focus != l.city || len(l.city.Text) < 2 || l.city.Text == l.status {
		return nil
	}
	var found []string
	for _, name := range []string{"Berlin", "Bern", "Bergen", "London"} {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(l.city.Text)) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return nil
	}
	choose := func(text string) func() {
		return func() { l.city.Text, l.status = text, text }
	}
	return []*system.Popup{{Root: dropList(m, m.Rect(16, 134, m.Width()-32, 48*len(found)), choose, found...)}}
}

// dropdownPage has a box that drops a list down over itself, with the text that it shows among those of the list.
type dropdownPage struct {
	listPage
	size string
	open bool
}

func (l *dropdownPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	box := &ui.View{Class: "android.widget.Spinner", ID: spec.ListPackage + ":id/size", B: m.Rect(16, 100, w, 52),
		Fill: ui.RGB(0xe7e0ec), Clickable: true, LongClickable: true, Focusable: true,
		OnTap: func() { l.open = true }}
	return m.Page(0xfefbff).Add(m.Title("T-shirt"), m.Label("Size", m.Rect(16, 62, w, 36)),
		box.Add(m.Label(l.size, box.B.Inset(m.Dp(4)))),
		m.Button("Order", spec.ListPackage+":id/order", m.Rect(16, 260, w, 52), func() { l.status = "Ordered " + l.size }),
		l.footer(m, l.status))
}

func (l *dropdownPage) Popups(m ui.Metrics) []*system.Popup {
	if !l.open {
		return nil
	}
	choose := func(text string) func() {
		return func() { l.open, l.size = false, text }
	}
	return []*system.Popup{{Root: dropList(m, m.Rect(16, 100, m.Width()-32, 3*48), choose, "Small", "Medium", "Large"),
		Focusable: true, Close: func() { l.open = false }}}
}

func (l *dropdownPage) Back() bool {
	was := l.open
	l.open = false
	return was
}

// noticePage is a page over which a foreign window appears after a while: a message, a call, a bubble.
type noticePage struct {
	listPage
	kind string
	gone bool
}

func (l *noticePage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	return m.Page(0xfefbff).Add(
		m.Button("Pay now", spec.ListPackage+":id/pay_now", m.Rect(16, 24, w, 52), l.says("Paid")),
		m.Button("Archive", spec.ListPackage+":id/archive", m.Rect(16, 300, w, 52), l.says("Archived")),
		l.footer(m, l.status))
}

func (l *noticePage) Others(m ui.Metrics) []*ui.Window {
	if l.gone || m.Since(l.act.Started) < l.screen.Opts.LatePay {
		return nil
	}
	gone := func(what string) func() {
		return func() { l.gone, l.status = true, what }
	}
	switch l.kind {
	case "call":
		return []*ui.Window{ui.CallBanner(m, "Bob", func(how string) { gone("Call: " + how)() })}
	case "bubble":
		return []*ui.Window{ui.Bubble(m.Rect(m.Width()/2-36, 14, 72, 72), gone("Chat opened"))}
	}
	return []*ui.Window{ui.HeadsUp(m, "Bob", "Lunch at noon?", gone("Message opened"))}
}

// toastPage shows toasts, which no dump has.
type toastPage struct{ listPage }

func (l *toastPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	toast := func(text string, long bool) func() {
		return func() { l.screen.Say(text, long) }
	}
	return m.Page(0xfefbff).Add(m.Title("Toasts"),
		m.Button("Short toast", spec.ListPackage+":id/short", m.Rect(16, 90, w, 52), toast("Saved for later", false)),
		m.Button("Long toast", spec.ListPackage+":id/long", m.Rect(16, 160, w, 52), toast("Connection lost", true)),
		l.footer(m, l.status))
}

// securePage is black in every screenshot.
type securePage struct{ listPage }

func (l *securePage) Secret(ui.Metrics) (page, dialog bool) { return true, false }

func (l *securePage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	return m.Page(0xfefbff).Add(m.Title("Safe"), m.Label("Balance 1,234", m.Rect(16, 90, w, 40)),
		m.Button("Transfer", spec.ListPackage+":id/transfer", m.Rect(16, 160, w, 52), l.says("Transferred")),
		l.footer(m, l.status))
}
