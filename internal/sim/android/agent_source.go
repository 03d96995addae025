package androidsim

import (
	"cmp"
	"fmt"
	"image"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// toastShadow is how long the agent reports a toast after its event, whatever became of it.
const toastShadow = 3500 * time.Millisecond

// windows are those that the agent sees, the topmost first. Phone.mu is held.
func (a *agentRun) windows(f *frame) []*window {
	if a.settings.flag("enableMultiWindows") {
		return f.reachable()
	}
	if w := f.active(); w != nil {
		return []*window{w}
	}
	return nil
}

// idle waits as the setting says; a screen that never rests is read regardless.
func (a *agentRun) idle(r *http.Request) {
	limit := time.Duration(a.settings.number("waitForIdleTimeout")) * time.Millisecond
	if limit == 0 {
		return
	}
	end := time.Now().Add(limit)
	last, since := a.sys.content()
	for pause(r.Context(), 20*time.Millisecond) {
		next, at := a.sys.content()
		if next != last {
			last, since = next, at
		}
		if at.Sub(since) >= min(500*time.Millisecond, limit) || at.After(end) {
			return
		}
	}
}

func (a *agentRun) source(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.slow.Lock()
	defer a.slow.Unlock()
	p := a.sys
	a.idle(r)
	pause(r.Context(), p.opts.Latency.AgentSource)
	p.hearPage()
	p.mu.Lock()
	f := p.ui.accessible(time.Now())
	multi, hung := a.settings.flag("enableMultiWindows"), 0
	windows := slices.DeleteFunc(a.windows(f), func(w *window) bool {
		if a.phone.hung[w.root.pkg] {
			hung++
		}
		return a.phone.hung[w.root.pkg]
	})
	d := sourceDumper{b: &strings.Builder{}, frame: f, depth: a.settings.number("snapshotMaxDepth"),
		whole: a.settings.flag("simpleBoundsCalculation"), invisible: a.settings.flag("allowInvisibleElements")}
	area := p.ui.metrics(time.Now()).area
	fmt.Fprintf(d.b,
		"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<hierarchy index=\"0\" class=\"hierarchy\" "+
			"rotation=\"%d\" "+
			"width=\"%d\" height=\"%d\">\n",
		f.rotation, area.Dx(), area.Max.Y)
	for i, w := range windows {
		d.window = 1 + slices.Index(f.windows, w)
		d.node(w.root, spot{index: i, drawn: 0, level: 1, clip: image.Rectangle{Max: f.size}})
	}
	if t := p.ui.toast; t.text != "" && time.Since(t.raised) < toastShadow && a.settings.flag("enableNotificationListener") {
		fmt.Fprintf(d.b,
			"  <android.widget.Toast index=\"%d\" package=\"com.android.settings\" class=\"android.widget.Toast\" text=\"%s\" "+
				"displayed=\"true\" />\n",
			len(windows), xmlText(t.text))
	}
	a.mu.Lock()
	a.lastRead = p.ui.top().token
	a.mu.Unlock()
	p.mu.Unlock()
	d.b.WriteString("</hierarchy>\n")
	pause(r.Context(), time.Duration(hung)*agentHungFor)
	if hung > 0 && !multi || len(windows) == 0 && !multi {
		problem(w, http.StatusInternalServerError, "unknown error",
			"Timed out after 10012ms waiting for the root AccessibilityNodeInfo in the active window")
		return
	}
	give(w, r.PathValue("id"), d.b.String())
}

type sourceDumper struct {
	b         *strings.Builder
	frame     *frame
	window    int
	depth     int
	whole     bool // bounds are not cut to scrollable parents
	invisible bool
}

// spot is the position of a node in the tree.
type spot struct {
	index, drawn, level int
	clip                image.Rectangle
}

func (d sourceDumper) node(v *view, at spot) {
	screen := image.Rectangle{Max: d.frame.size}
	plain := v.b.Min.X < v.b.Max.X && v.b.Min.Y < v.b.Max.Y
	displayed := !v.notShown && (!plain || v.b.Overlaps(screen) && v.b.Overlaps(at.clip))
	if !displayed && at.level > 1 && !d.invisible || at.level > d.depth {
		return
	}
	class := v.class
	if class == "" {
		class = "android.view.View"
	}
	tag := tagName(class)
	pad := strings.Repeat("  ", at.level)
	fmt.Fprintf(d.b, "%s<%s", pad, tag)
	for _, one := range d.attributes(v, at, class, displayed) {
		fmt.Fprintf(d.b, ` %s="%s"`, one[0], xmlText(one[1]))
	}
	if len(v.children) == 0 {
		d.b.WriteString(" />\n")
		return
	}
	d.b.WriteString(">\n")
	clip := at.clip
	if v.scrollable && !d.whole && plain {
		clip = clip.Intersect(v.b)
	}
	order := v.drawn()
	for i, c := range v.children {
		d.node(c, spot{index: i, drawn: 1 + slices.Index(order, c), level: at.level + 1, clip: clip})
	}
	fmt.Fprintf(d.b, "%s</%s>\n", pad, tag)
}

func (d sourceDumper) attributes(v *view, at spot, class string, displayed bool) [][2]string {
	on := strconv.FormatBool
	list := [][2]string{{"index", itoa(at.index)}, {"package", v.pkg}, {"class", class}, {"text", v.agentText()}}
	add := func(name, value string) { list = append(list, [2]string{name, value}) }
	if v.desc != "" {
		add("content-desc", v.desc)
	}
	if v.id != "" {
		add("resource-id", v.id)
	}
	add("checkable", on(v.checkable))
	add("checked", on(v.checked))
	add("clickable", on(v.clickable))
	add("enabled", on(!v.disabled))
	add("focusable", on(v.focusable))
	add("focused", on(v.focused))
	add("long-clickable", on(v.longClickable))
	add("password", on(v.password))
	add("scrollable", on(v.scrollable))
	if v.field != nil && v.field.selected && v.field.text != "" {
		add("selection-start", "0")
		add("selection-end", itoa(utf8.RuneCountInString(v.field.text)))
	}
	add("selected", on(v.selected))
	b := v.b
	if cut := b.Intersect(at.clip); b.Min.X < b.Max.X && b.Min.Y < b.Max.Y && !cut.Empty() {
		b = cut
	}
	add("bounds", fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y))
	add("displayed", on(displayed))
	if v.hint != "" {
		add("hint", v.hint)
	}
	add("a11y-important", "true")
	add("screen-reader-focusable", "false")
	add("drawing-order", itoa(at.drawn))
	add("showing-hint", on(v.field != nil && v.field.text == "" && v.hint != ""))
	add("text-entry-key", "false")
	add("dismissable", "false")
	add("a11y-focused", "false")
	add("heading", "false")
	add("live-region", "0")
	add("context-clickable", "false")
	add("content-invalid", "false")
	add("window-id", itoa(d.window))
	return list
}

