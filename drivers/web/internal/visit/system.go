package visit

import (
	"context"
	"fmt"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// System is what pages believe of the system around them.
type System struct {
	slot    *pages.Slot
	scripts *Scripts
}

// NewSystem returns the system of the pages of a slot.
func NewSystem(slot *pages.Slot, scripts *Scripts) *System {
	return &System{slot: slot, scripts: scripts}
}

// DarkMode makes pages believe that the system is dark, or light.
func (sy *System) DarkMode(ctx context.Context, on bool) error {
	s, _, err := sy.slot.Page()
	if err != nil {
		return err
	}
	if err := s.Refuses("setDarkMode"); err != nil {
		return err
	}
	scheme := playwright.ColorSchemeLight
	if on {
		scheme = playwright.ColorSchemeDark
	}
	return pages.Act(ctx, sy.slot, func(playwright.Page) error {
		for _, page := range s.Tabs.SetScheme(scheme) {
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
	s, _, err := sy.slot.Page()
	if err != nil {
		return false, err
	}
	return s.Router.Offline.Load(), nil
}

// Airplane cuts the pages off from the network, or connects them again.
func (sy *System) Airplane(ctx context.Context, on bool) error {
	s, _, err := sy.slot.Page()
	if err == nil {
		err = s.Refuses("setAirplaneMode")
	}
	if err != nil {
		return err
	}
	return pages.Act(ctx, sy.slot, func(playwright.Page) error { return s.Router.SetOffline(on) })
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
	s, _, err := sy.slot.Page()
	if err == nil {
		err = s.Refuses("setLocation")
	}
	if err != nil {
		return err
	}
	return pages.Act(ctx, sy.slot, func(playwright.Page) error {
		if err := s.Context.GrantPermissions([]string{"geolocation"}); err != nil { // in Firefox, to sites as they are met
			return err
		}
		return s.Context.SetGeolocation(pages.Geolocation(at))
	})
}
