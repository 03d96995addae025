package androidsim

import (
	"context"
	"fmt"
	"image"
	"net"
	"time"
)

// views are the WebViews of a phone.
type views struct {
	sys  *system
	apps map[string]*webApp // guarded by the lock of sys
}

// WebView describes an app with a screen that is a WebView under a toolbar. The page is one of a real Chromium, which
// the test starts with --remote-debugging-port; the phone loads it when the app is opened and closes it with the app's
// process.
type WebView struct {
	DevTools string // host:port of the Chromium
	URL      string
	// Bounds of the WebView in pixels of the screen; empty: all that is below the toolbar. They may reach beyond the
	// screen.
	Bounds image.Rectangle
	// Chrome is the version that the WebView says it has, "124.0.6367.82"; empty: that of the Chromium. Before 111 any
	// origin may connect, before 63 only one client at a time.
	Chrome string
	// Hidden is an app that is not debuggable: its DevTools listen nowhere.
	Hidden bool
	// Mute is an app with a page without accessibility nodes. Those of others appear from the second read on, as on
	// phones.
	Mute bool
	// Chat puts a native button over the lower right of the page.
	Chat bool
	// Others lists more than the page: a view with the same page that was taken off its window, which comes first, one
	// that never was on a window, and a service worker.
	Others bool
	// Stale has lines of sockets in /proc/net/unix on which nothing listens: of this process, and of one that has died.
	Stale bool
	// Garbage is returned instead of the list of pages.
	Garbage string
	// Trails makes the page receive the end of a touch only when the next one comes: on phones, what touched has continued
	// by then.
	Trails bool
}

// InstallWebView installs an app with one activity, .MainActivity, that shows a page.
func (p *views) InstallWebView(pkg, label string, w WebView) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	web := &webApp{sys: p.sys, pkg: pkg, view: w}
	if p.apps == nil {
		p.apps = map[string]*webApp{}
	}
	p.apps[pkg] = web
	one := newPackage(pkg, label, web.page)
	one.uid, one.code, one.cleared = 10200+len(p.sys.packages), 1, web.clear
	p.sys.packages[pkg] = one
}

// ChangeWebView changes an app of InstallWebView while it runs.
func (p *views) ChangeWebView(pkg string, change func(*WebView)) {
	p.sys.mu.Lock()
	web := p.apps[pkg]
	p.sys.mu.Unlock()
	web.mu.Lock()
	defer web.mu.Unlock()
	change(&web.view)
}

// EvalWebView runs an expression in the page that an app shows and stores its value.
func (p *views) EvalWebView(ctx context.Context, pkg, expression string, into any) error {
	tab, err := p.webTab(ctx, pkg)
	if err != nil {
		return err
	}
	return tab.eval(ctx, expression, into)
}

// HangWebView makes the page of an app hang for ever: scripts do not return any more, and its image stays what it
// was. Where it may, it waits for an answer that never comes, which costs less than a loop.
func (p *views) HangWebView(ctx context.Context, pkg string) error {
	tab, err := p.webTab(ctx, pkg)
	if err != nil {
		return err
	}
	mute, err := net.Listen("tcp", "127.0.0.1:0") // connections are made, and not accepted
	if err != nil {
		return err
	}
	hang := fmt.Sprintf(
		`try { const r = new XMLHttpRequest(); r.open("GET", "http://%s/", false); r.send() } catch { for (;;) {} }`,
		mute.Addr())
	begun := p.sys.work.run(func() {
		defer mute.Close()
		_ = tab.eval(tab.ctx, hang, nil)
	})
	if !begun {
		return mute.Close()
	}
	// Only later requests have to wait: the loop has started when the page no longer responds.
	for ctx.Err() == nil {
		asked, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		err := tab.eval(asked, "1", nil)
		cancel()
		if err != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// webTab is the page that an app shows, once it is there.
func (p *views) webTab(ctx context.Context, pkg string) (*webTab, error) {
	p.sys.mu.Lock()
	var tab *webTab
	for _, a := range p.sys.ui.stack {
		if page, ok := a.page.(*webPage); ok && a.pkg == pkg {
			tab = page.tab
		}
	}
	p.sys.mu.Unlock()
	if tab == nil {
		return nil, fmt.Errorf("%s shows no WebView", pkg)
	}
	select {
	case <-tab.ready:
		return tab, nil
	case <-tab.ctx.Done():
		return nil, fmt.Errorf("the page of %s was closed: %w", pkg, tab.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// webPage is the screen of an app with a WebView.
type webPage struct {
	app *webApp
	tab *webTab
}

// page makes the page of an activity. The phone's lock is held.
func (a *webApp) page(o opening) page {
	process, ok := o.process.web.(*webProcess)
	if !ok {
		process = a.start(o.process.pid)
		o.process.web = process
	}
	m := o.screen.metrics(time.Now())
	return &webPage{a, process.open(o.screen, a.bounds(m), m.scale)}
}

// close ends the page with its activity.
func (w *webPage) close() { w.tab.cancel() }

// renewImage requests the image of the page again.
func (w *webPage) renewImage() { w.tab.renewed(&w.tab.shots, w.tab.shoot) }

// hear requests the accessibility nodes of the page again.
func (w *webPage) hear() { w.tab.renewed(&w.tab.reads, w.tab.hear) }

// bounds of the view, of which an ancestor may show less.
func (a *webApp) bounds(m metrics) image.Rectangle {
	if b := a.config().Bounds; !b.Empty() {
		return b
	}
	b := m.area
	b.Min.Y += m.dp(56)
	return b
}

func (w *webPage) view(m metrics) *view {
	config := w.app.config()
	b := w.app.bounds(m)
	w.tab.fit(b, m.scale)
	root := m.page(0xfefbff).add(m.title(w.app.sys.ui.tag(w.app.pkg)))
	reload := m.button("Reload", w.app.pkg+":id/reload", m.rect(m.width()-120, 6, 110, 44), w.tab.reload)
	root.add(reload, w.tab.view(b, config.Mute))
	if config.Chat {
		at := m.rect(m.width()-120, m.height()-80, 104, 56)
		root.add(m.button("Chat", w.app.pkg+":id/chat", at, func() {}))
	}
	return root
}

func (w *webPage) dialog(metrics) *view { return nil }
func (w *webPage) back() bool           { return false }
