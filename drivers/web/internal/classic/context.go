package classic

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

const (
	// callLimit is for a call that names no limit, evalLimit for a script of the caller's: it has its own.
	callLimit = 15 * time.Second
	evalLimit = 10 * time.Minute
	// surveyEvery is how often the list of windows is read while nothing is done that may change it.
	surveyEvery = 200 * time.Millisecond
	waitDefault = 30 * time.Second
	// crashWait is how long the end of a browser is waited for after an error that it explains.
	crashWait = 300 * time.Millisecond
	// resizePoll is the time between two looks whether a window has its new size.
	resizePoll = 20 * time.Millisecond
)

// Context is one session with its windows.
type Context struct {
	uncalledOfContext
	*network
	*emulation
	*prompts
	browser *Browser
	opened  Instance
	session *webdriver.Session
	size    image.Point
	login   *playwright.HttpCredentials
	anyCert bool
	name    string // under which the scripts are kept in each document
	life    context.Context
	end     context.CancelCauseFunc
	closing sync.Once
	closed  chan struct{}

	// lock guards the state of the session, in which one window and one frame are chosen; it is a channel so that waiting
	// for it ends with a context.
	lock     chan struct{}
	window   string
	framed   bool
	focus    []int // the way to the frame that had the focus before one was entered; empty: the page itself
	surveyed time.Time
	news     []func() // events to be reported once the lock is released

	mu       sync.Mutex
	pages    []*Page
	dialog   *Dialog // that is open
	used     *Page   // last
	init     []string
	windows  int // so far
	died     bool
	onPage   []func(playwright.Page)
	onDialog []func(playwright.Dialog)

	onConsole []func(playwright.ConsoleMessage)
	onError   []func(playwright.WebError)
}

// uncalledOfContext are the methods of a context that nothing calls. They are deeper than all others.
type uncalledOfContext struct{ playwright.BrowserContext }

