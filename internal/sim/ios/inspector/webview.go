package inspector

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/devtools"
	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// WebView describes an app with a screen that is a WKWebView under a navigation bar. The page is one of a real
// Chromium, which the test starts with --remote-debugging-port and which replaces WebKit; the device loads it when the
// app is opened and closes it with the app's process.
type WebView struct {
	DevTools string // host:port of the Chromium
	URL      string
	// Bounds of the WebView in points; empty: all that is below the bar.
	Bounds image.Rectangle
	// Inset is how many points of the page's upper and lower edge lie under bars that the view keeps it clear of: the page
	// starts that much below the view's edge.
	Inset int
	// Bare is a screen without a navigation bar.
	Bare bool
	// Shut is an app with WebViews that cannot be inspected: isInspectable is false.
	Shut bool
	// Mute is a page of which accessibility has nothing.
	Mute bool
	// Chat puts a native button over the lower right of the page.
	Chat bool
	// Behind adds pages that are not in the foreground: a tab with the same page that is hidden, and one that is asleep
	// and responds to nothing; and a service worker.
	Behind bool
	// Late is how long the app takes to report itself, and of its pages.
	Late time.Duration
	// Parts sends long messages in parts.
	Parts bool
	// Silent is a page that never responds.
	Silent bool
	// Taken is a page that another Web Inspector has open.
	Taken bool
	// Second is a second WebView of the screen, in front of what is under it: its URL; "": there is none.
	Second string
	// SecondBounds are those of it, in points.
	SecondBounds image.Rectangle
	// SecondSilent is a page in it that never responds.
	SecondSilent bool
}

// InstallWebView installs an app that shows a page.
func (i *Daemon) InstallWebView(bundle, name string, w WebView) {
	i.device.Mu.Lock()
	defer i.device.Mu.Unlock()
	web := &webApp{inspector: i, device: i.device, bundle: bundle, name: name, config: w}
	i.webs[bundle] = web
	i.device.Put(bundle, name).Make = func(a *device.App) device.Page { return web.start(a.PID) }
}

// ChangeWebView changes an app of InstallWebView while it runs.
func (i *Daemon) ChangeWebView(bundle string, change func(*WebView)) {
	w := i.webApp(bundle)
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.config)
}

// EvalWebView runs an expression in the page that an app shows and stores its value.
func (i *Daemon) EvalWebView(ctx context.Context, bundle, expression string, into any) error {
	tab, err := i.webApp(bundle).tab(ctx)
	if err != nil {
		return err
	}
	return tab.eval(ctx, expression, into)
}

// EvalSecondWebView is EvalWebView in the second WebView.
func (i *Daemon) EvalSecondWebView(ctx context.Context, bundle, expression string, into any) error {
	tab, err := i.webApp(bundle).tab(ctx)
	if err != nil {
		return err
	}
	return tab.page.second.eval(ctx, expression, into)
}

// LeaveWebView lets the page that an app shows go to another site: WebKit puts another target in the place of the
// page's.
func (i *Daemon) LeaveWebView(ctx context.Context, bundle, url string) error {
	tab, err := i.webApp(bundle).tab(ctx)
	if err != nil {
		return err
	}
	return tab.leave(ctx, url)
}

// ReuseHandles makes the handles that Web Inspector has given of the page's objects so far those of other objects, as
// WebKit does when it counts again.
func (i *Daemon) ReuseHandles(bundle string) {
	w := i.webApp(bundle)
	w.mu.Lock()
	defer w.mu.Unlock()
	for handle := range w.handles {
		w.handles[handle] = true
	}
}

func (i *Daemon) webApp(bundle string) *webApp {
	i.device.Mu.Lock()
	defer i.device.Mu.Unlock()
	return i.webs[bundle]
}

// webApp is an installed app with a WebView.
type webApp struct {
	inspector    *Daemon
	device       *device.Device
	bundle, name string

	mu     sync.Mutex
	config WebView
	open   *webPage // of the process that runs

	handles map[string]bool // that were given: whether they are those of other objects by now
}

func (a *webApp) how() WebView {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.config
}

