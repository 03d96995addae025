package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// brand is a browser by its maker: how it is started, and what it does by itself. What of Taproot's words it does not
// do is in dsl.BrowserTable.
type brand struct {
	name string
	// devtools: it speaks Chromium's own protocol, which has quick screenshots, closed shadow roots, what a page listens
	// to, the history, and touches.
	devtools bool
	// launchScheme: light or dark is a preference of the whole browser.
	launchScheme bool
	// scriptDrags: a drag by the mouse starts a drag of the system, which a browser without a window does not have.
	scriptDrags bool
	// oneMouse: its pages have one mouse between them, and take turns; see mouse.go.
	oneMouse bool
	// fillsByKeys: a text that is filled in arrives key by key, so that the end of one that took too long would go into
	// one that is made again.
	fillsByKeys bool

	maker   func(*playwright.Playwright) playwright.BrowserType
	program func(*Launcher, browserKind) (string, error)
	// options adds what it is started with; confine, what keeps it from connecting past the proxy.
	options func(*Launcher, browserKind, *playwright.BrowserTypeLaunchOptions)
	confine func(*playwright.BrowserTypeLaunchOptions)
}

// brands are the browsers that can be driven.
func brands() []brand {
	return []brand{
		{name: dsl.Chromium, devtools: true, program: chromiumProgram, options: chromiumOptions, confine: confineChromium,
			maker: func(pw *playwright.Playwright) playwright.BrowserType { return pw.Chromium }},
		{name: dsl.Firefox, launchScheme: true, scriptDrags: true, oneMouse: true, fillsByKeys: true, program: firefoxProgram,
			options: firefoxOptions, confine: confineFirefox,
			maker: func(pw *playwright.Playwright) playwright.BrowserType { return pw.Firefox }},
		{name: dsl.WebKit, program: webkitProgram, options: func(*Launcher, browserKind, *playwright.BrowserTypeLaunchOptions) {
		}, confine: func(*playwright.BrowserTypeLaunchOptions) {},
			maker: func(pw *playwright.Playwright) playwright.BrowserType { return pw.WebKit }},
	}
}

func brandOf(name string) (brand, error) {
	list := brands()
	if i := slices.IndexFunc(list, func(b brand) bool { return b.name == name }); i >= 0 {
		return list[i], nil
	}
	return brand{}, fmt.Errorf("%w: there is no browser %q", drivers.ErrUnsupported, name)
}

// kindOf is the kind of browser in which a page with these options is opened.
func (b brand) kindOf(opts drivers.PageOptions) browserKind {
	k := browserKind{name: b.name, headed: opts.Headed}
	k.whole = b.devtools && !k.headed && slices.ContainsFunc(opts.Permissions, refusedByShell)
	if b.launchScheme && opts.ColorScheme == "dark" {
		k.scheme = opts.ColorScheme
	}
	k.large = b.name == dsl.Firefox && !k.headed && (opts.Viewport.X > firefoxScreen.X ||
		opts.Viewport.Y > firefoxScreen.Y)
	return k
}

// UseBrowser has the device's pages opened in another browser, which is started if it does not run.
func (o *Opener) UseBrowser(ctx context.Context, name string) error {
	b, err := o.launcher.browserFor(ctx, drivers.PageOptions{Browser: name})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.browser = name
	o.info.Model, o.info.OSVersion = modelOf(name, b.Version()), b.Version()
	return nil
}

// PageBrowser names the browser of the page that is open, or of the next one.
func (o *Opener) PageBrowser() (name, version string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.slot.session != nil {
		return o.slot.session.browser.brand.name, o.slot.session.browser.Version()
	}
	return cmp.Or(o.browser, o.launcher.options().Browser, dsl.Chromium), o.info.OSVersion
}

// modelOf names a browser with the first number of its version.
func modelOf(name, version string) string {
	major, _, _ := strings.Cut(version, ".")
	return strings.TrimSpace(dsl.BrowserTitle(name) + " " + major)
}

// refuse reports the first of a page's options that the browser does not honour.
func (b brand) refuse(opts drivers.PageOptions) error {
	given := []struct {
		word string
		is   bool
	}{
		{"openBrowser.headless", opts.Headed}, {"openBrowser.viewport", opts.Viewport.X > 0},
		{"openBrowser.device", opts.DeviceName != ""},
		{"openBrowser.locale", opts.Locale != ""}, {"openBrowser.timezone", opts.Timezone != ""},
		{"openBrowser.colorScheme", opts.ColorScheme != ""},
		{"openBrowser.colorScheme=" + opts.ColorScheme, opts.ColorScheme != ""}, {"openBrowser.storage", opts.Storage != ""},
		{"openBrowser.connect", opts.Connect != ""}, {"openBrowser.geolocation", opts.Geolocation != nil},
		{"openBrowser.permissions", len(opts.Permissions) > 0}, {"openBrowser.offline", opts.Offline},
		{"openBrowser.userAgent", opts.UserAgent != ""},
		{"openBrowser.headers", len(opts.Headers) > 0}, {"openBrowser.ignoreHttpsErrors", opts.AnyCert},
		{"openBrowser.httpCredentials", opts.Username != ""},
	}
	for _, permission := range opts.Permissions {
		if why := dsl.Refusal(b.name, "openBrowser.permissions="+permission); why != "" {
			return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
		}
	}
	for _, g := range given {
		if why := dsl.Refusal(b.name, g.word); g.is && why != "" {
			return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
		}
	}
	return nil
}

// refuses is the error of an action that the browser of the session does not do; nil when it does.
func (s *session) refuses(word string) error {
	if why := dsl.Refusal(s.browser.brand.name, word); why != "" {
		return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
	}
	return nil
}

func chromiumProgram(l *Launcher, k browserKind) (string, error) {
	if k.headed || k.whole {
		return l.setup.Chromium, nil
	}
	return l.setup.Headless, nil
}

func chromiumOptions(l *Launcher, _ browserKind, o *playwright.BrowserTypeLaunchOptions) {
	o.ChromiumSandbox = playwright.Bool(l.setup.Sandbox) // false makes Playwright add --no-sandbox
	o.Args = toolchain.ChromiumArgs()
}

func confineChromium(o *playwright.BrowserTypeLaunchOptions) {
	o.Args = append(o.Args, "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp" /* before Chromium 120 */, "--dns-prefetch-disable",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
}

func webkitProgram(l *Launcher, _ browserKind) (string, error) {
	if path := toolchain.PlaywrightBrowser(l.host, dsl.WebKit); path != "" {
		return path, nil
	}
	return "", &drivers.Unavailable{What: "Playwright's webkit is not installed",
		Fix: "run `npx playwright@" + toolchain.DriverVersion + " install webkit`; another build of it cannot be driven"}
}
