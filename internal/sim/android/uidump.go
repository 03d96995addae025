package androidsim

import (
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const xmlHead = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>`

// dumpActive is the tree of the window that has the focus.
func dumpActive(f *frame, d dumper) string {
	var b strings.Builder
	d.b, d.size = &b, f.size
	fmt.Fprintf(&b, `%s<hierarchy rotation="%d">`, xmlHead, f.rotation)
	if w := f.active(); w != nil {
		d.node(w.root, 0, 0)
	}
	b.WriteString(`</hierarchy>`)
	return b.String()
}

type dumper struct {
	b          *strings.Builder
	size       image.Point
	style      DumpStyle
	hints      bool // hint and drawing-order are written
	compressed bool
}

// visible says whether a service sees the view; inverted bounds pass, as they do on phones.
func (d dumper) visible(v *view) bool {
	screen := image.Rectangle{Max: d.size}
	if v.b.Min.X > v.b.Max.X || v.b.Min.Y > v.b.Max.Y || v.b.Empty() {
		return true
	}
	return v.b.Overlaps(screen)
}

// important says whether a view is kept in a compressed tree.
func (v *view) important() bool {
	return v.text != "" || v.desc != "" || v.hint != "" || v.clickable || v.scrollable || v.checkable || v.id != ""
}

func (d dumper) node(v *view, index, drawn int) {
	if !d.visible(v) || v.notShown && d.style.Attributes != "all" {
		return
	}
	if d.compressed && !v.important() && len(v.children) > 0 {
		for i, c := range v.children {
			d.node(c, i, i+1)
		}
		return
	}
	d.b.WriteString("<node")
	if v.clickable && !v.disabled && v.label() == "" && v.hint == "" {
		d.attr("NAF", "true")
	}
	d.attr("index", strconv.Itoa(index))
	d.attr("text", v.shown())
	d.attr("resource-id", v.id)
	d.attr("class", v.class)
	d.attr("package", v.pkg)
	d.attr("content-desc", v.desc)
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"checkable", v.checkable}, {"checked", v.checked}, {"clickable", v.clickable}, {"enabled", !v.disabled},
		{"focusable", v.focusable}, {"focused", v.focused}, {"scrollable", v.scrollable},
		{"long-clickable", v.longClickable}, {"password", v.password}, {"selected", v.selected},
	} {
		d.attr(f.name, strconv.FormatBool(f.on))
	}
	d.attr("bounds", bounds(v.b, d.size))
	if d.hints {
		d.attr("drawing-order", strconv.Itoa(drawn))
		d.attr("hint", v.hint)
	}
	if d.style.Attributes == "all" {
		d.attr("display-id", "0")
		d.attr("visible-to-user", strconv.FormatBool(!v.notShown))
	}
	if len(v.children) == 0 {
		d.b.WriteString(" />")
		return
	}
	d.b.WriteString(">")
	order := v.drawn()
	for i, c := range v.children {
		d.node(c, i, 1+slices.Index(order, c))
	}
	d.b.WriteString("</node>")
}

// attr quotes with the other mark when the value has double quotes, as the phone's serializer does.
func (d dumper) attr(name, value string) {
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

// waitIdle waits until no window changed its content for the quiet time. Movement is not content, as on phones: an
// animator sends no accessibility events.
func (c *call) waitIdle() bool {
	o := c.sys.opts
	last, since := c.sys.content()
	step := min(o.IdleQuiet/4+time.Millisecond, 50*time.Millisecond)
	// a machine that is suspended takes one step: no phone is restless because of it
	for left := o.IdleTimeout; ; left -= step {
		if !pause(c.ctx, step) {
			return false
		}
		next, at := c.sys.content()
		if next != last {
			last, since = next, at
		}
		if at.Sub(since) >= o.IdleQuiet {
			return true
		}
		if left <= 0 {
			return false
		}
	}
}

func cmdUiautomator(c *call) int {
	if len(c.args) < 2 || c.args[1] != "dump" {
		c.errorf("Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\nhelp: displays help message\n\n" +
			"runtest: executes UI automation tests\n    runtest <class spec> [options]\n\n" +
			"dump: creates an XML dump of current UI hierarchy\n    dump [--verbose][file]\n      [--compressed]: dumps " +
			"compressed layout information.\n" +
			"      [file]: the location where the dumped XML should be stored, default is\n      /sdcard/window_dump.xml\n\n" +
			"events: prints out accessibility events until terminated\n\n")
		return 1
	}
	file, compressed, windows := "/sdcard/window_dump.xml", false, false
	for _, arg := range c.args[2:] {
		switch {
		case arg == "--compressed":
			compressed = true
		case arg == "--windows" && c.sys.opts.Dump.windows(c.sys.prof.api):
			windows = true
		case strings.HasPrefix(arg, "-"): // unknown options are passed over
		default:
			file = arg
		}
	}
	if c.land.agents.holds() {
		c.sys.logf('E', "AndroidRuntime", "java.lang.IllegalStateException: UiAutomationService already registered!")
		return c.fail(137, "Killed")
	}
	if !c.sys.setDumping(true) {
		return c.fail(137, "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice."+
			"IAccessibilityServiceClient$Stub$Proxy@5e1c1f8already registered!\nKilled")
	}
	defer c.sys.setDumping(false)
	if !pause(c.ctx, c.sys.opts.Latency.Dump) {
		return 128 + signalOf(c.ctx)
	}
	if !c.waitIdle() {
		if c.ctx.Err() != nil {
			return 128 + signalOf(c.ctx)
		}
		return c.fail(0, "ERROR: could not get idle state.")
	}
	text, ok := c.sys.dump(compressed, windows)
	if !ok {
		return c.fail(0, "ERROR: null root node returned by UiTestAutomationBridge.")
	}
	switch {
	case file == "/dev/tty" && c.exec:
		_, _ = io.WriteString(c.out, text)
	default:
		// A write that fails is only logged on the phone; the line below comes all the same.
		if err := c.sys.files.write(c.path(file), []byte(text), 0o660); err != nil {
			c.sys.logf('E', "UiAutomator", "failed to dump window to file: %v", err)
		}
	}
	c.printf("UI hierchary dumped to: %s\n", file)
	return 0
}
