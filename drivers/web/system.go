package web

import (
	"context"
	"fmt"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// System is what pages believe of the system around them.
type System struct {
	slot    *Slot
	scripts *Scripts
}

// DarkMode makes pages believe that the system is dark, or light.
func (sy *System) DarkMode(ctx context.Context, on bool) error {
	s, _, err := sy.slot.page()
	if err != nil {
		return err
	}
	if err := s.refuses("darkMode"); err != nil {
		return err
	}
	scheme := playwright.ColorSchemeLight
	if on {
		scheme = playwright.ColorSchemeDark
	}
	return act(ctx, sy.slot, func(playwright.Page) error {
		for _, page := range s.tabs.setScheme(scheme) {
			if err := page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}); err != nil {
				return err
			}
		}
		return nil
	})
}

// IsDark queries the foreground page.
func (sy *System) IsDark(ctx context.Context) (bool, error) {
	on, err := sy.scripts.Eval(ctx, "matchMedia('(prefers-color-scheme: dark)').matches", 0)
	return on == true, err
}

// IsAirplane reports whether the pages are cut off from the network.
func (sy *System) IsAirplane(context.Context) (bool, error) {
	s, _, err := sy.slot.page()
	if err != nil {
		return false, err
	}
	return s.router.offline.Load(), nil
}

// Airplane cuts the pages off from the network, or connects them again.
func (sy *System) Airplane(ctx context.Context, on bool) error {
	s, _, err := sy.slot.page()
	if err != nil {
		return err
	}
	return act(ctx, sy.slot, func(playwright.Page) error { return s.router.setOffline(on) })
}

// setOffline cuts the context off; what is fetched in the browser's place (webRoute modify) is cut off too.
func (ro *Router) setOffline(on bool) error {
	ro.offline.Store(on)
	return ro.context.SetOffline(on)
}

// Rotate is for phones.
func (sy *System) Rotate(context.Context, bool) error { return noSystem("be rotated") }

// Locale is chosen when a page is opened.
func (sy *System) Locale(context.Context, string, string) error {
	return noSystem("change its language")
}

// Notifications are for phones.
func (sy *System) Notifications(context.Context) error { return noSystem("show notifications") }

// Shell is for phones.
func (sy *System) Shell(context.Context, string) (string, int, error) {
	return "", 0, noSystem("run commands")
}

func noSystem(what string) error {
	return fmt.Errorf("%w: a browser page cannot %s", drivers.ErrUnsupported, what)
}

// SetLocation makes pages believe that they are there, and lets them ask without a prompt.
func (sy *System) SetLocation(ctx context.Context, at drivers.Coordinates) error {
	s, _, err := sy.slot.page()
	if err != nil {
		return err
	}
	return act(ctx, sy.slot, func(playwright.Page) error {
		if err := s.context.GrantPermissions([]string{"geolocation"}); err != nil { // in Firefox, to sites as they are met
			return err
		}
		return s.context.SetGeolocation(geolocation(at))
	})
}

func geolocation(at drivers.Coordinates) *playwright.Geolocation {
	g := &playwright.Geolocation{Latitude: at.Latitude, Longitude: at.Longitude}
	if at.Accuracy > 0 {
		g.Accuracy = playwright.Float(at.Accuracy)
	}
	return g
}
