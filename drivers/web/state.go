package web

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
	"github.com/taproot-dev/taproot/drivers/screen"
)

// maxState caps a file with a saved state.
const maxState = 32 << 20

// pending is what was set before there was a page, for the next OpenPage.
type pending struct {
	routes []*route
	state  *playwright.StorageState
	answer drivers.WebAnswer // to dialogs
}

// SaveState writes the cookies and local storage to a file.
func (sy *System) SaveState(ctx context.Context, path string) error {
	s, _, err := sy.slot.page()
	if err != nil {
		return err
	}
	state, err := read(ctx, sy.slot, func(playwright.Page) (*playwright.StorageState, error) { return s.context.StorageState() })
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("save the state of the browser: %w", err)
	}
	return writePrivately(path, append(text, '\n'))
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

// LoadState adds the cookies and local storage of a file.
func (o *Opener) LoadState(ctx context.Context, path string) error {
	state, err := readState(path)
	if err != nil {
		return err
	}
	o.mu.Lock()
	s, closed := o.slot.opened()
	if s == nil && !closed {
		o.pending.state = state
	}
	o.mu.Unlock()
	switch {
	case closed:
		return o.slot.closedError()
	case s == nil:
		return nil
	}
	defer s.dialogs.refusing()()
	defer s.traffic.mark() // what is asked for here is nothing that the page asked for
	return act(ctx, o.slot, func(playwright.Page) error {
		if err := s.context.AddCookies(optional(state).Cookies); err != nil {
			return fmt.Errorf("%w: the cookies of the saved state are not valid: %s", drivers.ErrPage, plain(err))
		}
		for _, origin := range state.Origins {
			if err := fillStorage(s, origin); err != nil {
				return err
			}
		}
		return nil
	})
}

// fillStorage sets the local storage of an origin, on an empty, invisible page of that origin.
func fillStorage(s *session, origin playwright.Origin) error {
	page, err := s.tabs.hiddenPage()
	if err != nil {
		return err
	}
	defer func() {
		_ = page.Close() // fails when it is gone
		if s.filmed {
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
			screen.Quote(origin.Origin), plain(err))
	}
	items := make([]any, len(origin.LocalStorage))
	for i, item := range origin.LocalStorage {
		items[i] = []any{item.Name, item.Value}
	}
	_, err = page.Evaluate(`items => { for (const [name, value] of items) localStorage.setItem(name, value) }`, items)
	return err
}

// hiddenPage opens a page that does not become the current one.
func (t *Tabs) hiddenPage() (playwright.Page, error) {
	t.mu.Lock()
	t.hiding++
	t.mu.Unlock()
	page, err := t.context.NewPage()
	t.mu.Lock()
	t.hiding--
	met := t.met
	if t.hiding == 0 {
		t.met = nil
	}
	t.mu.Unlock()
	for _, p := range met {
		if p != page {
			t.follow(p) // one that a page opened meanwhile
		}
	}
	return page, err
}

// ClearState removes the cookies of the context, and what the current page's site keeps in the browser.
func (sy *System) ClearState(ctx context.Context) error {
	s, _, err := sy.slot.page()
	if err != nil {
		return err
	}
	return act(ctx, sy.slot, func(page playwright.Page) error {
		if err := s.context.ClearCookies(); err != nil {
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
