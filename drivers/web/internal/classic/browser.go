// Package classic drives browsers by WebDriver Classic, behind those interfaces of playwright-go that the other
// packages of the web driver use. A Product opens their sessions, and adds what WebDriver does not have.
package classic

import (
	"context"
	_ "embed"
	"errors"
	"image"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// Product is a browser that speaks WebDriver. One that keeps something between its sessions is an io.Closer, too.
type Product interface {
	// Traits are what is particular about it.
	Traits() Traits
	// Open opens a session with at least one window.
	Open(ctx context.Context, o Opening) (Instance, error)
}

// Traits are what is particular about a product.
type Traits struct {
	Name    string // in messages
	Version string
	// Start is how long the opening of a session may take.
	Start time.Duration
	// Toolbar is how much higher than its page a window is, at first guess.
	Toolbar int
	// LeftButton: the mouse has no other one.
	LeftButton bool
	// Phone: pages are as large as the screen of a phone, and its server closes dialogs that commands come upon.
	Phone bool
	// Wired: its windows are Wires.
	Wired bool
	// Emulates: its instances may be Emulators.
	Emulates bool
	// Elsewhere: the browser may be on another machine, where localhost is not the localhost of this one.
	Elsewhere bool
	// MovesFocus: a frame that commands go to gets the focus.
	MovesFocus bool
	// Live: the time of its animations continues between two frames.
	Live bool
	// AnyCert: certificates need not be valid, whatever the options of a context say.
	AnyCert bool
	// Transport sends requests in place of the browser; nil: as this machine does.
	Transport *http.Transport
}

// Opening is what a session is opened for.
type Opening struct {
	Options playwright.BrowserNewContextOptions
	Size    image.Point // of pages
	// Capabilities are those that every session needs.
	Capabilities map[string]any
	// Crashed is to be called when the browser has ended by itself.
	Crashed func()
}

// Instance is a browser with an open session.
type Instance interface {
	Session() *webdriver.Session
	// Attach is called for each new window, before its page is reported; other commands wait meanwhile. The Window is nil
	// where WebDriver is all that there is.
	Attach(ctx context.Context, w Attachment) (Window, error)
	// Close ends the session and the browser.
	Close() error
}

// Uploader is an Instance with a browser on another machine.
type Uploader interface {
	// Upload sends files there, and returns their paths there.
	Upload(ctx context.Context, paths []string) ([]string, error)
}

// Recorder is an Instance that records what its windows show.
type Recorder interface {
	// Recording returns the path of the recording, "" if there is none. It is whole once the instance is closed.
	Recording() string
}

// GoneNoter is an Instance that explains why its session is gone.
type GoneNoter interface {
	// Gone is called with the error of the command that found it out.
	Gone(err error)
}

// Attachment is a window that was opened.
type Attachment struct {
	Page   *Page
	Number int // of the windows of its context, from 1
	// Name is the one under which scripts are kept in documents, Script what runs in each of them before the page's own.
	Name, Script string
	// Headers go out with each request in addition to its own. Stops: each one is stopped.
	Headers map[string]string
	Stops   bool
	// Life ends with the context.
	Life context.Context
}

// Window is a connection to a window next to that of WebDriver.
type Window interface {
	// Settle returns when all that the page has done until now is reported: messages of its console, and requests.
	Settle(ctx context.Context) error
	// Err is why the connection has ended, nil while it has not.
	Err() error
	// DeclaresClosedRoots reports whether declares finds closed shadow roots in the HTML of a document of the page. While
	// the page loads, documents are searched again.
	DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool
	Close()
}

// Follower is a Window that reports nothing before Follow is called: its page is known then.
type Follower interface{ Follow() }

// Scripts are those that are installed in pages.
type Scripts struct {
	// Playwright is the folder of Playwright's driver, of which the script that understands its selectors is used.
	Playwright string
	// Engine and Typing read the page and its fields.
	Engine, Typing string
}

// Browser is a product. Its sessions are its contexts.
type Browser struct {
	playwright.Browser
	product Product
	traits  Traits
	script  string

	mu       sync.Mutex
	contexts map[*Context]bool
	gone     []func(playwright.Browser)
	closed   bool
}

//go:embed script/page.js
var pageScript string

// Launch prepares a browser. Nothing is started yet.
func Launch(product Product, scripts Scripts) (*Browser, error) {
	injected, err := selectorScript(scripts.Playwright)
	if err != nil {
		return nil, err
	}
	script := strings.NewReplacer("/* INJECTED */", injected, "/* ENGINE */", scripts.Engine,
		"/* TYPING */", scripts.Typing).Replace(strings.TrimSpace(pageScript))
	return &Browser{product: product, traits: product.Traits(), script: script, contexts: map[*Context]bool{}}, nil
}

// selectorScript returns the script of Playwright that is run in pages.
func selectorScript(driver string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(driver, "package", "lib", "generated", "injectedScriptSource.js"))
	if err != nil {
		return "", err
	}
	const start, end = "const source = '", "';\n"
	_, rest, found := strings.Cut(string(raw), start)
	literal, _, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", errors.New("the script of Playwright has another form than expected")
	}
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(literal), nil
}

// Version is that of the product.
func (b *Browser) Version() string { return b.product.Traits().Version }

// IsConnected reports whether contexts can be opened.
func (b *Browser) IsConnected() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.closed
}

// OnDisconnected calls f when the browser is closed.
func (b *Browser) OnDisconnected(f func(playwright.Browser)) {
	register(&b.mu, &b.gone, f)
}

// Contexts lists those that are open.
func (b *Browser) Contexts() (list []playwright.BrowserContext) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.contexts {
		list = append(list, c)
	}
	return list
}

// NewContext opens a session.
func (b *Browser) NewContext(options ...playwright.BrowserNewContextOptions) (playwright.BrowserContext, error) {
	var o playwright.BrowserNewContextOptions
	if len(options) > 0 {
		o = options[0]
	}
	if !b.IsConnected() {
		return nil, targetClosed("the browser has been closed")
	}
	c, err := open(b, o)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	closed := b.closed
	b.contexts[c] = true
	b.mu.Unlock()
	if closed {
		_ = c.Close()
		return nil, targetClosed("the browser has been closed")
	}
	return c, nil
}

func (b *Browser) forget(c *Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.contexts, c)
}

// Close ends all contexts.
func (b *Browser) Close(...playwright.BrowserCloseOptions) error {
	b.mu.Lock()
	b.closed = true
	handlers := b.gone
	b.gone = nil
	b.mu.Unlock()
	var errs []error
	for _, c := range b.Contexts() {
		errs = append(errs, c.Close())
	}
	if product, ok := b.product.(io.Closer); ok {
		errs = append(errs, product.Close())
	}
	for _, f := range handlers {
		f(b)
	}
	return errors.Join(errs...)
}
