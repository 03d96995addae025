package web

import (
	"context"
	"fmt"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// Visit returns the entry of the browser's history that the foreground page shows.
func (n *Navigator) Visit(ctx context.Context) (drivers.WebHistoryEntry, error) {
	return read(ctx, n.slot, func(page playwright.Page) (v drivers.WebHistoryEntry, err error) {
		s, _, err := n.slot.page()
		if err != nil {
			return v, err
		}
		if !s.browser.brand.devtools {
			return v, fmt.Errorf("the history of this browser: %w", drivers.ErrUnsupported)
		}
		cdp, err := s.context.NewCDPSession(page)
		if err != nil {
			return v, err
		}
		defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
		answer, err := cdp.Send("Page.getNavigationHistory", map[string]any{})
		if err != nil {
			return v, err
		}
		history, _ := answer.(map[string]any)
		entries, _ := history["entries"].([]any)
		current, _ := history["currentIndex"].(float64)
		if v.Index = int(current); v.Index < 0 || v.Index >= len(entries) {
			return v, fmt.Errorf("the history of this page: %w", drivers.ErrNotReady)
		}
		var all []drivers.WebHistoryEntry
		for i, e := range entries {
			all = append(all, visitOf(i, e))
		}
		v = all[v.Index]
		v.All = all
		return v, nil
	})
}

// visitOf reads an entry of the history.
func visitOf(index int, entry any) drivers.WebHistoryEntry {
	v := drivers.WebHistoryEntry{Index: index}
	said, _ := entry.(map[string]any)
	id, _ := said["id"].(float64)
	v.ID = int(id)
	v.URL, _ = said["userTypedURL"].(string)
	if address, _ := said["url"].(string); address != "" {
		v.URL = address
	}
	how, _ := said["transitionType"].(string)
	switch how {
	case "typed", "address_bar", "auto_bookmark", "keyword", "generated":
		v.Typed = true
	}
	return v
}
