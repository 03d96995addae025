package web

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
	"github.com/taproot-dev/taproot/drivers/screen"
)

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
func watchPages(s *session) error {
	if s.browser.attached {
		return nil
	}
	if !s.browser.brand.devtools {
		if err := s.context.AddInitScript(playwright.Script{Content: playwright.String(dom.OpenRoots())}); err != nil {
			return err
		}
	}
	return s.context.AddInitScript(playwright.Script{Content: playwright.String(dom.Watch())})
}

// hearCopies notes what the pages of the context copy. The pages of a browser that was running before are left as they
// are.
func hearCopies(s *session) error {
	if s.browser.attached {
		return nil
	}
	err := s.context.ExposeBinding(copiedBinding, func(_ *playwright.BindingSource, args ...any) any {
		if text, ok := first(args).(string); ok && text != "" && len(text) <= maxCopied {
			s.journal.setClipboard(text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.context.AddInitScript(playwright.Script{Content: playwright.String(copies)})
}

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// Pasteboard is the clipboard of a device's pages.
type Pasteboard struct {
	mu        sync.Mutex
	clipboard string // what the test or a page put there last
}

func (p *Pasteboard) setClipboard(text string) {
	p.mu.Lock()
	p.clipboard = text
	p.mu.Unlock()
}

// SetClipboard puts a text on the clipboard of this device's pages.
func (p *Pasteboard) SetClipboard(ctx context.Context, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.setClipboard(text)
	return nil
}

// Clipboard returns what was put on the clipboard last, by the test or by a page.
func (p *Pasteboard) Clipboard(ctx context.Context) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clipboard, ctx.Err()
}

// Paste pastes the clipboard where the focus is. The page receives it first, as a person's paste, and may refuse it
// or put the text in by itself.
func (ty *Typist) Paste(ctx context.Context) error {
	text, err := ty.journal.Clipboard(ctx)
	if err != nil {
		return err
	}
	return act(ctx, ty.slot, func(page playwright.Page) error {
		field, err := ty.place(page, ty.caret.caretNow())
		if err != nil {
			return err
		}
		var r struct{ Open bool }
		command := "paste." + base64.RawURLEncoding.EncodeToString([]byte(text))
		if err := askTyping(page, field.chain, command, &r); err != nil || !r.Open {
			return err
		}
		if field.kind == "picked" {
			value, ok := screen.PickedValue(field.picker, text, field.order)
			if !ok && spelled(field.picker, text) {
				value, ok = text, true
			}
			if !ok {
				return fmt.Errorf("%w: a field of the type %s takes no %s", drivers.ErrNotActionable, field.picker,
					screen.Quote(text))
			}
			return field.fill(page, value)
		}
		return page.Keyboard().InsertText(text)
	})
}
