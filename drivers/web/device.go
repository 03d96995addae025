package web

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	// callLimit bounds a call that reads or acts once.
	callLimit = 15 * time.Second
	// actGrace is how long an action may still take when its context ends: less than a second, long enough for a click
	// that has started to be delivered whole, and for a slice of a wait to end.
	actGrace = 900 * time.Millisecond
)

// Device is one slot of the driver, opened for one test. It has no page until OpenPage.
//
// A dialog (alert, confirm, prompt, or the question whether to leave) stops the page: one that an action opens stays
// open for Alert and AnswerAlert, and any other call but a screenshot dismisses it first; AnswerDialogs changes that.
// The next trees carry a hidden element of type "dialog-note" for each, and the log a line. Pages that a page opens
// become the current one until they close, or until PickPage chooses another.
type Device struct {
	slot *Slot

	*Journal
	*Recorder
	*Opener
	*Navigator
	*TabPicker
	*Alerter
	*System
	*Scripts
	*Screen
	*Reader
	*Typist
	*Hand
	*Elements
	*Files
	*Drags
}

var (
	_ drivers.Device = (*Device)(nil)

	_ drivers.BrowserChooser = (*Device)(nil)
	_ drivers.Browser        = (*Device)(nil)
	_ drivers.WebElements    = (*Device)(nil)
	_ drivers.WebPages       = (*Device)(nil)
	_ drivers.WebTabs        = (*Device)(nil)
	_ drivers.WebDragger     = (*Device)(nil)
	_ drivers.WebEvidence    = (*Device)(nil)
	_ drivers.Alerter        = (*Device)(nil)
	_ drivers.System         = (*Device)(nil)
	_ drivers.LocationSetter = (*Device)(nil)
	_ drivers.Navigator      = (*Device)(nil)
	_ drivers.Querier        = (*Device)(nil)
	_ drivers.Revealer       = (*Device)(nil)
	_ drivers.PartRevealer   = (*Device)(nil)
	_ drivers.PartReader     = (*Device)(nil)
	_ drivers.Aimer          = (*Device)(nil)
	_ drivers.Gestures       = (*Device)(nil)
	_ drivers.Keys           = (*Device)(nil)
	_ drivers.Editor         = (*Device)(nil)
	_ screen.Typist          = (*Device)(nil)
	_ screen.CellTypist      = (*Device)(nil)
	_ screen.Inserter        = (*Device)(nil)
	_ screen.Paster          = (*Device)(nil)
	_ drivers.WebOpener      = (*Device)(nil)
	_ drivers.Scroller       = (*Device)(nil)
	_ drivers.Recorder       = (*Device)(nil)
	_ drivers.Logger         = (*Device)(nil)

	_ drivers.PageAnswerer    = (*Device)(nil)
	_ drivers.PageSnapshotter = (*Device)(nil)
	_ drivers.Clicker         = (*Device)(nil)
	_ drivers.WebDropper      = (*Device)(nil)
	_ drivers.Identifier      = (*Device)(nil)
	_ drivers.WebListener     = (*Device)(nil)
	_ drivers.WebPageMonitor  = (*Device)(nil)
	_ drivers.WebHistory      = (*Device)(nil)
	_ drivers.Screencaster    = (*Device)(nil)
	_ drivers.Shaker          = (*Device)(nil)
)

func newDevice(d *Driver, info drivers.Info) *Device {
	return assemble(NewSlot(info.ID), NewJournal(), d, info)
}

// assemble puts the parts of a device together.
func assemble(slot *Slot, journal *Journal, d *Driver, info drivers.Info) *Device {
	recorder := &Recorder{slot: slot, launcher: d.launcher}
	navigator := &Navigator{slot: slot}
	scripts := &Scripts{slot: slot}
	reader := &Reader{slot: slot, journal: journal}
	caret := &Caret{}
	typist := &Typist{slot: slot, reader: reader, nav: navigator, caret: caret, journal: journal}
	hand := &Hand{slot: slot, caret: caret}
	actor := &Actor{slot: slot, reader: reader, hand: hand}
	elements := &Elements{actor: actor, controls: &Controls{slot: slot, reader: reader}, typist: typist}
	return &Device{slot: slot, Journal: journal, Recorder: recorder,
		Opener:    &Opener{slot: slot, launcher: d.launcher, info: info, journal: journal, recorder: recorder},
		Navigator: navigator,
		TabPicker: &TabPicker{slot: slot, nav: navigator, journal: journal},
		Alerter:   &Alerter{slot: slot},
		System:    &System{slot: slot, scripts: scripts},
		Scripts:   scripts, Screen: &Screen{slot: slot}, Reader: reader, Typist: typist, Hand: hand, Elements: elements,
		Files: &Files{actor: actor, elements: elements}, Drags: &Drags{actor: actor}}
}

