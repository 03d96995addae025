package classic

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// events are what is reported of a page, and to whom.
type events struct {
	page *Page

	mu        sync.Mutex
	closed    bool
	crashed   bool
	onClose   []func(playwright.Page)
	onCrash   []func(playwright.Page)
	navigated []func(playwright.Frame)
	onSocket  []func(playwright.WebSocket)

	onDownload []func(playwright.Download)
}

// ended reports whether the page can be asked nothing any more.
func (p *events) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed || p.crashed
}

// IsClosed reports whether the window has been closed.
func (p *events) IsClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// gone notes that the window has been closed.
func (p *events) gone() { p.once(&p.closed, &p.onClose) }

// crash notes that what draws the page has ended.
func (p *events) crash() { p.once(&p.crashed, &p.onCrash) }

// once calls the handlers of what happens to a page at most once.
func (p *events) once(happened *bool, handlers *[]func(playwright.Page)) {
	p.mu.Lock()
	again, list := *happened, *handlers
	*happened = true
	p.mu.Unlock()
	if again {
		return
	}
	for _, f := range list {
		f(p.page)
	}
}

// register adds a handler to those of an event.
func register[T any](mu *sync.Mutex, handlers *[]T, f T) {
	mu.Lock()
	defer mu.Unlock()
	*handlers = append(*handlers, f)
}

// OnClose calls f when the window is closed.
func (p *events) OnClose(f func(playwright.Page)) {
	register(&p.mu, &p.onClose, f)
}

// OnCrash calls f when the browser has ended by itself.
func (p *events) OnCrash(f func(playwright.Page)) {
	register(&p.mu, &p.onCrash, f)
}

// OnFrameNavigated calls f when the page has gone elsewhere, as far as Taproot made it.
func (p *events) OnFrameNavigated(f func(playwright.Frame)) {
	register(&p.mu, &p.navigated, f)
}

// arrived reports another document.
func (p *events) arrived() {
	p.mu.Lock()
	handlers := slices.Clone(p.navigated)
	p.mu.Unlock()
	for _, f := range handlers {
		f(p.page.main)
	}
}

// OnFileChooser does nothing: the browser reports none.
func (p *events) OnFileChooser(func(playwright.FileChooser)) {}

// OnWebSocket calls f for each WebSocket of the page.
func (p *events) OnWebSocket(f func(playwright.WebSocket)) { register(&p.mu, &p.onSocket, f) }

// RemoveListener is for listeners that are never called here.
func (p *events) RemoveListener(string, any) {}

// Dialog is an open alert, confirm or prompt. It stops all calls on its browser until it is answered.
type Dialog struct {
	playwright.Dialog
	page    *Page
	message string
	prompt  Prompt // as it is reported; with WebDriver alone it is not
	done    chan struct{}
	once    sync.Once
}

// meet waits until the open dialog is answered; without one it returns at once. The lock is held.
func (c *Context) meet(ctx context.Context) error {
	text, err := c.session.AlertText(ctx)
	if webdriver.Is(err, webdriver.NoSuchAlert) {
		return nil
	}
	if err != nil {
		return err
	}
	d := &Dialog{message: text, done: make(chan struct{}), prompt: c.prompt(c.window, text)}
	c.mu.Lock()
	for _, p := range c.pages {
		if p.handle == c.window {
			d.page = p
		}
	}
	c.dialog = d
	handlers := slices.Clone(c.onDialog)
	c.mu.Unlock()
	for _, f := range handlers {
		f(d)
	}
	select {
	case <-d.done:
	case <-c.life.Done():
		return context.Cause(c.life)
	}
	c.mu.Lock()
	c.dialog = nil
	c.mu.Unlock()
	return ctx.Err()
}

// isAsked reports whether a dialog is open.
func (c *Context) isAsked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dialog != nil
}

// Type is which kind of dialog it is; "dialog" where the browser does not report that.
func (d *Dialog) Type() string { return cmp.Or(d.prompt.Kind, "dialog") }

// Message is what the dialog says.
func (d *Dialog) Message() string { return d.message }

// DefaultValue is what the field has at first, as far as that is reported.
func (d *Dialog) DefaultValue() string { return d.prompt.Default }

// Page returns the page that has opened the dialog.
func (d *Dialog) Page() playwright.Page {
	if d.page == nil {
		return nil
	}
	return d.page
}

// Accept closes the dialog with its first button, after a text was put into its field, if it has one.
func (d *Dialog) Accept(text ...string) error {
	with := ""
	if len(text) > 0 {
		with = text[0]
	}
	return d.answer(true, with)
}

// Dismiss closes the dialog with its other button.
func (d *Dialog) Dismiss() error { return d.answer(false, "") }

func (d *Dialog) answer(accept bool, text string) (err error) {
	d.once.Do(func() {
		defer close(d.done)
		if d.page == nil {
			err = fmt.Errorf("the page of the dialog is not known: %w", playwright.ErrTargetClosed)
			return
		}
		ctx, cancel := context.WithTimeout(d.page.context.life, callLimit)
		defer cancel()
		err = d.page.context.session.AnswerAlert(ctx, accept, text)
		if webdriver.Is(err, webdriver.NoSuchAlert) {
			err = nil
		}
	})
	return err
}
