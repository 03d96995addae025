package appium

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/webview"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

const (
	// pagesLimit is for the pages of one screen: the server may have to start a chromedriver.
	pagesLimit = 40 * time.Second
	// askLimit is how long a page may take to answer what it is asked about a touch.
	askLimit = 12 * time.Second
	// arriveLimit is how long a touch may take to the page: a few calls.
	arriveLimit = 3 * time.Second
	// keyTime is what one of many keys may take a page.
	keyTime = 50 * time.Millisecond
)

// contexts are the pages of WebViews, as the contexts of a server.
type contexts struct {
	*Session
	pages   *native.Pages // nil: commands go to the phone
	list    []contextInfo
	missing error // what the server lacks for pages; it is not asked again
}

// contextInfo is an entry of "mobile: getContexts".
type contextInfo struct {
	Process string `json:"proc"`
	Name    string `json:"webviewName"`
	Info    struct {
		Package string `json:"Android-Package"`
	}
	Pages []webview.Target
}

// Pages reads the pages in the WebViews of a phone, and sends them input.
type Pages struct {
	*webview.Reader
	contexts *contexts
}

// newPages returns the pages of a phone.
func newPages(s *Session) *Pages {
	c := &contexts{Session: s}
	return &Pages{contexts: c, Reader: &webview.Reader{Source: c, Life: s.Life, Log: slog.New(slog.DiscardHandler),
		Limit: pagesLimit, Ask: askLimit, Arrive: arriveLimit, Warn: s.WarnOnce}}
}

// Use calls do while commands can go to pages.
func (c *contexts) Use(ctx context.Context, do func(context.Context) error) error {
	return c.InPages(ctx, func(ctx context.Context, pages *native.Pages) error {
		c.pages = pages
		defer func() { c.pages = nil }()
		return do(ctx)
	})
}

// Processes lists the processes with pages that let themselves be debugged.
func (c *contexts) Processes(ctx context.Context) (names []string, err error) {
	if c.missing != nil {
		return nil, c.missing
	}
	c.list = nil
	if err := c.pages.Mobile(ctx, "getContexts", map[string]any{"waitForWebviewMs": 0}, &c.list); err != nil {
		err = c.Unsupported("list the pages of apps", err)
		if errors.Is(err, drivers.ErrUnsupported) {
			c.missing = err
		}
		return nil, err
	}
	for _, one := range c.list {
		names = append(names, one.Process)
	}
	return names, nil
}

func (c *contexts) of(process string) (*contextInfo, error) {
	for i := range c.list {
		if c.list[i].Process == process {
			return &c.list[i], nil
		}
	}
	return nil, errors.New("the page has been closed")
}

// Owner returns the app of a process.
func (c *contexts) Owner(_ context.Context, process string) (string, error) {
	one, err := c.of(process)
	if err != nil {
		return "", err
	}
	if one.Info.Package == "" || one.Name == "" {
		return "", errors.New("the server does not name the app of the pages")
	}
	return one.Info.Package, nil
}

// Targets lists the pages of a process.
func (c *contexts) Targets(_ context.Context, process string) ([]webview.Target, error) {
	one, err := c.of(process)
	if err != nil {
		return nil, err
	}
	return one.Pages, nil
}

// Open enters a page.
func (c *contexts) Open(ctx context.Context, pkg, process, id string) (webview.Conn, error) {
	one, err := c.of(process)
	if err != nil {
		return nil, err
	}
	page := &contextPage{contexts: c, at: native.Place{App: pkg, Process: process, Context: one.Name, Window: id}}
	err = page.Ready(ctx)
	if errors.Is(err, drivers.ErrUnsupported) {
		c.missing = err
	}
	return page, err
}

// contextPage is a page in a context of the server.
type contextPage struct {
	*contexts
	at native.Place
}

// Ready chooses the page. While it has a dialog open, no command may be sent: the server would close the dialog.
func (p *contextPage) Ready(ctx context.Context) error { return p.pages.Choose(ctx, p.at) }

// Call has the chromedriver of the server send a command of the DevTools.
func (p *contextPage) Call(ctx context.Context, method string, params, into any) error {
	err := p.pages.Do(ctx, method, func(ctx context.Context, w *webdriver.Session) error {
		return w.DevTools(ctx, method, params, into)
	})
	var said *webdriver.Error
	if errors.As(err, &said) && !errors.Is(err, drivers.ErrDeviceLost) &&
		!webdriver.Is(err, webdriver.NoSuchWindow, webdriver.UnknownCommand, webdriver.UnknownMethod) {
		return &webview.ProtocolError{Method: method, Message: said.Message}
	}
	return err
}

// Close does nothing: the server keeps its connection.
func (p *contextPage) Close() {}

// gesture makes a gesture that starts on an element of a page, in the page: once. One with a lost answer may have
// happened. One of which the page does not say whether it has reached the element is warned of.
func (p *Pages) gesture(ctx context.Context, n *screen.Node, t input.Touch) error {
	err := p.Touch(ctx, n, func(ctx context.Context, place webview.OnPage) error {
		centre := t.From
		t.From, t.To = place(t.From), place(t.To)
		for i, far := range t.Near {
			edge := centre
			edge.X += far
			t.Near[i] = place(edge).X - t.From.X
		}
		fingers, took := agent.Fingers(t)
		return p.send(ctx, t.Kind, fingers, took+touchLimit)
	})
	if unknown := new(webview.UnknownTouch); errors.As(err, &unknown) {
		p.contexts.Warn("%v", unknown)
		return nil
	}
	return err
}

// send sends input to the page that was chosen, once.
func (p *Pages) send(ctx context.Context, what string, devices []any, limit time.Duration) error {
	err := p.contexts.pages.Do(ctx, what, func(ctx context.Context, w *webdriver.Session) error {
		return w.Perform(ctx, devices, limit)
	})
	return p.contexts.Changed(what, err)
}

// erase takes characters from the end of a field of a page; n < 0: all of them.
func (p *Pages) erase(ctx context.Context, field *screen.Node, n int) error {
	held := utf8.RuneCountInString(field.Text)
	if n < 0 || n > held {
		n = held
	}
	keys := []string{"Control", "End", "Control"} // the second time it is released
	for range n {
		keys = append(keys, "Backspace")
	}
	return p.press(ctx, field, keys)
}

// press presses keys one after the other, in the page that a field is of. A modifier is held until it comes again.
func (p *Pages) press(ctx context.Context, field *screen.Node, keys []string) error {
	var actions []webdriver.Action
	held := false
	for _, name := range keys {
		key := webdriver.Key(name)
		if name != "Control" {
			actions = append(actions, webdriver.KeyDown(key), webdriver.KeyUp(key))
			continue
		}
		if held = !held; held {
			actions = append(actions, webdriver.KeyDown(key))
		} else {
			actions = append(actions, webdriver.KeyUp(key))
		}
	}
	return p.Use(ctx, field, func(ctx context.Context, _ webview.OnPage) error {
		return p.send(ctx, "type", []any{webdriver.Keyboard(actions...)}, touchLimit+time.Duration(len(keys))*keyTime)
	})
}

// typeInPage types into the field with the focus, which is one of a page. A new line is the key Enter. When the answer
// is lost, the page decides whether the text has arrived.
func (u *Screen) typeInPage(ctx context.Context, field *screen.Node, text string) error {
	err := u.WebViews.press(ctx, field, strings.Split(text, ""))
	if webdriver.MayHaveHappened(err) && ctx.Err() == nil && u.holds(ctx, field, field.Text+text) {
		return nil
	}
	return err
}
