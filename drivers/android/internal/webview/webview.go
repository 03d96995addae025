// Package webview reads and touches the pages in the WebViews of apps, through Chrome DevTools.
package webview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Source is how the pages of a phone are reached. A process has several pages.
type Source interface {
	// Use calls do while pages can be reached.
	Use(ctx context.Context, do func(context.Context) error) error
	// Processes names those that let their pages be debugged.
	Processes(ctx context.Context) ([]string, error)
	// Owner returns the app of a process.
	Owner(ctx context.Context, process string) (pkg string, err error)
	// Targets lists the pages of a process.
	Targets(ctx context.Context, process string) ([]Target, error)
	// Open connects to a page of an app.
	Open(ctx context.Context, pkg, process, id string) (Conn, error)
}

// Conn is a connection to a page.
type Conn interface {
	// Call sends a command of the DevTools, and decodes its result. A *ProtocolError says that the page refuses it.
	Call(ctx context.Context, method string, params, into any) error
	// Ready returns an error if no command may be sent now, and otherwise has this page be the one that input goes to.
	Ready(ctx context.Context) error
	Close()
}

// Reader reads the pages in the WebViews of apps that let themselves be debugged, through Chrome DevTools.
type Reader struct {
	Source Source
	Life   *drivers.Lifetime
	Log    *slog.Logger
	Limit  time.Duration     // for the pages of one screen
	Ask    time.Duration     // how long a page may take to say what it is asked about a touch
	Arrive time.Duration     // how long a touch may take to the page
	Warn   func(text string) // receives what the caller should know

	always   bool                 // also of WebViews that Android's accessibility has
	off      bool                 // never
	pages    map[string]*pageConn // by process and id
	owners   map[string]*pageConn // of the newest tree's elements, by the beginning of their refs
	hidden   map[string]time.Time // since when apps show pages that nothing lists
	loading  bool                 // in the newest reading, a page loads, or may be being opened
	readings int64
	Parts    []screen.TextPart // of texts; the elements of pages have their places
}

// hiddenFor is how long an app may show a page that is not listed until that counts: a page that is just being opened
// is not listed yet.
const hiddenFor = time.Second

// ReadParts names the parts of texts for which the elements of pages in WebViews need places.
func (w *Reader) ReadParts(parts ...screen.TextPart) { w.Parts = slices.Clone(parts) }

// Choose sets the source for the pages in WebViews.
func (w *Reader) Choose(how string) error {
	always, never, err := drivers.WebViews(how)
	if err == nil {
		w.always, w.off = always, never
	}
	return err
}

// Read hangs the pages of WebViews into the elements of a screen read. What cannot be read leaves a note that
// the tree is not whole, unless there is nothing to read; the error is that of a phone that is lost.
func (w *Reader) Read(ctx context.Context, windows []*screen.Node) error {
	w.loading = false
	if w.off {
		return nil
	}
	var list []*screen.Node
	for _, root := range windows {
		list = screen.WebViews(root, isWebView, w.always, list)
	}
	if len(list) == 0 {
		return nil
	}
	ctx, done := drivers.Bound(ctx, w.Life)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, w.Limit,
		fmt.Errorf("it did not answer within %v, and its scripts may be busy", w.Limit))
	defer cancel()
	return w.Source.Use(ctx, func(ctx context.Context) error { return w.readAll(ctx, list) })
}

// readAll reads the pages of views.
func (w *Reader) readAll(ctx context.Context, list []*screen.Node) error {
	processes, err := w.Source.Processes(ctx)
	if err == nil {
		w.forget(processes)
	}
	w.owners = map[string]*pageConn{}
	for _, n := range list {
		failed := err
		if failed == nil {
			failed = w.readWebView(ctx, n, processes)
		}
		if w.fatal(failed) {
			return failed
		}
		if failed != nil {
			n.Children = append(n.Children, &screen.Node{Type: screen.CutNote, Hidden: true,
				Desc: "the page in the app's WebView cannot be read through Chrome DevTools: " +
					phrase.LimitBytes(adb.FirstLine(failed.Error()), 200)})
		}
	}
	return nil
}

// fatal reports whether an error is that of a phone that is lost, or of one that cannot read pages in the way that was
// chosen.
func (w *Reader) fatal(err error) bool {
	return errors.Is(err, drivers.ErrDeviceLost) || w.always && errors.Is(err, drivers.ErrUnsupported)
}

// On reports whether a screen has a WebView.
func On(windows []*screen.Node) bool {
	return slices.ContainsFunc(windows, func(root *screen.Node) bool {
		return len(screen.WebViews(root, isWebView, true, nil)) > 0
	})
}

func isWebView(n *screen.Node) bool {
	return strings.HasSuffix(n.Type, ".WebView") || n.Type == "WebView"
}

// forget drops what belongs to processes that ended.
func (w *Reader) forget(processes []string) {
	for key, page := range w.pages {
		if process, _, _ := strings.Cut(key, "/"); !slices.Contains(processes, process) {
			page.conn.Close()
			delete(w.pages, key)
		}
	}
}

// Loading reports whether, in the newest reading, a page was loading, or may have been being opened: what is not on it
// may come.
func (w *Reader) Loading() bool { return w.loading }

