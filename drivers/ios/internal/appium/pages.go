package appium

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// The driver lists the pages that let themselves be inspected as contexts, each with the app and the process that it is
// of. In such a context, it runs scripts in the page's own world, and sends touches to the phone: none is sent there.
// When it is in a page, and another one of the app opens, it chooses that by itself: each answer names its document.

const (
	// pagesLimit is for the pages of one screen: the server connects to each that it has not connected to before.
	pagesLimit = 40 * time.Second
	// scriptLimit is how long a script in a page may take. The driver ends sooner, unless the user's capabilities say
	// something else.
	scriptLimit = 15 * time.Second
	// scriptWait is how long the driver waits for a script, in milliseconds.
	scriptWait = 5000
	// askLimit is how long a page may take to say what it is asked about a touch.
	askLimit = 12 * time.Second
	// touchLimit is how long a touch may take to the page.
	touchLimit = 3 * time.Second
	// mostContexts is how many contexts a list has at most.
	mostContexts = 500
)

// pageCapabilities are those of a session that reaches the pages of all apps, and does not wait long for any.
func pageCapabilities() map[string]any {
	return map[string]any{"appium:additionalWebviewBundleIds": []string{"*"}, "appium:webviewConnectRetries": 2,
		"appium:webviewAtomWaitTimeout": scriptWait}
}

// contexts are the pages in the WebViews of apps, as the contexts of a server. It is used by one caller at a time, but
// its pages may be asked at the same time.
type contexts struct {
	*native.Session

	pages  *native.Pages // nil: commands go to the phone
	app    string        // of which pages were listed last
	doubt  error         // the answer to the first list was lost
	listed bool          // a list has come

	asking sync.Mutex // the choice of a page, and the script in it
}

var (
	_ webview.Source    = (*contexts)(nil)
	_ webview.Inspector = (*contexts)(nil)
	_ webview.Session   = (*contextPage)(nil)
)

// Traits are those of a server.
func (c *contexts) Traits() webview.Traits {
	return webview.Traits{Read: pagesLimit, Probe: pagesLimit, Ask: askLimit, Touch: touchLimit, Far: true,
		Warn: c.WarnOnce}
}

// Use calls do while commands can go to pages.
func (c *contexts) Use(ctx context.Context, do func(context.Context) error) error {
	return c.InPages(ctx, func(ctx context.Context, pages *native.Pages) error {
		c.pages = pages
		defer func() { c.pages = nil }()
		return do(ctx)
	})
}

// Inspect returns the contexts themselves: the server connects.
func (c *contexts) Inspect(context.Context) (webview.Inspector, error) { return c, nil }

// contextInfo is an entry of "mobile: getContexts".
type contextInfo struct {
	ID     string `json:"id"` // "WEBVIEW_" and the process, a dot, and the number of the page in it
	Title  string `json:"title"`
	URL    string `json:"url"`
	Bundle string `json:"bundleId"`
}

// The processes of pages that are not the app's own.
const (
	webContent        = "com.apple.WebKit.WebContent"
	webContentProcess = "process-com.apple.WebKit.WebContent"
)

// Pages lists the pages of an app. Once a server has failed to connect to the Web Inspector, its lists are empty: the
// session is not asked again.
func (c *contexts) Pages(ctx context.Context, of inspector.App) ([]inspector.Page, error) {
	if c.Lease.NoPages != nil {
		return nil, c.Lease.NoPages
	}
	c.app = of.Bundle
	var list []contextInfo
	err := c.pages.Call(ctx, "mobile: getContexts", func(ctx context.Context, w *webdriver.Session) error {
		return w.Mobile(ctx, "getContexts", map[string]any{"waitForWebviewMs": 0}, &list, native.SlowLimit)
	})
	var said *webdriver.Error
	switch {
	case err == nil:
	case errors.Is(err, drivers.ErrDeviceLost), webdriver.Is(err, webdriver.InvalidSession):
		return nil, err
	case errors.As(err, &said) && !c.listed:
		c.Lease.NoPages = fmt.Errorf("%w: the remote %s does not reach the Web Inspector of the phone, for which it needs "+
			"usbmuxd or RemoteXPC: %s", drivers.ErrUnsupported, c.Remote, said)
		return nil, c.Lease.NoPages
	case !c.listed:
		c.doubt = err
		return nil, err
	default:
		return nil, err
	}
	if len(list) > mostContexts {
		return nil, fmt.Errorf("the server lists %d contexts", len(list))
	}
	pages := pagesOf(list, of)
	if len(list) <= 1 && c.doubt != nil { // it may have failed to connect, which it says once
		return nil, fmt.Errorf("whether the server reaches the Web Inspector is unknown: %w", c.doubt)
	}
	c.listed, c.doubt = true, nil
	return pages, nil
}

