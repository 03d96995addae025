package agent

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	ToastType = "android.widget.Toast"

	// shortToast is how long a toast is shown at least. The agent reports it for 3.5 s, and of one that is raised again
	// for longer.
	shortToast = 2 * time.Second
	toastSlack = 300 * time.Millisecond // in which the window manager responds
)

// TakeToasts removes from the windows what the agent reports of toasts.
func TakeToasts(d *dump.Dump) []*screen.Node {
	var toasts []*screen.Node
	d.Each(func(all []dump.Window) []dump.Window {
		return slices.DeleteFunc(all, func(w dump.Window) bool {
			is := w.Node.Type == ToastType && w.Node.Bounds.Empty()
			if is {
				toasts = append(toasts, w.Node)
			}
			return is
		})
	})
	return toasts
}

// Toasts keeps since when the agent reports a toast: it does so for longer than most are shown.
type Toasts struct {
	text    string    // of the toast that the newest read reported, "" for none
	after   time.Time // its event came later than this; zero: not known
	window  string    // it was shown in, "" when that is not known
	without time.Time // when the newest read was that reported none
	acted   time.Time // when the screen was touched last
	old     string    // what was reported before that
	oldIn   string    // the window of it
	sighted bool      // the window manager of this phone reports toasts
}

// Touched notes that the screen is touched now: what is reported already was not raised by that.
func (s *Toasts) Touched() { s.acted, s.old, s.oldIn = time.Now(), s.text, s.window }

// note takes over what a screen read reports, which started at a time, and the window in which the window manager has a
// toast. It reports whether the toast is shown, and whether it did before the screen was touched.
func (s *Toasts) note(text, window string, began time.Time) (stands, earlier bool) {
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
func (a *Agent) showToasts(ctx context.Context, d *dump.Dump, toasts []*screen.Node, began time.Time) {
	size := a.Phone.ScreenSize()
	if size == (image.Point{}) {
		size = dump.Extent(d.Windows)
	}
	a.shadow.Show(d, toasts, ToastRead{Began: began, Size: size, Window: func() string { return a.toastWindow(ctx) }})
}

// ToastRead is the read of a screen on which toasts may be.
type ToastRead struct {
	Began  time.Time
	Size   image.Point   // of the screen
	Window func() string // of the toasts, as the window manager has it; "": it does not
}

// Show adds those of the toasts that the read reports, and that are shown now, to the foreground window.
func (s *Toasts) Show(d *dump.Dump, toasts []*screen.Node, in ToastRead) {
	var all []string
	for _, t := range toasts {
		if t.Text = strings.TrimSpace(cmp.Or(t.Text, t.Desc)); t.Text != "" {
			all = append(all, t.Text)
		}
	}
	window := ""
	if len(all) > 0 {
		window = in.Window()
	}
	shown, earlier := s.note(strings.Join(all, "\n"), window, in.Began)
	if !shown {
		return
	}
	front := d.Windows[len(d.Windows)-1]
	if at := d.Active(); at >= 0 {
		front = d.Windows[at]
	}
	size := in.Size
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
func (a *Agent) toastWindow(ctx context.Context) string {
	o, err := a.Phone.Run(ctx, adb.Command{Name: "dumpsys window windows", ReadOnly: true,
		Line: "dumpsys window windows | grep ' Toast}'"})
	if err != nil {
		return ""
	}
	names := toastTitle.FindAllString(string(o.Out), -1)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
