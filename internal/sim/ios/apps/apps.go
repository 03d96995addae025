// Package apps has the apps of a simulated iPhone: login, list, and traps, which look different from what they do.
package apps

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

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// Known are what the apps show that are known, by bundle.
func Known() map[string]func(a *device.App) device.Page {
	return map[string]func(a *device.App) device.Page{
		device.LoginBundle: func(a *device.App) device.Page {
			l := &login{app: a, email: &ui.Field{}, password: &ui.Field{Secret: true}}
			l.password.OnReturn = l.signIn
			return l
		},
		device.ListBundle:  func(a *device.App) device.Page { return newCatalogue(a) },
		device.TrapsBundle: func(a *device.App) device.Page { return &traps{app: a, nickname: &ui.Field{}} },
	}
}

// login is com.example.login: loading, form, spinner, welcome.
type login struct {
	app             *device.App
	email, password *ui.Field
	wrong, inside   bool
	asked           time.Time
}

func (l *login) Alert() *device.Question { return nil }

func (l *login) View(m ui.Metrics) *ui.View {
	root := m.Page()
	root.OnTap = func() { l.app.Device.Focus = nil } // next to the fields
	o := l.app.Device.Opts
	if !l.asked.IsZero() && m.Now.Sub(l.asked) >= o.LoginSpinner {
		l.decide()
	}
	w := m.Size.X - 40
	switch {
	case l.inside:
		return root.Add(m.Title("Home"), m.Text("Welcome, Ada", m.Rect(20, 120, w, 30)),
			m.Text("Status: Unpaid", m.Rect(20, 160, w, 30)),
			m.Button("Log out", "log_out", m.Rect(20, 220, w, 48),
				func() { l.inside = false; l.email.Set(""); l.password.Set("") }))
	case !l.asked.IsZero():
		return l.busy(m, root, "Signing in…")
	case m.Now.Sub(l.app.Started) < o.LoginLoading:
		return l.busy(m, root, "Loading…")
	}
	root.Add(m.Title("Login"), m.Edit(l.email, "E-mail", "email", m.Rect(20, 110, w, 44)),
		m.Edit(l.password, "Password", "password", m.Rect(20, 166, w, 44)),
		m.Button("Sign in", "sign_in", m.Rect(20, 226, w, 48), l.signIn))
	if l.wrong {
		t := m.Text("Wrong e-mail or password", m.Rect(20, 284, w, 30))
		t.ID = "error"
		root.Add(t)
	}
	return root
}

// busy has a spinner that turns on the screen.
func (l *login) busy(m ui.Metrics, root *ui.View, text string) *ui.View {
	wheel := &ui.View{Kind: "ActivityIndicator", Label: "In progress", B: m.Rect(m.Size.X/2-20, 300, 40, 40),
		Fill: ui.RGB(0xd0d0d8)}
	at := int(m.Now.UnixMilli()/80) % 4
	dot := &ui.View{Kind: "Other", B: m.Rect(m.Size.X/2-20+(at%2)*20, 300+(at/2)*20, 20, 20), Fill: ui.RGB(0x4f46c8)}
	return root.Add(wheel.Add(dot), m.Text(text, m.Rect(20, 350, m.Size.X-40, 30)))
}

func (l *login) signIn() {
	l.asked, l.wrong = time.Now(), false
	l.app.Device.Focus = nil
	l.app.Device.Note("signing in")
	l.app.Device.WriteLog("Login", l.app.PID, "signing in as %s", string(l.email.Text))
}

func (l *login) decide() {
	l.asked = time.Time{}
	if string(l.email.Text) == "crash@example.com" {
		l.email.Set("")
		l.wrong = true // the last screenshot before the process is gone
		l.app.Device.Crash("Fatal error: no session for crash@example.com")
		return
	}
	l.inside = string(l.email.Text) == "ada@example.com" && string(l.password.Text) == "lovelace"
	l.wrong = !l.inside
	l.password.Set("")
}

// catalogue is com.example.list.
type catalogue struct {
	app     *device.App
	page    string // which row is open; "" is the list
	offset  int
	status  string
	visits  int
	note    *ui.Field
	on      bool
	ask     *device.Question
	dropped bool
	zoom    string
	month   string // that the picker wheel shows
	volume  float64
}