// agentText is the text that the agent returns: of a range the number, whatever else it shows.
func (v *view) agentText() string { return cmp.Or(v.level, v.shown()) }

// tagName makes a class a name that XML allows.
func tagName(class string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("$@#&", r):
			return '.'
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-':
			return r
		}
		return '_'
	}, class)
}

// xmlText escapes a value; what XML forbids becomes a question mark.
func xmlText(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\n' || r == '\r' || r == '\t':
			fmt.Fprintf(&b, "&#%d;", r)
		case r == utf8.RuneError && n == 1, r < 0x20, r == 0xfffe, r == 0xffff:
			b.WriteByte('?')
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// listWindows names all windows, also those of an app that hangs.
func (a *agentRun) listWindows(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	kinds := map[string]int{"APPLICATION": 1, "INPUT_METHOD": 2, "SYSTEM": 3}
	p := a.sys
	p.mu.Lock()
	f := p.ui.accessible(time.Now())
	list := []any{}
	for _, one := range f.reachable() {
		b := one.root.b.Intersect(image.Rectangle{Max: f.size})
		var pkg, title any
		if !a.phone.hung[one.root.pkg] {
			pkg = one.root.pkg
		}
		if one.title != "" {
			title = one.title
		}
		list = append(list, map[string]any{
			"windowId": 1 + slices.Index(f.windows, one), "displayId": 0, "physicalDisplayId": "4619827259835644672",
			"rect":        map[string]any{"x": b.Min.X, "y": b.Min.Y, "width": b.Dx(), "height": b.Dy()},
			"packageName": pkg, "type": kinds[one.kind], "title": title, "layer": one.layer,
			"isActive": one.focused, "isFocused": one.focused, "isAccessibilityFocused": false,
			"isInPictureInPictureMode": false,
		})
	}
	p.mu.Unlock()
	give(w, r.PathValue("id"), list)
}