// open opens the session of a context.
func open(b *Browser, o playwright.BrowserNewContextOptions) (*Context, error) {
	limit := b.traits.Start
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit,
		fmt.Errorf("%w: %s did not start within %s", drivers.ErrDeviceLost, b.traits.Name, limit))
	defer cancel()
	c := &Context{browser: b, size: image.Pt(1280, 720), name: "t" + rand.Text(), lock: make(chan struct{}, 1),
		closed: make(chan struct{})}
	c.network, c.emulation = newNetwork(c, o.ExtraHttpHeaders), &emulation{context: c}
	c.prompts = &prompts{context: c, open: map[string]Prompt{}}
	err := b.unsupported(o)
	if err == nil && !b.traits.Emulates {
		err = b.needsEmulator(o)
	}
	if err != nil {
		return nil, err
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	if v := o.Viewport; v != nil {
		c.size = image.Pt(v.Width, v.Height)
	}
	c.login = o.HttpCredentials
	c.anyCert = o.IgnoreHttpsErrors != nil && *o.IgnoreHttpsErrors
	opened, err := b.product.Open(ctx, Opening{Options: o, Size: c.size, Capabilities: Capabilities(c.anyCert),
		Crashed: c.crashed})
	if err != nil {
		c.end(errClosed)
		return nil, err
	}
	c.opened, c.session = opened, opened.Session()
	if err := c.start(ctx, o); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// NativeScript keeps what one of the scripts of a context replaces, in the world of which script/page.js runs as well:
// closed shadow roots, which look closed to the page, and the timers of the browser. The scripts of an Attachment
// follow it.
func NativeScript(name string) string {
	return fmt.Sprintf("Object.defineProperty(window, %q + 'n', {value: {"+
		"root: Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot'), "+
		"frame: requestAnimationFrame.bind(window), timeout: setTimeout.bind(window)}});\n", name)
}

// Capabilities are those that every session needs; anyCert: with certificates that are not valid.
func Capabilities(anyCert bool) map[string]any {
	all := map[string]any{"pageLoadStrategy": "none", "unhandledPromptBehavior": "ignore",
		"timeouts": map[string]any{"script": evalLimit.Milliseconds(), "pageLoad": evalLimit.Milliseconds(), "implicit": 0}}
	if anyCert {
		all["acceptInsecureCerts"] = true
	}
	return all
}

// Close ends the browser and all that belongs to it.
func (c *Context) Close(...playwright.BrowserContextCloseOptions) (err error) {
	c.closing.Do(func() {
		defer close(c.closed)
		c.end(errClosed)
		c.mu.Lock()
		pages := slices.Clone(c.pages)
		c.mu.Unlock()
		for _, p := range pages {
			p.detach()
		}
		err = c.opened.Close()
		c.tasks.End()
		c.browser.forget(c)
		for _, p := range pages {
			p.gone()
		}
	})
	<-c.closed
	return err
}

var errClosed = errors.New("the context has been closed")

// crashed is called when a program has ended by itself.
func (c *Context) crashed() {
	if c.life.Err() != nil {
		return
	}
	c.mu.Lock()
	again := c.died
	c.died = true
	pages := slices.Clone(c.pages)
	c.mu.Unlock()
	if again {
		return
	}
	for _, p := range pages {
		p.crash()
	}
	c.end(errCrashed)
}

//lint:ignore ST1005 Playwright's words, for browser.TellsOfACrash
var errCrashed = errors.New("Target crashed: the browser has ended")

// OnPage calls f for each page that is opened from now on.
func (c *Context) OnPage(f func(playwright.Page)) {
	register(&c.mu, &c.onPage, f)
}

// OnDialog calls f for each dialog that a page opens.
func (c *Context) OnDialog(f func(playwright.Dialog)) {
	register(&c.mu, &c.onDialog, f)
}

// OnConsole calls f for each message that pages write to their consoles.
func (c *Context) OnConsole(f func(playwright.ConsoleMessage)) {
	register(&c.mu, &c.onConsole, f)
}

// OnWebError calls f for each error that nothing in a page has caught.
func (c *Context) OnWebError(f func(playwright.WebError)) {
	register(&c.mu, &c.onError, f)
}

// NewPage opens a page; the first is the one that the browser has started with.
func (c *Context) NewPage() (playwright.Page, error) {
	var page *Page
	err := c.do(nil, callLimit, func(ctx context.Context) error {
		handles, err := c.session.Windows(ctx)
		if err != nil {
			return err
		}
		c.mu.Lock()
		first := len(c.pages) == 0 && c.windows == 0
		c.mu.Unlock()
		handle := ""
		if first && len(handles) > 0 {
			handle = handles[0]
		} else if handle, err = c.session.NewWindow(ctx); err != nil {
			return err
		}
		page, err = c.adopt(ctx, handle, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// adopt makes a page of a window; the lock is held.
func (c *Context) adopt(ctx context.Context, handle string, opener *Page) (*Page, error) {
	p := newPage(c, handle, opener)
	c.mu.Lock()
	c.windows++
	number := c.windows
	c.mu.Unlock()
	p.number = number
	if err := c.choose(ctx, handle); err != nil {
		return nil, err
	}
	_, evaluates := c.opened.(Evaluator)
	if !evaluates {
		if err := c.fit(ctx); err != nil {
			return nil, err
		}
	}
	attached, err := c.opened.Attach(ctx, c.attachment(p, number))
	if err != nil {
		return nil, err
	}
	p.attached = attached
	c.mu.Lock()
	c.pages = append(c.pages, p)
	handlers := slices.Clone(c.onPage)
	c.mu.Unlock()
	if w, is := attached.(Follower); is {
		w.Follow()
	}
	if evaluates { // what waits for a decision would wait for this, too
		if err := c.fit(ctx); err != nil {
			return nil, err
		}
	}
	c.news = append(c.news, func() {
		for _, f := range handlers {
			f(p)
		}
	})
	return p, nil
}

// do calls f with the window of a page chosen, alone. p may be nil: whichever window.
func (c *Context) do(p *Page, limit time.Duration, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(c.life, limit, errLate)
	defer cancel()
	select {
	case c.lock <- struct{}{}:
	case <-ctx.Done():
		return c.explain(p, context.Cause(ctx))
	}
	err := c.prepared(ctx, p)
	if err == nil {
		err = f(ctx)
	}
	if err == nil {
		err = c.survey(ctx, false)
	}
	news := c.news
	c.news = nil
	<-c.lock
	for _, report := range news {
		report()
	}
	return c.explain(p, err)
}

var errLate = errors.New("it took too long")

// prepared chooses the window of a page, and the page itself in it.
func (c *Context) prepared(ctx context.Context, p *Page) error {
	if err := c.leaveFrames(ctx); err != nil && !webdriver.Is(err, webdriver.NoSuchWindow) {
		return err
	}
	c.framed, c.focus = false, nil
	if p == nil {
		return nil
	}
	if p.IsClosed() {
		return targetClosed("the page has been closed")
	}
	if err := c.survey(ctx, false); err != nil {
		return err
	}
	if err := c.brokenBy(); err != nil {
		return err
	}
	if err := c.choose(ctx, p.handle); err != nil {
		return err
	}
	c.mu.Lock()
	c.used = p
	c.mu.Unlock()
	return p.lost()
}

func (c *Context) choose(ctx context.Context, handle string) error {
	if c.window == handle {
		return nil
	}
	if err := c.command(ctx, func() error { return c.session.ChooseWindow(ctx, handle) }); err != nil {
		return err
	}
	c.window, c.framed = handle, false
	return nil
}

// survey looks for windows that were opened or closed; now: whenever it was done last. The lock is held.
func (c *Context) survey(ctx context.Context, now bool) error {
	if !now && time.Since(c.surveyed) < surveyEvery {
		return nil
	}
	var handles []string
	if err := c.command(ctx, func() (err error) { handles, err = c.session.Windows(ctx); return err }); err != nil {
		return err
	}
	c.surveyed = time.Now()
	c.mu.Lock()
	known := slices.Clone(c.pages)
	first := c.windows == 0
	c.mu.Unlock()
	for _, p := range known {
		if !slices.Contains(handles, p.handle) {
			c.news = append(c.news, p.gone)
			c.drop(p)
		}
	}
	before := c.window
	for _, handle := range handles {
		if first || slices.ContainsFunc(known, func(p *Page) bool { return p.handle == handle }) {
			continue
		}
		opener := slices.IndexFunc(known, func(p *Page) bool { return p.handle == before })
		var by *Page
		if opener >= 0 {
			by = known[opener]
		}
		if _, err := c.adopt(ctx, handle, by); err != nil && !webdriver.Is(err, webdriver.NoSuchWindow) {
			return err
		}
	}
	if before == "" || c.window == before || !slices.Contains(handles, before) {
		return nil
	}
	return c.choose(ctx, before)
}

func (c *Context) drop(p *Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages = slices.DeleteFunc(c.pages, func(o *Page) bool { return o == p })
	if c.window == p.handle {
		c.window = ""
	}
	go p.detach()
}

// command sends a command of the session. One that an open dialog stops is sent again when the dialog is closed.
func (c *Context) command(ctx context.Context, send func() error) error {
	for {
		err := send()
		if !webdriver.Is(err, webdriver.AlertOpen) {
			return err
		}
		if c.browser.traits.Phone && c.dialogGone(ctx) {
			return c.lose(err)
		}
		if err := c.meet(ctx); err != nil {
			return err
		}
	}
}

// dialogGone reports whether no dialog is open any more.
func (c *Context) dialogGone(ctx context.Context) bool {
	_, err := c.session.AlertText(ctx)
	return webdriver.Is(err, webdriver.NoSuchAlert)
}

// explain puts an error into the words of Playwright, by which callers distinguish errors.
func (c *Context) explain(p *Page, err error) error {
	if webdriver.Is(err, webdriver.UnknownError) { // as is the answer while a browser dies
		select {
		case <-c.life.Done():
		case <-time.After(crashWait):
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(c.life.Err(), context.Canceled) && errors.Is(context.Cause(c.life), errCrashed):
		return fmt.Errorf("%w: %w", playwright.ErrTargetClosed, errCrashed)
	case c.life.Err() != nil:
		return targetClosed("the context has been closed")
	case errors.Is(err, errLate), webdriver.Late(err):
		return fmt.Errorf("%w: %w", playwright.ErrTimeout, err)
	case webdriver.Is(err, webdriver.InvalidSession), webdriver.Lost(err):
		if noting, is := c.opened.(GoneNoter); is {
			noting.Gone(err)
		}
		c.crashed()
		return fmt.Errorf("%w: Target crashed: %w", playwright.ErrTargetClosed, err)
	case webdriver.Is(err, webdriver.NoSuchWindow) && p != nil:
		c.drop(p)
		p.gone()
		return targetClosed("the page has been closed")
	case errors.Is(err, drivers.ErrDeviceLost):
		return err
	case webdriver.PageChanged(err):
		//lint:ignore ST1005 Playwright's words, for browser.Passing
		return fmt.Errorf("Execution context was destroyed: %w", err)
	}
	return err
}

func targetClosed(what string) error { return fmt.Errorf("%w: %s", playwright.ErrTargetClosed, what) }

// withLogin adds the user and the password to a URL of the site that they are for.
func (c *Context) withLogin(address string) string {
	u, err := url.Parse(address)
	if err != nil || c.login == nil || u.User != nil ||
		c.login.Origin != nil && *c.login.Origin != u.Scheme+"://"+u.Host {
		return address
	}
	u.User = url.UserPassword(c.login.Username, c.login.Password)
	return u.String()
}

// AddInitScript has a script run in each document of pages to come, before their own.
func (c *Context) AddInitScript(script playwright.Script) error {
	if script.Content == nil {
		return errors.New("a script has no text")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.init = append(c.init, *script.Content)
	return nil
}