func newCatalogue(a *device.App) *catalogue {
	c := &catalogue{app: a, note: &ui.Field{}, month: "April"}
	a.Folder()
	file := filepath.Join(a.Data, "Documents", "visits")
	data, _ := os.ReadFile(file)
	c.visits, _ = strconv.Atoi(string(data))
	c.visits++
	_ = os.MkdirAll(filepath.Dir(file), 0o755)
	_ = os.WriteFile(file, []byte(strconv.Itoa(c.visits)), 0o644)
	c.status = fmt.Sprintf("Visits: %d", c.visits)
	return c
}

func (c *catalogue) Alert() *device.Question { return c.ask }

// named is the title in the app's language.
func (c *catalogue) named() string {
	if i := slices.Index(c.app.Args, "-AppleLanguages"); i >= 0 && i+1 < len(c.app.Args) &&
		strings.HasPrefix(c.app.Args[i+1], "(de") {
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
		c.app.Device.Note("status %s", c.status)
	}
}

func (c *catalogue) View(m ui.Metrics) *ui.View {
	switch c.page {
	case "Gestures":
		return c.gestures(m)
	case "Form":
		return c.form(m)
	case "Twice":
		return c.framed(m, m.Cell("Twice", m.Rect(0, 110, m.Size.X, 48), c.label("First tapped")),
			m.Cell("Twice", m.Rect(0, 170, m.Size.X, 48), c.label("Second tapped")))
	case "Device":
		return c.device(m)
	case "Animation":
		return c.framed(m, m.Text("Frame "+strconv.FormatInt(m.Now.UnixMilli()/15, 10), m.Rect(20, 110, m.Size.X-40, 30)))
	}
	return c.list(m)
}

// framed is a page with a way back and the status at its bottom.
func (c *catalogue) framed(m ui.Metrics, content ...*ui.View) *ui.View {
	title := m.Title(c.page)
	title.Add(m.Button("Back", "back", m.Rect(m.Size.X-90, 50, 80, 38), func() { c.page = ""; c.app.Device.Focus = nil }))
	return m.Page().Add(title).Add(content...).Add(c.footer(m))
}

func (c *catalogue) footer(m ui.Metrics) *ui.View {
	t := m.Text(c.status, m.Rect(10, m.Size.Y-44, m.Size.X-20, 34))
	t.ID, t.Fill, t.Ink = "status", ui.RGB(0xe4e0fa), ui.RGB(0x18181c)
	return t
}

func (c *catalogue) list(m ui.Metrics) *ui.View {
	table := &ui.View{Kind: "Table", ID: "list", B: image.Rect(0, 91, m.Size.X, m.Size.Y-50)}
	rows := c.rows()
	last := max(len(rows)*rowHeight-table.B.Dy(), 0)
	table.Scroll = func(by image.Point) { c.offset = max(0, min(c.offset-by.Y, last)) }
	seen := 0
	for i, label := range rows {
		y := table.B.Min.Y + i*rowHeight - c.offset
		b := m.Rect(0, y, m.Size.X, rowHeight-2)
		if b.Max.Y < table.B.Min.Y-2*rowHeight || b.Min.Y > table.B.Max.Y+2*rowHeight {
			continue
		}
		row := m.Cell(label, b, func() { c.tapped(label, i) })
		row.OnLong = c.label("Held: %s", label)
		if !b.Overlaps(table.B) { // UIKit keeps a few cells beyond the edge
			row.Unseen, row.Fill, row.Children[0].Unseen, row.Children[0].Ink = true, nil, true, nil
		}
		table.Add(row)
		seen++
	}
	return m.Page().Add(table, m.Title(c.named()), c.footer(m))
}

func (c *catalogue) tapped(label string, i int) {
	d := c.app.Device
	switch label {
	case "Gestures", "Form", "Twice", "Device", "Animation":
		c.page = label
	case "Dialog":
		c.ask = &device.Question{Title: "Delete everything?", Buttons: []string{"Cancel", "Delete"}, Answer: func(b string) {
			c.ask = nil
			c.label("Answered: %s", b)()
		}}
	case "Prompt":
		f := &ui.Field{}
		c.ask = &device.Question{Title: "Your name?", Buttons: []string{"Cancel", "OK"}, Field: f, Answer: func(b string) {
			c.ask = nil
			c.label("%s: %s", b, string(f.Text))()
		}}
	case "Photos":
		allowed, set := c.app.Permissions["photos"]
		if !set {
			d.Question = &device.Question{Title: "\u201cList\u201d Would Like to Access Your Photos",
				Buttons: []string{"Limit Access\u2026", "Allow Full Access", "Don\u2019t Allow"}, Answer: func(b string) {
					c.app.Permissions["photos"] = b == "Allow Full Access"
					c.label("Photos: %v", b == "Allow Full Access")()
				}}
			return
		}
		c.label("Photos: %v", allowed)()
	default:
		c.label("Tapped: %s %d", label, i)()
	}
}

