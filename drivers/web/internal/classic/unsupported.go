package classic

import (
	"fmt"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// What the callers ask of a context only after Taproot has refused it is an error here.

func refused(name, what string) error {
	return fmt.Errorf("%w: %s has no %s", drivers.ErrUnsupported, name, what)
}

func (c *Context) refused(what string) error { return refused(c.browser.traits.Name, what) }

// unsupported is the error of the first option of a context that cannot be honoured.
func (b *Browser) unsupported(o playwright.BrowserNewContextOptions) error {
	is := func(p *bool) bool { return p != nil && *p }
	switch {
	case is(o.IsMobile), is(o.HasTouch):
		return refused(b.traits.Name, "touch screen")
	case o.RecordVideo != nil && !b.traits.Wired:
		return refused(b.traits.Name, "recordings")
	case o.Proxy != nil:
		return refused(b.traits.Name, "proxy of a page's own")
	case o.ColorScheme != nil && *o.ColorScheme == *playwright.ColorSchemeNoPreference:
		return refused(b.traits.Name, "pages without a colour scheme")
	}
	return nil
}

// needsEmulator is the error of the first option that only an Emulator honours.
func (b *Browser) needsEmulator(o playwright.BrowserNewContextOptions) error {
	switch {
	case o.Locale != nil && !b.traits.Wired:
		return refused(b.traits.Name, "language of a page's own")
	case o.Geolocation != nil:
		return refused(b.traits.Name, "location")
	case len(o.Permissions) > 0:
		return refused(b.traits.Name, "permissions")
	case o.Offline != nil && *o.Offline:
		return refused(b.traits.Name, "offline mode")
	case len(o.ExtraHttpHeaders) > 0 && !b.traits.Wired:
		return refused(b.traits.Name, "headers of the caller's")
	}
	return nil
}

// NewCDPSession is refused.
func (c *Context) NewCDPSession(any) (playwright.CDPSession, error) {
	return nil, c.refused("DevTools")
}

// Tracing is refused.
func (c *Context) Tracing() playwright.Tracing { return tracing{name: c.browser.traits.Name} }

type tracing struct {
	playwright.Tracing
	name string
}

func (t tracing) Start(...playwright.TracingStartOptions) error { return refused(t.name, "traces") }

func (t tracing) Stop(...string) error { return refused(t.name, "traces") }

// notForPages are the methods of a page for which WebDriver has no way.
type notForPages struct{ name string }

// ExposeBinding is refused.
func (n notForPages) ExposeBinding(string, playwright.BindingCallFunction, ...bool) error {
	return refused(n.name, "functions that pages can call")
}

// AddInitScript is for contexts.
func (n notForPages) AddInitScript(playwright.Script) error {
	return refused(n.name, "scripts of one page")
}

// Touchscreen is refused.
func (n notForPages) Touchscreen() playwright.Touchscreen { return touchscreen{name: n.name} }

type touchscreen struct {
	playwright.Touchscreen
	name string
}

func (t touchscreen) Tap(int, int) error { return refused(t.name, "touch screen") }
