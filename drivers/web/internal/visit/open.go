package visit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// loadTimeout is how long a page may take to load by default.
const loadTimeout = 30 * time.Second

// pageLimit is for the browser to make a page, with nothing in it.
const pageLimit = 45 * time.Second

// remoteLimit is for another session of a remote, which may have to wait for a free browser.
const remoteLimit = 6 * time.Minute

// Opener opens pages in a slot, and keeps what is set before one is open.
type Opener struct {
	slot     *pages.Slot
	launcher *browser.Launcher
	journal  *journal.Journal
	recorder *pages.Recorder

	mu      sync.Mutex
	info    drivers.Info
	own     drivers.Info // the slot's record with the driver's browser
	browser string       // of pages that name none; "": the driver's
	pending pending
}

// NewOpener returns an opener of the slot that recorder records; info is the record of that slot.
func NewOpener(info drivers.Info, launcher *browser.Launcher, recorder *pages.Recorder,
	journal *journal.Journal) *Opener {
	return &Opener{slot: recorder.Slot(), launcher: launcher, journal: journal, recorder: recorder, info: info,
		own: info}
}

// OpenPage opens address in a fresh context and waits until it can be used. Pages that were open before are closed.
func (o *Opener) OpenPage(ctx context.Context, address string, opts drivers.PageOptions) error {
	if err := o.launcher.Options().CheckAddress(address); err != nil {
		return err
	}
	if opts.Connect != "" {
		opts.Browser = cmp.Or(opts.Browser, dsl.Chromium)
	}
	o.mu.Lock()
	opts.Browser = cmp.Or(opts.Browser, o.browser)
	o.mu.Unlock()
	br, err := o.launcher.BrandFor(opts)
	if err != nil {
		return err
	}
	if err := br.Refuse(opts); err != nil {
		return err
	}
	if err := o.dropSession(); err != nil {
		return err
	}
	b, err := o.launcher.For(ctx, opts)
	if err != nil {
		return err
	}
	e, err := o.emulate(ctx, b.Brand, address, opts)
	if err != nil {
		b.LetGo()
		return err
	}
	s, err := o.newSession(ctx, b, e)
	if err != nil {
		b.LetGo()
		return err
	}
	return load(ctx, s, address, opts)
}

// newContext returns a fresh context; of a browser that runs already, its own.
func newContext(b *browser.Browser, e *pages.Emulation) (playwright.BrowserContext, error) {
	if b.Attached {
		if own := b.Contexts(); len(own) > 0 {
			return own[0], nil
		}
	}
	return b.NewContext(e.Options)
}

// firstPage opens the page of the session. In a browser that runs already it is a tab, which takes over what a tab can.
func firstPage(s *pages.BrowserContext, e *pages.Emulation) error {
	page, err := s.Context.NewPage()
	if err != nil || !s.Browser.Attached {
		return err
	}
	s.Tabs.Follow(page)
	if err := page.SetViewportSize(e.Size.X, e.Size.Y); err != nil {
		return err
	}
	if e.Options.ColorScheme != nil {
		if err := page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: e.Options.ColorScheme}); err != nil {
			return err
		}
	}
	if len(e.Options.ExtraHttpHeaders) > 0 {
		return page.SetExtraHTTPHeaders(e.Options.ExtraHttpHeaders)
	}
	return nil
}

// UseBrowser has the device's pages opened in another browser, which is started if it does not run. "" is the driver's.
func (o *Opener) UseBrowser(ctx context.Context, name string) error {
	if name == "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.browser, o.info.Model, o.info.OSVersion = "", o.own.Model, o.own.OSVersion
		return nil
	}
	b, err := o.launcher.For(ctx, drivers.PageOptions{Browser: name})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if b.Brand.Remote {
		return nil
	}
	o.browser = name
	o.info.Model, o.info.OSVersion = browser.ModelOf(name, b.Version()), b.Version()
	return nil
}

// PageBrowser names the browser of the page that is open, or of the next one.
func (o *Opener) PageBrowser() (name, version string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.launcher.Options().Remote != nil {
		return dsl.Remote, o.info.OSVersion
	}
	if s, _ := o.slot.Opened(); s != nil {
		return s.Browser.Brand.Name, s.Browser.Version()
	}
	return cmp.Or(o.browser, o.launcher.Options().Browser, dsl.Chromium), o.info.OSVersion
}

