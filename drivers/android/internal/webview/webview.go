// Package webview reads and touches the pages in the WebViews of apps, through Chrome DevTools.
package webview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// webViewLimit is how long the pages in the WebViews of one screen are read; a page with busy scripts does not
// answer.
const webViewLimit = 6 * time.Second

// Reader reads the pages in the WebViews of apps that let themselves be debugged, through Chrome DevTools.
type Reader struct {
	Phone    *phone.Phone
	always   bool                 // also of WebViews that Android's accessibility has
	off      bool                 // never
	packages map[string]string    // the app with the WebViews that a socket serves, by its name
	pages    map[string]*pageConn // by socket and id
	owners   map[string]*pageConn // of the newest tree's elements, by the beginning of their refs
	readings int64
	Parts    []screen.TextPart // of texts; the elements of pages have their places
}

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
// the tree is not whole; the error is that of a phone that is lost.
func (w *Reader) Read(ctx context.Context, windows []*screen.Node) error {
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
	ctx, done := drivers.Bound(ctx, w.Phone.Life)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, webViewLimit,
		fmt.Errorf("it did not answer within %v, and its scripts may be busy", webViewLimit))
	defer cancel()
	sockets, err := w.webViewSockets(ctx)
	if err != nil {
		return err
	}
	w.forget(sockets)
	w.owners = map[string]*pageConn{}
	for _, n := range list {
		if err := w.readWebView(ctx, n, sockets); err != nil {
			if errors.Is(err, drivers.ErrDeviceLost) {
				return err
			}
			n.Children = append(n.Children, &screen.Node{Type: screen.CutNote, Hidden: true,
				Desc: "the page in the app's WebView cannot be read through Chrome DevTools: " +
					phrase.LimitBytes(adb.FirstLine(err.Error()), 200)})
		}
	}
	return nil
}

func isWebView(n *screen.Node) bool {
	return strings.HasSuffix(n.Type, ".WebView") || n.Type == "WebView"
}

// webViewSocket is a line of /proc/net/unix of one that listens.
var webViewSocket = lazyregexp.New(`(?m)^\S+ \S+ \S+ 00010000 .* @(webview_devtools_remote_\d+)\s*$`)

// webViewSockets lists the sockets of the WebViews that let themselves be debugged, one for each process.
func (w *Reader) webViewSockets(ctx context.Context) ([]string, error) {
	o, err := w.Phone.Run(ctx, adb.Command{Name: "cat /proc/net/unix", Line: "cat /proc/net/unix", ReadOnly: true})
	if err != nil {
		return nil, err
	}
	var list []string
	for _, m := range webViewSocket.FindAllStringSubmatch(string(o.Out), -1) {
		list = append(list, m[1])
	}
	return list, nil
}

// forget drops what belongs to processes that ended.
func (w *Reader) forget(sockets []string) {
	there := map[string]bool{}
	for _, s := range sockets {
		there[s] = true
	}
	for s := range w.packages {
		if !there[s] {
			delete(w.packages, s)
		}
	}
	for key, page := range w.pages {
		if s, _, _ := strings.Cut(key, "/"); !there[s] {
			page.close()
			delete(w.pages, key)
		}
	}
}

// readWebView puts the page that a view shows in the place of what Android reports of it. A view that no socket reports
// is left as it is.
func (w *Reader) readWebView(ctx context.Context, n *screen.Node, sockets []string) error {
	for _, socket := range sockets {
		owner, err := w.webViewOwner(ctx, socket)
		if err != nil {
			w.Phone.Log.Debug("a WebView's socket does not respond", "socket", socket, "error", err)
			continue
		}
		if owner != n.Package {
			continue
		}
		var targets []target
		if err := w.devtools(ctx, socket, "/json", &targets); err != nil {
			return err
		}
		t, at := shownIn(n.Bounds, targets)
		if t == nil {
			continue
		}
		return w.readTarget(ctx, n, socket, t, at)
	}
	return nil
}

