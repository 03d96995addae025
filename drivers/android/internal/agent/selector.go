package agent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// BySelector is the strategy that takes a UiSelector. It searches the active window only.
const BySelector = "-android uiautomator"

// maxSelectorText is the longest text, in bytes, that is put into a UiSelector.
const maxSelectorText = 100

// census lists what the agent searches when it receives a selector: the elements of all windows, also of those that no
// test means (the navigation bar, the keyboard), with the attributes that its tree had. It is taken before the driver
// removes windows or changes texts.
type census []censusEntry

// censusEntry is an element as the agent compares it.
type censusEntry struct {
	node                  *screen.Node
	id, desc, text, class string
	window                int
	active                bool // it is in the active window
}

// TakeCensus lists the elements of a dump. It returns nil where the agent may see more elements than the dump has.
func TakeCensus(d *dump.Dump, whole bool) census {
	if !whole {
		return nil
	}
	var list census
	for i, w := range d.Windows {
		list = list.with(w, i, d.Facts[i].Active)
	}
	return list
}

// with adds an element of a window and all in it.
func (list census) with(n *screen.Node, window int, active bool) census {
	list = append(list, censusEntry{node: n, id: n.ID, desc: n.Desc, text: textForAgent(n), class: n.Type, window: window,
		active: active})
	for _, c := range n.Children {
		list = list.with(c, window, active)
	}
	return list
}

// textForAgent is the text of an element: of an empty field that is its hint, and of a range there is none, though its
// tree has the number.
func textForAgent(n *screen.Node) string {
	switch {
	case isRange(n):
		return ""
	case n.Editable && n.Text == "":
		return n.Hint
	}
	return n.Text
}

// criteria are what a selector requires. Each field compares the whole attribute; "" requires nothing.
type criteria struct {
	id, desc, text, class string
	active                bool // the active window alone is searched
}

func (c criteria) fit(e censusEntry) bool {
	return (c.id == "" || e.id == c.id) && (c.desc == "" || e.desc == c.desc) && (c.text == "" || e.text == c.text) &&
		(c.class == "" || e.class == c.class) && (!c.active || e.active)
}

// strategy is how the agent is asked for the criteria.
func (c criteria) strategy() (strategy, value string) {
	switch {
	case c.active:
		value = "new UiSelector()"
		for _, part := range [][2]string{{"text", c.text}, {"description", c.desc}, {"resourceId", c.id},
			{"className", c.class}} {
			if part[1] != "" {
				value += "." + part[0] + `("` + part[1] + `")`
			}
		}
		return BySelector, value
	case c.id != "":
		return "id", c.id
	}
	return "accessibility id", c.desc
}

// selects reports whether the criteria pick the element at index i and no other one.
func (list census) selects(c criteria, i int) bool {
	if !c.fit(list[i]) {
		return false
	}
	for j, e := range list {
		if j != i && c.fit(e) {
			return false
		}
	}
	return true
}

// Selector returns what picks the element and no other one by the agent's own rule. ok is false where nothing does.
func (list census) Selector(n *screen.Node) (strategy, value string, ok bool) {
	i := slices.IndexFunc(list, func(e censusEntry) bool { return e.node == n })
	if i < 0 || n.InPage {
		return "", "", false
	}
	for _, c := range list[i].choices(list.oneActive()) {
		if list.selects(c, i) {
			strategy, value = c.strategy()
			return strategy, value, true
		}
	}
	return "", "", false
}

// choices are the criteria that may pick an element, the most lasting first. A field is not known by its text, which
// changes.
func (e censusEntry) choices(active bool) (list []criteria) {
	id := e.id
	if !strings.Contains(id, ":id/") { // the agent puts a package before any other one
		id = ""
	}
	if id != "" {
		list = append(list, criteria{id: id})
	}
	if e.desc != "" {
		list = append(list, criteria{desc: e.desc})
	}
	if !active || !e.active {
		return list
	}
	if !plainText(id) {
		id = ""
	}
	text, desc, class := "", "", ""
	if plainText(e.text) && !e.node.Editable {
		text = e.text
	}
	if plainText(e.desc) {
		desc = e.desc
	}
	if plainText(e.class) {
		class = e.class
	}
	for _, c := range []criteria{{text: text, id: id}, {desc: desc, id: id}, {text: text, desc: desc, id: id},
		{text: text, desc: desc, id: id, class: class}} {
		if c.active = true; c.text != "" || c.desc != "" {
			list = append(list, c)
		}
	}
	return list
}

// oneActive reports whether exactly one window is the active one, in which the agent searches by a UiSelector.
func (list census) oneActive() bool {
	window := -1
	for _, e := range list {
		if !e.active {
			continue
		}
		if window >= 0 && e.window != window {
			return false
		}
		window = e.window
	}
	return window >= 0
}

// plainText reports whether a text can be put into a UiSelector as it is.
func plainText(s string) bool {
	return s != "" && len(s) <= maxSelectorText &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError })
}