// Info is the slot's record, with the size of the page that is open.
func (o *Opener) Info() drivers.Info {
	o.mu.Lock()
	defer o.mu.Unlock()
	info := o.info
	if s, _ := o.slot.Opened(); s != nil {
		info.Width, info.Height = s.Size.X, s.Size.Y
	}
	return info
}

// AnswerDialogs says what becomes of dialogs from now on; before there is a page, of those of the next OpenPage.
func (o *Opener) AnswerDialogs(ctx context.Context, how drivers.WebAnswer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.mu.Lock()
	s, _ := o.slot.Opened()
	if s == nil {
		o.pending.answer = how
	}
	o.mu.Unlock()
	if s != nil {
		s.Dialogs.Set(how)
	}
	return nil
}

// fence keeps pages away from the files that they may not have.
func fence(s *pages.BrowserContext) error {
	o := s.Opts
	if !o.Restricted() || s.Browser.Brand.Remote { // its pages come over the network, and OpenPage checks the URL
		return nil
	}
	// An expression, not a function: the browser calls us for these requests only. It writes schemes in lower case.
	return s.Context.Route(regexp.MustCompile(`^file:`), func(request playwright.Route) {
		if err := o.AllowsFile(request.Request().URL()); err != nil {
			s.Journal.LogLine("refused", err.Error())
			_ = request.Abort("accessdenied") // fails only when the page is gone
			return
		}
		_ = request.Fallback()
	})
}

// dropSession closes what was open.
func (o *Opener) dropSession() error {
	s, closed := o.slot.Take()
	o.journal.ForgetDialogs()
	if closed {
		return o.slot.ClosedError()
	}
	if s != nil {
		s.Close()
	}
	return nil
}

