package webkit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

var _ classic.Keeper = (*instance)(nil)

// The kinds of what sites keep, as MiniBrowser names them.
const (
	cookiesKept = "Cookies"
	storageKept = "Local Storage"
)

const (
	fillScript = `for (const {name, value} of JSON.parse(arguments[0])) localStorage.setItem(name, value)`
	readScript = `return Object.keys(localStorage).map(name => ({name, value: localStorage.getItem(name)}))`
)

func unknown(format string, args ...any) error {
	return fmt.Errorf("%w: the state of the browser cannot be saved as a whole: %s", drivers.ErrUnsupported,
		fmt.Sprintf(format, args...))
}

// State returns the cookies of all sites, and the local storage of those that were visited. WebKit lists cookies by the
// URLs that they go with: all folders are asked for that were requested, or named by what has set a cookie. Then each
// site that MiniBrowser lists must be among them.
func (on *instance) State(ctx context.Context) (state *playwright.StorageState, warning string, err error) {
	for _, in := range on.open() {
		if err := in.Settle(ctx); err != nil && in.Err() == nil {
			return nil, "", err
		}
	}
	state = &playwright.StorageState{Cookies: []playwright.Cookie{}, Origins: []playwright.Origin{}}
	err = on.aside(ctx, func(w *aside) error {
		kept, err := w.kept(ctx)
		if err != nil {
			return err
		}
		cookies, err := w.cookies(ctx, kept)
		if err != nil {
			return err
		}
		origins, err := w.storage(ctx, kept)
		state.Cookies, state.Origins = append(state.Cookies, cookies...), append(state.Origins, origins...)
		warning = on.unsure(kept)
		return err
	})
	return state, warning, err
}

// unsure says of which sites cookies may be missing: those for folders that only an unreported response names.
func (on *instance) unsure(kept keeps) string {
	hosts := slices.DeleteFunc(on.visited.blind(), func(host string) bool { return !kept.has(cookiesKept, host) })
	if len(hosts) == 0 {
		return ""
	}
	return fmt.Sprintf("the saved state may lack cookies of %s for paths that no page of the test has requested: WebKit "+
		"does not report what cookies redirects, service workers and the first pages of new windows set",
		strings.Join(hosts, ", "))
}

// open are the windows that are open.
func (on *instance) open() []*inspected {
	on.mu.Lock()
	defer on.mu.Unlock()
	on.windows = slices.DeleteFunc(on.windows, func(in *inspected) bool { return in.life.Err() != nil })
	return slices.Clone(on.windows)
}

// cookies reads those of all sites.
func (w *aside) cookies(ctx context.Context, kept keeps) (list []playwright.Cookie, err error) {
	seen := map[string]bool{}
	for _, host := range w.on.visited.hosts() {
		if !kept.has(cookiesKept, host) {
			continue
		}
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if err := w.visit(ctx, "https://"+host+"/", ""); err != nil { // those for http alone go with it, too
			return nil, err
		}
		for _, folder := range w.on.visited.foldersOf(strings.Trim(host, "[]")) {
			if err := w.goTo(ctx, folder); err != nil {
				return nil, err
			}
			found, err := w.in.Cookies(ctx)
			if err != nil {
				return nil, inspectorError(err)
			}
			for _, c := range found {
				if key := fmt.Sprintf("%q", []string{c.Domain, c.Path, c.Name}); !seen[key] {
					seen[key] = true
					list = append(list, saved(c))
				}
			}
		}
	}
	for _, domain := range kept[cookiesKept] {
		if !slices.ContainsFunc(list, func(c playwright.Cookie) bool {
			return belongs(strings.TrimPrefix(c.Domain, "."), domain)
		}) {
			return nil, unknown("%s has cookies, and nothing that was requested shows which ones", domain)
		}
	}
	return list, nil
}

// saved is a cookie as saved states have it. WebKit reports "none" of one that says nothing, and Chromium takes no such
// cookie that is not secure: it keeps saying nothing.
func saved(c *http.Cookie) playwright.Cookie {
	made := playwright.Cookie{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: -1,
		HttpOnly: c.HttpOnly, Secure: c.Secure}
	if !c.Expires.IsZero() {
		made.Expires = float64(c.Expires.UnixMilli()) / 1000
	}
	switch c.SameSite {
	case http.SameSiteStrictMode:
		made.SameSite = playwright.SameSiteAttributeStrict
	case http.SameSiteLaxMode:
		made.SameSite = playwright.SameSiteAttributeLax
	case http.SameSiteNoneMode:
		if c.Secure {
			made.SameSite = playwright.SameSiteAttributeNone
		}
	}
	return made
}

