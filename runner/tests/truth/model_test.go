package truth_test

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"time"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// item is one thing on a made-up screen.
type item struct {
	name             string // distinguishes items in the log of touches
	text, desc, hint string
	box              image.Rectangle
	fill             color.Color // nil: what is under it shows through
	picture          bool
	takes            bool // reacts to touches
	checks           bool // has a checked state; a touch of what takes it changes that
	checked          bool
	disabled         bool
	from, until      time.Duration // when it is there; until 0: for ever
	moves            move
	typed            string // what a field holds
	field            *androidsim.Entry
	editable         bool
	crashes          time.Duration // after a touch
	rows             []string      // of a list that scrolls
	offset           int
	in               []*item
}

// move is a way down that takes some time.
type move struct {
	start, end time.Duration
	by         int
}

// model is a made-up screen. One copy is shown by the phone, another one is what the expected results are worked out
// from.
type model struct {
	size    image.Point
	page    []*item
	dialog  *item
	above   []*item
	status  string // says what was touched last
	ticker  bool   // something changes all the time
	api     int
	touched []touch
	looks   []time.Duration // when the phone looked at the screen
}

// touch is what took a touch, and how long after the last read the screen had changed by itself.
type touch struct {
	name       string
	unforeseen bool
}

const statusSlot = 12

// slot is a place in the column of things.
func (m *model) slot(i int) image.Rectangle {
	return image.Rect(16, 40+i*56, m.size.X-16, 40+i*56+48)
}

func (m *model) statusBox() image.Rectangle {
	b := m.slot(statusSlot)
	b.Max.X = 206
	return b
}

func (i *item) there(t time.Duration) bool { return t >= i.from && (i.until == 0 || t < i.until) }

// at is the place of the item.
func (i *item) at(t time.Duration) image.Rectangle {
	switch {
	case i.moves.by == 0 || t <= i.moves.start:
		return i.box
	case t >= i.moves.end:
		return i.box.Add(image.Pt(0, i.moves.by))
	}
	part := float64(t-i.moves.start) / float64(i.moves.end-i.moves.start)
	return i.box.Add(image.Pt(0, int(part*float64(i.moves.by))))
}

// all goes through the items, outer ones first.
func (m *model) all(yield func(*item) bool) {
	var walk func(*item) bool
	walk = func(i *item) bool {
		if !yield(i) {
			return false
		}
		for _, c := range i.in {
			if !walk(c) {
				return false
			}
		}
		return true
	}
	for _, i := range m.tops() {
		if !walk(i) {
			return
		}
	}
}

func (m *model) tops() []*item {
	list := append([]*item(nil), m.page...)
	if m.dialog != nil {
		list = append(list, m.dialog)
	}
	return append(list, m.above...)
}

// changes are the moments at which the screen changes by itself, and the end of all of it.
func (m *model) changes() (list []time.Duration, last time.Duration) {
	for i := range m.all {
		for _, t := range []time.Duration{i.from, i.until, i.moves.start, i.moves.end} {
			if t > 0 {
				list = append(list, t)
				last = max(last, t)
			}
		}
	}
	return list, last
}

// took notes a touch and does what it does to the app.
func (m *model) took(i *item, since time.Duration, app *androidsim.App) {
	m.touched = append(m.touched, touch{i.name, m.unforeseen(since)})
	m.press(i)
	if i.crashes > 0 && app != nil {
		app.CrashIn(i.crashes, "java.lang.IllegalStateException: basket is empty")
	}
}

// press is what a touch does to the app.
func (m *model) press(i *item) {
	if i.disabled {
		return
	}
	m.status = "Did " + i.name
	for _, c := range append([]*item{i}, i.in...) {
		if c.checks {
			c.checked = !c.checked
		}
	}
}

// inTransit is how long the response to a read, and a touch that follows from it, may be on their way.
const inTransit = 150 * time.Millisecond

// unforeseen reports whether the screen changed by itself between now and the last read that can have been known when
// the touch was sent.
func (m *model) unforeseen(now time.Duration) bool {
	last := time.Duration(-1)
	for _, t := range m.looks {
		if t < now-inTransit {
			last = t
		}
	}
	changes, _ := m.changes()
	for _, t := range changes {
		if t > last && t <= now {
			return true
		}
	}
	return false
}

// String draws the screen for a reader of a report.
func (m *model) String() string {
	var b strings.Builder
	var show func(i *item, indent string)
	show = func(i *item, indent string) {
		fmt.Fprintf(&b, "%s%s", indent, i.name)
		for _, f := range []struct {
			word string
			on   bool
		}{
			{fmt.Sprintf(" text=%q", i.text), i.text != ""}, {fmt.Sprintf(" desc=%q", i.desc), i.desc != ""},
			{fmt.Sprintf(" hint=%q typed=%q", i.hint, i.typed), i.editable}, {" opaque", i.fill != nil}, {" picture", i.picture},
			{" takes", i.takes}, {fmt.Sprintf(" checked=%t", i.checked), i.checks}, {" disabled", i.disabled},
			{fmt.Sprintf(" from=%v", i.from), i.from > 0}, {fmt.Sprintf(" until=%v", i.until), i.until > 0},
			{fmt.Sprintf(" moves %v-%v by %d", i.moves.start, i.moves.end, i.moves.by), i.moves.by != 0},
			{fmt.Sprintf(" crashes after %v", i.crashes), i.crashes > 0}, {fmt.Sprintf(" %d rows", len(i.rows)), i.rows != nil},
		} {
			if f.on {
				b.WriteString(f.word)
			}
		}
		fmt.Fprintf(&b, " %v\n", i.box)
		for _, c := range i.in {
			show(c, indent+"  ")
		}
	}
	for _, i := range m.page {
		show(i, "  page ")
	}
	if m.dialog != nil {
		show(m.dialog, "  dialog ")
	}
	for _, i := range m.above {
		show(i, "  above ")
	}
	return b.String()
}
