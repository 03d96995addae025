package bidi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

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

// State returns the cookies of all sites, and the local storage of those that were visited.
func (s *emulation) State(ctx context.Context) (state *playwright.StorageState, warning string, err error) {
	state = &playwright.StorageState{Cookies: []playwright.Cookie{}, Origins: []playwright.Origin{}}
	cookies, err := s.cookies(ctx)
	if err != nil {
		return nil, "", err
	}
	origins, err := s.storage(ctx)
	state.Cookies, state.Origins = append(state.Cookies, cookies...), append(state.Origins, origins...)
	return state, "", err
}

// cookies are those of all sites.
func (s *emulation) cookies(ctx context.Context) (list []playwright.Cookie, err error) {
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
		of, err := classic.CookieOf(c)
		if err != nil {
			return err
		}
		made := cookie{Name: of.Name, Value: map[string]any{"type": "string", "value": of.Value}, Domain: of.Domain,
			Path: of.Path, HTTPOnly: of.HttpOnly, Secure: of.Secure}
		if !of.Expires.IsZero() {
			at := of.Expires.Unix()
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

// FillStorage sets the local storage of sites.
func (s *emulation) FillStorage(ctx context.Context, of []playwright.Origin) error {
	for _, site := range of {
		items, err := json.Marshal(site.LocalStorage)
		if err != nil {
			return err
		}
		if _, err = s.onSite(ctx, site.Origin, fillScript, string(items)); err != nil {
			return err
		}
	}
	return nil
}

// storage returns the local storage of the sites that were visited.
func (s *emulation) storage(ctx context.Context) (list []playwright.Origin, err error) {
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