// readWebView puts the page that a view shows in the place of what Android reports of it. A view of which no process
// lists the page is left as it is.
func (w *Reader) readWebView(ctx context.Context, n *screen.Node, processes []string) error {
	why := "the app does not let its WebViews be debugged"
	for _, process := range processes {
		owner, err := w.Source.Owner(ctx, process)
		if errors.Is(err, drivers.ErrDeviceLost) {
			return err
		}
		if err != nil {
			w.Log.Debug("the pages of a process cannot be listed", "process", process, "error", err)
			why = "its process is not known to let its WebViews be debugged, and another one does not answer: " + shortly(err)
			continue
		}
		if owner != n.Package {
			continue
		}
		targets, err := w.Source.Targets(ctx, process)
		if err != nil {
			return err
		}
		t, at := shownIn(n.Bounds, targets)
		if t == nil {
			why = "none of the app's pages is in its place"
			continue
		}
		delete(w.hidden, n.Package)
		return w.readTarget(ctx, n, process, t, at)
	}
	w.notListed(n, why)
	return nil
}

// notListed notes that a view shows a page that nothing lists, for a reason. At first it counts as one that is being
// opened, unless accessibility has something of it; then it is read by accessibility alone, which the caller should
// know.
func (w *Reader) notListed(n *screen.Node, why string) {
	since, known := w.hidden[n.Package]
	if !known {
		if w.hidden == nil {
			w.hidden = map[string]time.Time{}
		}
		since = time.Now()
		w.hidden[n.Package] = since
	}
	if time.Since(since) <= hiddenFor {
		w.loading = w.loading || !screen.TellsOfPage(n, isWebView)
		return
	}
	w.Warn(fmt.Sprintf("the page in a WebView of %s is read by accessibility alone: %s", n.Package, why))
}

// shownIn returns the page that is shown in the place of an element of Android's, and the place of its whole view: of
// several that overlap it, the one that fits best.
func shownIn(bounds image.Rectangle, targets []Target) (best *Target, at image.Rectangle) {
	most := 0.0
	for i, t := range targets {
		var v view
		if t.Type != "page" || json.Unmarshal([]byte(t.Description), &v) != nil || !v.Attached || !v.Visible || v.Empty ||
			v.Width < 1 || v.Height < 1 {
			continue
		}
		r := image.Rect(v.ScreenX, v.ScreenY, v.ScreenX+v.Width, v.ScreenY+v.Height)
		common := r.Intersect(bounds)
		if common.Empty() {
			continue
		}
		fits := area(common) / max(area(r), area(bounds))
		if fits > most {
			best, at, most = &targets[i], r, fits
		}
	}
	return best, at
}

// placing returns how pixels of the screen are converted to a page that is shown at a place.
func placing(page *dom.Page, at image.Rectangle) OnPage {
	zoom, width, height := page.Zoom, page.W, page.H
	if !zoom.None() {
		width, height = width*zoom[2], height*zoom[2]
	}
	return func(p image.Point) image.Point {
		p = p.Sub(at.Min)
		shown := image.Pt(scaled(p.X, width, at.Dx()), scaled(p.Y, height, at.Dy()))
		x, y := zoom.OnPage(shown)
		return image.Pt(int(math.Round(x)), int(math.Round(y)))
	}
}

func scaled(x int, size float64, shown int) int {
	return int(math.Round(float64(x) * size / float64(max(shown, 1))))
}

func area(r image.Rectangle) float64 { return float64(r.Dx()) * float64(r.Dy()) }

// readTarget reads a page on the connection that it had before, or on a new one.
func (w *Reader) readTarget(ctx context.Context, n *screen.Node, process string, t *Target, at image.Rectangle) error {
	key := process + "/" + t.ID
	kept := w.pages[key] != nil
	read := func() (*dom.Page, error) { return w.readPage(ctx, key, n.Package, process, t.ID) }
	page, err := read()
	if err != nil && kept && ctx.Err() == nil && !errors.Is(err, drivers.ErrDeviceLost) {
		page, err = read() // it may have been closed meanwhile
	}
	if err != nil {
		return err
	}
	if page.Failed() || page.Top == nil {
		w.loading = w.loading || !page.Failed()
		return nil // the error page, or nothing yet: Android reports as much
	}
	w.loading = w.loading || page.Loading
	w.pages[key].place = placing(page, at)
	page.Place(at, n.Bounds)
	dom.Each(page.Top, func(e *screen.Node) { e.Package, e.InPage = n.Package, true })
	n.Children = []*screen.Node{page.Top}
	for _, note := range page.Notes {
		n.Children = append(n.Children, &screen.Node{Type: screen.CutNote, Desc: note, Hidden: true})
	}
	return nil
}

// readPage reads a page; a connection on which that fails is not used again.
func (w *Reader) readPage(ctx context.Context, key, pkg, process, id string) (*dom.Page, error) {
	page := w.pages[key]
	if page == nil {
		conn, err := w.Source.Open(ctx, pkg, process, id)
		if err != nil {
			return nil, err
		}
		page = &pageConn{conn: conn, worlds: map[string]int{}}
		if w.pages == nil {
			w.pages = map[string]*pageConn{}
		}
		w.pages[key] = page
	}
	w.readings++
	gen := strconv.FormatInt(w.readings, 36)
	page.ctx = ctx
	read, err := dom.Read(page, dom.How{Gen: gen, Parts: w.Parts, Plain: error.Error})
	if err != nil {
		page.conn.Close()
		delete(w.pages, key)
		return nil, err
	}
	w.owners[gen] = page
	return read, nil
}

// Close ends the connections.
func (w *Reader) Close() {
	for _, page := range w.pages {
		page.conn.Close()
	}
	w.pages = nil
}