// pagesOf are the pages of an app: those of its process, or else of its id, or else those of which the app is not
// known.
func pagesOf(list []contextInfo, of inspector.App) []inspector.Page {
	ways := []func(contextInfo, int) bool{
		func(_ contextInfo, pid int) bool { return pid == of.PID },
		func(i contextInfo, _ int) bool { return i.Bundle == of.Bundle },
		func(i contextInfo, _ int) bool { return i.Bundle == webContent || i.Bundle == webContentProcess },
	}
	for _, own := range ways {
		var pages []inspector.Page
		for _, one := range list {
			process, number, ok := strings.Cut(strings.TrimPrefix(one.ID, "WEBVIEW_"), ".")
			pid, noPID := strconv.Atoi(process)
			id, noID := strconv.Atoi(number)
			if ok && noPID == nil && noID == nil && pid > 0 && own(one, pid) {
				pages = append(pages, inspector.Page{App: "PID:" + process, ID: id, URL: one.URL, Title: one.Title})
			}
		}
		if len(pages) > 0 {
			slices.SortFunc(pages, func(a, b inspector.Page) int { return b.ID - a.ID })
			return pages
		}
	}
	return nil
}

// Open returns a page. It is entered when it is asked something.
func (c *contexts) Open(_ context.Context, p inspector.Page) (webview.Session, error) {
	name := fmt.Sprintf("WEBVIEW_%s.%d", strings.TrimPrefix(p.App, "PID:"), p.ID)
	return &contextPage{contexts: c, at: native.Place{App: c.app, Context: name}}, nil
}

// Expect does nothing: nothing is remembered.
func (c *contexts) Expect() {}

// Err is nil: there is no connection but that of the session.
func (c *contexts) Err() error { return nil }

// Close does nothing: the server keeps its connection.
func (c *contexts) Close() error { return nil }

// contextPage is a page in a context of the server. It has the objects of scripts in a store, which belongs to one
// document and is lost with it.
type contextPage struct {
	contexts *contexts
	at       native.Place

	mu     sync.Mutex
	doc    string   // the store of the document that was asked first since the list
	frames []string // places of frames, by their contexts, less one
}

// storeName is the name of the stores of this process, which no page can know before.
var storeName = sync.OnceValue(func() string { return "taproot" + rand.Text() })

// pageScript frames what is done with a store in a page: JSON is its answer.
const pageScript = `const name = %s, reply = what => JSON.stringify(what);
if (!window[name]) Object.defineProperty(window, name, {value: {id: Array.from(crypto.getRandomValues(` +
	`new Uint32Array(4))).join('-'), list: []}, configurable: true});
const store = window[name], doc = store.id;
try {
	let frame = window;
	for (const i of %s) { frame = frame[i]; frame.document.defaultView; }
	%s
} catch (e) {
	return reply({doc, error: String(e && e.message || e)});
}`

// pageAnswer is what it returns.
type pageAnswer struct {
	Doc   string
	Value json.RawMessage
	Stale bool   // the object is that of another document
	Error string // what a script has thrown
}

// run runs a part of pageScript in a frame.
func (p *contextPage) run(ctx context.Context, in int, part string) (pageAnswer, error) {
	way, err := p.way(in)
	if err != nil {
		return pageAnswer{}, err
	}
	c := p.contexts
	if c.pages == nil {
		return pageAnswer{}, inspector.ErrGone
	}
	var text *string
	c.asking.Lock()
	err = c.pages.Enter(ctx, p.at)
	if err == nil {
		err = c.pages.Execute(ctx, p.at, fmt.Sprintf(pageScript, quoted(storeName()), way, part), &text, scriptLimit)
	}
	c.asking.Unlock()
	switch {
	case webdriver.Is(err, webdriver.AlertOpen):
		return pageAnswer{}, fmt.Errorf("a dialog is over it, for which its scripts wait: %w", err)
	case webdriver.Is(err, "timeout", webdriver.ScriptTimeout):
		return pageAnswer{}, fmt.Errorf("%w: %w", webview.ErrSilent, err)
	case err != nil:
		return pageAnswer{}, err
	}
	var a pageAnswer
	if text == nil || json.Unmarshal([]byte(*text), &a) != nil || a.Doc == "" {
		return pageAnswer{}, errors.New("the answer of the page is not that of the script")
	}
	return a, nil
}

