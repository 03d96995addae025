package web

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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
	driver *Driver
	info   drivers.Info
	gen    atomic.Int64  // of trees; every tree has its own
	grace  time.Duration // actGrace
	most   int           // elements of a tree; 0: dom.MaxNodes
	limit  time.Duration // callLimit

	taken drivers.ImageCache // the newest screenshot

	mu        sync.Mutex
	closed    bool
	browser   string   // of pages that name none; "": the driver's
	session   *session // what OpenPage opened last, nil before
	pending   pending
	filming   *pageRecording // set by StartRecording
	evidence  *evidence      // set by StartEvidence
	log       *pageLog
	dialogs   []string
	aimed     *screen.Node      // what the next touch is meant for
	met       string            // what the last touch that was aimed has met
	snapshot  snapshot          // that reports were given last
	sought    []string          // texts that a tree must not leave out
	parts     []screen.TextPart // of texts; the elements of a tree have their places
	caret     caret             // what becomes of the caret before text is typed
	clipboard string            // what the test or a page put there last
	finished  []drivers.Clip    // of sessions that are closed

	calls  sync.WaitGroup // calls into Playwright that outlived their context
	events pageEvents
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
)

func newDevice(d *Driver, info drivers.Info) *Device {
	return &Device{driver: d, info: info, grace: actGrace, limit: callLimit}
}

// Info is the slot's record, with the size of the page that is open.
func (d *Device) Info() drivers.Info {
	d.mu.Lock()
	defer d.mu.Unlock()
	info := d.info
	if d.session != nil {
		info.Width, info.Height = d.session.size.X, d.session.size.Y
	}
	return info
}

// Close closes the pages.
func (d *Device) Close() error {
	d.mu.Lock()
	d.closed = true
	s := d.session
	d.session = nil
	d.mu.Unlock()
	if s != nil {
		s.close()
	}
	// With the context gone every call returns; a browser that hangs keeps them until the driver closes.
	if !within(stopLimit, d.calls.Wait) {
		return fmt.Errorf("close %s: %w: the browser does not answer", d.info.ID, drivers.ErrDeviceLost)
	}
	return nil
}

// page returns the current page, or an error that says why there is none.
func (d *Device) page() (*session, playwright.Page, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, nil, fmt.Errorf("%w: %s is closed", drivers.ErrDeviceLost, d.info.ID)
	case d.session == nil:
		return nil, nil, drivers.NoPage("no page is open: start with openBrowser")
	}
	page, err := d.session.current()
	return d.session, page, err
}

// read calls f, which only looks at the page. When ctx ends first, f's answer is dropped; Playwright's own time limit
// ends it.
func read[T any](ctx context.Context, d *Device, f func(page playwright.Page) (T, error)) (T, error) {
	s, page, err := d.page()
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
	if _, err := s.settle(ctx, false, ""); err != nil {
		return none, err
	}
	return await(ctx, s, start(s.device, func() (T, error) { return f(page) }))
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
		return s.device.limit
	}
	left, least := time.Until(end)+readGrace, readLeast
	if drivers.PromptAnswers(ctx) {
		least = promptReadLeast
	}
	if s.mute.Load() {
		least = readGrace
	}
	return min(s.device.limit, max(left, least))
}

// act calls f, which changes the page. When ctx ends, f may complete for a moment; then its page is closed, so that
// nothing happens after act has returned.
func act(ctx context.Context, d *Device, f func(page playwright.Page) error) error {
	return actFor(ctx, d, d.limit, f)
}

// actFor is act for what takes longer.
func actFor(ctx context.Context, d *Device, limit time.Duration, f func(page playwright.Page) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, page, err := d.page()
	if err != nil {
		return err
	}
	if _, err := s.settle(ctx, false, ""); err != nil {
		return err
	}
	s.traffic.mark()
	defer s.acting.start()()
	over := make(chan struct{})
	done := start(d, func() (struct{}, error) { defer close(over); return struct{}{}, f(page) })
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
	grace := time.NewTimer(d.grace)
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
func start[T any](d *Device, f func() (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	d.calls.Go(func() {
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
func (s *session) unresponsiveError(limit time.Duration) error {
	if !s.browser.alive() {
		return errBrowserLost
	}
	s.mute.Store(true)
	return fmt.Errorf("%w: the page did not answer within %s; its scripts may be busy", drivers.ErrNotReady,
		limit.Round(100*time.Millisecond))
}

// closedError is the error of a call on a page that we close ourselves.
func (s *session) closedError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	return fmt.Errorf("%w: the page was closed during the call", drivers.ErrDeviceLost)
}

// explain sets for a Playwright error the kind on which results depend.
func (s *session) explain(err error) error {
	if processDied(err) {
		s.browser.gone()
	}
	switch {
	case err == nil:
		return nil
	case !s.browser.alive():
		return errBrowserLost
	case s.crashed():
		return errCrashed
	case isKind(err):
		return err
	case tellsOfACrash(err):
		s.crashOnce()
		return errCrashed
	case disconnected(err):
		if s.gone() {
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
