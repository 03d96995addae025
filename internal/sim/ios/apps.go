package iossim

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// newPage starts an app.
func newPage(a *app) page {
	if a.web != nil {
		return a.web.start(a.pid)
	}
	switch a.bundle {
	case LoginBundle:
		l := &login{app: a, email: &field{}, password: &field{secret: true}}
		l.password.onReturn = l.signIn
		return l
	case ListBundle:
		return newCatalogue(a)
	case SceneBundle:
		return &scenePage{a}
	case TrapsBundle:
		return &traps{app: a, nickname: &field{}}
	}
	return &plain{a}
}

// plain is an app that a test installed.
type plain struct{ app *app }

func (p *plain) view(m metrics) *view {
	return m.page().add(m.title(p.app.name), m.text("Hello from "+p.app.name, m.rect(20, 120, m.size.X-40, 30)))
}

func (p *plain) alert() *question { return nil }

// login is com.example.login: loading, form, spinner, welcome.
type login struct {
	app             *app
	email, password *field
	wrong, inside   bool
	asked           time.Time
}

func (l *login) alert() *question { return nil }

func (l *login) view(m metrics) *view {
	root := m.page()
	root.onTap = func() { l.app.device.focus = nil } // next to the fields
	o := l.app.device.opts
	if !l.asked.IsZero() && m.now.Sub(l.asked) >= o.LoginSpinner {
		l.decide()
	}
	w := m.size.X - 40
	switch {
	case l.inside:
		return root.add(m.title("Home"), m.text("Welcome, Ada", m.rect(20, 120, w, 30)),
			m.text("Status: Unpaid", m.rect(20, 160, w, 30)),
			m.button("Log out", "log_out", m.rect(20, 220, w, 48),
				func() { l.inside = false; l.email.set(""); l.password.set("") }))
	case !l.asked.IsZero():
		return l.busy(m, root, "Signing in…")
	case m.now.Sub(l.app.started) < o.LoginLoading:
		return l.busy(m, root, "Loading…")
	}
	root.add(m.title("Login"), m.edit(l.email, "E-mail", "email", m.rect(20, 110, w, 44)),
		m.edit(l.password, "Password", "password", m.rect(20, 166, w, 44)),
		m.button("Sign in", "sign_in", m.rect(20, 226, w, 48), l.signIn))
	if l.wrong {
		t := m.text("Wrong e-mail or password", m.rect(20, 284, w, 30))
		t.id = "error"
		root.add(t)
	}
	return root
}

// busy has a spinner that turns on the screen.
func (l *login) busy(m metrics, root *view, text string) *view {
	wheel := &view{kind: "ActivityIndicator", label: "In progress", b: m.rect(m.size.X/2-20, 300, 40, 40),
		fill: rgb(0xd0d0d8)}
	at := int(m.now.UnixMilli()/80) % 4
	dot := &view{kind: "Other", b: m.rect(m.size.X/2-20+(at%2)*20, 300+(at/2)*20, 20, 20), fill: rgb(0x4f46c8)}
	return root.add(wheel.add(dot), m.text(text, m.rect(20, 350, m.size.X-40, 30)))
}

func (l *login) signIn() {
	l.asked, l.wrong = time.Now(), false
	l.app.device.focus = nil
	l.app.device.note("signing in")
	l.app.device.writeLog("Login", l.app.pid, "signing in as %s", string(l.email.text))
}

func (l *login) decide() {
	l.asked = time.Time{}
	if string(l.email.text) == "crash@example.com" {
		l.email.set("")
		l.wrong = true // the last screenshot before the process is gone
		l.app.device.crash("Fatal error: no session for crash@example.com")
		return
	}
	l.inside = string(l.email.text) == "ada@example.com" && string(l.password.text) == "lovelace"
	l.wrong = !l.inside
	l.password.set("")
}

// catalogue is com.example.list.
type catalogue struct {
	app     *app
	page    string // which row is open; "" is the list
	offset  int
	status  string
	visits  int
	note    *field
	on      bool
	ask     *question
	dropped bool
	zoom    string
	month   string // that the picker wheel shows
	volume  float64
}