// Slot is the place for one page: the session that is open in it, and the calls into its pages.
type Slot struct {
	id    string
	grace time.Duration  // actGrace
	limit time.Duration  // callLimit
	calls sync.WaitGroup // calls into Playwright that outlived their context

	mu      sync.Mutex
	closed  bool
	session *session // what was opened last, nil before
}

// NewSlot returns a slot without a page.
func NewSlot(id string) *Slot { return &Slot{id: id, grace: actGrace, limit: callLimit} }

// closedError says that the device was closed.
func (sl *Slot) closedError() error {
	return fmt.Errorf("%w: %s is closed", drivers.ErrDeviceLost, sl.id)
}

// opened returns the session, nil when none is open, and whether the slot is closed.
func (sl *Slot) opened() (s *session, closed bool) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	return sl.session, sl.closed
}

// take empties the slot and returns what was open in it.
func (sl *Slot) take() (s *session, closed bool) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	s, sl.session = sl.session, nil
	return s, sl.closed
}

// close closes the pages. No session can be opened after it.
func (sl *Slot) close() error {
	sl.mu.Lock()
	sl.closed = true
	s := sl.session
	sl.session = nil
	sl.mu.Unlock()
	if s != nil {
		s.close()
	}
	// With the context gone every call returns; a browser that hangs keeps them until the driver closes.
	if !within(stopLimit, sl.calls.Wait) {
		return fmt.Errorf("close %s: %w: the browser does not answer", sl.id, drivers.ErrDeviceLost)
	}
	return nil
}

// Info is the slot's record, with the size of the page that is open.
func (o *Opener) Info() drivers.Info {
	o.mu.Lock()
	defer o.mu.Unlock()
	info := o.info
	if s, _ := o.slot.opened(); s != nil {
		info.Width, info.Height = s.size.X, s.size.Y
	}
	return info
}

// Close closes the pages.
func (d *Device) Close() error { return d.slot.close() }

// page returns the current page, or an error that says why there is none.
func (sl *Slot) page() (*session, playwright.Page, error) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	switch {
	case sl.closed:
		return nil, nil, sl.closedError()
	case sl.session == nil:
		return nil, nil, drivers.NoPage("no page is open: start with openBrowser")
	}
	page, err := sl.session.current()
	return sl.session, page, err
}

// read calls f, which only looks at the page. When ctx ends first, f's answer is dropped; Playwright's own time limit
// ends it.
func read[T any](ctx context.Context, sl *Slot, f func(page playwright.Page) (T, error)) (T, error) {
	s, page, err := sl.page()
	if err != nil {
		var none T
		return none, err
	}
	return readPage(ctx, s, page, f)
}

func readPage[T any](ctx context.Context, s *session, page playwright.Page, f func(playwright.Page) (T, error)) (T,
	error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	defer s.dialogs.refusing()()
	if _, err := s.dialogs.settle(ctx, false, ""); err != nil {
		return none, err
	}
	return await(ctx, s, start(s.slot, func() (T, error) { return f(page) }))
}

// await waits for a call that only looks at a page.
func await[T any](ctx context.Context, s *session, done <-chan outcome[T]) (T, error) {
	var none T
	limit := s.readLimit(ctx)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		s.mute.Store(false)
		return r.value, s.explain(r.err)
	case <-s.ending:
		return none, s.closedError()
	case <-s.dialogs.onDialog():
		return none, fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	case <-ctx.Done():
		return none, ctx.Err()
	case <-timer.C:
		return none, s.unresponsiveError(limit)
	case <-s.browser.lost:
		return none, errBrowserLost
	case <-s.crash:
		return none, errCrashed
	}
}

