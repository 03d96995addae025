package agent

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
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	agentReads     = 4 // attempts of one screen read, including restarts
	agentReadPause = 100 * time.Millisecond
)

// Window is a window as list_windows reports it.
type Window struct {
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
func (w Window) kind() string {
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

func (w Window) bounds() image.Rectangle {
	return image.Rect(w.Rect.X, w.Rect.Y, w.Rect.X+w.Rect.Width, w.Rect.Y+w.Rect.Height)
}

// KeyboardOf is where the on-screen keyboard is, by a list of windows.
func KeyboardOf(list []Window) (area image.Rectangle) {
	for _, w := range list {
		if w.DisplayID == 0 && w.kind() == "TYPE_INPUT_METHOD" {
			area = area.Union(w.bounds())
		}
	}
	return area
}

// ReadTree reads the elements of all windows. A failed attempt is repeated, by an agent that was started again
// where that helps. One that wraps ErrFallback says that the phone's own tools have to read it.
func (a *Agent) ReadTree(ctx context.Context, choose func(*dump.Dump)) (*dump.Dump, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dump.TreeBudget, a.Phone.Link.TooSlow("the agent's look at the screen",
		dump.TreeBudget))
	defer cancel()
	for try := 1; ; try++ {
		err := a.ensureHealthy(ctx)
		if err != nil {
			return nil, err
		}
		taken := time.Now()
		got, found, err := a.readTreeOnce(ctx, choose)
		if err == nil {
			got.Taken = taken
			a.mu.Lock()
			a.census, a.lastRead = found, time.Now()
			a.mu.Unlock()
			return got, nil
		}
		if isUnresponsive(err) {
			a.mark(err)
		} else if !errors.Is(err, drivers.ErrNotReady) {
			return nil, err
		}
		if try >= agentReads || ctx.Err() != nil {
			return nil, a.notNow(ctx, err)
		}
		a.Phone.Log.Debug("look failed, trying again", "try", try, "error", err)
		if pause := drivers.Pause(ctx, agentReadPause); pause != nil {
			return nil, a.Phone.Link.Fault(ctx, "ask the agent", pause)
		}
	}
}

// notNow makes an error one that may be over later.
func (a *Agent) notNow(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return a.Phone.Link.Fault(ctx, "ask the agent", ctx.Err())
	}
	if errors.Is(err, drivers.ErrNotReady) {
		return err
	}
	return fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
}

// readTreeOnce requests the tree and, at the same time, the windows: only these show a window with an app that hangs.
func (a *Agent) readTreeOnce(ctx context.Context, choose func(*dump.Dump)) (*dump.Dump, census, error) {
	started := time.Now()
	var list []Window
	listed := make(chan error, 1)
	if err := a.Phone.Life.Go(func() {
		listed <- a.ask(ctx, Request{Method: "POST", Path: "appium/list_windows", Body: map[string]any{
			"skipScreenshots": true}, limit: readLimit}, &list)
	}); err != nil {
		return nil, nil, fmt.Errorf("device %s: %w", a.Phone.Link.Serial, err)
	}
	var doc string
	err := a.ask(ctx, Request{Method: "GET", Path: "source", limit: readLimit}, &doc)
	if other := <-listed; err == nil {
		err = other
	}
	if err != nil {
		return nil, nil, err
	}
	got, err := dump.Parse([]byte(doc))
	if err != nil {
		return nil, nil, fmt.Errorf("device %s: the agent's tree cannot be read: %v: %w", a.Phone.Link.Serial, err,
			drivers.ErrNotReady)
	}
	if Deep(got.Windows) >= a.Depth && a.Depth < DepthLimit {
		return a.deeper(ctx, choose)
	}
	toasts := TakeToasts(got)
	if err := Know(got, list, a.Phone.Link.Serial); err != nil {
		return nil, nil, err
	}
	found := TakeCensus(got, Deep(got.Windows) < a.Depth)
	ForgetRanges(got)
	a.mu.Lock()
	a.windows = windowsOf(list)
	a.mu.Unlock()
	choose(got)
	if len(got.Windows) == 0 {
		return nil, nil, fmt.Errorf("device %s: the agent saw no window of an app: %w", a.Phone.Link.Serial,
			drivers.ErrNotReady)
	}
	a.showToasts(ctx, got, toasts, started)
	return got, found, nil
}

