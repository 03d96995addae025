package appium

import (
	"context"
	"fmt"
	"image"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/capture"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/android/internal/ui"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/pixels"
)

// Screen reads the screen of a phone. A read is one call as long as the same windows are on the screen, and two when
// others are: the document says which there are, and the list of windows which one is in the foreground.
type Screen struct {
	*Session
	WebViews *Pages

	mu      sync.Mutex
	windows []agent.Window // of the newest list
	listed  string         // which windows the document had that it was made for
	shot    image.Point    // size of the last screenshot
	depth   int            // that the driver reads
	toasts  agent.Toasts
	aim     *screen.Node    // that the next touch is meant for
	apps    map[string]bool // with a window on the newest screen; nil: none was read
	dialog  string          // of the system about an app, on the newest screen: its title, or that of its button
	unseen  bool            // no screenshot since the last touch shows that the display is on
}

// Depth is how many elements inside each other the session reads at first.
const Depth = agent.FirstDepth

// Tree reads the elements of the screen that a touch can reach.
func (u *Screen) Tree(ctx context.Context) (*screen.Tree, error) {
	return u.read(ctx, func(d *dump.Dump) []*screen.Node {
		d.Reachable()
		return d.Windows
	})
}

// FullTree is Tree with all windows.
func (u *Screen) FullTree(ctx context.Context) (*screen.Tree, error) {
	return u.read(ctx, func(d *dump.Dump) []*screen.Node {
		if i := d.Active(); i >= 0 { // a page under a dialog may be the one that has opened it
			return d.Windows[i : i+1]
		}
		return d.Windows
	})
}

// TreeReadBy says what reads the screen.
func (u *Screen) TreeReadBy() string {
	return "The screen was read by the Appium server of the remote " + u.Remote + "."
}

// ReadWebViews chooses the source for the pages in WebViews.
func (u *Screen) ReadWebViews(how string) error { return u.WebViews.Choose(how) }

// ReadParts names the parts of texts for which the elements of pages in WebViews need places.
func (u *Screen) ReadParts(parts ...screen.TextPart) { u.WebViews.ReadParts(parts...) }

// Aim sets the element that the next touch is meant for. Pages block one that would reach something else.
func (u *Screen) Aim(n *screen.Node) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.aim = n
}

func (u *Screen) source(ctx context.Context) (got *dump.Dump, err error) {
	var doc string
	err = u.Do(ctx, "read the screen", func(ctx context.Context) (err error) {
		doc, err = u.Lease.Source(ctx, readLimit)
		return err
	})
	if err != nil {
		return nil, err
	}
	got, err = dump.Parse([]byte(doc))
	if err != nil {
		return nil, fmt.Errorf("device %s: the elements of the screen cannot be read: %v: %w", u.Device, err,
			drivers.ErrNotReady)
	}
	return got, nil
}

// read reads the screen; choose leaves out windows, and returns those with pages to be read.
func (u *Screen) read(ctx context.Context, choose func(*dump.Dump) []*screen.Node) (*screen.Tree, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	began := time.Now()
	got, err := u.source(ctx)
	if err != nil {
		return nil, err
	}
	if depth := max(u.depth, Depth); agent.Deep(got.Windows) >= depth && depth < agent.DepthLimit {
		if err := u.deeper(ctx); err != nil {
			return nil, err
		}
		if got, err = u.source(ctx); err != nil {
			return nil, err
		}
	}
	toasts := agent.TakeToasts(got)
	if err := u.known(ctx, got); err != nil {
		return nil, err
	}
	agent.ForgetRanges(got)
	u.apps, u.dialog = map[string]bool{}, ""
	for _, n := range got.Windows {
		u.apps[n.Package] = true
		if title := ui.Complaint(n); title != "" {
			u.dialog = title
		}
	}
	withPages := choose(got)
	if len(got.Windows) == 0 {
		return nil, fmt.Errorf("device %s: no window of an app is on the screen: %w", u.Device, drivers.ErrNotReady)
	}
	if err := u.WebViews.Read(ctx, withPages); err != nil {
		return nil, err
	}
	size := got.ScreenSize(u.shot, u.Phone.Size)
	u.toasts.Show(got, toasts, agent.ToastRead{Began: began, Size: size, Window: func() string { return "" }})
	tree := screen.NewTree(got.Windows, size, began)
	tree.Active, tree.Bars, tree.SwipeEdges, tree.Parts = got.Active(), got.Bars, got.Edges, u.WebViews.Parts
	tree.Loading = u.WebViews.Loading()
	return tree, nil
}

