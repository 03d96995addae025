package classic

import (
	"context"
	"errors"

	"github.com/playwright-community/playwright-go"
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
