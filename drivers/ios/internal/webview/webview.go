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
	link     *wda.Link
	source   Source
	warnings *phrase.Warnings // of a device that is connected here

	mu     sync.Mutex
	always bool // also of WebViews that accessibility has
	off    bool // never

	client   Inspector
	pages    map[pageKey]*webPage
	silent   map[pageKey]time.Time // until when pages that have not answered are left alone
	rest     time.Time             // until when all are
	why      string                // of that
	fails    int                   // in a row
	owners   map[string]*webPage   // of the newest tree's elements, by the beginning of their refs
	readings int64
	parts    []screen.TextPart         // of texts; the elements of pages have their places
	hidden   map[string]time.Time      // since when apps show pages that nothing lists
	loading  bool                      // in the newest reading, a page loads, or may be being opened
	unasked  error                     // why a page did not answer in the newest reading; nil: all did
	in       map[*webPage]*screen.Node // the views that were found to show pages, in the newest reading
}

// New returns Views of one device that is connected here. Web Inspector is connected to when a page is read.
func New(l *wda.Link, h host.Host) *Views {
	w := &phrase.Warnings{}
	v := Of(l, local{host: h, warnings: w})
	v.warnings = w
	return v
}

// TakeWarnings returns what came up since the last call, of a device that is connected here.
func (w *Views) TakeWarnings() []string { return w.warnings.Take() }

// Of returns Views of one device, with the source of its pages.
func Of(l *wda.Link, from Source) *Views { return &Views{link: l, source: from} }

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
	w.rest, w.fails, w.silent, w.hidden = time.Time{}, 0, nil, nil
	if w.client != nil {
		w.client.Expect()
	}
}

// Loading reports whether, in the newest reading, a page was loading, or may have been being opened: what is not on it
// may come.
func (w *Views) Loading() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loading
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

// ErrSilent says that a page does not answer.
var ErrSilent = errors.New("it does not answer, and its scripts may be busy")

// ReadPages puts the pages of WebViews into the place of what accessibility has of them; the elements are in pixels
// by then, of which a point has so many. What cannot be read leaves a note that the tree is not whole, unless Web
// Inspector has answered that there is nothing to read; the error is that of a device that is lost.
func (w *Views) ReadPages(ctx context.Context, seen *source.Reading, scale float64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loading = false
	views := w.wanted(seen.Windows[0])
	if len(views) == 0 {
		return nil
	}
	w.owners = map[string]*webPage{}
	ctx, done := drivers.Bound(ctx, w.link.Life)
	defer done()
	limit := w.source.Traits().Read
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("it did not answer within %v, and its scripts may be busy", limit))
	defer cancel()
	if why := w.blocked(seen); why != "" {
		w.note(views, why, true)
		return nil
	}
	front, err := w.inFront(ctx, seen)
	if err != nil {
		w.note(views, shortly(err), true)
		return w.fatal(err)
	}
	reached := false
	err = w.source.Use(ctx, func(ctx context.Context) error {
		reached = true
		return w.readAll(ctx, look{seen: seen, scale: scale, front: front, views: views})
	})
	if err != nil && !reached {
		w.note(views, shortly(err), true)
	}
	return w.fatal(err)
}

// look is a screen of which the pages are read.
type look struct {
	seen  *source.Reading
	scale float64
	front inspector.App
	views []*screen.Node
}

// readAll reads the pages of views. It returns the error of a device that is lost.
func (w *Views) readAll(ctx context.Context, l look) error {
	shown, why, there, err := w.shownPages(ctx, l.front)
	if err != nil {
		return err
	}
	if why != "" {
		w.note(l.views, why, there)
		return nil
	}
	w.in = map[*webPage]*screen.Node{}
	for _, v := range l.views {
		there, err := w.readView(ctx, v, shown, l.seen, l.scale)
		if fatal := w.fatal(err); fatal != nil {
			return fatal
		}
		if err == nil {
			delete(w.hidden, v.Package)
			continue
		}
		if !there && w.unasked != nil { // that page may be the one
			there, err = true, w.unasked
		}
		why := shortly(err)
		if ctx.Err() != nil {
			w.leaveAlone(why)
		}
		w.note([]*screen.Node{v}, why, there)
	}
	return nil
}

// note says of views why their pages are not read; there: they have one, or may have one, of which nothing is known.
func (w *Views) note(views []*screen.Node, why string, there bool) {
	for _, v := range views {
		if !there && !w.always {
			w.notListed(v.Package, why)
			continue
		}
		v.Children = append(v.Children, &screen.Node{Type: screen.CutNote, Hidden: true,
			Desc: "the page in the app's WebView cannot be read through Web Inspector: " + why})
	}
}

// blocked is why no page can be read now; "": one may be.
func (w *Views) blocked(seen *source.Reading) (why string) {
	switch {
	case len(seen.Alerts()) > 0:
		return "a dialog is over it, for which its scripts may wait"
	case time.Now().Before(w.rest):
		return w.why
	}
	return ""
}

// shownPages returns the pages of the foreground app that are shown, or why there are none; there: one should be, or
// that is not known. The error is that of a device that is lost.
func (w *Views) shownPages(ctx context.Context, front inspector.App) (shown []*webPage, why string, there bool,
	fatal error) {
	if err := w.inspect(ctx); err != nil {
		return nil, shortly(err), true, w.fatal(err)
	}
	pages, err := w.client.Pages(ctx, front)
	if err != nil {
		if w.source.Traits().Far { // the next answer may come; what is not there costs nothing from now on
			return nil, shortly(err), true, w.fatal(err)
		}
		w.hangUp()
		return nil, w.leaveAlone(shortly(err)), true, w.fatal(err)
	}
	if len(pages) == 0 {
		return nil, "the app lets no page be inspected (isInspectable)", false, nil
	}
	w.forget(pages)
	shown, err = w.shown(ctx, pages)
	w.unasked = err
	switch {
	case w.fatal(err) != nil:
		return nil, "", true, err
	case len(shown) > 0:
		w.fails = 0
		return shown, "", true, nil
	case err == nil:
		return nil, "none of the app's pages is shown", false, nil
	case errors.Is(err, ErrSilent) || errors.Is(err, inspector.ErrTaken):
		return nil, w.leaveAlone(shortly(err)), true, nil
	}
	return nil, shortly(err), true, nil
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
	return phrase.LimitBytes(line, 250)
}

// inspect connects to the Web Inspector of the device, unless it is connected.
func (w *Views) inspect(ctx context.Context) error {
	if w.client != nil && w.client.Err() == nil {
		return nil
	}
	w.hangUp()
	client, err := w.source.Inspect(ctx)
	if err != nil {
		if !w.source.Traits().Far { // what is known of a server costs nothing
			w.leaveAlone(shortly(err))
		}
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
	ctx, cancel := context.WithTimeoutCause(ctx, w.source.Traits().Probe, ErrSilent)
	defer cancel()
	awake := slices.DeleteFunc(slices.Clone(pages), func(p inspector.Page) bool {
		return time.Now().Before(w.silent[keyOf(p)])
	})
	if len(awake) == 0 {
		awake = pages
	}
	if len(awake) < len(pages) {
		err = ErrSilent
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
		if w.fatal(errs[i]) != nil {
			return nil, errs[i]
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
