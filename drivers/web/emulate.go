package web

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"net/url"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// maxSide caps a viewport.
const maxSide = 8192

// emulation is how a context pretends to be something else than a plain window.
type emulation struct {
	options playwright.BrowserNewContextOptions
	size    image.Point
	touch   bool
	mobile  bool // pages may be shown larger or smaller than they are
	offline bool // once the page is open
}

// emulate works out a context's options.
func (o *Opener) emulate(ctx context.Context, br brand, address string, opts drivers.PageOptions) (*emulation, error) {
	e := &emulation{size: image.Pt(o.info.Width, o.info.Height)}
	// CSS pixels are pixels of the screenshot.
	e.options.DeviceScaleFactor = playwright.Float(1)
	if opts.DeviceName != "" {
		list, err := o.launcher.descriptors(ctx)
		if err != nil {
			return nil, err
		}
		if err := e.pretend(list, opts.DeviceName); err != nil {
			return nil, err
		}
		if (e.touch || e.mobile) && !br.devtools {
			return nil, fmt.Errorf(
				"%w: the device %s has a touch screen, which %s does not imitate: use Chromium, or viewport "+
					"alone", drivers.ErrUnsupported,
				screen.Quote(opts.DeviceName), dsl.BrowserTitle(br.name))
		}
	}
	if opts.Viewport != (image.Point{}) {
		e.size = opts.Viewport
	}
	if e.size.X < 1 || e.size.Y < 1 || e.size.X > maxSide || e.size.Y > maxSide {
		return nil, fmt.Errorf("%w: a viewport of %dx%d cannot be shown", drivers.ErrPage, e.size.X, e.size.Y)
	}
	e.options.Viewport = &playwright.Size{Width: e.size.X, Height: e.size.Y}
	if opts.Locale != "" {
		e.options.Locale = &opts.Locale
	}
	if opts.Timezone != "" {
		e.options.TimezoneId = &opts.Timezone
	}
	schemes := map[string]*playwright.ColorScheme{
		"": nil, "light": playwright.ColorSchemeLight, "dark": playwright.ColorSchemeDark,
		"no-preference": playwright.ColorSchemeNoPreference,
	}
	scheme, ok := schemes[opts.ColorScheme]
	if !ok {
		return nil, fmt.Errorf("%w: there is no colour scheme %s: light, dark and no-preference there are", drivers.ErrPage,
			screen.Quote(opts.ColorScheme))
	}
	if !br.launchScheme {
		e.options.ColorScheme = scheme
	}
	e.asked(address, opts)
	if opts.Storage != "" {
		state, err := readState(opts.Storage)
		if err != nil {
			return nil, err
		}
		e.options.StorageState = optional(state)
	}
	return e, nil
}

// credentials are for the site of an address alone.
func credentials(address string, opts drivers.PageOptions) *playwright.HttpCredentials {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil // checkAddress has read it: it is the address of no server
	}
	origin := u.Scheme + "://" + u.Host
	return &playwright.HttpCredentials{Username: opts.Username, Password: opts.Password, Origin: &origin}
}

// asked adds what needs no check of ours.
func (e *emulation) asked(address string, opts drivers.PageOptions) {
	e.offline = opts.Offline
	e.options.Permissions = slices.Clone(opts.Permissions)
	if opts.Geolocation != nil {
		e.options.Geolocation = geolocation(*opts.Geolocation)
		if !slices.Contains(e.options.Permissions, "geolocation") {
			e.options.Permissions = append(e.options.Permissions, "geolocation")
		}
	}
	if opts.UserAgent != "" {
		e.options.UserAgent = &opts.UserAgent
	}
	if len(opts.Headers) > 0 {
		e.options.ExtraHttpHeaders = opts.Headers
	}
	if opts.Username != "" {
		e.options.HttpCredentials = credentials(address, opts)
	}
	if opts.AnyCert {
		e.options.IgnoreHttpsErrors = playwright.Bool(true)
	}
}

// pretend takes over a device of Playwright's list.
func (e *emulation) pretend(list map[string]*playwright.DeviceDescriptor, name string) error {
	found := list[name]
	for n, descriptor := range list {
		if found == nil && strings.EqualFold(n, name) {
			found = descriptor
		}
	}
	if found == nil || found.Viewport == nil {
		return fmt.Errorf("%w: there is no device %s to emulate; %s", drivers.ErrPage, screen.Quote(name), like(list, name))
	}
	e.size, e.touch = image.Pt(found.Viewport.Width, found.Viewport.Height), found.HasTouch
	e.mobile = found.IsMobile
	e.options.UserAgent, e.options.Screen = &found.UserAgent, found.Screen
	e.options.DeviceScaleFactor = &found.DeviceScaleFactor
	e.options.IsMobile, e.options.HasTouch = &found.IsMobile, &found.HasTouch
	return nil
}

// like names the devices that share most words with name.
func like(list map[string]*playwright.DeviceDescriptor, name string) string {
	words := strings.Fields(strings.ToLower(name))
	score := func(candidate string) (n int) {
		for _, w := range words {
			if slices.Contains(strings.Fields(strings.ToLower(candidate)), w) {
				n++
			}
		}
		return n
	}
	var names []string
	for n := range list {
		if score(n) > 0 && !strings.HasSuffix(n, " landscape") {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(score(b), score(a)), strings.Compare(a, b)) })
	if len(names) == 0 {
		return `for example "iPhone 15", "Pixel 7" or "iPad Mini"`
	}
	return "similar ones are " + strings.Join(names[:min(len(names), 5)], ", ")
}
