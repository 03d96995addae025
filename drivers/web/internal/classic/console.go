package classic

import (
	"errors"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// Logged is a message of the console, as Web Inspector reports it.
type Logged struct {
	Source, Level, Text, URL string
	Line, Column             int
	Request                  string `json:"networkRequestId"`
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

// blockedByUs starts what Web Inspector writes to the console when a request was answered with an error.
const blockedByUs = "Web Inspector blocked "

// blocked is the message of Chromium about a request that a route has answered with an error.
func (t *Traffic) blocked(m Logged) Logged {
	cause := "net::ERR_FAILED"
	if r := t.request(m.Request); r != nil {
		if err := r.Failure(); err != nil {
			cause = err.Error()
		}
		m.URL = r.URL()
	}
	m.Level, m.Text = "error", "Failed to load resource: "+cause
	return m
}

// Log passes a message of the console on.
func (p *Page) Log(m Logged) {
	c := p.context
	if strings.HasPrefix(m.Text, blockedByUs) && m.Source == "network" {
		m = p.Traffic.blocked(m)
	}
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
