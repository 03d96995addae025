package web

import (
	"context"
	"slices"

	"github.com/playwright-community/playwright-go"
)

// Listen runs a script in the pages of the current context and receives what it reports.
func (sc *Scripts) Listen(ctx context.Context, name, script string, heard func(tab int, text string)) error {
	s, _, err := sc.slot.page()
	if err != nil {
		return err
	}
	binding := func(source *playwright.BindingSource, args ...any) any {
		tab := slices.Index(s.tabs.all(), source.Page)
		if len(args) == 1 && tab >= 0 {
			if text, ok := args[0].(string); ok {
				heard(tab, text)
			}
		}
		return nil
	}
	done := start(sc.slot, func() (struct{}, error) { return struct{}{}, hearFrom(s, name, script, binding) })
	select {
	case r := <-done:
		return s.explain(r.err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hearFrom starts with the pages that are open. In a browser of the user's own, other tabs than ours are left alone:
// there each page is listened to by itself.
func hearFrom(s *session, name, script string, binding playwright.BindingCallFunction) error {
	pages := s.tabs.all()
	if !s.browser.attached {
		if err := s.context.ExposeBinding(name, binding); err != nil {
			return err
		}
		if err := s.context.AddInitScript(playwright.Script{Content: playwright.String(script)}); err != nil {
			return err
		}
		for _, page := range pages {
			runIn(page, script)
		}
		return nil
	}
	each := func(page playwright.Page) error {
		if err := page.ExposeBinding(name, binding); err != nil {
			return err
		}
		if err := page.AddInitScript(playwright.Script{Content: playwright.String(script)}); err != nil {
			return err
		}
		runIn(page, script)
		return nil
	}
	s.context.OnPage(func(page playwright.Page) {
		_ = s.tasks.Go(func() {
			if opener, err := page.Opener(); err == nil && opener != nil && s.tabs.ours(opener) {
				_ = each(page) // one that has gone meanwhile reports nothing
			}
		})
	})
	for _, page := range pages {
		if err := each(page); err != nil {
			return err
		}
	}
	return nil
}

// runIn runs a script in the documents that are there already; in those to come it runs by itself.
func runIn(page playwright.Page, script string) {
	for _, frame := range framesUnder(page.MainFrame()) {
		_, _ = frame.Evaluate(script) // one that has gone meanwhile reports nothing
	}
}
