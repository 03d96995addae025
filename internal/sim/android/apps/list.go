package apps

import (
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// listActivities are the entries of com.example.list; all but the first open from rows of the first.
func listActivities() map[string]string {
	out := map[string]string{spec.ListPackage + ".PrivateActivity": system.NotExported}
	for class, scheme := range map[string]string{
		"Main": "catalogue", "Pay": "", "Overlay": "", "Moving": "", "Twice": "", "Dialog": "", "Animation": "", "Form": "",
		"Gestures": "",
	} {
		out[spec.ListPackage+"."+class+"Activity"] = scheme
	}
	for class, scheme := range motionActivities() {
		out[spec.ListPackage+"."+class+"Activity"] = scheme
	}
	for class := range trapActivities() {
		out[spec.ListPackage+"."+class+"Activity"] = strings.ToLower(class)
	}
	return out
}

// catalogue is the process of com.example.list; it outlives its activities.
type catalogue struct {
	visits int
}

func newListPage(o system.Opening) system.Page {
	app, ok := o.Process.App.(*catalogue)
	if !ok {
		data := o.Screen.Packages[spec.ListPackage].Data
		n, _ := strconv.Atoi(data["visits"])
		data["visits"] = strconv.Itoa(n + 1)
		app = &catalogue{visits: n + 1}
		o.Process.App = app
	}
	base := listPage{screen: o.Screen, act: o.Act}
	switch o.Act.Class[len(spec.ListPackage)+1:] {
	case "PayActivity":
		base.status = "Unpaid"
		return &payPage{listPage: base}
	case "OverlayActivity":
		return &overlayPage{listPage: base}
	case "MovingActivity":
		return &movingPage{listPage: base}
	case "TwiceActivity":
		return &twicePage{listPage: base}
	case "DialogActivity":
		return &dialogPage{listPage: base, asking: true}
	case "AnimationActivity":
		return &animationPage{listPage: base}
	case "FormActivity":
		return &formPage{listPage: base, note: &ui.Field{}}
	case "GesturesActivity":
		return &gesturesPage{listPage: base}
	default:
		name := strings.TrimSuffix(o.Act.Class[len(spec.ListPackage)+1:], "Activity")
		if p := newMotionPage(base, name); p != nil {
			return p
		}
		if trap := trapActivities()[name]; trap != nil {
			return trap(base)
		}
		return &rowsPage{listPage: base, app: app}
	}
}

// trapActivities are the pages on which real phones differ from what one would think. Each is opened by its name, or by
// a link with its name in lower case: menu://open.
func trapActivities() map[string]func(base listPage) system.Page {
	return map[string]func(base listPage) system.Page{
		"Menu":     func(b listPage) system.Page { return &menuPage{listPage: b} },
		"Suggest":  func(b listPage) system.Page { return &suggestPage{listPage: b, city: &ui.Field{}} },
		"Dropdown": func(b listPage) system.Page { return &dropdownPage{listPage: b, size: "Medium"} },
		"HeadsUp":  func(b listPage) system.Page { return &noticePage{listPage: b, kind: "message"} },
		"Call":     func(b listPage) system.Page { return &noticePage{listPage: b, kind: "call"} },
		"Bubble":   func(b listPage) system.Page { return &noticePage{listPage: b, kind: "bubble"} },
		"Toast":    func(b listPage) system.Page { return &toastPage{b} },
		"Secure":   func(b listPage) system.Page { return &securePage{b} },
		"Splash":   func(b listPage) system.Page { return &splashPage{b} },
		"Layers":   func(b listPage) system.Page { return &layersPage{b} },
		"Nested":   func(b listPage) system.Page { return &nestedPage{listPage: b} },
		"Twins":    func(b listPage) system.Page { return &twinsPage{listPage: b} },
		"Switches": func(b listPage) system.Page {
			return &switchesPage{listPage: b, on: map[string]bool{"Bluetooth": true}}
		},
		"LongRoot": func(b listPage) system.Page { return &longRootPage{b} },
		"Clipped":  func(b listPage) system.Page { return &clippedPage{b} },
		"Order":    func(b listPage) system.Page { return &orderPage{b} },
		"Jumps":    func(b listPage) system.Page { return &jumpsPage{b} },
		"Shift":    func(b listPage) system.Page { return &shiftPage{b} },
		"Ticker":   func(b listPage) system.Page { return &tickerPage{b} },
		"Fields":   newFieldsPage,
		"Crash":    func(b listPage) system.Page { return &crashPage{b} },
	}
}

// listPage is what the pages of com.example.list share: a line at the bottom that says what happened.
type listPage struct {
	screen *system.Screen
	act    *system.Activity
	status string
}

func (l *listPage) Dialog(ui.Metrics) *ui.View { return nil }

func (l *listPage) Back() bool { return false }

func (l *listPage) says(format string, args ...any) func() {
	return func() { l.status = fmt.Sprintf(format, args...) }
}

// open starts an activity of the app.
func (l *listPage) open(name string) func() {
	return func() { l.screen.Open(spec.ListPackage, spec.ListPackage+"."+name+"Activity", nil) }
}

func (l *listPage) footer(m ui.Metrics, left string) *ui.View {
	bar := &ui.View{Class: ui.ClassLinear, B: m.Rect(0, m.Height()-48, m.Width(), 48), Fill: ui.RGB(0xeaddff)}
	text := m.Label(left, m.Rect(8, m.Height()-44, m.Width()-16, 40))
	text.ID = spec.ListPackage + ":id/status"
	return bar.Add(text)
}

// row is a clickable frame with its text two levels down, as in most lists.
func row(m ui.Metrics, text string, b image.Rectangle, tap func()) *ui.View {
	frame := &ui.View{Class: ui.ClassFrame, ID: spec.ListPackage + ":id/row", B: b, Clickable: true, LongClickable: true,
		Focusable: true, OnTap: tap, Fill: ui.RGB(0xfefbff)}
	inner := &ui.View{Class: ui.ClassLinear, B: b.Inset(m.Dp(1)), Fill: ui.RGB(0xf7f2fa)}
	label := m.Label(text, b.Inset(m.Dp(6)))
	label.ID = "android:id/title"
	return frame.Add(inner.Add(label))
}

const rowDP = 46

// rowsPage is the long list.
type rowsPage struct {
	listPage
	app     *catalogue
	offset  int // pixels
	asking  bool
	deleted bool
}

type listRow struct {
	text string
	tap  func()
}

func (l *rowsPage) rows() []listRow {
	rows := []listRow{
		{"Payments", l.open("Pay")},
		{"Overlay", l.open("Overlay")},
		{"Moving", l.open("Moving")},
		{"Twice", l.open("Twice")},
		{"Dialog", l.open("Dialog")},
		{"Animation", l.open("Animation")},
		{"Form", l.open("Form")},
	}
	if l.deleted {
		return rows
	}
	for i, text := range []string{
		"Duplicate", "Duplicate", "Grüße", "日本語", "العربية", "🎉 Party", "Total:\u00a05", "  Edge  ",
		`Say "hi"`, "Fish & <chips>",
	} {
		said := text
		if text == "Duplicate" {
			said = "Duplicate number " + strconv.Itoa(i+1)
		}
		rows = append(rows, listRow{text, l.says("Tapped: %s", said)})
	}
	for i := range 110 {
		text := "Item " + strconv.Itoa(i+1)
		rows = append(rows, listRow{text, l.says("Tapped: %s", text)})
	}
	return append(rows, listRow{"The end", l.says("Tapped: The end")})
}

func (l *rowsPage) View(m ui.Metrics) *ui.View {
	root := m.Page(0xfefbff)
	list := &ui.View{Class: ui.ClassList, ID: spec.ListPackage + ":id/list", Scrollable: true, Focusable: true}
	list.B = m.Rect(0, 56, m.Width(), m.Height()-56-48)
	rows := l.rows()
	height := m.Dp(rowDP)
	last := max(len(rows)*height-list.B.Dy(), 0)
	l.offset = min(l.offset, last)
	list.Scroll = func(dy int) { l.offset = max(0, min(l.offset+dy, last)) }
	for i, r := range rows {
		y := list.B.Min.Y + i*height - l.offset
		b := image.Rect(list.B.Min.X, y, list.B.Max.X, y+height)
		if b.Overlaps(list.B) {
			list.Add(row(m, r.text, b, r.tap))
		}
	}
	status := l.status
	if status == "" {
		status = "Visits: " + strconv.Itoa(l.app.visits)
	}
	bar := m.Title("Catalogue")
	bar.Add(l.deleteButton(m))
	// Broken nodes that real trees have: one inside out, one without an area.
	ghost := &ui.View{
		Class:     ui.ClassText,
		Text:      "Ghost",
		B:         image.Rectangle{Min: image.Pt(210, 2706), Max: image.Pt(469, 2654)},
		Clickable: true,
	}
	zero := &ui.View{Class: ui.ClassText, Text: "Zero", B: image.Rect(0, 300, 0, 300), Clickable: true}
	return root.Add(list, bar, l.footer(m, status), ghost, zero)
}

// deleteButton is clickable itself, and has a description in addition to its text.
func (l *rowsPage) deleteButton(m ui.Metrics) *ui.View {
	b := m.Label("Delete all", m.Rect(m.Width()-130, 8, 122, 40))
	b.Class, b.ID, b.Clickable, b.Focusable = ui.ClassButton, spec.ListPackage+":id/delete_all", true, true
	b.OnTap = func() { l.asking = true }
	return b
}

func (l *rowsPage) Dialog(m ui.Metrics) *ui.View {
	if !l.asking {
		return nil
	}
	return question(m, "Delete everything?", func(yes bool) {
		l.asking = false
		if yes {
			l.deleted, l.offset, l.status = true, 0, "Nothing left"
		}
	})
}

func (l *rowsPage) Back() bool {
	was := l.asking
	l.asking = false
	return was
}

// question is a dialog window with Cancel and Delete.
func question(m ui.Metrics, text string, answer func(yes bool)) *ui.View {
	w := m.Width() - 64
	b := m.Rect(32, 260, w, 180)
	root := &ui.View{Class: ui.ClassFrame, B: b, Fill: ui.RGB(0xece6f0), ID: "android:id/parentPanel"}
	message := m.Label(text, m.Rect(52, 280, w-40, 56))
	message.ID = "android:id/message"
	cancel := m.Button("Cancel", "android:id/button2", m.Rect(52, 370, w/2-28, 48), func() { answer(false) })
	del := m.Button("Delete", "android:id/button1", m.Rect(40+w/2, 370, w/2-28, 48), func() { answer(true) })
	return root.Add(message, cancel, del)
}
