package visit

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/dsl"
)

// Listen runs a script in the pages of the current context and receives what it reports.
func (sc *Scripts) Listen(ctx context.Context, name, script string, heard func(tab int, text string)) error {
	s, _, err := sc.slot.Page()
	if err != nil {
		return err
	}
	if s.Browser.Brand.Silent {
		return fmt.Errorf("%w: %s does not report what is done on its pages: use Chromium", drivers.ErrUnsupported,
			dsl.BrowserTitle(s.Browser.Brand.Name))
	}
	binding := func(source *playwright.BindingSource, args ...any) any {
		tab := slices.Index(s.Tabs.All(), source.Page)
		if len(args) == 1 && tab >= 0 {
			if text, ok := args[0].(string); ok {
				heard(tab, text)
			}
		}
		return nil
	}
	done := pages.Start(sc.slot, func() (struct{}, error) { return struct{}{}, hearFrom(s, name, script, binding) })
	select {
	case r := <-done:
		return s.Explain(r.Err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hearFrom starts with the pages that are open. In a browser of the user's own, other tabs than ours are left alone:
// there each page is listened to by itself.
func hearFrom(s *pages.BrowserContext, name, script string, binding playwright.BindingCallFunction) error {
	pages := s.Tabs.All()
	if !s.Browser.Attached {
		if err := s.Context.ExposeBinding(name, binding); err != nil {
			return err
		}
		if err := s.Context.AddInitScript(playwright.Script{Content: playwright.String(script)}); err != nil {
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
	s.Context.OnPage(func(page playwright.Page) {
		_ = s.Tasks.Go(func() {
			if opener, err := page.Opener(); err == nil && opener != nil && s.Tabs.Ours(opener) {
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
	for _, frame := range browser.FramesUnder(page.MainFrame()) {
		_, _ = frame.Evaluate(script) // one that has gone meanwhile reports nothing
	}
}

// copies reports what the page copies: the browser's own clipboard is one for all tests that run at the same time.
//
//go:embed script/copies.js
var copies string

// copiedBinding is how script/copies.js calls; it takes the name away before a page can see it.
const copiedBinding = "__taprootCopied"

// maxCopied caps what a page copies.
const maxCopied = 1 << 20

// watchPages has dom.Watch run before the scripts of each page. The pages of a browser that was running before are left
// as they are.
func watchPages(s *pages.BrowserContext) error {
	if s.Browser.Attached {
		return nil
	}
	if !s.Browser.Brand.Devtools {
		if err := s.Context.AddInitScript(playwright.Script{Content: playwright.String(dom.OpenRoots())}); err != nil {
			return err
		}
	}
	return s.Context.AddInitScript(playwright.Script{Content: playwright.String(dom.Watch())})
}

// hearCopies notes what the pages of the context copy. The pages of a browser that was running before are left as they
// are.
func hearCopies(s *pages.BrowserContext) error {
	if s.Browser.Attached || s.Browser.Brand.Silent && !s.Browser.Brand.Binds {
		return nil
	}
	err := s.Context.ExposeBinding(copiedBinding, func(_ *playwright.BindingSource, args ...any) any {
		if text, ok := first(args).(string); ok && text != "" && len(text) <= maxCopied {
			s.Journal.Put(text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Context.AddInitScript(playwright.Script{Content: playwright.String(copies)})
}

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}
