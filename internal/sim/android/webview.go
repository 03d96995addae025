package androidsim

import (
	"context"
	"fmt"
	"image"
	"net"
	"time"
)

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
func (p *Phone) InstallWebView(pkg, label string, w WebView) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages[pkg] = &installed{
		name: pkg, label: label, uid: 10200 + len(p.packages), launch: pkg + ".MainActivity", version: "1.0", code: 1,
		activities: map[string]string{pkg + ".MainActivity": ""}, granted: map[string]bool{}, data: map[string]string{},
		web: &webApp{phone: p, pkg: pkg, view: w},
	}
}

// ChangeWebView changes an app of InstallWebView while it runs.
func (p *Phone) ChangeWebView(pkg string, change func(*WebView)) {
	p.mu.Lock()
	web := p.packages[pkg].web
	p.mu.Unlock()
	web.mu.Lock()
	defer web.mu.Unlock()
	change(&web.view)
}

// EvalWebView runs an expression in the page that an app shows and stores its value.
func (p *Phone) EvalWebView(ctx context.Context, pkg, expression string, into any) error {
	tab, err := p.webTab(ctx, pkg)
	if err != nil {
		return err
	}
	return tab.eval(ctx, expression, into)
}

// HangWebView makes the page of an app hang for ever: scripts do not return any more, and its image stays what it
// was. Where it may, it waits for an answer that never comes, which costs less than a loop.
func (p *Phone) HangWebView(ctx context.Context, pkg string) error {
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
	begun := p.work.run(func() {
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
func (p *Phone) webTab(ctx context.Context, pkg string) (*webTab, error) {
	p.mu.Lock()
	var tab *webTab
	for _, a := range p.ui.stack {
		if page, ok := a.page.(*webPage); ok && a.pkg == pkg {
			tab = page.tab
		}
	}
	p.mu.Unlock()
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

func newWebPage(s *screen, r *running, app *webApp) *webPage {
	if r.web == nil {
		r.web = app.start(r.pid)
	}
	m := s.metrics(time.Now())
	return &webPage{app, r.web.open(s, app.bounds(m), m.scale)}
}

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
	root := m.page(0xfefbff).add(m.title(w.app.phone.tag(w.app.pkg)))
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
