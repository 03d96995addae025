package web

import (
	"context"
	"fmt"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// DarkMode makes pages believe that the system is dark, or light.
func (d *Device) DarkMode(ctx context.Context, on bool) error {
	s, _, err := d.page()
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
	return act(ctx, d, func(playwright.Page) error {
		s.mu.Lock()
		s.scheme = scheme // for pages to come
		pages := append([]playwright.Page(nil), s.pages...)
		s.mu.Unlock()
		for _, page := range pages {
			if err := page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}); err != nil {
				return err
			}
		}
		return nil
	})
}

// IsDark queries the foreground page.
func (d *Device) IsDark(ctx context.Context) (bool, error) {
	on, err := d.Eval(ctx, "matchMedia('(prefers-color-scheme: dark)').matches", 0)
	return on == true, err
}

// IsAirplane reports whether the pages are cut off from the network.
func (d *Device) IsAirplane(context.Context) (bool, error) {
	s, _, err := d.page()
	if err != nil {
		return false, err
	}
	return s.offline.Load(), nil
}

// Airplane cuts the pages off from the network, or connects them again.
func (d *Device) Airplane(ctx context.Context, on bool) error {
	s, _, err := d.page()
	if err != nil {
		return err
	}
	return act(ctx, d, func(playwright.Page) error { return s.setOffline(on) })
}

// setOffline cuts the context off; what is fetched in the browser's place (webRoute modify) is cut off too.
func (s *session) setOffline(on bool) error {
	s.offline.Store(on)
	return s.context.SetOffline(on)
}

// Rotate is for phones.
func (d *Device) Rotate(context.Context, bool) error { return noSystem("be rotated") }

// Locale is chosen when a page is opened.
func (d *Device) Locale(context.Context, string, string) error {
	return noSystem("change its language")
}

// Notifications are for phones.
func (d *Device) Notifications(context.Context) error { return noSystem("show notifications") }

// Shell is for phones.
func (d *Device) Shell(context.Context, string) (string, int, error) {
	return "", 0, noSystem("run commands")
}

func noSystem(what string) error {
	return fmt.Errorf("%w: a browser page cannot %s", drivers.ErrUnsupported, what)
}

// SetLocation makes pages believe that they are there, and lets them ask without a prompt.
func (d *Device) SetLocation(ctx context.Context, at drivers.Coordinates) error {
	s, _, err := d.page()
	if err != nil {
		return err
	}
	return act(ctx, d, func(playwright.Page) error {
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