func newCatalogue(a *app) *catalogue {
	c := &catalogue{app: a, note: &field{}, month: "April"}
	a.folder()
	file := filepath.Join(a.data, "Documents", "visits")
	data, _ := os.ReadFile(file)
	c.visits, _ = strconv.Atoi(string(data))
	c.visits++
	_ = os.MkdirAll(filepath.Dir(file), 0o755)
	_ = os.WriteFile(file, []byte(strconv.Itoa(c.visits)), 0o644)
	c.status = fmt.Sprintf("Visits: %d", c.visits)
	return c
}

func (c *catalogue) alert() *question { return c.ask }

// named is the title in the app's language.
func (c *catalogue) named() string {
	if i := slices.Index(c.app.args, "-AppleLanguages"); i >= 0 && i+1 < len(c.app.args) &&
		strings.HasPrefix(c.app.args[i+1], "(de") {
		return "Katalog"
	}
	return "Catalogue"
}

const rowHeight = 46

func (c *catalogue) rows() []string {
	rows := []string{"Gestures", "Form", "Twice", "Dialog", "Prompt", "Photos", "Device", "Animation", "Duplicate",
		"Duplicate", "Grüße", "Total:\u00a05"}
	for i := range 110 {
		rows = append(rows, fmt.Sprintf("Item %d", i+1))
	}
	return append(rows, "The end")
}

func (c *catalogue) label(format string, args ...any) func() {
	return func() {
		c.status = fmt.Sprintf(format, args...)
		c.app.device.note("status %s", c.status)
	}
}

func (c *catalogue) view(m metrics) *view {
	switch c.page {
	case "Gestures":
		return c.gestures(m)
	case "Form":
		return c.form(m)
	case "Twice":
		return c.framed(m, m.cell("Twice", m.rect(0, 110, m.size.X, 48), c.label("First tapped")),
			m.cell("Twice", m.rect(0, 170, m.size.X, 48), c.label("Second tapped")))
	case "Device":
		return c.device(m)
	case "Animation":
		return c.framed(m, m.text("Frame "+strconv.FormatInt(m.now.UnixMilli()/15, 10), m.rect(20, 110, m.size.X-40, 30)))
	}
	return c.list(m)
}

// framed is a page with a way back and the status at its bottom.
func (c *catalogue) framed(m metrics, content ...*view) *view {
	title := m.title(c.page)
	title.add(m.button("Back", "back", m.rect(m.size.X-90, 50, 80, 38), func() { c.page = ""; c.app.device.focus = nil }))
	return m.page().add(title).add(content...).add(c.footer(m))
}

func (c *catalogue) footer(m metrics) *view {
	t := m.text(c.status, m.rect(10, m.size.Y-44, m.size.X-20, 34))
	t.id, t.fill, t.ink = "status", rgb(0xe4e0fa), rgb(0x18181c)
	return t
}

func (c *catalogue) list(m metrics) *view {
	table := &view{kind: "Table", id: "list", b: image.Rect(0, 91, m.size.X, m.size.Y-50)}
	rows := c.rows()
	last := max(len(rows)*rowHeight-table.b.Dy(), 0)
	table.scroll = func(by image.Point) { c.offset = max(0, min(c.offset-by.Y, last)) }
	seen := 0
	for i, label := range rows {
		y := table.b.Min.Y + i*rowHeight - c.offset
		b := m.rect(0, y, m.size.X, rowHeight-2)
		if b.Max.Y < table.b.Min.Y-2*rowHeight || b.Min.Y > table.b.Max.Y+2*rowHeight {
			continue
		}
		row := m.cell(label, b, func() { c.tapped(label, i) })
		row.onLong = c.label("Held: %s", label)
		if !b.Overlaps(table.b) { // UIKit keeps a few cells beyond the edge
			row.unseen, row.fill, row.children[0].unseen, row.children[0].ink = true, nil, true, nil
		}
		table.add(row)
		seen++
	}
	return m.page().add(table, m.title(c.named()), c.footer(m))
}