// way is the place of a frame as JSON.
func (p *contextPage) way(in int) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if in == 0 {
		return "[]", nil
	}
	if in < 0 || in > len(p.frames) {
		return "", errors.New("there is no such frame")
	}
	return "[" + strings.ReplaceAll(strings.Trim(p.frames[in-1], "/"), "/", ",") + "]", nil
}

// Frame returns the context of the frame at a place.
func (p *contextPage) Frame(way string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.frames, way); i >= 0 {
		return i + 1
	}
	p.frames = append(p.frames, way)
	return len(p.frames)
}

// same makes an answer of another document than the one that was asked first an ErrLeft.
func (p *contextPage) same(a pageAnswer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.Doc != p.doc {
		return inspector.ErrLeft
	}
	return nil
}

func quoted(text string) string {
	data, _ := json.Marshal(text) // which never fails
	return string(data)
}

// made is an expression in a frame: that of the page's own document needs no permission of the page to be compiled.
func made(in int, expression string) string {
	if in == 0 {
		return "(" + expression + ")"
	}
	return "frame.Function('return (' + " + quoted(expression) + " + ')')()"
}

// thrown is the error of a script.
func thrown(in int, message string) error {
	if in != 0 {
		return fmt.Errorf("%w by the server, as in one of another site: %s", dom.ErrForeign, phrase.LimitBytes(message, 80))
	}
	return &inspector.Thrown{Text: message}
}

// Value runs an expression. From then on, only responses of the document that it ran in are taken.
func (p *contextPage) Value(ctx context.Context, expression string, in int) (json.RawMessage, error) {
	a, err := p.run(ctx, in, "return reply({doc, value: "+made(in, expression)+"});")
	switch {
	case err != nil:
		return nil, err
	case a.Error != "":
		return nil, thrown(in, a.Error)
	}
	p.mu.Lock()
	p.doc = a.Doc
	p.mu.Unlock()
	return a.Value, nil
}

// Handle puts an object into the store.
func (p *contextPage) Handle(ctx context.Context, expression string, in int) (string, error) {
	a, err := p.run(ctx, in, "const entry = {object: "+made(in, expression)+", document: frame.document}; "+
		"return reply({doc, value: store.list.push(entry) - 1});")
	if err == nil {
		err = p.same(a)
	}
	switch {
	case err != nil:
		return "", err
	case a.Error != "":
		return "", thrown(in, a.Error)
	}
	return fmt.Sprintf("%s %d %s", a.Doc, in, a.Value), nil
}

// CallOn calls a function with an object of the store.
func (p *contextPage) CallOn(ctx context.Context, handle, function string, args ...any) (json.RawMessage, error) {
	parts := strings.Fields(handle)
	if len(parts) != 3 {
		return nil, errors.New("there is no such object")
	}
	in, err := strconv.Atoi(parts[1])
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	a, err := p.run(ctx, in, "const entry = doc === "+quoted(parts[0])+" && store.list["+parts[2]+"]; "+
		"if (!entry || entry.document !== frame.document) return reply({doc, stale: true}); "+
		"return reply({doc, value: "+made(in, function)+".apply(entry.object, "+string(data)+")});")
	if err == nil {
		err = p.same(a)
	}
	switch {
	case err != nil:
		return nil, err
	case a.Stale:
		return nil, &inspector.Refusal{Method: "a script", Message: "its document is another one by now"}
	case a.Error != "":
		return nil, thrown(in, a.Error)
	}
	return a.Value, nil
}

// Call is not there: nothing of Web Inspector but scripts is.
func (p *contextPage) Call(context.Context, string, any, any) error { return drivers.ErrUnsupported }

// Target is always the same: documents are distinguished by their stores.
func (p *contextPage) Target() string { return p.at.Context }

// Contexts are none that are reported.
func (p *contextPage) Contexts() []inspector.Context { return nil }

// Err is nil.
func (p *contextPage) Err() error { return nil }

// Close does nothing: the page is left with the context.
func (p *contextPage) Close() {}

// pageHasFocus reports whether the focus is on an element of a page.
func pageHasFocus(tree *screen.Tree) bool {
	if tree == nil {
		return false
	}
	f := tree.Focused()
	return f != nil && f.InPage
}
