// Package webview reads the pages in the WebViews of apps through Web Inspector: the elements of an app go in, and get
// those of its pages.
package webview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// webViewLimit is how long the pages in the WebViews of one screen read are read.
	webViewLimit = 5 * time.Second
	// probeLimit is how long a page may take to say whether it is shown: those of tabs behind are asleep and say nothing.
	probeLimit = 1200 * time.Millisecond
	// probePages is how many pages of an app are asked whether they are shown, the newest first.
	probePages = 8
	// restFirst is how long what has not answered is left alone; each time in a row for twice as long, up to restMost.
	restFirst = 10 * time.Second
	restMost  = 5 * time.Minute
	// restSilent is how long a page that is not in the foreground, and has not responded, is left alone.
	restSilent = 30 * time.Second
)

// Views reads the pages in the WebViews of apps that let themselves be inspected.
type Views struct {
	link *wda.Link
	host host.Host

	mu     sync.Mutex
	always bool // also of WebViews that accessibility has
	off    bool // never

	client   host.WebInspector
	pages    map[pageKey]*webPage
	silent   map[pageKey]time.Time // until when pages that have not answered are left alone
	rest     time.Time             // until when all are
	why      string                // of that
	fails    int                   // in a row
	owners   map[string]*webPage   // of the newest tree's elements, by the beginning of their refs
	readings int64
	parts    []screen.TextPart // of texts; the elements of pages have their places
}

// New returns Views of one device. Web Inspector is connected to when a page is read.
func New(l *wda.Link, h host.Host) *Views { return &Views{link: l, host: h} }

// pageKey names a page of a process.
type pageKey struct {
	app string
	id  int
}

var (
	_ drivers.WebViewReader = (*Views)(nil)
	_ drivers.PartReader    = (*Views)(nil)
)

// ReadParts names the parts of texts of which the elements of pages in WebViews need the places.
func (w *Views) ReadParts(parts ...screen.TextPart) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts = slices.Clone(parts)
}

// PartsRead are the parts that ReadParts named last.
func (w *Views) PartsRead() []screen.TextPart {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.parts
}

// ReadWebViews chooses the source of the pages in WebViews.
func (w *Views) ReadWebViews(how string) error {
	always, never, err := drivers.WebViews(how)
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.always, w.off = always, never
	}
	return err
}

// ExpectPages says that an app is started: what its pages did before counts no more.
func (w *Views) ExpectPages() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest, w.fails, w.silent = time.Time{}, 0, nil
	if w.client != nil {
		w.client.Expect()
	}
}

// Wants reports whether the pages of some WebViews in a reading are to be read.
func (w *Views) Wants(seen source.Reading) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.wanted(seen.Windows[0])) > 0
}

// wanted collects the WebViews with pages to read: those that can be seen, and of which accessibility has
// nothing unless all are wanted.
func (w *Views) wanted(root *screen.Node) []*screen.Node {
	if w.off {
		return nil
	}
	return screen.WebViews(root, isWebView, w.always, nil)
}

func isWebView(n *screen.Node) bool { return n.Type == source.Prefix+"WebView" }

// errSilent says that a page does not answer.
var errSilent = errors.New("it does not answer, and its scripts may be busy")

// ReadPages puts the pages of WebViews into the place of what accessibility has of them; the elements are in pixels
// by then, of which a point has so many. What cannot be read leaves a note that the tree is not whole, wherever
// something would be there to be read.
func (w *Views) ReadPages(ctx context.Context, seen *source.Reading, scale float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	views := w.wanted(seen.Windows[0])
	if len(views) == 0 {
		return
	}
	w.owners = map[string]*webPage{}
	ctx, done := drivers.Bound(ctx, w.link.Life)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, webViewLimit,
		fmt.Errorf("it did not answer within %v, and its scripts may be busy", webViewLimit))
	defer cancel()
	shown, why, certain := w.shownPages(ctx, seen)
	for _, v := range views {
		why, certain := why, certain
		if why == "" {
			var err error
			if certain, err = w.readView(ctx, v, shown, seen, scale); err == nil {
				continue
			}
			if why = shortly(err); ctx.Err() != nil {
				w.leaveAlone(why)
			}
		}
		if certain || w.always {
			v.Children = append(v.Children, &screen.Node{Type: screen.CutNote, Hidden: true,
				Desc: "the page in the app's WebView cannot be read through Web Inspector: " + why})
		}
	}
}

