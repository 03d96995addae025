// Package webview has the WebViews of a simulated phone: pages of a real Chromium, which the phone shows and touches.
package webview

import (
	"context"
	"fmt"
	"image"
	"net"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// chromeActivity is the activity with which Chrome starts.
const chromeActivity = "com.google.android.apps.chrome.Main"

// Views are the WebViews of a phone.
type Views struct {
	Sys  *system.System
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
	// Browser makes the app Chrome, which has all tabs of the Chromium: its DevTools listen on Chrome's socket, and it
	// starts with the first of the tabs.
	Browser bool
	// Trails makes the page receive the end of a touch only when the next one comes: on phones, what touched has continued
	// by then.
	Trails bool
}

// InstallWebView installs an app with one activity, .MainActivity, that shows a page.
func (v *Views) InstallWebView(pkg, label string, w WebView) {
	v.Sys.Mu.Lock()
	defer v.Sys.Mu.Unlock()
	web := &webApp{sys: v.Sys, pkg: pkg, view: w}
	if v.apps == nil {
		v.apps = map[string]*webApp{}
	}
	v.apps[pkg] = web
	one := system.NewPackage(pkg, label, web.page)
	if w.Browser {
		one.Launch, one.Activities = chromeActivity, map[string]string{chromeActivity: ""}
	}
	one.UID, one.Code, one.Cleared = 10200+len(v.Sys.Packages), 1, web.clear
	v.Sys.Packages[pkg] = one
}

// ChangeWebView changes an app of InstallWebView while it runs.
func (v *Views) ChangeWebView(pkg string, change func(*WebView)) {
	v.Sys.Mu.Lock()
	web := v.apps[pkg]
	v.Sys.Mu.Unlock()
	web.mu.Lock()
	defer web.mu.Unlock()
	change(&web.view)
}

// EvalWebView runs an expression in the page that an app shows and stores its value.
func (v *Views) EvalWebView(ctx context.Context, pkg, expression string, into any) error {
	tab, err := v.webTab(ctx, pkg)
	if err != nil {
		return err
	}
	return tab.eval(ctx, expression, into)
}

// HangWebView makes the page of an app hang for ever: scripts do not return any more, and its image stays what it
// was. Where it may, it waits for an answer that never comes, which costs less than a loop.
func (v *Views) HangWebView(ctx context.Context, pkg string) error {
	tab, err := v.webTab(ctx, pkg)
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
	begun := v.Sys.Work.Run(func() {
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
func (v *Views) webTab(ctx context.Context, pkg string) (*webTab, error) {
	v.Sys.Mu.Lock()
	var tab *webTab
	for _, a := range v.Sys.UI.Stack {
		if page, ok := a.Page.(*webPage); ok && a.Pkg == pkg {
			tab = page.tab
		}
	}
	v.Sys.Mu.Unlock()
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
func (a *webApp) page(o system.Opening) system.Page {
	process, ok := o.Process.Web.(*webProcess)
	if !ok {
		process = a.start(o.Process.PID)
		o.Process.Web = process
	}
	m := o.Screen.Metrics(time.Now())
	return &webPage{a, process.open(o.Screen, a.bounds(m), m.Scale)}
}

// Close ends the page with its activity.
func (w *webPage) Close() { w.tab.cancel() }

// RenewImage requests the image of the page again.
func (w *webPage) RenewImage() { w.tab.renewed(&w.tab.shots, w.tab.shoot) }

// Hear requests the accessibility nodes of the page again.
func (w *webPage) Hear() { w.tab.renewed(&w.tab.reads, w.tab.hear) }

// bounds of the view, of which an ancestor may show less.
func (a *webApp) bounds(m ui.Metrics) image.Rectangle {
	if b := a.config().Bounds; !b.Empty() {
		return b
	}
	b := m.Area
	b.Min.Y += m.Dp(56)
	return b
}

func (w *webPage) View(m ui.Metrics) *ui.View {
	config := w.app.config()
	b := w.app.bounds(m)
	w.tab.fit(b, m.Scale)
	root := m.Page(0xfefbff).Add(m.Title(w.app.sys.UI.Tag(w.app.pkg)))
	reload := m.Button("Reload", w.app.pkg+":id/reload", m.Rect(m.Width()-120, 6, 110, 44), w.tab.reload)
	root.Add(reload, w.tab.view(b, config.Mute))
	if config.Chat {
		at := m.Rect(m.Width()-120, m.Height()-80, 104, 56)
		root.Add(m.Button("Chat", w.app.pkg+":id/chat", at, func() {}))
	}
	return root
}

func (w *webPage) Dialog(m ui.Metrics) *ui.View { return w.tab.dialogView(m) }

func (w *webPage) Back() bool { return w.tab.answer(false) }