func (c *catalogue) tapped(label string, i int) {
	d := c.app.device
	switch label {
	case "Gestures", "Form", "Twice", "Device", "Animation":
		c.page = label
	case "Dialog":
		c.ask = &question{title: "Delete everything?", buttons: []string{"Cancel", "Delete"}, answer: func(b string) {
			c.ask = nil
			c.label("Answered: %s", b)()
		}}
	case "Prompt":
		f := &field{}
		c.ask = &question{title: "Your name?", buttons: []string{"Cancel", "OK"}, field: f, answer: func(b string) {
			c.ask = nil
			c.label("%s: %s", b, string(f.text))()
		}}
	case "Photos":
		allowed, set := c.app.permissions["photos"]
		if !set {
			d.question = &question{title: "\u201cList\u201d Would Like to Access Your Photos",
				buttons: []string{"Limit Access\u2026", "Allow Full Access", "Don\u2019t Allow"}, answer: func(b string) {
					c.app.permissions["photos"] = b == "Allow Full Access"
					c.label("Photos: %v", b == "Allow Full Access")()
				}}
			return
		}
		c.label("Photos: %v", allowed)()
	default:
		c.label("Tapped: %s %d", label, i)()
	}
}

func (c *catalogue) gestures(m metrics) *view {
	w := m.size.X - 40
	target := m.button("Target", "target", m.rect(20, 110, w, 90), c.label("Tapped"))
	target.onDouble, target.onLong = c.label("Double tapped"), c.label("Long pressed")
	basket := m.text("Basket", m.rect(20, 420, w, 80))
	basket.id, basket.fill = "basket", rgb(0xe0d8e8)
	content := []*view{target, basket, m.text("Zoom: "+c.zoom, m.rect(20, 540, w, 30))}
	if !c.dropped {
		apple := m.button("Apple", "apple", m.rect(20, 230, w/2, 60), c.label("Apple tapped"))
		apple.onLong = c.label("Apple lifted")
		apple.onDrag = func(to image.Point) {
			c.dropped = to.In(basket.b)
			c.label("Apple %s", map[bool]string{true: "in the basket", false: "dropped beside the basket"}[c.dropped])()
		}
		content = append(content, apple)
	}
	return c.framed(m, content...)
}

func (c *catalogue) form(m metrics) *view {
	w := m.size.X - 40
	off := m.button("Disabled", "disabled", m.rect(20, 280, w, 48), c.label("Disabled tapped"))
	off.disabled, off.traits, off.fill = true, []string{"Button", "NotEnabled"}, rgb(0xb8b8c0)
	off.children[0].disabled = true
	months := []string{"March", "April", "May"}
	wheel := &view{kind: "PickerWheel", label: "Month", value: c.month, b: m.rect(20, 420, w, 90),
		traits: []string{"Adjustable"}, fill: rgb(0xd8d8e0), onTap: func() {}}
	wheel.takes = func(value string) error {
		if !slices.Contains(months, value) {
			return fmt.Errorf("failed to find a wheel value for '%s'", value)
		}
		c.month = value
		return nil
	}
	slider := &view{kind: "Slider", label: "Volume", value: fmt.Sprintf("%.0f%%", c.volume*100), b: m.rect(20, 530, w, 34),
		traits: []string{"Adjustable"}, fill: rgb(0xa8a8e0), onTap: func() {}}
	slider.takes = func(value string) (err error) {
		at, err := strconv.ParseFloat(value, 64)
		if err != nil || at < 0 || at > 1 {
			return errors.New("value of slider should be in 0..1 range")
		}
		c.volume = at
		return nil
	}
	page := c.framed(m, m.edit(c.note, "Note", "note", m.rect(20, 110, w, 44)), m.toggle("Remember me", "remember",
		m.rect(20, 180, 60, 32), &c.on),
		m.text("Remember me or not", m.rect(90, 180, w-70, 30)), off, wheel, slider,
		m.button("Save", "save", m.rect(20, 350, w, 48), func() {
			c.app.device.focus = nil
			c.label("Saved: %s", string(c.note.text))()
		}))
	page.onTap = func() { c.app.device.focus = nil } // next to the field
	return page
}

// device shows what the test has made of the phone.
func (c *catalogue) device(m metrics) *view {
	d := c.app.device
	lines := []string{"Place: " + d.where, fmt.Sprintf("Pictures: %d", len(d.screenshots)), "Arguments: " +
		strings.Join(c.app.args, " "),
		"Dark: " + strconv.FormatBool(m.dark), "Wide: " + strconv.FormatBool(m.size.X > m.size.Y)}
	var content []*view
	for i, line := range lines {
		content = append(content, m.text(line, m.rect(20, 110+i*40, m.size.X-40, 30)))
	}
	return c.framed(m, content...)
}
