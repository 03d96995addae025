// Package webkit drives WebKitGTK by WebDriver and its Web Inspector, behind those interfaces of playwright-go that the
// other packages of the web driver use: a context is a MiniBrowser on a display of its own. What it has no method for,
// Taproot refuses before the page opens (dsl.BrowserTable).
package webkit

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"
)

// Programs are the paths of what a browser consists of.
type Programs struct {
	Driver  string // WebKitWebDriver
	Browser string // MiniBrowser
	Display string // Xvfb
	Version string
	// Playwright is the folder of Playwright's driver, of which the script that understands its selectors is used.
	Playwright string
	// Engine and Typing are the scripts that read the page and its fields.
	Engine, Typing string
}

// Browser is WebKitGTK. It starts with each of its contexts, and keeps nothing between them.
type Browser struct {
	playwright.Browser
	programs Programs
	script   string

	mu       sync.Mutex
	contexts map[*Context]bool
	gone     []func(playwright.Browser)
	closed   bool
}

//go:embed script/page.js
var pageScript string

// Launch prepares a browser. Nothing is started yet.
func Launch(p Programs) (*Browser, error) {
	injected, err := selectorScript(p.Playwright)
	if err != nil {
		return nil, err
	}
	script := strings.NewReplacer("/* INJECTED */", injected, "/* ENGINE */", p.Engine, "/* TYPING */", p.Typing).Replace(
		strings.TrimSpace(pageScript))
	return &Browser{programs: p, script: script, contexts: map[*Context]bool{}}, nil
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

// Version is that of WebKitGTK.
func (b *Browser) Version() string { return b.programs.Version }

// IsConnected reports whether contexts can be opened.
func (b *Browser) IsConnected() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.closed
}

// OnDisconnected calls f when the browser is closed.
func (b *Browser) OnDisconnected(f func(playwright.Browser)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = append(b.gone, f)
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

// NewContext starts a browser.
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
	for _, f := range handlers {
		f(b)
	}
	return errors.Join(errs...)
}
