package ui

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
)

const xmlHead = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>`

// DumpActive is the tree of the window that has the focus.
func DumpActive(f *Frame, d Dumper) string {
	var b strings.Builder
	d.b, d.size = &b, f.Size
	fmt.Fprintf(&b, `%s<hierarchy rotation="%d">`, xmlHead, f.Rotation)
	if w := f.Active(); w != nil {
		d.node(w.Root, 0, 0)
	}
	b.WriteString(`</hierarchy>`)
	return b.String()
}

// Dumper writes trees as uiautomator does.
type Dumper struct {
	b          *strings.Builder
	size       image.Point
	Style      spec.DumpStyle
	Hints      bool // hint and drawing-order are written
	Compressed bool
}

// visible says whether a service sees the view; inverted bounds pass, as they do on phones.
func (d Dumper) visible(v *View) bool {
	screen := image.Rectangle{Max: d.size}
	if v.B.Min.X > v.B.Max.X || v.B.Min.Y > v.B.Max.Y || v.B.Empty() {
		return true
	}
	return v.B.Overlaps(screen)
}

// important says whether a view is kept in a compressed tree.
func (v *View) important() bool {
	return v.Text != "" || v.Desc != "" || v.Hint != "" || v.Clickable || v.Scrollable || v.Checkable || v.ID != ""
}

func (d Dumper) node(v *View, index, drawn int) {
	if !d.visible(v) || v.NotShown && d.Style.Attributes != "all" {
		return
	}
	if d.Compressed && !v.important() && len(v.Children) > 0 {
		for i, c := range v.Listed() {
			d.node(c, i, i+1)
		}
		return
	}
	d.b.WriteString("<node")
	if v.Clickable && !v.Disabled && v.Label() == "" && v.Hint == "" {
		d.attr("NAF", "true")
	}
	d.attr("index", strconv.Itoa(index))
	d.attr("text", v.Shown())
	d.attr("resource-id", v.ID)
	d.attr("class", v.Class)
	d.attr("package", v.Pkg)
	d.attr("content-desc", v.Desc)
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"checkable", v.Checkable}, {"checked", v.Checked}, {"clickable", v.Clickable}, {"enabled", !v.Disabled},
		{"focusable", v.Focusable}, {"focused", v.Focused}, {"scrollable", v.Scrollable},
		{"long-clickable", v.LongClickable}, {"password", v.Password}, {"selected", v.Selected},
	} {
		d.attr(f.name, strconv.FormatBool(f.on))
	}
	d.attr("bounds", bounds(v.B, d.size))
	if d.Hints {
		d.attr("drawing-order", strconv.Itoa(drawn))
		d.attr("hint", v.Hint)
	}
	if d.Style.Attributes == "all" {
		d.attr("display-id", "0")
		d.attr("visible-to-user", strconv.FormatBool(!v.NotShown))
	}
	if len(v.Children) == 0 {
		d.b.WriteString(" />")
		return
	}
	d.b.WriteString(">")
	for i, c := range v.Listed() {
		d.node(c, i, v.OrderOf(c))
	}
	d.b.WriteString("</node>")
}

// attr quotes with the other mark when the value has double quotes, as the phone's serializer does.
func (d Dumper) attr(name, value string) {
	quote := byte('"')
	if strings.Contains(value, `"`) {
		quote = '\''
	}
	fmt.Fprintf(d.b, " %s=%c%s%c", name, quote, escape(value, quote), quote)
}

func escape(s string, quote byte) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"' && quote == '"':
			b.WriteString("&quot;")
		case r == '\'' && quote == '\'':
			b.WriteString("&apos;")
		case r == '\n' || r == '\r' || r == '\t' || r > 0xffff:
			fmt.Fprintf(&b, "&#%d;", r)
		case r == utf8.RuneError && n == 1, r < 0x20, r == 0xfffe, r == 0xffff:
			b.WriteByte('.')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// bounds are clipped to the screen and not to the parent; what is inverted stays so.
func bounds(b image.Rectangle, size image.Point) string {
	if b.Min.X < b.Max.X && b.Min.Y < b.Max.Y {
		b = b.Intersect(image.Rectangle{Max: size})
	}
	return fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
}

// windowsDump writes the form of --windows: every window that a touch can reach, each with the windows that belong to
// it in front of its own elements.
type windowsDump struct {
	Dumper
	frame *Frame
	list  []*Window // the topmost first
}

// DumpWindows is the tree of all windows that a touch can reach.
func DumpWindows(f *Frame, d Dumper) string {
	var b strings.Builder
	d.b, d.size = &b, f.Size
	all := windowsDump{Dumper: d, frame: f, list: f.Reachable()}
	fmt.Fprintf(&b, `%s<displays><display id="0">`, xmlHead)
	index := 0
	for _, w := range all.list {
		if all.nested(w) && d.Style.Windows == "" {
			continue
		}
		all.window(w, index)
		index++
	}
	b.WriteString(`</display></displays>`)
	return b.String()
}

// nested says whether a window is written inside the one that it belongs to.
func (d windowsDump) nested(w *Window) bool {
	return d.Style.Windows != "flat" && w.Parent != nil && slices.Contains(d.list, w.Parent)
}

func (d windowsDump) window(w *Window, index int) {
	d.b.WriteString("<window")
	for _, a := range [][2]string{
		{"index", strconv.Itoa(index)}, {"title", w.Title}, {"bounds", bounds(w.Root.B, d.size)},
		{"active", strconv.FormatBool(w.Focused)},
		{"focused", strconv.FormatBool(w.Focused)}, {"accessibility-focused", "false"},
		{"id", strconv.Itoa(1 + slices.Index(d.frame.Windows, w))},
		{"layer", strconv.Itoa(w.Layer)}, {"type", "TYPE_" + w.Kind},
	} {
		d.attr(a[0], a[1])
	}
	d.b.WriteString(">")
	children := 0
	for _, c := range d.list {
		if c.Parent == w && d.nested(c) {
			d.window(c, children)
			children++
		}
	}
	fmt.Fprintf(d.b, `<hierarchy rotation="%d">`, d.frame.Rotation)
	d.node(w.Root, 0, 0)
	d.b.WriteString(`</hierarchy></window>`)
}

// Reachable are the windows that a service receives, the topmost first: a dialog hides its page, and what fills the
// screen hides all below.
func (f *Frame) Reachable() []*Window {
	var list []*Window
	hidden, dialog := false, false
	for _, w := range slices.Backward(f.Windows) {
		if w.Glass || hidden || dialog && w.Kind == "APPLICATION" {
			continue
		}
		list = append(list, w)
		hidden = w.Root.B.Eq(image.Rectangle{Max: f.Size})
		dialog = dialog || w.Dim
	}
	return list
}
