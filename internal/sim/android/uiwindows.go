package androidsim

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
)

// windowsDump writes the form of --windows: every window that a touch can reach, each with the windows that belong to
// it in front of its own elements.
type windowsDump struct {
	dumper
	frame *frame
	list  []*window // the topmost first
}

func dumpWindows(f *frame, d dumper) string {
	var b strings.Builder
	d.b, d.size = &b, f.size
	all := windowsDump{dumper: d, frame: f, list: f.reachable()}
	fmt.Fprintf(&b, `%s<displays><display id="0">`, xmlHead)
	index := 0
	for _, w := range all.list {
		if all.nested(w) && d.style.Windows == "" {
			continue
		}
		all.window(w, index)
		index++
	}
	b.WriteString(`</display></displays>`)
	return b.String()
}

// nested says whether a window is written inside the one that it belongs to.
func (d windowsDump) nested(w *window) bool {
	return d.style.Windows != "flat" && w.parent != nil && slices.Contains(d.list, w.parent)
}

func (d windowsDump) window(w *window, index int) {
	d.b.WriteString("<window")
	for _, a := range [][2]string{
		{"index", strconv.Itoa(index)}, {"title", w.title}, {"bounds", bounds(w.root.b, d.size)},
		{"active", strconv.FormatBool(w.focused)},
		{"focused", strconv.FormatBool(w.focused)}, {"accessibility-focused", "false"},
		{"id", strconv.Itoa(1 + slices.Index(d.frame.windows, w))},
		{"layer", strconv.Itoa(w.layer)}, {"type", "TYPE_" + w.kind},
	} {
		d.attr(a[0], a[1])
	}
	d.b.WriteString(">")
	children := 0
	for _, c := range d.list {
		if c.parent == w && d.nested(c) {
			d.window(c, children)
			children++
		}
	}
	fmt.Fprintf(d.b, `<hierarchy rotation="%d">`, d.frame.rotation)
	d.node(w.root, 0, 0)
	d.b.WriteString(`</hierarchy></window>`)
}

// reachable are the windows that a service receives, the topmost first: a dialog hides its page, and what fills the
// screen hides all below.
func (f *frame) reachable() []*window {
	var list []*window
	hidden, dialog := false, false
	for _, w := range slices.Backward(f.windows) {
		if w.glass || hidden || dialog && w.kind == "APPLICATION" {
			continue
		}
		list = append(list, w)
		hidden = w.root.b.Eq(image.Rectangle{Max: f.size})
		dialog = dialog || w.dim
	}
	return list
}
