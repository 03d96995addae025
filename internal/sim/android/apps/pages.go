package apps

import (
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// payPage shows "Payment history" at once and "Pay" some time later.
type payPage struct {
	listPage
	open bool
}

func (l *payPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	root := m.Page(0xfefbff)
	history := row(m, "Payment history", m.Rect(16, 80, w, 52), func() { l.open = true })
	status := m.Label(l.status, m.Rect(16, 150, w, 40))
	status.ID = spec.ListPackage + ":id/pay_status"
	root.Add(m.Title("Payments"), history, status)
	if l.open {
		root.Add(m.Label("No payments yet", m.Rect(16, 200, w, 40)))
	}
	if m.Now.Sub(l.act.Started) >= l.screen.Opts.LatePay {
		root.Add(m.Button("Pay", spec.ListPackage+":id/pay", m.Rect(16, 260, w, 52), func() { l.status = "Paid" }))
	}
	return root
}

// overlayPage has a clickable banner in front of a button, in the same window.
type overlayPage struct {
	listPage
	accepted bool
}

func (l *overlayPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	root := m.Page(0xfefbff).Add(m.Title("Overlay"),
		m.Button("Behind", spec.ListPackage+":id/behind", m.Rect(16, 400, w, 52), l.says("Behind tapped")),
		m.Button("Beside", spec.ListPackage+":id/beside", m.Rect(16, 100, w, 52), l.says("Beside tapped")),
		l.footer(m, l.status))
	if l.accepted {
		return root
	}
	banner := &ui.View{
		Class: ui.ClassFrame, ID: spec.ListPackage + ":id/banner", B: m.Rect(0, 340, m.Width(), 220), Clickable: true,
		Focusable: true,
		Fill:      ui.RGB(0x322f35), OnTap: l.says("Banner tapped"),
	}
	text := m.Label("Cookie banner", m.Rect(16, 350, w, 40))
	text.Ink = ui.RGB(0xffffff)
	accept := m.Button("Accept", spec.ListPackage+":id/accept", m.Rect(16, 490, w, 52), func() {
		l.accepted, l.status = true, "Accepted"
	})
	return root.Add(banner.Add(text, accept))
}

// movingPage has a button that slides down for a while after the page was opened.
type movingPage struct{ listPage }

func (l *movingPage) View(m ui.Metrics) *ui.View {
	whole := l.screen.Opts.Moving
	at := min(m.Now.Sub(l.act.Started), whole)
	y := 90 + int(420*at/whole)
	return m.Page(0xfefbff).Add(m.Title("Slide"),
		m.Button("Moving", spec.ListPackage+":id/moving", m.Rect(40, y, m.Width()-80, 52), l.says("Moving tapped")),
		l.footer(m, l.status))
}

// twicePage shows one text twice.
type twicePage struct{ listPage }

func (l *twicePage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	return m.Page(0xfefbff).Add(m.Title("Pairs"),
		row(m, "Twice", m.Rect(16, 90, w, 52), l.says("First tapped")),
		row(m, "Twice", m.Rect(16, 160, w, 52), l.says("Second tapped")),
		l.footer(m, l.status))
}

// dialogPage opens with a dialog over a button that has the same text as one in the dialog.
type dialogPage struct {
	listPage
	asking bool
}

func (l *dialogPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	return m.Page(0xfefbff).Add(m.Title("Dialog page"),
		m.Label("42 entries", m.Rect(16, 90, w, 40)),
		m.Button("Delete", spec.ListPackage+":id/delete", m.Rect(16, 380, w, 52), func() { l.asking = true }),
		l.footer(m, l.status))
}

func (l *dialogPage) Dialog(m ui.Metrics) *ui.View {
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

func (l *dialogPage) Back() bool {
	was := l.asking
	l.asking = false
	return was
}

// animationPage changes a text all the time, so that it is never idle, until it is stopped.
type animationPage struct {
	listPage
	stopped time.Time
}

func (l *animationPage) View(m ui.Metrics) *ui.View {
	now := m.Now
	if !l.stopped.IsZero() {
		now = l.stopped
	}
	frame := strconv.FormatInt(now.Sub(l.act.Started).Milliseconds()/15, 10)
	w := m.Width() - 32
	return m.Page(0xfefbff).Add(m.Title("Never idle"),
		m.Label("Frame "+frame, m.Rect(16, 90, w, 40)),
		m.Button("Stop", spec.ListPackage+":id/stop", m.Rect(16, 150, w, 52), func() { l.stopped = m.Now }))
}

// formPage has controls, and a button that the keyboard covers.
type formPage struct {
	listPage
	note     *ui.Field
	remember bool
	loud     bool
}

func (l *formPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	check := func(class, text, id string, y int, on *bool) *ui.View {
		v := m.Label(text, m.Rect(16, y, w, 48))
		v.Class, v.ID = class, spec.ListPackage+":id/"+id
		v.Checkable, v.Checked, v.Clickable, v.Focusable = true, *on, true, true
		v.OnTap = func() { *on = !*on }
		box := &ui.View{Class: class, B: m.Rect(w-24, y+12, 24, 24), Fill: ui.RGB(0x79747e)}
		if *on {
			box.Fill = ui.RGB(0x6750a4)
		}
		return v.Paint(box)
	}
	disabled := m.Button("Disabled", spec.ListPackage+":id/disabled", m.Rect(16, 300, w, 52), l.says("Disabled tapped"))
	disabled.Disabled, disabled.Fill = true, ui.RGB(0xcac4d0)
	disabled.Children[0].Disabled = true
	icon := &ui.View{
		Class: ui.ClassImage, Desc: "Close form", B: m.Rect(m.Width()-56, 4, 48, 48), Clickable: true, Focusable: true,
		Image: true,
		Fill:  ui.RGB(0xeaddff), Ink: ui.RGB(0x6750a4), OnTap: func() { l.screen.Finish(l.act) },
	}
	return m.Page(0xfefbff).Add(m.Title("Form").Add(icon),
		m.Edit(l.note, "Note", spec.ListPackage+":id/note", m.Rect(16, 90, w, 56)),
		check("android.widget.CheckBox", "Remember me", "remember", 160, &l.remember),
		check("android.widget.Switch", "Loud", "loud", 220, &l.loud),
		disabled,
		m.Button("Save", spec.ListPackage+":id/save", m.Rect(16, m.Height()-120, w, 52), func() {
			l.status = "Saved: " + l.note.Text
			l.screen.Focus, l.screen.Keyboard = nil, false
		}),
		l.footer(m, l.status))
}
