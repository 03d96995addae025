package android

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	agentLooks     = 4 // tries of one look, restarts among them
	agentLookPause = 100 * time.Millisecond
)

// agentWindow is a window as list_windows tells of it.
type agentWindow struct {
	WindowID    *int `json:"windowId"`
	DisplayID   int  `json:"displayId"`
	Type, Layer int
	Title       string
	PackageName string `json:"packageName"`
	Rect        struct{ X, Y, Width, Height int }
	IsActive    bool `json:"isActive"`
	IsFocused   bool `json:"isFocused"`
}

// kinds are the types of AccessibilityWindowInfo.
func (w agentWindow) kind() string {
	switch w.Type {
	case 1:
		return "TYPE_APPLICATION"
	case 2:
		return "TYPE_INPUT_METHOD"
	case 3:
		return "TYPE_SYSTEM"
	case 4:
		return "TYPE_ACCESSIBILITY_OVERLAY"
	case 5:
		return "TYPE_SPLIT_SCREEN_DIVIDER_SYSTEM"
	case 6:
		return "TYPE_MAGNIFICATION_OVERLAY_SYSTEM"
	}
	return ""
}

func (w agentWindow) bounds() image.Rectangle {
	return image.Rect(w.Rect.X, w.Rect.Y, w.Rect.X+w.Rect.Width, w.Rect.Y+w.Rect.Height)
}

// look reads the elements of all windows. A try that came to nothing is made again, by an agent that was started again where that helps.
func (a *agentWay) look(ctx context.Context, choose func(*dump)) (*screen.Tree, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, treeBudget, a.d.link.tooSlow("the agent's look at the screen", treeBudget))
	defer cancel()
	for try := 1; ; try++ {
		err := a.well(ctx)
		if errors.Is(err, errFallback) {
			return stockWay{a.d}.look(ctx, choose)
		}
		if err != nil {
			return nil, err
		}
		taken := time.Now()
		got, err := a.lookOnce(ctx, choose)
		if err == nil {
			a.shadow.saw(taken)
			tree := a.d.newTree(got, taken)
			a.mu.Lock()
			a.newest, a.looked = tree, time.Now()
			a.mu.Unlock()
			return tree, nil
		}
		if silent(err) {
			a.mark(err)
		} else if !errors.Is(err, drivers.ErrNotReady) {
			return nil, err
		}
		if try >= agentLooks || ctx.Err() != nil {
			return nil, a.notNow(ctx, err)
		}
		a.d.log.Debug("look failed, trying again", "try", try, "error", err)
		if pause := drivers.Pause(ctx, agentLookPause); pause != nil {
			return nil, a.d.link.fault(ctx, "ask the agent", pause)
		}
	}
}

// notNow makes an error one that may be over later.
func (a *agentWay) notNow(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return a.d.link.fault(ctx, "ask the agent", ctx.Err())
	}
	if errors.Is(err, drivers.ErrNotReady) {
		return err
	}
	return fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
}

// lookOnce asks for the tree and, beside it, for the windows, which alone tells of those whose app hangs.
func (a *agentWay) lookOnce(ctx context.Context, choose func(*dump)) (*dump, error) {
	var list []agentWindow
	listed := make(chan error, 1)
	if err := a.d.life.Go(func() {
		listed <- a.ask(ctx, asking{method: "POST", path: "appium/list_windows", body: map[string]any{"skipScreenshots": true}, limit: lookLimit}, &list)
	}); err != nil {
		return nil, fmt.Errorf("device %s: %w", a.d.link.serial, err)
	}
	var doc string
	err := a.ask(ctx, asking{method: "GET", path: "source", limit: lookLimit}, &doc)
	if other := <-listed; err == nil {
		err = other
	}
	if err != nil {
		return nil, err
	}
	got, err := parseDump([]byte(doc))
	if err != nil {
		return nil, fmt.Errorf("device %s: the agent's tree cannot be read: %v: %w", a.d.link.serial, err, drivers.ErrNotReady)
	}
	if deep(got.windows) >= a.depth && a.depth < agentDepthLimit {
		return a.deeper(ctx, choose)
	}
	toasts := got.takeToasts()
	if err := got.know(list, a.d.link.serial); err != nil {
		return nil, err
	}
	choose(got)
	if len(got.windows) == 0 {
		return nil, fmt.Errorf("device %s: the agent saw no window of an app: %w", a.d.link.serial, drivers.ErrNotReady)
	}
	a.showToasts(ctx, got, toasts)
	return got, nil
}

// deeper looks again with as much depth as the agent gives: a tree that is cut would hide elements.
func (a *agentWay) deeper(ctx context.Context, choose func(*dump)) (*dump, error) {
	a.depth = agentDepthLimit
	body := map[string]any{"settings": map[string]any{"snapshotMaxDepth": a.depth}}
	if err := a.ask(ctx, asking{method: "POST", path: "appium/settings", body: body}, nil); err != nil {
		return nil, err
	}
	return a.lookOnce(ctx, choose)
}

