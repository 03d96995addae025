package androidsim

import (
	"fmt"
	"image"
	"strconv"
	"strings"
)

// listActivities are the entries of com.example.list; all but the first open from rows of the first.
func listActivities() map[string]string {
	out := map[string]string{ListPackage + ".PrivateActivity": notExported}
	for class, scheme := range map[string]string{
		"Main": "catalogue", "Pay": "", "Overlay": "", "Moving": "", "Twice": "", "Dialog": "", "Animation": "", "Form": "",
		"Gestures": "",
	} {
		out[ListPackage+"."+class+"Activity"] = scheme
	}
	for class, scheme := range motionActivities() {
		out[ListPackage+"."+class+"Activity"] = scheme
	}
	for class := range trapActivities() {
		out[ListPackage+"."+class+"Activity"] = strings.ToLower(class)
	}
	return out
}

// catalogue is the process of com.example.list; it outlives its activities.
type catalogue struct {
	visits int
}

func newListPage(o opening) page {
	app, ok := o.process.app.(*catalogue)
	if !ok {
		data := o.screen.packages[ListPackage].data
		n, _ := strconv.Atoi(data["visits"])
		data["visits"] = strconv.Itoa(n + 1)
		app = &catalogue{visits: n + 1}
		o.process.app = app
	}
	base := listPage{screen: o.screen, act: o.act}
	switch o.act.class[len(ListPackage)+1:] {
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
		return &formPage{listPage: base, note: &field{}}
	case "GesturesActivity":
		return &gesturesPage{listPage: base}
	default:
		name := strings.TrimSuffix(o.act.class[len(ListPackage)+1:], "Activity")
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
func trapActivities() map[string]func(base listPage) page {
	return map[string]func(base listPage) page{
		"Menu":     func(b listPage) page { return &menuPage{listPage: b} },
		"Suggest":  func(b listPage) page { return &suggestPage{listPage: b, city: &field{}} },
		"Dropdown": func(b listPage) page { return &dropdownPage{listPage: b, size: "Medium"} },
		"HeadsUp":  func(b listPage) page { return &noticePage{listPage: b, kind: "message"} },
		"Call":     func(b listPage) page { return &noticePage{listPage: b, kind: "call"} },
		"Bubble":   func(b listPage) page { return &noticePage{listPage: b, kind: "bubble"} },
		"Toast":    func(b listPage) page { return &toastPage{b} },
		"Secure":   func(b listPage) page { return &securePage{b} },
		"Splash":   func(b listPage) page { return &splashPage{b} },
		"Layers":   func(b listPage) page { return &layersPage{b} },
		"Nested":   func(b listPage) page { return &nestedPage{listPage: b} },
		"Twins":    func(b listPage) page { return &twinsPage{listPage: b} },
		"Switches": func(b listPage) page { return &switchesPage{listPage: b, on: map[string]bool{"Bluetooth": true}} },
		"LongRoot": func(b listPage) page { return &longRootPage{b} },
		"Clipped":  func(b listPage) page { return &clippedPage{b} },
		"Order":    func(b listPage) page { return &orderPage{b} },
		"Jumps":    func(b listPage) page { return &jumpsPage{b} },
		"Shift":    func(b listPage) page { return &shiftPage{b} },
		"Ticker":   func(b listPage) page { return &tickerPage{b} },
		"Fields":   newFieldsPage,
		"Crash":    func(b listPage) page { return &crashPage{b} },
	}
}

// listPage is what the pages of com.example.list share: a line at the bottom that says what happened.
type listPage struct {
	screen *screen
	act    *activity
	status string
}

func (l *listPage) dialog(metrics) *view { return nil }
func (l *listPage) back() bool           { return false }

func (l *listPage) says(format string, args ...any) func() {
	return func() { l.status = fmt.Sprintf(format, args...) }
}

// open starts an activity of the app.
func (l *listPage) open(name string) func() {
	return func() { l.screen.open(ListPackage, ListPackage+"."+name+"Activity", nil) }
}

func (l *listPage) footer(m metrics, left string) *view {
	bar := &view{class: classLinear, b: m.rect(0, m.height()-48, m.width(), 48), fill: rgb(0xeaddff)}
	text := m.label(left, m.rect(8, m.height()-44, m.width()-16, 40))
	text.id = ListPackage + ":id/status"
	return bar.add(text)
}

// row is a clickable frame with its text two levels down, as in most lists.
func (m metrics) row(text string, b image.Rectangle, tap func()) *view {
	row := &view{class: classFrame, id: ListPackage + ":id/row", b: b, clickable: true, longClickable: true,
		focusable: true, onTap: tap, fill: rgb(0xfefbff)}
	inner := &view{class: classLinear, b: b.Inset(m.dp(1)), fill: rgb(0xf7f2fa)}
	label := m.label(text, b.Inset(m.dp(6)))
	label.id = "android:id/title"
	return row.add(inner.add(label))
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

func (l *rowsPage) view(m metrics) *view {
	root := m.page(0xfefbff)
	list := &view{class: classList, id: ListPackage + ":id/list", scrollable: true, focusable: true}
	list.b = m.rect(0, 56, m.width(), m.height()-56-48)
	rows := l.rows()
	height := m.dp(rowDP)
	last := max(len(rows)*height-list.b.Dy(), 0)
	l.offset = min(l.offset, last)
	list.scroll = func(dy int) { l.offset = max(0, min(l.offset+dy, last)) }
	for i, r := range rows {
		y := list.b.Min.Y + i*height - l.offset
		b := image.Rect(list.b.Min.X, y, list.b.Max.X, y+height)
		if b.Overlaps(list.b) {
			list.add(m.row(r.text, b, r.tap))
		}
	}
	status := l.status
	if status == "" {
		status = "Visits: " + strconv.Itoa(l.app.visits)
	}
	bar := m.title("Catalogue")
	bar.add(l.deleteButton(m))
	// Broken nodes that real trees have: one inside out, one without an area.
	ghost := &view{class: classText, text: "Ghost", b: image.Rectangle{Min: image.Pt(210, 2706), Max: image.Pt(469, 2654)},
		clickable: true}
	zero := &view{class: classText, text: "Zero", b: image.Rect(0, 300, 0, 300), clickable: true}
	return root.add(list, bar, l.footer(m, status), ghost, zero)
}

// deleteButton is clickable itself, and has a description in addition to its text.
func (l *rowsPage) deleteButton(m metrics) *view {
	b := m.label("Delete all", m.rect(m.width()-130, 8, 122, 40))
	b.class, b.id, b.clickable, b.focusable = classButton, ListPackage+":id/delete_all", true, true
	b.onTap = func() { l.asking = true }
	return b
}

func (l *rowsPage) dialog(m metrics) *view {
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

func (l *rowsPage) back() bool {
	was := l.asking
	l.asking = false
	return was
}

// question is a dialog window with Cancel and Delete.
func question(m metrics, text string, answer func(yes bool)) *view {
	w := m.width() - 64
	b := m.rect(32, 260, w, 180)
	root := &view{class: classFrame, b: b, fill: rgb(0xece6f0), id: "android:id/parentPanel"}
	message := m.label(text, m.rect(52, 280, w-40, 56))
	message.id = "android:id/message"
	cancel := m.button("Cancel", "android:id/button2", m.rect(52, 370, w/2-28, 48), func() { answer(false) })
	del := m.button("Delete", "android:id/button1", m.rect(40+w/2, 370, w/2-28, 48), func() { answer(true) })
	return root.add(message, cancel, del)
}
