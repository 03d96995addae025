package androidsim

import (
	"strconv"
	"time"
)

// payPage shows "Payment history" at once and "Pay" some time later.
type payPage struct {
	listPage
	open bool
}

func (l *payPage) view(m metrics) *view {
	w := m.width() - 32
	root := m.page(0xfefbff)
	history := m.row("Payment history", m.rect(16, 80, w, 52), func() { l.open = true })
	status := m.label(l.status, m.rect(16, 150, w, 40))
	status.id = ListPackage + ":id/pay_status"
	root.add(m.title("Payments"), history, status)
	if l.open {
		root.add(m.label("No payments yet", m.rect(16, 200, w, 40)))
	}
	if m.now.Sub(l.act.started) >= l.screen.opts.LatePay {
		root.add(m.button("Pay", ListPackage+":id/pay", m.rect(16, 260, w, 52), func() { l.status = "Paid" }))
	}
	return root
}

// overlayPage has a clickable banner in front of a button, in the same window.
type overlayPage struct {
	listPage
	accepted bool
}

func (l *overlayPage) view(m metrics) *view {
	w := m.width() - 32
	root := m.page(0xfefbff).add(m.title("Overlay"),
		m.button("Behind", ListPackage+":id/behind", m.rect(16, 400, w, 52), l.says("Behind tapped")),
		m.button("Beside", ListPackage+":id/beside", m.rect(16, 100, w, 52), l.says("Beside tapped")),
		l.footer(m, l.status))
	if l.accepted {
		return root
	}
	banner := &view{
		class: classFrame, id: ListPackage + ":id/banner", b: m.rect(0, 340, m.width(), 220), clickable: true,
		focusable: true,
		fill:      rgb(0x322f35), onTap: l.says("Banner tapped"),
	}
	text := m.label("Cookie banner", m.rect(16, 350, w, 40))
	text.ink = rgb(0xffffff)
	accept := m.button("Accept", ListPackage+":id/accept", m.rect(16, 490, w, 52), func() {
		l.accepted, l.status = true, "Accepted"
	})
	return root.add(banner.add(text, accept))
}

// movingPage has a button that slides down for a while after the page was opened.
type movingPage struct{ listPage }

func (l *movingPage) view(m metrics) *view {
	whole := l.screen.opts.Moving
	at := min(m.now.Sub(l.act.started), whole)
	y := 90 + int(420*at/whole)
	return m.page(0xfefbff).add(m.title("Slide"),
		m.button("Moving", ListPackage+":id/moving", m.rect(40, y, m.width()-80, 52), l.says("Moving tapped")),
		l.footer(m, l.status))
}

// twicePage shows one text twice.
type twicePage struct{ listPage }

func (l *twicePage) view(m metrics) *view {
	w := m.width() - 32
	return m.page(0xfefbff).add(m.title("Pairs"),
		m.row("Twice", m.rect(16, 90, w, 52), l.says("First tapped")),
		m.row("Twice", m.rect(16, 160, w, 52), l.says("Second tapped")),
		l.footer(m, l.status))
}

// dialogPage opens with a dialog over a button that has the same text as one in the dialog.
type dialogPage struct {
	listPage
	asking bool
}

func (l *dialogPage) view(m metrics) *view {
	w := m.width() - 32
	return m.page(0xfefbff).add(m.title("Dialog page"),
		m.label("42 entries", m.rect(16, 90, w, 40)),
		m.button("Delete", ListPackage+":id/delete", m.rect(16, 380, w, 52), func() { l.asking = true }),
		l.footer(m, l.status))
}

func (l *dialogPage) dialog(m metrics) *view {
	if !l.asking {
		return nil
	}
	return question(m, "Delete everything?", func(yes bool) {
		l.asking = false
		l.status = "Cancelled"
		if yes {
			l.status = "Deleted everything"
		}
	})
}

func (l *dialogPage) back() bool {
	was := l.asking
	l.asking = false
	return was
}

// animationPage changes a text all the time, so that it is never idle, until it is stopped.
type animationPage struct {
	listPage
	stopped time.Time
}

func (l *animationPage) view(m metrics) *view {
	now := m.now
	if !l.stopped.IsZero() {
		now = l.stopped
	}
	frame := strconv.FormatInt(now.Sub(l.act.started).Milliseconds()/15, 10)
	w := m.width() - 32
	return m.page(0xfefbff).add(m.title("Never idle"),
		m.label("Frame "+frame, m.rect(16, 90, w, 40)),
		m.button("Stop", ListPackage+":id/stop", m.rect(16, 150, w, 52), func() { l.stopped = m.now }))
}

// formPage has controls, and a button that the keyboard covers.
type formPage struct {
	listPage
	note     *field
	remember bool
	loud     bool
}

func (l *formPage) view(m metrics) *view {
	w := m.width() - 32
	check := func(class, text, id string, y int, on *bool) *view {
		v := m.label(text, m.rect(16, y, w, 48))
		v.class, v.id, v.checkable, v.checked, v.clickable, v.focusable = class, ListPackage+":id/"+id, true, *on, true, true
		v.onTap = func() { *on = !*on }
		box := &view{class: class, b: m.rect(w-24, y+12, 24, 24), fill: rgb(0x79747e)}
		if *on {
			box.fill = rgb(0x6750a4)
		}
		return v.paint(box)
	}
	disabled := m.button("Disabled", ListPackage+":id/disabled", m.rect(16, 300, w, 52), l.says("Disabled tapped"))
	disabled.disabled, disabled.fill = true, rgb(0xcac4d0)
	disabled.children[0].disabled = true
	icon := &view{
		class: classImage, desc: "Close form", b: m.rect(m.width()-56, 4, 48, 48), clickable: true, focusable: true,
		image: true,
		fill:  rgb(0xeaddff), ink: rgb(0x6750a4), onTap: func() { l.screen.finish(l.act) },
	}
	return m.page(0xfefbff).add(m.title("Form").add(icon),
		m.edit(l.note, "Note", ListPackage+":id/note", m.rect(16, 90, w, 56)),
		check("android.widget.CheckBox", "Remember me", "remember", 160, &l.remember),
		check("android.widget.Switch", "Loud", "loud", 220, &l.loud),
		disabled,
		m.button("Save", ListPackage+":id/save", m.rect(16, m.height()-120, w, 52), func() {
			l.status = "Saved: " + l.note.text
			l.screen.focus, l.screen.keyboard = nil, false
		}),
		l.footer(m, l.status))
}
