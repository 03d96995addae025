package browser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// Brand is a browser by its maker: how it is started, and what it does by itself. What of Taproot's words it does not
// do is in dsl.BrowserTable.
type Brand struct {
	Name string
	// devtools: it speaks Chromium's own protocol, which has quick screenshots, closed shadow roots, what a page listens
	// to, the history, and touches.
	Devtools bool
	// LaunchScheme: light or dark is a preference of the whole browser.
	LaunchScheme bool
	// ScriptDrags: a drag by the mouse starts a drag of the system, which a browser without a window does not have.
	ScriptDrags bool
	// OneMouse: its pages have one mouse between them, and take turns; see mouse.go.
	OneMouse bool
	// FillsByKeys: a text that is filled in arrives key by key, so that the end of one that took too long would go into
	// one that is made again.
	FillsByKeys bool

	// Silent: it reports neither file dialogs, nor what pages pass to Taproot's functions, and is not
	// traced. Blind: it does not report requests either.
	Silent, Blind bool
	// Binds: its pages report what they copy, although it is Silent.
	Binds bool
	// Remote: it runs on a machine of others.
	Remote bool
	// Gone is why its session is gone, nil while it is not known to be; may be nil.
	Gone func() error

	// own starts a browser that Playwright does not drive; nil: Playwright starts it.
	own     func(l *Launcher) (playwright.Browser, error)
	maker   func(*playwright.Playwright) playwright.BrowserType
	program func(*Launcher, browserKind) (string, error)
	// options adds what it is started with; confine, what keeps it from connecting past the proxy.
	options func(*Launcher, browserKind, *playwright.BrowserTypeLaunchOptions)
	confine func(*playwright.BrowserTypeLaunchOptions)
}

// brands are the browsers that can be driven.
func brands() []Brand {
	return []Brand{
		{Name: dsl.Chromium, Devtools: true, program: chromiumProgram, options: chromiumOptions, confine: confineChromium,
			maker: func(pw *playwright.Playwright) playwright.BrowserType { return pw.Chromium }},
		{Name: dsl.Firefox, LaunchScheme: true, ScriptDrags: true, OneMouse: true, FillsByKeys: true, program: firefoxProgram,
			options: firefoxOptions, confine: confineFirefox,
			maker: func(pw *playwright.Playwright) playwright.BrowserType { return pw.Firefox }},
		{Name: dsl.WebKit, ScriptDrags: true, Silent: true, own: launchWebKit},
	}
}

func brandOf(name string) (Brand, error) {
	list := brands()
	if i := slices.IndexFunc(list, func(b Brand) bool { return b.Name == name }); i >= 0 {
		return list[i], nil
	}
	return Brand{}, fmt.Errorf("%w: there is no browser %q", drivers.ErrUnsupported, name)
}

// kindOf is the kind of browser in which a page with these options is opened.
func (b Brand) kindOf(opts drivers.PageOptions) browserKind {
	k := browserKind{name: b.Name, headed: opts.Headed}
	k.whole = b.Devtools && !k.headed && slices.ContainsFunc(opts.Permissions, refusedByShell)
	if b.LaunchScheme && opts.ColorScheme == "dark" {
		k.scheme = opts.ColorScheme
	}
	k.large = b.Name == dsl.Firefox && !k.headed && (opts.Viewport.X > FirefoxScreen.X ||
		opts.Viewport.Y > FirefoxScreen.Y)
	return k
}

// ModelOf names a browser with the first number of its version; of WebKitGTK, which is always 2, with two.
func ModelOf(name, version string) string {
	numbers := strings.Split(version, ".")
	shown := min(len(numbers), 1)
	if name == dsl.WebKit {
		shown = min(len(numbers), 2)
	}
	return strings.TrimSpace(dsl.BrowserTitle(name) + " " + strings.Join(numbers[:shown], "."))
}

// Refuse reports the first of a page's options that the browser does not honour.
func (b Brand) Refuse(opts drivers.PageOptions) error {
	given := []struct {
		word string
		is   bool
	}{
		{"openBrowser.headless=false", opts.Headed}, {"openBrowser.viewport", opts.Viewport.X > 0},
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
		if why := dsl.Refusal(b.Name, "openBrowser.permissions="+permission); why != "" {
			return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
		}
	}
	for _, g := range given {
		if why := dsl.Refusal(b.Name, g.word); g.is && why != "" {
			return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
		}
	}
	return nil
}

func chromiumProgram(l *Launcher, k browserKind) (string, error) {
	if k.headed || k.whole {
		return l.Setup.Windowed()
	}
	return l.Setup.Headless, nil
}

func chromiumOptions(l *Launcher, _ browserKind, o *playwright.BrowserTypeLaunchOptions) {
	o.ChromiumSandbox = playwright.Bool(l.Setup.Sandbox) // false makes Playwright add --no-sandbox
	o.Args = toolchain.ChromiumArgs()
}

func confineChromium(o *playwright.BrowserTypeLaunchOptions) {
	o.Args = append(o.Args, "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp" /* before Chromium 120 */, "--dns-prefetch-disable",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
}

// refusedByShell: of permissions, Chromium's headless shell grants only some; notifications stay denied.
func refusedByShell(permission string) bool {
	return !slices.Contains([]string{"geolocation", "clipboard-read", "clipboard-write"}, permission)
}