const (
	// readGrace is how long after the end of a step's time a page may take to answer its last read.
	readGrace = 400 * time.Millisecond
	// readLeast is the least time that a read has, so that a slow machine is not taken for a page that computes for ever.
	readLeast = 10 * time.Second
	// promptReadLeast is the same for a client that waits for the answer of this call.
	promptReadLeast = 2400 * time.Millisecond
)

// readLimit returns how long a page may take to answer: the device's limit, or what is left of the step's time. A page
// that did not answer before, and still does not after the step's time, is not waited for again.
func (s *session) readLimit(ctx context.Context) time.Duration {
	end, known := drivers.StepDeadline(ctx)
	if !known {
		return s.slot.limit
	}
	left, least := time.Until(end)+readGrace, readLeast
	if drivers.PromptAnswers(ctx) {
		least = promptReadLeast
	}
	if s.mute.Load() {
		least = readGrace
	}
	return min(s.slot.limit, max(left, least))
}

// act calls f, which changes the page. When ctx ends, f may complete for a moment; then its page is closed, so that
// nothing happens after act has returned.
func act(ctx context.Context, sl *Slot, f func(page playwright.Page) error) error {
	return actFor(ctx, sl, sl.limit, f)
}

// actFor is act for what takes longer.
func actFor(ctx context.Context, sl *Slot, limit time.Duration, f func(page playwright.Page) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, page, err := sl.page()
	if err != nil {
		return err
	}
	if _, err := s.dialogs.settle(ctx, false, ""); err != nil {
		return err
	}
	s.traffic.mark()
	defer s.acting.start()()
	over := make(chan struct{})
	done := start(sl, func() (struct{}, error) { defer close(over); return struct{}{}, f(page) })
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case r := <-done:
		s.mute.Store(false)
		return s.explain(r.err)
	case <-s.ending:
		return s.closedError()
	case <-s.browser.lost:
		return errBrowserLost
	case <-s.crash:
		return errCrashed
	case <-s.dialogs.onDialog(): // the action was made, and led to a dialog
		s.dialogs.stops(over)
		return nil
	case <-limited.Done():
	}
	if ctx.Err() == nil {
		s.mute.Store(true)
	}
	grace := time.NewTimer(sl.grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		s.abandon("it was closed because an action on it had to be cancelled")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.unresponsiveError(limit)
}

type outcome[T any] struct {
	value T
	err   error
}

// start runs a call into Playwright, which knows no contexts, next to the caller. Close waits for it.
func start[T any](sl *Slot, f func() (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	sl.calls.Go(func() {
		v, err := f()
		done <- outcome[T]{v, err}
	})
	return done
}

var (
	errBrowserLost = fmt.Errorf("%w: the browser crashed or was closed", drivers.ErrDeviceLost)
	errCrashed     = fmt.Errorf("%w: the page crashed", drivers.ErrDeviceLost)
)

// unresponsiveError is the error of a page that does not answer.
func (h *Health) unresponsiveError(limit time.Duration) error {
	if !h.browser.alive() {
		return errBrowserLost
	}
	h.mute.Store(true)
	return fmt.Errorf("%w: the page did not answer within %s; its scripts may be busy", drivers.ErrNotReady,
		limit.Round(100*time.Millisecond))
}

// closedError is the error of a call on a page that we close ourselves.
func (h *Health) closedError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return h.broken
	}
	return fmt.Errorf("%w: the page was closed during the call", drivers.ErrDeviceLost)
}

// explain sets for a Playwright error the kind on which results depend.
func (h *Health) explain(err error) error {
	if processDied(err) {
		h.browser.gone()
	}
	switch {
	case err == nil:
		return nil
	case !h.browser.alive():
		return errBrowserLost
	case h.crashed():
		return errCrashed
	case isKind(err):
		return err
	case tellsOfACrash(err):
		h.crashOnce()
		return errCrashed
	case disconnected(err):
		if h.gone() {
			return fmt.Errorf("%w: the page was closed during the call", drivers.ErrDeviceLost)
		}
		return fmt.Errorf("%w: the page closed itself just now", drivers.ErrNotReady)
	case errors.Is(err, playwright.ErrTimeout):
		return fmt.Errorf("%w: the page does not answer; its scripts may be busy", drivers.ErrNotReady)
	case passing(err):
		return fmt.Errorf("%w: the page changed while it was read: %s", drivers.ErrNotReady, plain(err))
	}
	return fmt.Errorf("the browser reports: %s", plain(err))
}