// windowPlace is a window of the phone's own display, and its position.
type windowPlace struct {
	name   string
	bounds image.Rectangle
}

// windowsOf are the windows on the phone's own display that take touches, by their ids.
func windowsOf(list []Window) map[int]windowPlace {
	all := map[int]windowPlace{}
	for _, w := range list {
		if w.DisplayID == 0 && w.WindowID != nil && w.Title != "Toast" && !w.bounds().Empty() {
			all[*w.WindowID] = windowPlace{cmp.Or(w.Title, w.PackageName), w.bounds()}
		}
	}
	return all
}

// deeper reads again with as much depth as the agent allows: a tree that is cut would hide elements.
func (a *Agent) deeper(ctx context.Context, choose func(*dump.Dump)) (*dump.Dump, census, error) {
	a.Depth = DepthLimit
	body := map[string]any{"settings": map[string]any{"snapshotMaxDepth": a.Depth}}
	if err := a.ask(ctx, Request{Method: "POST", Path: "appium/settings", Body: body}, nil); err != nil {
		return nil, nil, err
	}
	if err := a.keeps(ctx, map[string]any{"snapshotMaxDepth": float64(a.Depth)}); err != nil {
		return nil, nil, err
	}
	return a.readTreeOnce(ctx, choose)
}

// Deep is how many elements lie inside each other.
func Deep(list []*screen.Node) int {
	most := 0
	for _, n := range list {
		most = max(most, 1+Deep(n.Children))
	}
	return most
}

// Know takes over what the list of windows says, and refuses a tree that lacks the window of an app: its app does not
// answer, and that an element is not there must not be concluded from it.
func Know(d *dump.Dump, list []Window, serial string) error {
	facts := map[string]Window{}
	for _, w := range list {
		if w.DisplayID == 0 && w.WindowID != nil {
			facts[strconv.Itoa(*w.WindowID)] = w
		}
	}
	seen := map[string]bool{}
	for i := range d.Facts {
		f := &d.Facts[i]
		seen[f.ID] = true
		w, ok := facts[f.ID]
		if !ok {
			if f.ID == "" {
				continue
			}
			return fmt.Errorf("device %s: the windows changed while they were read: %w", serial, drivers.ErrNotReady)
		}
		f.Layer, f.Kind, f.Title, f.Active, f.Focused, f.Bounds = w.Layer, w.kind(), w.Title, w.IsActive, w.IsFocused,
			w.bounds()
	}
	for id, w := range facts {
		if w.kind() == "TYPE_APPLICATION" && w.Title != "Toast" && !seen[id] && !w.bounds().Empty() {
			name := cmp.Or(w.Title, w.PackageName, "of an app")
			return fmt.Errorf("device %s: the window %q is there and returns no elements: its app does not respond: %w", serial,
				name, drivers.ErrNotReady)
		}
	}
	resort(d)
	return nil
}

var rangeText = lazyregexp.New(`^-?\d+\.\d+(E-?\d+)?$`)

// isRange reports whether the text of an element is the number at which a slider or a progress bar is.
func isRange(n *screen.Node) bool {
	return rangeText.MatchString(n.Text) && (strings.HasSuffix(n.Type, "Bar") || strings.HasSuffix(n.Type, "Slider"))
}

// ForgetRanges removes from all windows what forgetRanges removes.
func ForgetRanges(d *dump.Dump) {
	for _, n := range d.Windows {
		forgetRanges(n)
	}
}

// forgetRanges removes the numbers that the agent returns as the texts of sliders and progress bars: they are not
// visible.
func forgetRanges(n *screen.Node) {
	if isRange(n) {
		n.Holds, n.Text = &screen.ControlValue{Value: n.Text}, ""
	}
	for _, c := range n.Children {
		forgetRanges(c)
	}
}

// resort orders the windows by their layers, the topmost last.
func resort(d *dump.Dump) {
	d.Each(func(all []dump.Window) []dump.Window {
		slices.SortStableFunc(all, func(a, b dump.Window) int { return cmp.Compare(a.Facts.Layer, b.Facts.Layer) })
		return all
	})
}
