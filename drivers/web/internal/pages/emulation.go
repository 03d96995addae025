package pages

import (
	"cmp"
	"fmt"
	"image"
	"net/url"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Emulation is how a context pretends to be something else than a plain window.
type Emulation struct {
	Options playwright.BrowserNewContextOptions
	Size    image.Point
	Touch   bool
	Mobile  bool // pages may be shown larger or smaller than they are
	offline bool // once the page is open
}

// credentials are for the site of an address alone.
func credentials(address string, opts drivers.PageOptions) *playwright.HttpCredentials {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil // CheckAddress has read it: it is the address of no server
	}
	origin := u.Scheme + "://" + u.Host
	return &playwright.HttpCredentials{Username: opts.Username, Password: opts.Password, Origin: &origin}
}

// Asked adds what needs no check of ours.
func (e *Emulation) Asked(address string, opts drivers.PageOptions) {
	e.offline = opts.Offline
	e.Options.Permissions = slices.Clone(opts.Permissions)
	if opts.Geolocation != nil {
		e.Options.Geolocation = Geolocation(*opts.Geolocation)
		if !slices.Contains(e.Options.Permissions, "geolocation") {
			e.Options.Permissions = append(e.Options.Permissions, "geolocation")
		}
	}
	if opts.UserAgent != "" {
		e.Options.UserAgent = &opts.UserAgent
	}
	if len(opts.Headers) > 0 {
		e.Options.ExtraHttpHeaders = opts.Headers
	}
	if opts.Username != "" {
		e.Options.HttpCredentials = credentials(address, opts)
	}
	if opts.AnyCert {
		e.Options.IgnoreHttpsErrors = playwright.Bool(true)
	}
}

// Pretend takes over a device of Playwright's list.
func (e *Emulation) Pretend(list map[string]*playwright.DeviceDescriptor, name string) error {
	found := list[name]
	for n, descriptor := range list {
		if found == nil && strings.EqualFold(n, name) {
			found = descriptor
		}
	}
	if found == nil || found.Viewport == nil {
		return fmt.Errorf("%w: there is no device %s to emulate; %s", drivers.ErrPage, screen.Quote(name), like(list, name))
	}
	e.Size, e.Touch = image.Pt(found.Viewport.Width, found.Viewport.Height), found.HasTouch
	e.Mobile = found.IsMobile
	e.Options.UserAgent, e.Options.Screen = &found.UserAgent, found.Screen
	e.Options.DeviceScaleFactor = &found.DeviceScaleFactor
	e.Options.IsMobile, e.Options.HasTouch = &found.IsMobile, &found.HasTouch
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

func Geolocation(at drivers.Coordinates) *playwright.Geolocation {
	g := &playwright.Geolocation{Latitude: at.Latitude, Longitude: at.Longitude}
	if at.Accuracy > 0 {
		g.Accuracy = playwright.Float(at.Accuracy)
	}
	return g
}
