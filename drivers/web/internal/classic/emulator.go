package classic

import (
	"context"
	"errors"
	"time"

	"github.com/playwright-community/playwright-go"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// emulateLimit is how long a change of what pages know may take.
const emulateLimit = 30 * time.Second

// Emulator is an Instance that can change what its pages know of the system around them.
type Emulator interface {
	// Emulate honours the options of a context.
	Emulate(ctx context.Context, o playwright.BrowserNewContextOptions) error
	SetOffline(ctx context.Context, on bool) error
	SetLocation(ctx context.Context, at *playwright.Geolocation) error
	// Grant grants permissions to the sites that pages visit from now on, and to the one of a URL.
	Grant(ctx context.Context, permissions []string, address string) error
	// Visit is called before a page goes to a URL.
	Visit(ctx context.Context, address string) error
}

// Observer is an Instance that reports what happens in its windows.
type Observer interface {
	// Observe has it reported to a context from now on, until the instance is closed.
	Observe(ctx context.Context, to *Context) error
}

// start has a new session report what happens in it, and honours the options that need an Emulator.
func (e *emulation) start(ctx context.Context, o playwright.BrowserNewContextOptions) error {
	c := e.context
	if by, is := c.opened.(Observer); is {
		if err := by.Observe(ctx, c); err != nil {
			return err
		}
	}
	if by, is := c.opened.(Downloader); is {
		by.Downloads(c.life, c.offered)
	}
	if by, is := c.opened.(Emulator); is {
		if err := by.Emulate(ctx, o); err != nil {
			return err
		}
	} else if err := c.browser.needsEmulator(o); err != nil {
		return err
	}
	return c.fill(ctx, o.StorageState)
}

// pageAt returns the page in a window, nil if there is none yet.
func (e *emulation) pageAt(handle string) *Page {
	for _, p := range e.context.openPages() {
		if p.handle == handle {
			return p
		}
	}
	return nil
}

// Binder is an Instance of which pages can call functions.
type Binder interface {
	// Bind has pages that are opened later call a function by a name.
	Bind(ctx context.Context, name string, called func(window string, args []any)) error
}

// ExposeBinding has pages that are opened later call a function by a name. What it returns does not reach them.
func (e *emulation) ExposeBinding(name string, f playwright.BindingCallFunction, _ ...bool) error {
	c := e.context
	by, is := c.opened.(Binder)
	if !is {
		return c.refused("functions that pages can call")
	}
	ctx, cancel := context.WithTimeoutCause(c.life, callLimit, errLate)
	defer cancel()
	return by.Bind(ctx, name, func(window string, args []any) {
		source := &playwright.BindingSource{Context: c}
		if page := c.pageAt(window); page != nil {
			source.Page, source.Frame = page, page.main
		}
		f(source, args...)
	})
}

// emulation is what the pages of a context know of the system around them, where its instance is an Emulator.
type emulation struct {
	context  *Context
	warnings phrase.Warnings // about saved states
}

// emulate calls f with the emulator of the session, alone.
func (e *emulation) emulate(what string, f func(ctx context.Context, by Emulator) error) error {
	c := e.context
	by, is := c.opened.(Emulator)
	if !is {
		return c.refused(what)
	}
	return c.do(nil, emulateLimit, func(ctx context.Context) error { return f(ctx, by) })
}

// GrantPermissions grants permissions to the sites of the pages, as they are visited.
func (e *emulation) GrantPermissions(list []string, _ ...playwright.BrowserContextGrantPermissionsOptions) error {
	var errs []error
	for _, p := range e.context.openPages() {
		address := p.URL()
		errs = append(errs, e.emulate("permissions", func(ctx context.Context, by Emulator) error {
			return by.Grant(ctx, list, address)
		}))
	}
	return errors.Join(errs...)
}

// SetGeolocation has the pages be at a place.
func (e *emulation) SetGeolocation(at *playwright.Geolocation) error {
	return e.emulate("location", func(ctx context.Context, by Emulator) error { return by.SetLocation(ctx, at) })
}

// setOffline cuts the pages off from the network, or connects them again.
func (e *emulation) setOffline(on bool) error {
	return e.emulate("offline mode", func(ctx context.Context, by Emulator) error { return by.SetOffline(ctx, on) })
}

// prepareVisit is called before a page goes to a URL. The lock is held.
func (e *emulation) prepareVisit(ctx context.Context, address string) error {
	if by, is := e.context.opened.(Emulator); is {
		return by.Visit(ctx, address)
	}
	return nil
}