// webViewOwner returns the package to which a socket's process belongs.
func (w *Reader) webViewOwner(ctx context.Context, socket string) (string, error) {
	if name, known := w.packages[socket]; known {
		return name, nil
	}
	var version struct {
		Package string `json:"Android-Package"`
		Browser string
	}
	if err := w.devtools(ctx, socket, "/json/version", &version); err != nil {
		return "", err
	}
	if w.packages == nil {
		w.packages = map[string]string{}
	}
	w.packages[socket] = version.Package
	return version.Package, nil
}

// shownIn returns the page that is shown in the place of an element of Android's, and the place of its whole view: of
// several that overlap it, the one that fits best.
func shownIn(bounds image.Rectangle, targets []target) (best *target, at image.Rectangle) {
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

func area(r image.Rectangle) float64 { return float64(r.Dx()) * float64(r.Dy()) }

// readTarget reads a page on the connection that it had before, or on a new one.
func (w *Reader) readTarget(ctx context.Context, n *screen.Node, socket string, t *target, at image.Rectangle) error {
	key := socket + "/" + t.ID
	kept := w.pages[key] != nil
	page, err := w.readPage(ctx, key, socket, t.ID)
	if err != nil && kept && ctx.Err() == nil { // it may have been closed meanwhile
		page, err = w.readPage(ctx, key, socket, t.ID)
	}
	if err != nil {
		return err
	}
	if page.Failed() || page.Top == nil {
		return nil // the error page, or nothing yet: Android reports as much
	}
	page.Place(at, n.Bounds)
	dom.Each(page.Top, func(e *screen.Node) { e.Package, e.InPage = n.Package, true })
	n.Children = []*screen.Node{page.Top}
	for _, note := range page.Notes {
		n.Children = append(n.Children, &screen.Node{Type: screen.CutNote, Desc: note, Hidden: true})
	}
	return nil
}

// readPage reads a page; a connection on which that fails is not used again.
func (w *Reader) readPage(ctx context.Context, key, socket, id string) (*dom.Page, error) {
	conn := w.pages[key]
	if conn == nil {
		var err error
		if conn, err = w.dialPage(ctx, socket, id); err != nil {
			return nil, err
		}
		if w.pages == nil {
			w.pages = map[string]*pageConn{}
		}
		w.pages[key] = conn
	}
	w.readings++
	gen := strconv.FormatInt(w.readings, 36)
	conn.ctx = ctx
	page, err := dom.Read(conn, dom.How{Gen: gen, Parts: w.Parts, Plain: error.Error})
	if err != nil {
		conn.close()
		delete(w.pages, key)
		return nil, err
	}
	w.owners[gen] = conn
	return page, nil
}

// Close ends the connections.
func (w *Reader) Close() {
	for _, page := range w.pages {
		page.close()
	}
	w.pages = nil
}

// touchPatience is how long a touch may take to the page in a WebView.
const touchPatience = time.Second

// Aim has the page block the next touch unless it hits its target, and returns a function that queries
// it afterwards.
func (w *Reader) Aim(ctx context.Context, n *screen.Node) (met func(context.Context) error, err error) {
	gen, _, _ := strings.Cut(n.Ref, "/")
	conn := w.owners[gen]
	if conn == nil {
		return nil, fmt.Errorf("%w: the page has been left", drivers.ErrMissed)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, devtoolsLimit, fmt.Errorf("it was silent for %v", devtoolsLimit))
	defer cancel()
	conn.ctx = ctx
	aimed, err := dom.Aim(conn, n.Ref)
	if err != nil {
		return nil, fmt.Errorf("%w: the page in the WebView changed: %s", drivers.ErrMissed,
			phrase.LimitBytes(adb.FirstLine(err.Error()), 120))
	}
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, devtoolsLimit)
		defer cancel()
		conn.ctx = ctx
		_, err := aimed.Met(conn, touchPatience)
		return err
	}, nil
}
