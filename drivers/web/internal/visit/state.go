package visit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// maxState caps a file with a saved state.
const maxState = 32 << 20

// SaveState writes the cookies and local storage to a file.
func (sy *System) SaveState(ctx context.Context, path string) error {
	s, _, err := sy.slot.Page()
	if err == nil {
		err = s.Refuses("webStorage")
	}
	if err != nil {
		return err
	}
	state, err := pages.Read(ctx, sy.slot, func(playwright.Page) (*playwright.StorageState, error) {
		return s.Context.StorageState()
	})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("save the state of the browser: %w", err)
	}
	return writePrivately(path, append(text, '\n'))
}

// warner is a context that says what a saved state may lack.
type warner interface{ TakeWarnings() []string }

// TakeWarnings returns what came up since the last call.
func (sy *System) TakeWarnings() []string {
	s, _ := sy.slot.Opened()
	if s == nil {
		return nil
	}
	if c, is := s.Context.(warner); is {
		return c.TakeWarnings()
	}
	return nil
}

// writePrivately writes a file that only its owner can read: the cookies in it are as good as a password.
func writePrivately(path string, text []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return fmt.Errorf("save the state of the browser: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("save the state of the browser: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("save the state of the browser: %w", err)
	}
	return nil
}

// readState reads what SaveState, or Playwright itself, wrote.
func readState(path string) (*playwright.StorageState, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no saved state %s: save one first", drivers.ErrPage, screen.Quote(path))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the saved state cannot be read: %w", drivers.ErrPage, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxState+1))
	if err != nil {
		return nil, fmt.Errorf("%w: the saved state cannot be read: %w", drivers.ErrPage, err)
	}
	if len(text) > maxState {
		return nil, fmt.Errorf("%w: %s is too large for a saved state", drivers.ErrPage, screen.Quote(path))
	}
	var parts map[string]json.RawMessage
	var state playwright.StorageState
	if json.Unmarshal(text, &parts) != nil || json.Unmarshal(text, &state) != nil || parts["cookies"] == nil {
		return nil, fmt.Errorf("%w: %s is not a saved state of a browser", drivers.ErrPage, screen.Quote(path))
	}
	return &state, nil
}

// optional is a state as a new context wants it.
func optional(state *playwright.StorageState) *playwright.OptionalStorageState {
	out := &playwright.OptionalStorageState{Cookies: []playwright.OptionalCookie{}, Origins: state.Origins}
	for _, c := range state.Cookies {
		out.Cookies = append(out.Cookies, c.ToOptionalCookie())
	}
	if out.Origins == nil {
		out.Origins = []playwright.Origin{}
	}
	return out
}

// storageFiller is a context that sets the local storage of sites by itself.
type storageFiller interface {
	FillStorage(of []playwright.Origin) error
}

// fillStorage sets the local storage of origins.
func fillStorage(s *pages.BrowserContext, origins []playwright.Origin) error {
	if c, is := s.Context.(storageFiller); is {
		return c.FillStorage(origins)
	}
	for _, origin := range origins {
		if err := fillOrigin(s, origin); err != nil {
			return err
		}
	}
	return nil
}

// fillOrigin sets the local storage of an origin, on an empty, invisible page of that origin.
func fillOrigin(s *pages.BrowserContext, origin playwright.Origin) error {
	page, err := s.Tabs.HiddenPage()
	if err != nil {
		return err
	}
	defer func() {
		_ = page.Close() // fails when it is gone
		if s.Filmed {
			_ = page.Video().Delete()
		}
	}()
	err = page.Route("**/*", func(request playwright.Route) {
		_ = request.Fulfill(playwright.RouteFulfillOptions{Status: playwright.Int(200),
			ContentType: playwright.String("text/html"),
			Body:        "<!doctype html>"})
	})
	if err != nil {
		return err
	}
	if _, err := page.Goto(origin.Origin); err != nil {
		return fmt.Errorf("%w: the saved state names the site %s, which is none: %s", drivers.ErrPage,
			screen.Quote(origin.Origin), browser.Plain(err))
	}
	items := make([]any, len(origin.LocalStorage))
	for i, item := range origin.LocalStorage {
		items[i] = []any{item.Name, item.Value}
	}
	_, err = page.Evaluate(`items => { for (const [name, value] of items) localStorage.setItem(name, value) }`, items)
	return err
}

// ClearState removes the cookies of the context, and what the current page's site keeps in the browser.
func (sy *System) ClearState(ctx context.Context) error {
	s, _, err := sy.slot.Page()
	if err == nil {
		err = s.Refuses("webStorage")
	}
	if err != nil {
		return err
	}
	return pages.Act(ctx, sy.slot, func(page playwright.Page) error {
		if err := s.Context.ClearCookies(); err != nil {
			return err
		}
		_, err := page.Evaluate(`async () => {
			if (!['http:', 'https:', 'file:'].includes(location.protocol)) return;
			localStorage.clear();
			sessionStorage.clear();
			for (const {name} of await indexedDB.databases?.() ?? []) indexedDB.deleteDatabase(name);
			for (const key of await globalThis.caches?.keys() ?? []) await caches.delete(key);
		}`)
		return err
	})
}