// storage reads the local storage of the sites that were visited.
func (w *aside) storage(ctx context.Context, kept keeps) (list []playwright.Origin, err error) {
	var names []string
	for _, of := range w.on.visited.documents() {
		host, page := hostOf(of.origin), hostOf(of.page)
		if !kept.has(storageKept, host) && !kept.has(storageKept, page) {
			continue
		}
		items, err := w.itemsOf(ctx, of)
		switch {
		case err != nil:
			return nil, err
		case len(items) == 0:
		case of.origin != of.page:
			return nil, unknown("WebKit keeps the local storage of %s in frames of %s for itself, and a saved state has no "+
				"place for it", of.origin, of.page)
		default:
			list, names = append(list, playwright.Origin{Origin: of.origin, LocalStorage: items}), append(names, host)
		}
	}
	for _, domain := range kept[storageKept] {
		if strings.Contains(domain, " ") { // files of this machine, which saved states never have
			continue
		}
		if !slices.ContainsFunc(names, func(host string) bool { return belongs(host, domain) }) {
			return nil, unknown("%s has local storage, and no document of it was reported", domain)
		}
	}
	return list, nil
}

func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// itemsOf reads the local storage of a site, within a page.
func (w *aside) itemsOf(ctx context.Context, of within) (items []playwright.NameValue, err error) {
	framed := ""
	if of.origin != of.page {
		framed = of.origin + "/"
	}
	if err := w.visit(ctx, of.page+"/", framed); err != nil {
		return nil, err
	}
	return items, w.on.session.Execute(ctx, readScript, nil, &items, callLimit)
}

// AddCookies adds cookies of any site.
func (on *instance) AddCookies(ctx context.Context, list []playwright.OptionalCookie) error {
	windows := on.open()
	on.mu.Lock()
	if on.first != nil {
		windows = append(windows, on.first)
	}
	on.mu.Unlock()
	if len(windows) == 0 {
		return fmt.Errorf("%w: no window is open", drivers.ErrPage)
	}
	for _, c := range list {
		made, err := classic.CookieOf(c)
		if err != nil {
			return err
		}
		if made.Domain == "" || made.Path == "" {
			return fmt.Errorf("%w: the cookie %s has no domain or no path", drivers.ErrPage, c.Name)
		}
		if err := windows[0].SetCookie(ctx, made); err != nil {
			return err
		}
	}
	return nil
}

// ClearCookies removes all cookies, in the way of MiniBrowser.
func (on *instance) ClearCookies(ctx context.Context) error {
	return on.aside(ctx, func(w *aside) error {
		kept, err := w.kept(ctx)
		if err != nil || len(kept[cookiesKept]) == 0 {
			return err
		}
		mark := rand.Text()
		if err := on.session.Execute(ctx, clearKept, []any{cookiesKept, mark}, nil, callLimit); err != nil {
			return err
		}
		_, err = w.list(ctx, func(title string) bool { return title != mark })
		return err
	})
}

// FillStorage sets the local storage of sites.
func (on *instance) FillStorage(ctx context.Context, of []playwright.Origin) error {
	if len(of) == 0 {
		return nil
	}
	return on.aside(ctx, func(w *aside) error {
		for _, site := range of {
			if classic.OriginOf(site.Origin) == "" {
				return fmt.Errorf("%w: the saved state names the site %q, which is none", drivers.ErrPage, site.Origin)
			}
			items, err := json.Marshal(site.LocalStorage)
			if err != nil {
				return err
			}
			if err := w.visit(ctx, site.Origin+"/", ""); err != nil {
				return err
			}
			if err := on.session.Execute(ctx, fillScript, []any{string(items)}, nil, callLimit); err != nil {
				return fmt.Errorf("%w: the local storage of %s: %w", drivers.ErrPage, site.Origin, err)
			}
			on.visited.document(site.Origin, site.Origin)
		}
		return nil
	})
}
