package bidi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// emulation is what pages know of the system around them, and what sites keep in the browser.
type emulation struct {
	*link

	granted []string
	sites   map[string]bool // that have the permissions
	visited []string        // origins
}

// everywhere has a command apply to the windows that are open, and to those to come.
func everywhere(name string, value any) map[string]any {
	return map[string]any{name: value, "userContexts": []string{"default"}}
}

// overrides are the commands that set one part of what pages know of the system around them, with the names of their
// parameters; null takes it back.
func overrides() map[string]string {
	return map[string]string{"emulation.setLocaleOverride": "locale", "emulation.setTimezoneOverride": "timezone",
		"emulation.setUserAgentOverride": "userAgent", "emulation.setGeolocationOverride": "coordinates",
		"emulation.setNetworkConditions": "networkConditions"}
}

// override sets one part of what pages know of the system around them.
func (s *emulation) override(ctx context.Context, method string, value any) error {
	name := overrides()[method]
	return s.set(ctx, method, everywhere(name, value), call{method, everywhere(name, nil)})
}

// Emulate honours the options of a context.
func (s *emulation) Emulate(ctx context.Context, o playwright.BrowserNewContextOptions) error {
	var errs []error
	if o.Locale != nil {
		errs = append(errs, s.override(ctx, "emulation.setLocaleOverride", *o.Locale))
	}
	if o.TimezoneId != nil {
		errs = append(errs, s.override(ctx, "emulation.setTimezoneOverride", *o.TimezoneId))
	}
	if o.UserAgent != nil {
		errs = append(errs, s.override(ctx, "emulation.setUserAgentOverride", *o.UserAgent))
	}
	if o.Geolocation != nil {
		errs = append(errs, s.SetLocation(ctx, o.Geolocation))
	}
	if len(o.Permissions) > 0 {
		errs = append(errs, s.Grant(ctx, o.Permissions, ""))
	}
	return errors.Join(errs...)
}

// addHeaders has each request go out with headers in addition to its own.
func (s *emulation) addHeaders(ctx context.Context, headers map[string]string) error {
	const method = "network.setExtraHeaders"
	return s.set(ctx, method, everywhere("headers", webdriver.HeaderList(headers)),
		call{method, everywhere("headers", []any{})})
}

// SetOffline cuts the pages off from the network, or connects them again.
func (s *emulation) SetOffline(ctx context.Context, on bool) error {
	var conditions any
	if on {
		conditions = map[string]any{"type": "offline"}
	}
	return s.override(ctx, "emulation.setNetworkConditions", conditions)
}

// SetLocation has the pages be at a place.
func (s *emulation) SetLocation(ctx context.Context, at *playwright.Geolocation) error {
	place := map[string]any{"latitude": at.Latitude, "longitude": at.Longitude}
	if at.Accuracy != nil {
		place["accuracy"] = *at.Accuracy
	}
	return s.override(ctx, "emulation.setGeolocationOverride", place)
}

// Grant grants permissions to the site of a URL, and to those that pages visit from now on.
func (s *emulation) Grant(ctx context.Context, permissions []string, address string) error {
	s.mu.Lock()
	for _, name := range permissions {
		if !slices.Contains(s.granted, name) {
			s.granted = append(s.granted, name)
		}
	}
	clear(s.sites)
	s.mu.Unlock()
	return s.Visit(ctx, address)
}

// Visit grants the permissions to the site of a URL, before a page goes there.
func (s *emulation) Visit(ctx context.Context, address string) error {
	origin := classic.OriginOf(address)
	s.mu.Lock()
	granted := slices.Clone(s.granted)
	fresh := origin != "" && len(granted) > 0 && !s.sites[origin]
	if fresh {
		s.sites[origin] = true
	}
	s.mu.Unlock()
	if !fresh {
		return nil
	}
	for _, name := range granted {
		params := func(state string) map[string]any {
			return map[string]any{"descriptor": map[string]any{"name": name}, "state": state, "origin": origin}
		}
		if err := s.conn.Call(ctx, "permissions.setPermission", params("granted"), nil); err != nil {
			return fmt.Errorf("the permission %s: %w", name, s.explain(err))
		}
		s.mu.Lock()
		s.undo = append(s.undo, call{"permissions.setPermission", params("prompt")})
		s.mu.Unlock()
	}
	return nil
}

// meetLimit is how long the permissions of a site may take that a page goes to by itself.
const meetLimit = 30 * time.Second

// meet is called when a page or a frame goes to a URL.
func (s *emulation) meet(address string) {
	origin := classic.OriginOf(address)
	s.mu.Lock()
	if origin != "" && !slices.Contains(s.visited, origin) {
		s.visited = append(s.visited, origin)
	}
	grants := len(s.granted) > 0 && origin != "" && !s.sites[origin]
	s.mu.Unlock()
	if grants {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), meetLimit)
			defer cancel()
			if err := s.Visit(ctx, address); err != nil {
				s.fail(err)
			}
		}()
	}
}