func (c *catalogue) gestures(m ui.Metrics) *ui.View {
	w := m.Size.X - 40
	target := m.Button("Target", "target", m.Rect(20, 110, w, 90), c.label("Tapped"))
	target.OnDouble, target.OnLong = c.label("Double tapped"), c.label("Long pressed")
	basket := m.Text("Basket", m.Rect(20, 420, w, 80))
	basket.ID, basket.Fill = "basket", ui.RGB(0xe0d8e8)
	content := []*ui.View{target, basket, m.Text("Zoom: "+c.zoom, m.Rect(20, 540, w, 30))}
	if !c.dropped {
		apple := m.Button("Apple", "apple", m.Rect(20, 230, w/2, 60), c.label("Apple tapped"))
		apple.OnLong = c.label("Apple lifted")
		apple.OnDrag = func(to image.Point) {
			c.dropped = to.In(basket.B)
			c.label("Apple %s", map[bool]string{true: "in the basket", false: "dropped beside the basket"}[c.dropped])()
		}
		content = append(content, apple)
	}
	return c.framed(m, content...)
}

func (c *catalogue) form(m ui.Metrics) *ui.View {
	w := m.Size.X - 40
	off := m.Button("Disabled", "disabled", m.Rect(20, 280, w, 48), c.label("Disabled tapped"))
	off.Disabled, off.Traits, off.Fill = true, []string{"Button", "NotEnabled"}, ui.RGB(0xb8b8c0)
	off.Children[0].Disabled = true
	months := []string{"March", "April", "May"}
	wheel := &ui.View{Kind: "PickerWheel", Label: "Month", Value: c.month, B: m.Rect(20, 420, w, 90),
		Traits: []string{"Adjustable"}, Fill: ui.RGB(0xd8d8e0), OnTap: func() {}}
	wheel.Takes = func(value string) error {
		if !slices.Contains(months, value) {
			return fmt.Errorf("failed to find a wheel value for '%s'", value)
		}
		c.month = value
		return nil
	}
	slider := &ui.View{
		Kind:   "Slider",
		Label:  "Volume",
		Value:  fmt.Sprintf("%.0f%%", c.volume*100),
		B:      m.Rect(20, 530, w, 34),
		Traits: []string{"Adjustable"},
		Fill:   ui.RGB(0xa8a8e0),
		OnTap:  func() {},
	}
	slider.Takes = func(value string) (err error) {
		at, err := strconv.ParseFloat(value, 64)
		if err != nil || at < 0 || at > 1 {
			return errors.New("value of slider should be in 0..1 range")
		}
		c.volume = at
		return nil
	}
	page := c.framed(m, m.Edit(c.note, "Note", "note", m.Rect(20, 110, w, 44)), m.Toggle("Remember me", "remember",
		m.Rect(20, 180, 60, 32), &c.on),
		m.Text("Remember me or not", m.Rect(90, 180, w-70, 30)), off, wheel, slider,
		m.Button("Save", "save", m.Rect(20, 350, w, 48), func() {
			c.app.Device.Focus = nil
			c.label("Saved: %s", string(c.note.Text))()
		}))
	page.OnTap = func() { c.app.Device.Focus = nil } // next to the field
	return page
}

// device shows what the test has made of the phone.
func (c *catalogue) device(m ui.Metrics) *ui.View {
	d := c.app.Device
	lines := []string{"Place: " + d.Where, fmt.Sprintf("Pictures: %d", len(d.Screenshots)), "Arguments: " +
		strings.Join(c.app.Args, " "),
		"Dark: " + strconv.FormatBool(m.Dark), "Wide: " + strconv.FormatBool(m.Size.X > m.Size.Y)}
	var content []*ui.View
	for i, line := range lines {
		content = append(content, m.Text(line, m.Rect(20, 110+i*40, m.Size.X-40, 30)))
	}
	return c.framed(m, content...)
}

// Zoomed is a pinch on one of its pages.
func (c *catalogue) Zoomed(in bool) { c.zoom = map[bool]string{true: "in", false: "out"}[in] }