// tab is the page that the app shows, once it is there.
func (a *webApp) tab(ctx context.Context) (*webTab, error) {
	a.mu.Lock()
	page := a.open
	a.mu.Unlock()
	if page == nil {
		return nil, fmt.Errorf("%s shows no WebView", a.bundle)
	}
	return page.front(ctx)
}

// webPage is the screen of such an app, and its process: what runs on it, by the numbers under which Web Inspector
// lists it.
type webPage struct {
	app    *webApp
	pid    int
	ctx    context.Context // ends with the process
	cancel context.CancelFunc
	ready  chan struct{} // closed when the page can be asked
	field  *ui.Field     // represents the field of the page that has the focus

	client *devtools.Client // set before ready is closed, as all below
	tabs   []*webTab        // the foreground one first
	second *webTab          // of the second WebView, one of the tabs
	typing *webTab          // that has the focus; the device's lock guards it
	err    error
}

// open starts the process; the device's lock is held.
func (a *webApp) start(pid int) *webPage {
	w := &webPage{app: a, pid: pid, ready: make(chan struct{}), field: &ui.Field{}}
	w.field.Keyed = w.typed
	w.ctx, w.cancel = context.WithCancel(a.device.Host.Ctx)
	a.mu.Lock()
	a.open = w
	a.mu.Unlock()
	a.device.Host.Work.Go(func() {
		if w.err = w.load(); w.err != nil {
			a.device.Note("the page of %s: %v", a.bundle, w.err)
		}
		close(w.ready)
		if w.err == nil && a.device.Host.Rest(w.ctx, a.how().Late) {
			a.inspector.started(w)
		}
		<-w.ctx.Done()
		a.inspector.ended(w)
		if w.client != nil {
			w.client.Close()
		}
	})
	return w
}

// load makes the pages.
func (w *webPage) load() (err error) {
	config := w.app.how()
	heard := func(e devtools.Event) { w.app.inspector.forwardContexts(e) }
	if w.client, err = devtools.Dial(w.ctx, config.DevTools, heard); err != nil {
		return err
	}
	w.app.device.Host.Work.Go(func() { w.client.Read(w.ctx) })
	var home struct {
		ID string `json:"browserContextId"`
	}
	if err := w.client.Call(w.ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true},
		&home); err != nil {
		return err
	}
	tabs := 1
	if config.Behind {
		tabs = 2
	}
	for i := range tabs {
		tab, err := w.newTab(home.ID, i > 0)
		if err != nil {
			return err
		}
		w.tabs = append(w.tabs, tab)
		if err := tab.goTo(w.ctx, config.URL); err != nil {
			return err
		}
	}
	if config.Second == "" {
		return nil
	}
	if w.second, err = w.newTab(home.ID, false); err != nil {
		return err
	}
	w.tabs = append(w.tabs, w.second)
	w.second.fit(w.ctx, config.SecondBounds)
	return w.second.goTo(w.ctx, config.Second)
}

