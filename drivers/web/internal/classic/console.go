package classic

import (
	"context"
	"errors"
	"slices"

	"github.com/playwright-community/playwright-go"
)

// Logged is a message of the console, as Web Inspector reports it.
type Logged struct {
	Source, Level, Text, URL string
	Line, Column             int
}

// uncaught reports whether the message is about an error that nothing in the page has caught.
func (m Logged) uncaught() bool { return m.Source == "javascript" && m.Level == "error" }

// Message is a message of the console.
type Message struct {
	playwright.ConsoleMessage
	page   *Page
	logged Logged
}

// Type is how important the message is: log, info, debug, warning or error.
func (m *Message) Type() string { return m.logged.Level }

// Text is what the message says.
func (m *Message) Text() string { return m.logged.Text }

// Location is where the message comes from. Its line counts from 0.
func (m *Message) Location() *playwright.ConsoleMessageLocation {
	return &playwright.ConsoleMessageLocation{URL: m.logged.URL, LineNumber: max(m.logged.Line-1, 0),
		ColumnNumber: max(m.logged.Column-1, 0)}
}

// Page returns the page that has written the message.
func (m *Message) Page() playwright.Page { return m.page }

// Uncaught is an error that nothing in the page has caught.
type Uncaught struct {
	playwright.WebError
	page *Page
	text string
}

// Page returns the page of the error.
func (e *Uncaught) Page() playwright.Page { return e.page }

// Error is the error itself.
func (e *Uncaught) Error() error { return errors.New(e.text) }

// Log passes a message of the console on.
func (p *Page) Log(m Logged) {
	c := p.context
	c.mu.Lock()
	messages, errs := slices.Clone(c.onConsole), slices.Clone(c.onError)
	c.mu.Unlock()
	if m.uncaught() {
		for _, f := range errs {
			f(&Uncaught{page: p, text: m.Text})
		}
		return
	}
	for _, f := range messages {
		f(&Message{page: p, logged: m})
	}
}

// SettleConsole returns when all that the page has written to its console until now is reported. The two ways to the
// browser are not one after the other: what comes by WebDriver may be ahead.
func (p *Page) SettleConsole(ctx context.Context) error {
	if p.attached == nil {
		return nil
	}
	return p.attached.SettleConsole(ctx)
}