// deep is how many elements lie inside each other.
func deep(list []*screen.Node) int {
	most := 0
	for _, n := range list {
		most = max(most, 1+deep(n.Children))
	}
	return most
}

// know takes over what the list of windows says, and refuses a tree that lacks the window of an app: its app does not answer, and that an
// element is not there must not be concluded from it.
func (d *dump) know(list []agentWindow, serial string) error {
	facts := map[string]agentWindow{}
	for _, w := range list {
		if w.DisplayID == 0 && w.WindowID != nil {
			facts[strconv.Itoa(*w.WindowID)] = w
		}
	}
	seen := map[string]bool{}
	for i := range d.facts {
		f := &d.facts[i]
		seen[f.id] = true
		w, ok := facts[f.id]
		if !ok {
			if f.id == "" {
				continue
			}
			return fmt.Errorf("device %s: the windows changed while they were read: %w", serial, drivers.ErrNotReady)
		}
		f.layer, f.kind, f.title, f.active, f.focused, f.bounds = w.Layer, w.kind(), w.Title, w.IsActive, w.IsFocused, w.bounds()
	}
	for id, w := range facts {
		if w.kind() == "TYPE_APPLICATION" && !seen[id] && !w.bounds().Empty() {
			name := cmp.Or(w.Title, w.PackageName, "of an app")
			return fmt.Errorf("device %s: the window %q is there and gives no elements: its app does not respond: %w", serial, name, drivers.ErrNotReady)
		}
	}
	d.resort()
	return nil
}

// resort orders the windows by their layers, the topmost last.
func (d *dump) resort() {
	d.each(func(all []dumpedWindow) []dumpedWindow {
		slices.SortStableFunc(all, func(a, b dumpedWindow) int { return cmp.Compare(a.facts.layer, b.facts.layer) })
		return all
	})
}

// takeToasts takes what the agent tells of toasts out of the windows.
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

const (
	toastType = "android.widget.Toast"

	// shortToast is how long a toast stands at least. The agent tells of it for 3.5 s, and of one that is raised again for longer.
	shortToast = 2 * time.Second
	toastSlack = 300 * time.Millisecond // in which the window manager answers
)

// toastShadow knows since when the agent tells of a toast: it does so for longer than most stand.
type toastShadow struct {
	text    string
	after   time.Time // its event came later than this; zero: not known
	acted   time.Time // when the screen was touched last
	blind   bool      // the window manager of this phone tells of no toasts
	sighted bool      // it does
	without time.Time // when the newest look was that told of none
	told    bool      // by the look that is under way
}

// saw ends a look.
func (s *toastShadow) saw(taken time.Time) {
	if !s.told {
		s.text, s.without = "", taken
	}
	s.told = false
}

// note takes over what a look tells, and gives whether the toast is certain to stand at a time.
func (s *toastShadow) note(text string, now time.Time) bool {
	s.told = true
	if text != s.text {
		s.text, s.after = text, s.without
	}
	return !s.after.IsZero() && now.Sub(s.after) < shortToast-toastSlack
}

// showToasts adds those toasts to the window in front that stand now: as certain by the time, or because the window manager has one.
func (a *agentWay) showToasts(ctx context.Context, d *dump, toasts []*screen.Node) {
	for _, t := range toasts {
		text := strings.TrimSpace(cmp.Or(t.Text, t.Desc))
		if text == "" || !a.toastStands(ctx, text) {
			continue
		}
		front := d.windows[len(d.windows)-1]
		if at := d.active(); at >= 0 {
			front = d.windows[at]
		}
		size := a.d.screenSize()
		if size == (image.Point{}) {
			size = extent(d.windows)
		}
		// Nobody tells where it stands: most do in the middle of the lower part. It takes no touches.
		t.Bounds = image.Rect(size.X/5, size.Y*81/100, size.X*4/5, size.Y*87/100)
		t.Clickable, t.Disabled = false, false
		t.DrawOrder = lastDrawn(front) + 1
		front.Children = append(front.Children, t)
	}
}

// toastStands tells whether a toast that is told of stands: by the time for a while, then by its window. A window manager that does not know
// one which certainly stands is not asked again; there what was told within the time after a touch counts.
func (a *agentWay) toastStands(ctx context.Context, text string) bool {
	s := &a.shadow
	certain := s.note(text, time.Now())
	if certain && (s.blind || s.sighted) {
		return true
	}
	if s.blind {
		return !s.acted.IsZero() && time.Since(s.acted) < shortToast
	}
	stands := a.d.toastWindow(ctx)
	s.sighted = s.sighted || stands
	s.blind = certain && !stands
	return certain || stands
}

// lastDrawn is the highest order of drawing among the children.
func lastDrawn(n *screen.Node) int {
	last := 0
	for _, c := range n.Children {
		last = max(last, c.DrawOrder)
	}
	return last
}

// toastWindow asks the window manager for the window of a toast.
func (d *Device) toastWindow(ctx context.Context) bool {
	o, err := d.run(ctx, command{name: "dumpsys window windows", asks: true, line: "dumpsys window windows | grep ' Toast}'"})
	return err == nil && strings.Contains(string(o.out), "Window{")
}
