package webkit

import (
	"fmt"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// What the callers ask of a context only after Taproot has refused it is an error here.

func refused(what string) error {
	return fmt.Errorf("%w: WebKit has no %s", drivers.ErrUnsupported, what)
}

// unsupported is the error of the first option of a context that cannot be honoured.
func unsupported(o playwright.BrowserNewContextOptions) error {
	is := func(p *bool) bool { return p != nil && *p }
	switch {
	case o.StorageState != nil:
		return refused("saved states")
	case o.Locale != nil:
		return refused("language of a page's own")
	case o.Geolocation != nil:
		return refused("location")
	case len(o.Permissions) > 0:
		return refused("permissions")
	case is(o.Offline):
		return refused("offline mode")
	case len(o.ExtraHttpHeaders) > 0:
		return refused("headers of the caller's")
	case is(o.IsMobile), is(o.HasTouch):
		return refused("touch screen")
	case o.RecordVideo != nil:
		return refused("recordings")
	case o.Proxy != nil:
		return refused("proxy of a page's own")
	case o.ColorScheme != nil && *o.ColorScheme == *playwright.ColorSchemeNoPreference:
		return refused("pages without a colour scheme")
	}
	return nil
}

// AddCookies is not for WebKit.
func (c *Context) AddCookies([]playwright.OptionalCookie) error { return refused("saved states") }

// StorageState is not for WebKit.
func (c *Context) StorageState(...string) (*playwright.StorageState, error) {
	return nil, refused("saved states")
}

// GrantPermissions is not for WebKit.
func (c *Context) GrantPermissions([]string, ...playwright.BrowserContextGrantPermissionsOptions) error {
	return refused("permissions")
}

// SetGeolocation is not for WebKit.
func (c *Context) SetGeolocation(*playwright.Geolocation) error { return refused("location") }

// SetOffline is not for WebKit.
func (c *Context) SetOffline(bool) error { return refused("offline mode") }

// Route is not for WebKit.
func (c *Context) Route(any, func(playwright.Route), ...int) error { return refused("routes") }

// ExposeBinding is not for WebKit.
func (c *Context) ExposeBinding(string, playwright.BindingCallFunction, ...bool) error {
	return refused("functions that pages can call")
}

// NewCDPSession is not for WebKit.
func (c *Context) NewCDPSession(any) (playwright.CDPSession, error) { return nil, refused("DevTools") }

// Tracing is not for WebKit.
func (c *Context) Tracing() playwright.Tracing { return tracing{} }

type tracing struct{ playwright.Tracing }

func (tracing) Start(...playwright.TracingStartOptions) error { return refused("traces") }

func (tracing) Stop(...string) error { return refused("traces") }

// notForPages are the methods of a page that WebKit has no way for.
type notForPages struct{}

// EmulateMedia is not for WebKit.
func (notForPages) EmulateMedia(...playwright.PageEmulateMediaOptions) error {
	return refused("change of its colours")
}

// Route is not for WebKit.
func (notForPages) Route(any, func(playwright.Route), ...int) error { return refused("routes") }

// ExposeBinding is not for WebKit.
func (notForPages) ExposeBinding(string, playwright.BindingCallFunction, ...bool) error {
	return refused("functions that pages can call")
}

// AddInitScript is for contexts.
func (notForPages) AddInitScript(playwright.Script) error { return refused("scripts of one page") }

// Video is not for WebKit.
func (notForPages) Video() playwright.Video { return video{} }

type video struct{ playwright.Video }

func (video) Path() (string, error) { return "", refused("recordings") }

func (video) Delete() error { return refused("recordings") }

// Touchscreen is not for WebKit.
func (notForPages) Touchscreen() playwright.Touchscreen { return touchscreen{} }

type touchscreen struct{ playwright.Touchscreen }

func (touchscreen) Tap(int, int) error { return refused("touch screen") }