// shownPages returns the pages of the foreground app that are shown, or why there are none; certain: there is one that
// should be.
func (w *Views) shownPages(ctx context.Context, seen *source.Reading) (shown []*webPage, why string, certain bool) {
	if len(seen.Alerts()) > 0 {
		return nil, "a dialog is over it, for which its scripts may wait", true
	}
	if time.Now().Before(w.rest) {
		return nil, w.why, w.client != nil
	}
	if err := w.inspect(ctx); err != nil {
		return nil, shortly(err), false
	}
	front, err := w.inFront(ctx, seen)
	if err != nil {
		return nil, shortly(err), false
	}
	pages, err := w.client.Pages(ctx, front)
	if err != nil {
		w.hangUp()
		return nil, w.leaveAlone(shortly(err)), false
	}
	if len(pages) == 0 {
		return nil, "the app lets no page be inspected (isInspectable)", false
	}
	w.forget(pages)
	shown, err = w.shown(ctx, pages)
	switch {
	case len(shown) > 0:
		w.fails = 0
		return shown, "", true
	case err == nil:
		return nil, "none of the app's pages is shown", false
	case errors.Is(err, errSilent) || errors.Is(err, inspector.ErrTaken):
		return nil, w.leaveAlone(shortly(err)), true
	}
	return nil, shortly(err), true
}

// inFront is the app of the elements that were read.
func (w *Views) inFront(ctx context.Context, seen *source.Reading) (inspector.App, error) {
	if seen.App != "" && seen.PID != 0 {
		return inspector.App{Bundle: seen.App, PID: seen.PID}, nil
	}
	var active struct {
		BundleID string `json:"bundleId"`
		PID      int    `json:"pid"`
	}
	err := w.link.Do(ctx, wda.Get("the foreground app", "/wda/activeAppInfo"), &active)
	return inspector.App{Bundle: active.BundleID, PID: active.PID}, err
}

func shortly(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return phrase.LimitBytes(line, 200)
}

// inspect connects to the Web Inspector of the device, unless it is connected.
func (w *Views) inspect(ctx context.Context) error {
	if w.client != nil && w.client.Err() == nil {
		return nil
	}
	w.hangUp()
	host, ok := w.host.(host.Inspectable)
	if !ok {
		return fmt.Errorf("%w: nothing here reaches the device's Web Inspector", drivers.ErrUnsupported)
	}
	client, err := host.Inspect(ctx)
	if err != nil {
		w.leaveAlone(shortly(err))
		return err
	}
	w.client = client
	return nil
}

// leaveAlone keeps Web Inspector from being queried for a while, for a reason, which it returns.
func (w *Views) leaveAlone(why string) string {
	w.rest, w.why = time.Now().Add(min(restFirst<<min(w.fails, 10), restMost)), why
	if w.fails++; w.fails == 1 {
		w.link.Log.Warn("pages in WebViews are not read through Web Inspector for a while", "why", why)
	}
	return why
}

// hangUp ends the connection, if there is one.
func (w *Views) hangUp() {
	if w.client != nil {
		_ = w.client.Close()
	}
	w.client, w.pages = nil, nil
}

// Close lets all pages go.
func (w *Views) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pages {
		p.session.Close()
	}
	w.hangUp()
}

// forget drops the pages that are not listed any more.
func (w *Views) forget(pages []inspector.Page) {
	there := map[pageKey]bool{}
	for _, p := range pages {
		there[keyOf(p)] = true
	}
	for key, p := range w.pages {
		if !there[key] {
			p.session.Close()
			delete(w.pages, key)
		}
	}
}

func keyOf(p inspector.Page) pageKey { return pageKey{p.App, p.ID} }

// shown queries the pages, at the same time, for which of them are shown, and returns those. The error is that of one
// that could not be asked, where none is.
func (w *Views) shown(ctx context.Context, pages []inspector.Page) (list []*webPage, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, errSilent)
	defer cancel()
	awake := slices.DeleteFunc(slices.Clone(pages), func(p inspector.Page) bool {
		return time.Now().Before(w.silent[keyOf(p)])
	})
	if len(awake) == 0 {
		awake = pages
	}
	if len(awake) < len(pages) {
		err = errSilent
	}
	pages = awake[:min(len(awake), probePages)]
	asked, errs := make([]*webPage, len(pages)), make([]error, len(pages))
	var all sync.WaitGroup
	for i, p := range pages {
		known := w.pages[keyOf(p)]
		all.Go(func() { asked[i], errs[i] = probePage(ctx, w.client, p, known) })
	}
	all.Wait()
	if w.pages == nil {
		w.pages = map[pageKey]*webPage{}
	}
	silent := map[pageKey]time.Time{}
	for i, p := range pages {
		if errors.As(errs[i], new(*inspector.Thrown)) { // it is not a page: a script, a service worker
			continue
		}
		if errs[i] != nil {
			delete(w.pages, keyOf(p))
			silent[keyOf(p)] = time.Now().Add(restSilent)
			err = errs[i]
			continue
		}
		w.pages[keyOf(p)] = asked[i]
		if asked[i].about.Visible {
			list = append(list, asked[i])
		}
	}
	if len(list) > 0 { // of the others none is in the foreground
		for key, until := range w.silent {
			if _, again := silent[key]; !again && time.Now().Before(until) {
				silent[key] = until
			}
		}
		w.silent = silent
	}
	return list, err
}
