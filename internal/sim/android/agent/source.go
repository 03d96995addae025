package agent

import (
	"fmt"
	"image"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// toastShadow is how long the agent reports a toast after its event, whatever became of it.
const toastShadow = 3500 * time.Millisecond

// reader finds windows and elements on the phone's screen, as the agent's settings say.
type reader struct {
	phone    *Agent
	sys      *system.System
	settings *agentSettings
}

// windows are those that the agent sees, the topmost first. The phone's lock is held.
func (a *reader) windows(f *ui.Frame) []*ui.Window {
	if a.settings.flag("enableMultiWindows") {
		return f.Reachable()
	}
	if w := f.Active(); w != nil {
		return []*ui.Window{w}
	}
	return nil
}

// idle waits as the setting says; a screen that never rests is read regardless.
func (a *reader) idle(r *http.Request) {
	limit := time.Duration(a.settings.number("waitForIdleTimeout")) * time.Millisecond
	if limit == 0 {
		return
	}
	end := time.Now().Add(limit)
	last, since := a.sys.Content()
	for kernel.Pause(r.Context(), 20*time.Millisecond) {
		next, at := a.sys.Content()
		if next != last {
			last, since = next, at
		}
		if at.Sub(since) >= min(500*time.Millisecond, limit) || at.After(end) {
			return
		}
	}
}

func (a *Run) source(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.slow.Lock()
	defer a.slow.Unlock()
	p := a.sys
	a.idle(r)
	kernel.Pause(r.Context(), p.Opts.Latency.AgentSource)
	p.HearPage()
	p.Mu.Lock()
	f := p.UI.Accessible(time.Now())
	multi, hung := a.settings.flag("enableMultiWindows"), 0
	windows := slices.DeleteFunc(a.windows(f), func(w *ui.Window) bool {
		if a.phone.hung[w.Root.Pkg] {
			hung++
		}
		return a.phone.hung[w.Root.Pkg]
	})
	d := sourceDumper{b: &strings.Builder{}, frame: f, depth: a.settings.number("snapshotMaxDepth"),
		whole: a.settings.flag("simpleBoundsCalculation"), invisible: a.settings.flag("allowInvisibleElements")}
	area := p.UI.Metrics(time.Now()).Area
	fmt.Fprintf(d.b,
		"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<hierarchy index=\"0\" class=\"hierarchy\" "+
			"rotation=\"%d\" "+
			"width=\"%d\" height=\"%d\">\n",
		f.Rotation, area.Dx(), area.Max.Y)
	for i, w := range windows {
		d.window = 1 + slices.Index(f.Windows, w)
		d.node(w.Root, spot{index: i, drawn: 0, level: 1, clip: image.Rectangle{Max: f.Size}})
	}
	if t := p.UI.Toast; t.Text != "" && time.Since(t.Raised) < toastShadow &&
		a.settings.flag("enableNotificationListener") {
		fmt.Fprintf(d.b,
			"  <android.widget.Toast index=\"%d\" package=\"com.android.settings\" class=\"android.widget.Toast\" text=\"%s\" "+
				"displayed=\"true\" />\n",
			len(windows), xmlText(t.Text))
	}
	a.mu.Lock()
	a.lastRead = p.UI.Top().Token
	a.mu.Unlock()
	p.Mu.Unlock()
	d.b.WriteString("</hierarchy>\n")
	kernel.Pause(r.Context(), time.Duration(hung)*agentHungFor)
	if hung > 0 && !multi || len(windows) == 0 && !multi {
		problem(w, http.StatusInternalServerError, "unknown error",
			"Timed out after 10012ms waiting for the root AccessibilityNodeInfo in the active window")
		return
	}
	give(w, r.PathValue("id"), d.b.String())
}

type sourceDumper struct {
	b         *strings.Builder
	frame     *ui.Frame
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

func (d sourceDumper) node(v *ui.View, at spot) {
	screen := image.Rectangle{Max: d.frame.Size}
	plain := v.B.Min.X < v.B.Max.X && v.B.Min.Y < v.B.Max.Y
	displayed := !v.NotShown && (!plain || v.B.Overlaps(screen) && v.B.Overlaps(at.clip))
	if !displayed && at.level > 1 && !d.invisible || at.level > d.depth {
		return
	}
	class := v.Class
	if class == "" {
		class = "android.view.View"
	}
	tag := tagName(class)
	pad := strings.Repeat("  ", at.level)
	fmt.Fprintf(d.b, "%s<%s", pad, tag)
	for _, one := range d.attributes(v, at, class, displayed) {
		fmt.Fprintf(d.b, ` %s="%s"`, one[0], xmlText(one[1]))
	}
	if len(v.Children) == 0 {
		d.b.WriteString(" />\n")
		return
	}
	d.b.WriteString(">\n")
	clip := at.clip
	if v.Scrollable && !d.whole && plain {
		clip = clip.Intersect(v.B)
	}
	for i, c := range v.Listed() {
		d.node(c, spot{index: i, drawn: v.OrderOf(c), level: at.level + 1, clip: clip})
	}
	fmt.Fprintf(d.b, "%s</%s>\n", pad, tag)
}

func (d sourceDumper) attributes(v *ui.View, at spot, class string, displayed bool) [][2]string {
	on := strconv.FormatBool
	list := [][2]string{{"index", itoa(at.index)}, {"package", v.Pkg}, {"class", class}, {"text", v.AgentText()}}
	add := func(name, value string) { list = append(list, [2]string{name, value}) }
	if v.Desc != "" {
		add("content-desc", v.Desc)
	}
	if v.ID != "" {
		add("resource-id", v.ID)
	}
	add("checkable", on(v.Checkable))
	add("checked", on(v.Checked))
	add("clickable", on(v.Clickable))
	add("enabled", on(!v.Disabled))
	add("focusable", on(v.Focusable))
	add("focused", on(v.Focused))
	add("long-clickable", on(v.LongClickable))
	add("password", on(v.Password))
	add("scrollable", on(v.Scrollable))
	if v.Field != nil && v.Field.Selected && v.Field.Text != "" {
		add("selection-start", "0")
		add("selection-end", itoa(utf8.RuneCountInString(v.Field.Text)))
	}
	add("selected", on(v.Selected))
	b := v.B
	if cut := b.Intersect(at.clip); b.Min.X < b.Max.X && b.Min.Y < b.Max.Y && !cut.Empty() {
		b = cut
	}
	add("bounds", fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y))
	add("displayed", on(displayed))
	if v.Hint != "" {
		add("hint", v.Hint)
	}
	add("a11y-important", "true")
	add("screen-reader-focusable", "false")
	add("drawing-order", itoa(at.drawn))
	add("showing-hint", on(v.Field != nil && v.Field.Text == "" && v.Hint != ""))
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
func (a *Run) listWindows(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	kinds := map[string]int{"APPLICATION": 1, "INPUT_METHOD": 2, "SYSTEM": 3}
	p := a.sys
	p.Mu.Lock()
	f := p.UI.Accessible(time.Now())
	list := []any{}
	for _, one := range f.Reachable() {
		b := one.Root.B.Intersect(image.Rectangle{Max: f.Size})
		var pkg, title any
		if !a.phone.hung[one.Root.Pkg] {
			pkg = one.Root.Pkg
		}
		if one.Title != "" {
			title = one.Title
		}
		list = append(list, map[string]any{
			"windowId": 1 + slices.Index(f.Windows, one), "displayId": 0, "physicalDisplayId": "4619827259835644672",
			"rect":        map[string]any{"x": b.Min.X, "y": b.Min.Y, "width": b.Dx(), "height": b.Dy()},
			"packageName": pkg, "type": kinds[one.Kind], "title": title, "layer": one.Layer,
			"isActive": one.Focused, "isFocused": one.Focused, "isAccessibilityFocused": false,
			"isInPictureInPictureMode": false,
		})
	}
	p.Mu.Unlock()
	give(w, r.PathValue("id"), list)
}
