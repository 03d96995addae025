package bidi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// emulation is what pages know of the system around them, and what sites keep in it.
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
	if state := o.StorageState; state != nil {
		errs = append(errs, s.AddCookies(ctx, state.Cookies))
		for _, origin := range state.Origins {
			errs = append(errs, s.FillStorage(ctx, origin))
		}
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
	origin := originOf(address)
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
	origin := originOf(address)
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

// originOf is the site of a URL; "" if it has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// cookie is one as BiDi passes it.
type cookie struct {
	Name     string         `json:"name"`
	Value    map[string]any `json:"value"`
	Domain   string         `json:"domain"`
	Path     string         `json:"path,omitempty"`
	HTTPOnly bool           `json:"httpOnly"`
	Secure   bool           `json:"secure"`
	SameSite string         `json:"sameSite,omitempty"`
	Expiry   *int64         `json:"expiry,omitempty"`
}

// sameSites are the words of BiDi for those of Playwright.
func sameSites() map[string]*playwright.SameSiteAttribute {
	return map[string]*playwright.SameSiteAttribute{"strict": playwright.SameSiteAttributeStrict,
		"lax": playwright.SameSiteAttributeLax, "none": playwright.SameSiteAttributeNone}
}

// Cookies are those of all sites.
func (s *emulation) Cookies(ctx context.Context) (list []playwright.Cookie, err error) {
	var got struct{ Cookies []cookie }
	if err := s.conn.Call(ctx, "storage.getCookies", map[string]any{}, &got); err != nil {
		return nil, s.explain(err)
	}
	for _, c := range got.Cookies {
		value, _ := c.Value["value"].(string)
		made := playwright.Cookie{Name: c.Name, Value: value, Domain: c.Domain, Path: c.Path, Expires: -1,
			HttpOnly: c.HTTPOnly, Secure: c.Secure, SameSite: playwright.SameSiteAttributeLax}
		if c.Expiry != nil {
			made.Expires = float64(*c.Expiry)
		}
		// Chromium reports "none" of a cookie that says nothing, and takes no such cookie that is not secure
		if known := sameSites()[c.SameSite]; known != nil && (c.SameSite != "none" || c.Secure) {
			made.SameSite = known
		}
		list = append(list, made)
	}
	return list, nil
}

// AddCookies adds cookies of any site.
func (s *emulation) AddCookies(ctx context.Context, list []playwright.OptionalCookie) error {
	for _, c := range list {
		made := cookie{Name: c.Name, Value: map[string]any{"type": "string", "value": c.Value}}
		if c.URL != nil {
			u, err := url.Parse(*c.URL)
			if err != nil {
				return fmt.Errorf("%w: the cookie %s has no valid URL", drivers.ErrPage, c.Name)
			}
			made.Domain, made.Path, made.Secure = u.Hostname(), "/", u.Scheme == "https"
		}
		if c.Domain != nil {
			made.Domain = *c.Domain
		}
		if c.Path != nil {
			made.Path = *c.Path
		}
		made.HTTPOnly = c.HttpOnly != nil && *c.HttpOnly
		made.Secure = made.Secure || c.Secure != nil && *c.Secure
		if c.Expires != nil && *c.Expires > 0 {
			at := int64(*c.Expires)
			made.Expiry = &at
		}
		for word, is := range sameSites() {
			if c.SameSite != nil && *c.SameSite == *is {
				made.SameSite = word
			}
		}
		if err := s.conn.Call(ctx, "storage.setCookie", map[string]any{"cookie": made}, nil); err != nil {
			return fmt.Errorf("the cookie %s: %w", c.Name, s.explain(err))
		}
	}
	return nil
}

// ClearCookies removes all cookies.
func (s *emulation) ClearCookies(ctx context.Context) error {
	return s.explain(s.conn.Call(ctx, "storage.deleteCookies", map[string]any{}, nil))
}

const (
	fillScript = `text => { for (const {name, value} of JSON.parse(text)) localStorage.setItem(name, value); return '' }`
	readScript = `() => JSON.stringify(Object.keys(localStorage).map(name => ({name, value: localStorage.getItem(name)})))`
)

// FillStorage sets the local storage of a site.
func (s *emulation) FillStorage(ctx context.Context, of playwright.Origin) error {
	items, err := json.Marshal(of.LocalStorage)
	if err != nil {
		return err
	}
	_, err = s.onSite(ctx, of.Origin, fillScript, string(items))
	return err
}

// Storage returns the local storage of the sites that were visited.
func (s *emulation) Storage(ctx context.Context) (list []playwright.Origin, err error) {
	s.mu.Lock()
	visited := slices.Clone(s.visited)
	s.mu.Unlock()
	for _, origin := range visited {
		text, err := s.onSite(ctx, origin, readScript)
		if err != nil {
			return nil, err
		}
		var items []playwright.NameValue
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			return nil, fmt.Errorf("the storage of %s cannot be read: %w", origin, err)
		}
		if len(items) > 0 {
			list = append(list, playwright.Origin{Origin: origin, LocalStorage: items})
		}
	}
	return list, nil
}

// onSite calls a function on an empty page of a site, in a window of its own. Nothing is requested from the site.
func (s *emulation) onSite(ctx context.Context, origin, function string, args ...string) (text string, err error) {
	var made struct{ Context string }
	err = s.conn.Call(ctx, "browsingContext.create", map[string]any{"type": "tab", "background": true}, &made)
	if err != nil {
		return "", s.explain(err)
	}
	s.mu.Lock()
	s.hidden[made.Context] = true
	s.mu.Unlock()
	defer func() {
		closing := s.conn.Call(ctx, "browsingContext.close", map[string]any{"context": made.Context}, nil)
		err = errors.Join(err, s.explain(closing))
	}()
	remove, err := s.intercept(ctx, map[string]any{"phases": []string{"beforeRequestSent"},
		"contexts": []string{made.Context}})
	if err != nil {
		return "", err
	}
	err = s.conn.Call(ctx, "browsingContext.navigate", map[string]any{"context": made.Context, "url": origin + "/",
		"wait": "complete"}, nil)
	if err != nil {
		return "", fmt.Errorf("%w: the site %s cannot be opened: %w", drivers.ErrPage, origin, s.explain(err))
	}
	text, err = s.call(ctx, made.Context, function, args...)
	return text, errors.Join(err, s.explain(s.conn.Call(ctx, remove.method, remove.params, nil)))
}
