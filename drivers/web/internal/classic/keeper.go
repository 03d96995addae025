package classic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// Keeper is an Instance that reads and changes what sites keep in the browser.
type Keeper interface {
	// State returns the cookies of all sites, and the local storage of those that were visited. What is known to be
	// missing is an error, what may be missing a warning.
	State(ctx context.Context) (state *playwright.StorageState, warning string, err error)
	// AddCookies adds cookies of any site.
	AddCookies(ctx context.Context, list []playwright.OptionalCookie) error
	ClearCookies(ctx context.Context) error
	// FillStorage sets the local storage of sites.
	FillStorage(ctx context.Context, of []playwright.Origin) error
}

// SameSites are the words for what a cookie says of other sites, in saved states and of Web Inspector.
var SameSites = map[string]http.SameSite{"None": http.SameSiteNoneMode, "Lax": http.SameSiteLaxMode,
	"Strict": http.SameSiteStrictMode}

// CookieOf is a cookie of a saved state. Its domain or path is "" where the state does not name one.
func CookieOf(c playwright.OptionalCookie) (*http.Cookie, error) {
	made := &http.Cookie{Name: c.Name, Value: c.Value}
	if c.URL != nil {
		u, err := url.Parse(*c.URL)
		if err != nil {
			return nil, fmt.Errorf("%w: the cookie %s has no valid URL", drivers.ErrPage, c.Name)
		}
		made.Domain, made.Path, made.Secure = u.Hostname(), "/", u.Scheme == "https"
	}
	if c.Domain != nil {
		made.Domain = *c.Domain
	}
	if c.Path != nil {
		made.Path = *c.Path
	}
	made.HttpOnly = c.HttpOnly != nil && *c.HttpOnly
	made.Secure = made.Secure || c.Secure != nil && *c.Secure
	if c.Expires != nil && *c.Expires > 0 {
		made.Expires = time.UnixMilli(int64(*c.Expires * 1000))
	}
	if c.SameSite != nil {
		made.SameSite = SameSites[string(*c.SameSite)]
	}
	return made, nil
}

// OriginOf is the site of a URL; "" if it has none.
func OriginOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// keep calls f with the keeper of the session, alone, once all windows are known.
func (e *emulation) keep(f func(ctx context.Context, by Keeper) error) error {
	c := e.context
	by, is := c.opened.(Keeper)
	if !is {
		return c.refused(savedStates)
	}
	return c.do(nil, emulateLimit, func(ctx context.Context) error {
		if err := c.survey(ctx, true); err != nil {
			return err
		}
		return f(ctx, by)
	})
}

const savedStates = "saved states"

// fill sets what sites keep before the first page opens.
func (c *Context) fill(ctx context.Context, state *playwright.OptionalStorageState) error {
	if state == nil {
		return nil
	}
	by, is := c.opened.(Keeper)
	if !is {
		return c.refused(savedStates)
	}
	return errors.Join(by.AddCookies(ctx, state.Cookies), by.FillStorage(ctx, state.Origins))
}

// AddCookies adds cookies of any site.
func (e *emulation) AddCookies(list []playwright.OptionalCookie) error {
	return e.keep(func(ctx context.Context, by Keeper) error { return by.AddCookies(ctx, list) })
}

// StorageState returns the cookies, and the local storage of the sites that were visited.
func (e *emulation) StorageState(...string) (state *playwright.StorageState, err error) {
	err = e.keep(func(ctx context.Context, by Keeper) error {
		saved, warning, err := by.State(ctx)
		if state = saved; warning != "" {
			e.warnings.Add(warning)
		}
		return err
	})
	return state, err
}

// TakeWarnings returns what came up since the last call.
func (e *emulation) TakeWarnings() []string { return e.warnings.Take() }

// FillStorage sets the local storage of sites.
func (e *emulation) FillStorage(of []playwright.Origin) error {
	return e.keep(func(ctx context.Context, by Keeper) error { return by.FillStorage(ctx, of) })
}

// ClearCookies removes all cookies; where only those of a page can be removed, those of the pages that are open.
func (e *emulation) ClearCookies(...playwright.BrowserContextClearCookiesOptions) error {
	c := e.context
	if _, is := c.opened.(Keeper); is {
		return e.keep(func(ctx context.Context, by Keeper) error { return by.ClearCookies(ctx) })
	}
	for _, p := range e.context.openPages() {
		if err := c.do(p, callLimit, c.session.DeleteCookies); err != nil {
			return err
		}
	}
	return nil
}