// deeper has the driver read all that it can: a tree that is cut would hide elements.
func (u *Screen) deeper(ctx context.Context) error {
	err := u.Do(ctx, "change a setting", func(ctx context.Context) error {
		return u.Lease.Settings(ctx, map[string]any{"snapshotMaxDepth": agent.DepthLimit})
	})
	if err == nil {
		u.depth = agent.DepthLimit
	}
	return err
}

// known takes over what is known of the windows, and requests it for those that were not on the screen before. The lock
// is held.
func (u *Screen) known(ctx context.Context, got *dump.Dump) error {
	now := fingerprint(got)
	if now != u.listed || now == "" {
		list, err := u.list(ctx)
		if err != nil {
			return err
		}
		u.windows, u.listed = list, now
	}
	err := agent.Know(got, u.windows, u.Device)
	if err != nil {
		u.listed = ""
	}
	return err
}

// list requests the windows on the screen.
func (u *Screen) list(ctx context.Context) (list []agent.Window, err error) {
	err = u.Mobile(ctx, "listWindows", map[string]any{"skipScreenshots": true}, &list)
	return list, u.Unsupported("list the windows of a screen", err)
}

// shows reports whether the newest screen has a window of an app, as far as one was read.
func (u *Screen) shows(pkg string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.apps == nil || u.apps[pkg]
}

// complaint is the dialog of the system about an app on the newest screen; "": none was read.
func (u *Screen) complaint() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.dialog
}

// fingerprint says which windows a document has, where, and which of them has the focus.
func fingerprint(d *dump.Dump) string {
	var b strings.Builder
	for i, n := range d.Windows {
		fmt.Fprintf(&b, "%s %s %v %v\n", d.Facts[i].ID, n.Package, n.Bounds, hasFocus(n))
	}
	return b.String()
}

func hasFocus(n *screen.Node) bool {
	for _, c := range n.Children {
		if hasFocus(c) {
			return true
		}
	}
	return n.Focused
}

// Screenshot takes a screenshot.
func (u *Screen) Screenshot(ctx context.Context) (image.Image, error) {
	var raw []byte
	err := u.Do(ctx, "take a screenshot", func(ctx context.Context) (err error) {
		raw, err = u.Lease.Screenshot(ctx, readLimit)
		return err
	})
	if webdriver.Is(err, unableToCapture) {
		return nil, u.whyNoScreenshot(ctx, fmt.Errorf("%w: %w", drivers.ErrNotReady, err))
	}
	if webdriver.Is(err, webdriver.UnknownError) {
		return nil, fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
	}
	if err != nil {
		return nil, err
	}
	img, err := capture.DecodePNG(raw)
	if err != nil {
		return nil, fmt.Errorf("device %s: the screenshot cannot be decoded: %w", u.Device, err)
	}
	u.mu.Lock()
	u.shot, u.unseen = img.Bounds().Size(), pixels.Dark(img)
	u.mu.Unlock()
	return img, nil
}

// size is that of the screen, as far as it is known.
func (u *Screen) size() image.Point {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.shot != (image.Point{}) {
		return u.shot
	}
	return u.Phone.Size
}

// turned notes that the screen was turned: the last screenshot has another size.
func (u *Screen) turned() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.shot, u.listed = image.Point{}, ""
}

// KeyboardArea is where the window of a keyboard is.
func (u *Screen) KeyboardArea(ctx context.Context) (image.Rectangle, error) {
	list, err := u.list(ctx)
	return agent.KeyboardOf(list), err
}

// KeyboardShown reports whether a keyboard is on the screen.
func (u *Screen) KeyboardShown(ctx context.Context) (bool, error) {
	shown := false
	err := u.Mobile(ctx, "isKeyboardShown", nil, &shown)
	return shown, err
}

// HideKeyboard hides the keyboard, where one is shown.
func (u *Screen) HideKeyboard(ctx context.Context) error {
	shown, err := u.KeyboardShown(ctx)
	if err != nil || !shown {
		return err
	}
	return u.Changed("hide the keyboard", u.Mobile(ctx, "hideKeyboard", nil, nil))
}