// newSession makes a context and its first page. When ctx ends meanwhile, what was made is closed again.
func (o *Opener) newSession(
	ctx context.Context,
	b *browser.Browser,
	e *pages.Emulation,
) (*pages.BrowserContext, error) {
	said := o.takePending(e)
	if b.Brand.Blind {
		e.Options.RecordVideo = nil
	}
	done := pages.Start(o.slot, func() (*pages.BrowserContext, error) {
		made, err := newContext(b, e)
		if err != nil {
			return nil, err
		}
		s := pages.NewSession(pages.Settings{Slot: o.slot, Journal: o.journal, Recorder: o.recorder,
			Opts: o.launcher.Options(), Browser: b, Context: made, Emulation: e})
		s.Dialogs.Set(said.answer)
		err = fence(s)
		switch proof := s.Evidence; {
		case err != nil || proof == nil || !proof.How.Trace || b.Attached || b.Brand.Silent:
		case e.Options.HttpCredentials != nil:
			proof.NoTrace(
				errors.New("there is no trace of the page: it was opened with a password, which a trace would show"),
			)
		default:
			err = proof.Trace(made, !s.Filmed)
			s.Traced = err == nil
		}
		for _, r := range said.routes {
			err = errors.Join(err, s.Router.Route(r))
		}
		if err == nil {
			err = watchPages(s)
		}
		if err == nil {
			err = hearCopies(s)
		}
		if err == nil {
			err = firstPage(s, e)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && !o.slot.Adopt(s) {
			err = o.slot.ClosedError()
		}
		if err != nil {
			s.Close()
			return nil, err
		}
		return s, nil
	})
	limit := pageLimit
	if b.Brand.Remote {
		limit += remoteLimit
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.Value, sessionError(b, r.Err)
	case <-b.Lost:
		return nil, b.LostError()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, fmt.Errorf("%w: the browser did not open a page within %s", drivers.ErrDeviceLost, limit)
	}
}

// takePending adds what was set before there was a page.
func (o *Opener) takePending(e *pages.Emulation) pending {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := o.pending
	o.pending = pending{}
	if dir := o.recorder.FilmDir(); dir != "" {
		// At Playwright's own size, within 800 x 800: a video of the whole viewport doubles the time of a test.
		e.Options.RecordVideo = &playwright.RecordVideo{Dir: dir}
	}
	if said.state != nil && e.Options.StorageState == nil {
		e.Options.StorageState = optional(said.state)
	}
	return said
}

func sessionError(b *browser.Browser, err error) error {
	if browser.ProcessDied(err) {
		b.Gone()
	}
	switch {
	case err == nil || browser.IsKind(err):
		return err
	case !b.Alive() || browser.Disconnected(err):
		return b.LostError()
	case browser.ContainsAny(strings.ToLower(err.Error()), "timezone", "locale", "cookie", "storage state", "permission",
		"latitude", "longitude"):
		return fmt.Errorf("%w: %s", drivers.ErrPage, browser.Plain(err))
	}
	return fmt.Errorf("%w: the browser did not open a page: %s", drivers.ErrDeviceLost, browser.Plain(err))
}

// load navigates the first page.
func load(ctx context.Context, s *pages.BrowserContext, address string, opts drivers.PageOptions) error {
	page := s.Tabs.Any()
	if page == nil {
		return s.Browser.LostError()
	}
	limit := opts.Timeout
	if limit <= 0 {
		limit = loadTimeout
	}
	if s.Evidence != nil {
		s.Evidence.HAR.Page(address)
	}
	defer s.Dialogs.Refusing()()
	depart(s)
	done := pages.Start(s.Slot, func() (struct{}, error) {
		began := time.Now()
		answer, err := goTo(s, page, limit, func() (playwright.Response, error) {
			return page.Goto(address, playwright.PageGotoOptions{Timeout: browser.Milliseconds(limit),
				WaitUntil: playwright.WaitUntilStateDomcontentloaded})
		})
		arrive(s, page, answer, err, limit-time.Since(began))
		if err == nil && opts.Offline {
			err = s.Router.SetOffline(true)
		}
		return struct{}{}, err
	})
	timer := time.NewTimer(limit + 2*time.Second)
	defer timer.Stop()
	var err error
	fail := s.Fail
	select {
	case r := <-done:
		if err = s.PageError(address, r.Err, limit); !opts.Offline && drivers.AppIsWrong(err) {
			fail = s.FailToOpen
		}
	case <-s.Browser.Lost:
		err = s.Browser.LostError()
	case <-s.Crash:
		err = s.Browser.CrashError()
	case <-timer.C:
		err = fmt.Errorf("%w: it did not load within %s", drivers.ErrPage, limit)
	case <-ctx.Done():
		s.Abandon("it was closed because its opening was cancelled")
		return ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("open %s: %w", phrase.LimitRunes(address, 99), err)
		fail(err)
	}
	return err
}

// ClosePage closes the pages and their context.
func (o *Opener) ClosePage(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := pages.Start(o.slot, func() (struct{}, error) { return struct{}{}, o.dropSession() })
	select {
	case r := <-done:
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxRoutes caps the routes of one context.
const maxRoutes = 1000

// Route fulfils, delays or blocks requests from now on.
func (o *Opener) Route(ctx context.Context, r drivers.WebRoute) error {
	made, err := network.NewRoute(r)
	if err != nil {
		return err
	}
	o.mu.Lock()
	s, closed := o.slot.Opened()
	if s == nil && !closed && len(o.pending.routes) < maxRoutes {
		o.pending.routes = append(o.pending.routes, made)
	}
	o.mu.Unlock()
	switch {
	case closed:
		return o.slot.ClosedError()
	case s == nil:
		return nil
	}
	if err := s.Refuses("webRoute"); err != nil {
		return err
	}
	_, err = pages.Read(
		ctx,
		o.slot,
		func(playwright.Page) (struct{}, error) { return struct{}{}, s.Router.Route(made) },
	)
	return err
}

// pending is what was set before there was a page, for the next OpenPage.
type pending struct {
	routes []*network.Route
	state  *playwright.StorageState
	answer drivers.WebAnswer // to dialogs
}

// LoadState adds the cookies and local storage of a file.
func (o *Opener) LoadState(ctx context.Context, path string) error {
	state, err := readState(path)
	if err != nil {
		return err
	}
	o.mu.Lock()
	s, closed := o.slot.Opened()
	if s == nil && !closed {
		o.pending.state = state
	}
	o.mu.Unlock()
	switch {
	case closed:
		return o.slot.ClosedError()
	case s == nil:
		return nil
	}
	if err := s.Refuses("webStorage"); err != nil {
		return err
	}
	defer s.Dialogs.Refusing()()
	defer s.Traffic.Mark() // what is asked for here is nothing that the page asked for
	return pages.Act(ctx, o.slot, func(playwright.Page) error {
		err := s.Context.AddCookies(optional(state).Cookies)
		if browser.IsKind(err) || browser.Disconnected(err) || browser.OfServer(err) != nil {
			return err
		}
		if err != nil {
			return fmt.Errorf(
				"%w: the cookies of the saved state are not valid: %s",
				drivers.ErrPage,
				browser.Plain(err),
			)
		}
		return fillStorage(s, state.Origins)
	})
}
