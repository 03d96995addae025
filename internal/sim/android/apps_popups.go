package androidsim

import (
	"image"
	"strings"
)

// menuPage has a menu in a window of its own, and a row that the menu covers.
type menuPage struct {
	listPage
	open bool
}

func (l *menuPage) view(m metrics) *view {
	more := &view{
		class: classImage, desc: "More options", b: m.rect(m.width()-56, 4, 48, 48), clickable: true, focusable: true,
		image: true,
		fill:  rgb(0xeaddff), ink: rgb(0x6750a4), onTap: func() { l.open = true },
	}
	w := m.width() - 32
	return m.page(0xfefbff).add(m.title("Article").add(more),
		m.row("Comments", m.rect(16, 70, w, 52), l.says("Comments opened")),
		m.label("A text to read", m.rect(16, 340, w, 40)),
		l.footer(m, l.status))
}

func (l *menuPage) popups(m metrics) []*popup {
	if !l.open {
		return nil
	}
	choose := func(text string) func() {
		return func() { l.open, l.status = false, text+" chosen" }
	}
	return []*popup{{root: m.list(m.rect(m.width()-190, 8, 180, 3*48), choose, "Share", "Comments", "Log out"),
		focusable: true, close: func() { l.open = false }}}
}

func (l *menuPage) back() bool {
	was := l.open
	l.open = false
	return was
}

// list is what drops down: a list of texts, each with something to do.
func (m metrics) list(b image.Rectangle, choose func(text string) func(), texts ...string) *view {
	list := &view{class: "android.widget.ListView", b: b, fill: rgb(0xf3edf7), focusable: true, scrollable: true}
	for i, text := range texts {
		height := b.Dy() / len(texts)
		row := &view{class: classLinear, b: image.Rect(b.Min.X, b.Min.Y+i*height, b.Max.X, b.Min.Y+(i+1)*height),
			clickable: true, focusable: true, onTap: choose(text)}
		label := m.label(text, row.b.Inset(m.dp(4)))
		label.id = ListPackage + ":id/title"
		list.add(row.add(label))
	}
	return list
}

// suggestPage has a field that suggests cities in a list over the button below it.
type suggestPage struct {
	listPage
	city *field
}

func (l *suggestPage) view(m metrics) *view {
	w := m.width() - 32
	edit := m.edit(l.city, "City", ListPackage+":id/city", m.rect(16, 80, w, 52))
	edit.class = "android.widget.AutoCompleteTextView"
	return m.page(0xfefbff).add(m.title("Journey"), edit,
		m.button("Search", ListPackage+":id/search", m.rect(16, 150, w, 52), l.says("Searched")),
		l.footer(m, l.status))
}

func (l *suggestPage) popups(m metrics) []*popup {
	if l.screen.focus != l.city || len(l.city.text) < 2 || l.city.text == l.status {
		return nil
	}
	var found []string
	for _, name := range []string{"Berlin", "Bern", "Bergen", "London"} {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(l.city.text)) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return nil
	}
	choose := func(text string) func() {
		return func() { l.city.text, l.status = text, text }
	}
	return []*popup{{root: m.list(m.rect(16, 134, m.width()-32, 48*len(found)), choose, found...)}}
}

// dropdownPage has a box that drops a list down over itself, with the text that it shows among those of the list.
type dropdownPage struct {
	listPage
	size string
	open bool
}

func (l *dropdownPage) view(m metrics) *view {
	w := m.width() - 32
	box := &view{class: "android.widget.Spinner", id: ListPackage + ":id/size", b: m.rect(16, 100, w, 52),
		fill: rgb(0xe7e0ec), clickable: true, longClickable: true, focusable: true,
		onTap: func() { l.open = true }}
	return m.page(0xfefbff).add(m.title("T-shirt"), m.label("Size", m.rect(16, 62, w, 36)),
		box.add(m.label(l.size, box.b.Inset(m.dp(4)))),
		m.button("Order", ListPackage+":id/order", m.rect(16, 260, w, 52), func() { l.status = "Ordered " + l.size }),
		l.footer(m, l.status))
}

func (l *dropdownPage) popups(m metrics) []*popup {
	if !l.open {
		return nil
	}
	choose := func(text string) func() {
		return func() { l.open, l.size = false, text }
	}
	return []*popup{{root: m.list(m.rect(16, 100, m.width()-32, 3*48), choose, "Small", "Medium", "Large"),
		focusable: true, close: func() { l.open = false }}}
}

func (l *dropdownPage) back() bool {
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

func (l *noticePage) view(m metrics) *view {
	w := m.width() - 32
	return m.page(0xfefbff).add(
		m.button("Pay now", ListPackage+":id/pay_now", m.rect(16, 24, w, 52), l.says("Paid")),
		m.button("Archive", ListPackage+":id/archive", m.rect(16, 300, w, 52), l.says("Archived")),
		l.footer(m, l.status))
}

func (l *noticePage) others(m metrics) []*window {
	if l.gone || m.since(l.act.started) < l.screen.opts.LatePay {
		return nil
	}
	gone := func(what string) func() {
		return func() { l.gone, l.status = true, what }
	}
	switch l.kind {
	case "call":
		return []*window{callBanner(m, "Bob", func(how string) { gone("Call: " + how)() })}
	case "bubble":
		return []*window{bubble(m.rect(m.width()/2-36, 14, 72, 72), gone("Chat opened"))}
	}
	return []*window{headsUp(m, "Bob", "Lunch at noon?", gone("Message opened"))}
}

// toastPage shows toasts, which no dump has.
type toastPage struct{ listPage }

func (l *toastPage) view(m metrics) *view {
	w := m.width() - 32
	toast := func(text string, long bool) func() {
		return func() { l.screen.say(text, long) }
	}
	return m.page(0xfefbff).add(m.title("Toasts"),
		m.button("Short toast", ListPackage+":id/short", m.rect(16, 90, w, 52), toast("Saved for later", false)),
		m.button("Long toast", ListPackage+":id/long", m.rect(16, 160, w, 52), toast("Connection lost", true)),
		l.footer(m, l.status))
}

// securePage is black in every screenshot.
type securePage struct{ listPage }

func (l *securePage) secret(metrics) (page, dialog bool) { return true, false }

func (l *securePage) view(m metrics) *view {
	w := m.width() - 32
	return m.page(0xfefbff).add(m.title("Safe"), m.label("Balance 1,234", m.rect(16, 90, w, 40)),
		m.button("Transfer", ListPackage+":id/transfer", m.rect(16, 160, w, 52), l.says("Transferred")),
		l.footer(m, l.status))
}
