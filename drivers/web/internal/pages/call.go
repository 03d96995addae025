package pages

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// Read calls f, which only looks at the page. When ctx ends first, f's answer is dropped; Playwright's own time limit
// ends it.
func Read[T any](ctx context.Context, sl *Slot, f func(page playwright.Page) (T, error)) (T, error) {
	s, page, err := sl.Page()
	if err != nil {
		var none T
		return none, err
	}
	return ReadPage(ctx, s, page, f)
}

func ReadPage[T any](ctx context.Context, s *BrowserContext, page playwright.Page, f func(playwright.Page) (T, error)) (T,
	error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	defer s.Dialogs.Refusing()()
	if _, err := s.Dialogs.Settle(ctx, false, ""); err != nil {
		return none, err
	}
	return await(ctx, s, Start(s.Slot, func() (T, error) { return f(page) }))
}

// await waits for a call that only looks at a page.
func await[T any](ctx context.Context, s *BrowserContext, done <-chan browser.Outcome[T]) (T, error) {
	var none T
	limit := s.readLimit(ctx)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	r, err := OutcomeOf(ctx, s, done, timer.C)
	switch {
	case errors.Is(err, errLate):
		return none, s.unresponsiveError(limit)
	case err != nil:
		return none, err
	}
	s.Mute.Store(false)
	return r.Value, s.Explain(s.orLostDialog(r.Err))
}

// orLostDialog returns the error of a dialog that a server has closed by itself, if there is one, otherwise err. A
// call within the last one may have ignored it.
func (s *BrowserContext) orLostDialog(err error) error {
	if by, ok := s.Context.(interface{ LostDialog() error }); ok {
		return cmp.Or(by.LostDialog(), err)
	}
	return err
}

// errLate says that a call took longer than it was given.
var errLate = errors.New("the call takes too long")

// OutcomeOf waits for a call that only looks at a page, until late (nil: for as long as it takes). The error says why
// there is no outcome: a dialog stops the page, or it is gone.
func OutcomeOf[T any](ctx context.Context, s *BrowserContext, done <-chan browser.Outcome[T], late <-chan time.Time) (
	browser.Outcome[T], error) {
	var none browser.Outcome[T]
	select {
	case r := <-done:
		return r, nil
	case <-s.Ending:
		return none, s.ClosedError()
	case <-s.Dialogs.OnDialog():
		return none, fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	case <-ctx.Done():
		return none, ctx.Err()
	case <-late:
		return none, errLate
	case <-s.Browser.Lost:
		return none, s.Browser.LostError()
	case <-s.Crash:
		return none, s.Browser.CrashError()
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

// Act calls f, which changes the page. When ctx ends, f may complete for a moment; then its page is closed, so that
// nothing happens after act has returned.
func Act(ctx context.Context, sl *Slot, f func(page playwright.Page) error) error {
	return ActFor(ctx, sl, sl.Limit, f)
}

// ActFor is act for what takes longer.
func ActFor(ctx context.Context, sl *Slot, limit time.Duration, f func(page playwright.Page) error) error {
	return act(ctx, sl, limit, nil, f)
}

// ActInParts is Act for what has several parts. f reports the end of each by calling over; the next one has the whole
// limit again, unless the time of the step has ended.
func ActInParts(ctx context.Context, sl *Slot, f func(page playwright.Page, over func()) error) error {
	parts := make(chan struct{}, 1)
	over := func() {
		select {
		case parts <- struct{}{}:
		default: // an earlier part is about to be counted
		}
	}
	return act(ctx, sl, sl.Limit, parts, func(page playwright.Page) error { return f(page, over) })
}

func act(ctx context.Context, sl *Slot, limit time.Duration, parts <-chan struct{},
	f func(page playwright.Page) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, page, err := sl.Page()
	if err != nil {
		return err
	}
	if _, err := s.Dialogs.Settle(ctx, false, ""); err != nil {
		return err
	}
	s.Traffic.Mark()
	defer s.Acting.Start()()
	over := make(chan struct{})
	done := Start(sl, func() (struct{}, error) { defer close(over); return struct{}{}, f(page) })
	late := time.NewTimer(limit)
	defer late.Stop()
	for waits := true; waits; {
		select {
		case r := <-done:
			s.Mute.Store(false)
			return s.Explain(s.orLostDialog(r.Err))
		case <-parts:
			if end, known := drivers.StepDeadline(ctx); !known || time.Now().Before(end) {
				late.Reset(limit)
			}
		case <-s.Ending:
			return s.ClosedError()
		case <-s.Browser.Lost:
			return s.Browser.LostError()
		case <-s.Crash:
			return s.Browser.CrashError()
		case <-s.Dialogs.OnDialog(): // the action was made, and led to a dialog
			s.Dialogs.stops(over)
			return nil
		case <-ctx.Done():
			waits = false
		case <-late.C:
			waits = false
		}
	}
	if ctx.Err() == nil {
		s.Mute.Store(true)
	}
	grace := time.NewTimer(sl.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		s.Abandon("it was closed because an action on it had to be cancelled")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.unresponsiveError(limit)
}

// Start runs a call into Playwright, which knows no contexts, next to the caller. Close waits for it.
func Start[T any](sl *Slot, f func() (T, error)) <-chan browser.Outcome[T] {
	done := make(chan browser.Outcome[T], 1)
	sl.Calls.Go(func() {
		v, err := f()
		done <- browser.Outcome[T]{Value: v, Err: err}
	})
	return done
}

const (
	// FillSlice is how long one of Playwright's own waits lasts: between two, the context is looked at, so that a
	// cancelled wait ends within a second and its page lives on.
	FillSlice = 500 * time.Millisecond
	// FrameLimit is for a frame that is there to answer.
	FrameLimit = 3 * time.Second
	// LookPause is between two looks at a page that does not yet show what is wanted.
	LookPause = 60 * time.Millisecond
	// defaultWait is for callers that give no timeout.
	defaultWait = 10 * time.Second
)

// Rests waits until the page has shown the same for a moment: a list that holds only the rows that can be seen makes
// the next ones when it receives the movement, some of them a little later. It reports whether the page came to rest;
// one that never does is not waited for.
//
//go:embed script/rests.js
var Rests string

// UnlessGone forgives that a page went away: that, too, is an end of its movement.
func UnlessGone(err error) error {
	if err != nil && !browser.Disconnected(err) {
		return nil
	}
	return err
}

// ErrSlice says that one slice of a wait ended without success.
var ErrSlice = fmt.Errorf("%w: still waiting", drivers.ErrNotReady)

func Wait(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		return defaultWait
	}
	return timeout
}