// front is the foreground page, once it can be queried.
func (w *webPage) front(ctx context.Context) (*webTab, error) {
	select {
	case <-w.ready:
		if w.err != nil {
			return nil, w.err
		}
		return w.tabs[0], nil
	case <-w.ctx.Done():
		return nil, errors.New("the app has ended")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *webPage) Alert() *device.Question { return nil }

// Close ends the process of the page.
func (w *webPage) Close() { w.cancel() }

// bounds of the view, and of the page in it.
func (w *webPage) bounds(m ui.Metrics) (view, page image.Rectangle) {
	config := w.app.how()
	view = config.Bounds
	if view.Empty() {
		view = image.Rect(0, 91, m.Size.X, m.Size.Y)
	}
	return view, image.Rect(view.Min.X, view.Min.Y+config.Inset, view.Max.X, view.Max.Y-config.Inset)
}

func (w *webPage) View(m ui.Metrics) *ui.View {
	config := w.app.how()
	b, at := w.bounds(m)
	root := m.Page()
	if !config.Bare {
		root.Add(m.Title(w.app.name))
	}
	ready := false
	select {
	case <-w.ready:
		ready = w.err == nil
	default:
	}
	views := []struct {
		tab     func() *webTab
		b, at   image.Rectangle
		fingers *finger
	}{{func() *webTab { return w.tabs[0] }, b, at, &finger{w, false}}}
	if config.Second != "" {
		views = append(views, views[0])
		v := &views[1]
		v.tab, v.b, v.at, v.fingers = func() *webTab { return w.second }, config.SecondBounds, config.SecondBounds,
			&finger{w, true}
	}
	for _, v := range views {
		web := &ui.View{Kind: "WebView", B: v.b, Fill: ui.RGB(0xffffff), Web: v.fingers}
		inner := &ui.View{Kind: "WebView", B: v.b}
		root.Add(web.Add((&ui.View{Kind: "WebView", B: v.b}).Add(inner)))
		if !ready {
			continue
		}
		tab := v.tab()
		tab.fit(w.ctx, v.at)
		web.Scroll = func(by image.Point) { tab.scroll(w.ctx, by) }
		if w.app.device.Pictured {
			web.Add(&ui.View{Kind: "Other", B: v.at, Picture: tab.shoot(w.ctx)})
		}
		if !config.Mute {
			inner.Add(tab.hear(w.ctx, v.at)...)
		}
	}
	if config.Chat {
		root.Add(m.Button("Chat", "chat", m.Rect(m.Size.X-110, m.Size.Y-80, 100, 56), func() { w.app.device.Note("chat") }))
	}
	return root
}

// finger touches the page of one of the WebViews.
type finger struct {
	page   *webPage
	second bool
}

// Touched is a finger on the page; the device's lock is held.
func (f *finger) Touched(p image.Point, held time.Duration) {
	w := f.page
	tab, err := w.front(w.ctx)
	if err != nil {
		return
	}
	_, at := w.bounds(w.app.device.Metrics())
	if f.second {
		tab, at = w.second, w.app.how().SecondBounds
	}
	p = p.Sub(at.Min)
	ctx, cancel := context.WithTimeout(w.ctx, webAnswer)
	defer cancel()
	point := map[string]any{"x": p.X, "y": p.Y, "id": 0}
	_ = tab.ask(ctx, "Input.dispatchTouchEvent", map[string]any{"type": "touchStart", "touchPoints": []any{point}}, nil)
	w.app.device.Host.Rest(ctx, held)
	_ = tab.ask(ctx, "Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}}, nil)
	w.refocus(ctx, tab)
}

// refocus shows the keyboard when the page has a field to type into, and hides it when not.
func (w *webPage) refocus(ctx context.Context, tab *webTab) {
	var edits bool
	if tab.eval(ctx, editsScript, &edits) != nil {
		return
	}
	d := w.app.device
	for _, other := range w.tabs { // an app has one focus
		if other != tab {
			_ = other.eval(ctx, "document.activeElement?.blur()", nil)
		}
	}
	switch {
	case edits:
		d.Focus, w.typing = w.field, tab
	case d.Focus == w.field:
		d.Focus = nil
	}
}

// typed is a key of the keyboard; the device's lock is held.
func (w *webPage) typed(c rune) {
	tab, err := w.front(w.ctx)
	if err != nil {
		return
	}
	if w.typing != nil {
		tab = w.typing
	}
	ctx, cancel := context.WithTimeout(w.ctx, webAnswer)
	defer cancel()
	key := map[string]any{"key": "Backspace", "windowsVirtualKeyCode": 8}
	switch c {
	case '\b':
	case '\n', '\r':
		key = map[string]any{"key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
	default:
		_ = tab.ask(ctx, "Input.insertText", map[string]any{"text": string(c)}, nil)
		return
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		key["type"] = kind
		_ = tab.ask(ctx, "Input.dispatchKeyEvent", key, nil)
		delete(key, "text")
	}
}

// whole rounds to points, as XCTest does.
func whole(f float64) int { return int(math.Round(f)) }

// reused reports whether a handle is that of another object by now.
func (a *webApp) reused(handle string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.handles[handle]
}

// noteHandle notes a handle.
func (a *webApp) noteHandle(handle string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.handles == nil {
		a.handles = map[string]bool{}
	}
	a.handles[handle] = false
}
