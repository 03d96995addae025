package android

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	toastType = "android.widget.Toast"

	// shortToast is how long a toast is shown at least. The agent reports it for 3.5 s, and of one that is raised again
	// for longer.
	shortToast = 2 * time.Second
	toastSlack = 300 * time.Millisecond // in which the window manager responds
)

// takeToasts removes from the windows what the agent reports of toasts.
func (d *dump) takeToasts() []*screen.Node {
	var toasts []*screen.Node
	d.each(func(all []dumpedWindow) []dumpedWindow {
		return slices.DeleteFunc(all, func(w dumpedWindow) bool {
			is := w.node.Type == toastType && w.node.Bounds.Empty()
			if is {
				toasts = append(toasts, w.node)
			}
			return is
		})
	})
	return toasts
}

// toastTracker keeps since when the agent reports a toast: it does so for longer than most are shown.
type toastTracker struct {
	text    string    // of the toast that the newest read reported, "" for none
	after   time.Time // its event came later than this; zero: not known
	window  string    // it was shown in, "" when that is not known
	without time.Time // when the newest read was that reported none
	acted   time.Time // when the screen was touched last
	old     string    // what was reported before that
	oldIn   string    // the window of it
	sighted bool      // the window manager of this phone reports toasts
}

// touched notes that the screen is touched now: what is reported already was not raised by that.
func (s *toastTracker) touched() { s.acted, s.old, s.oldIn = time.Now(), s.text, s.window }

// note takes over what a screen read reports, which started at a time, and the window in which the window manager has a
// toast. It reports whether the toast is shown, and whether it did before the screen was touched.
func (s *toastTracker) note(text, window string, began time.Time) (stands, earlier bool) {
	if text == "" {
		s.text, s.window, s.old, s.oldIn, s.without = "", "", "", "", began
		return false, false
	}
	if text != s.text {
		s.text, s.after = text, s.without
	}
	s.window, s.sighted = cmp.Or(window, s.window), s.sighted || window != ""
	switch {
	case window != "":
		stands = true
	case s.sighted:
	default: // by the time alone: since its event, or since the touch that may have raised it
		stands = !s.after.IsZero() && time.Since(s.after) < shortToast-toastSlack || !s.acted.IsZero() &&
			time.Since(s.acted) < shortToast
	}
	return stands, text == s.old && (window == "" || window == s.oldIn)
}

// showToasts adds those toasts that are shown now to the foreground window.
func (a *agentAccess) showToasts(ctx context.Context, d *dump, toasts []*screen.Node, began time.Time) {
	var all []string
	for _, t := range toasts {
		if t.Text = strings.TrimSpace(cmp.Or(t.Text, t.Desc)); t.Text != "" {
			all = append(all, t.Text)
		}
	}
	window := ""
	if len(all) > 0 {
		window = a.toastWindow(ctx)
	}
	shown, earlier := a.shadow.note(strings.Join(all, "\n"), window, began)
	if !shown {
		return
	}
	front := d.windows[len(d.windows)-1]
	if at := d.active(); at >= 0 {
		front = d.windows[at]
	}
	size := a.phone.screenSize()
	if size == (image.Point{}) {
		size = extent(d.windows)
	}
	for _, t := range toasts {
		if t.Text == "" {
			continue
		}
		// Its position is not reported: most are in the middle of the lower part. It takes no touches.
		t.Bounds = image.Rect(size.X/5, size.Y*81/100, size.X*4/5, size.Y*87/100)
		t.Clickable, t.Disabled, t.Earlier = false, false, earlier
		t.DrawOrder = lastDrawn(front) + 1
		front.Children = append(front.Children, t)
	}
}

// lastDrawn is the highest order of drawing among the children.
func lastDrawn(n *screen.Node) int {
	last := 0
	for _, c := range n.Children {
		last = max(last, c.DrawOrder)
	}
	return last
}

var toastTitle = lazyregexp.New(`Window\{\w+ (?:u\d+ )?Toast\}`)

// toastWindow queries the window manager for the windows of toasts, by which they can be distinguished; "": there is
// none.
func (a *agentAccess) toastWindow(ctx context.Context) string {
	o, err := a.phone.run(ctx, command{name: "dumpsys window windows", readOnly: true,
		line: "dumpsys window windows | grep ' Toast}'"})
	if err != nil {
		return ""
	}
	names := toastTitle.FindAllString(string(o.out), -1)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
