package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// maxValue caps what a script may give, as JSON.
const maxValue = 1 << 20

// Navigator moves the current page to addresses, and waits for what it loads.
type Navigator struct{ slot *Slot }

// WaitPage waits for what event says.
func (n *Navigator) WaitPage(ctx context.Context, event drivers.WebEvent, timeout time.Duration) error {
	switch {
	case event.URL != "":
		return n.waitAddress(ctx, event.URL, wait(timeout))
	case event.Load != "":
		return n.waitLoad(ctx, event.Load, time.Now().Add(wait(timeout)))
	case event.Request != "":
		return n.waitTraffic(ctx, event.Request, false, wait(timeout))
	case event.Response != "":
		return n.waitTraffic(ctx, event.Response, true, wait(timeout))
	}
	return fmt.Errorf("%w: there is nothing to wait for", drivers.ErrUnsupported)
}

// waitAddress waits until the page is at a fitting address, and has loaded.
func (n *Navigator) waitAddress(ctx context.Context, pattern string, timeout time.Duration) error {
	fits, err := compile(pattern)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(timeout)
	for {
		_, page, err := n.slot.page()
		if err != nil {
			return err
		}
		at := page.URL()
		if fits.MatchString(at) {
			return n.waitLoad(ctx, "load", deadline)
		}
		if time.Until(deadline) <= 0 {
			return fmt.Errorf("%w: the page did not come to %s within %s: it is at %s", screen.ErrNotFound,
				screen.Quote(pattern), timeout, shorten.Runes(at, 99))
		}
		if err := pause(ctx, lookPause); err != nil {
			return err
		}
	}
}

func (n *Navigator) waitLoad(ctx context.Context, state string, deadline time.Time) error {
	states := map[string]*playwright.LoadState{
		"load": playwright.LoadStateLoad, "domcontentloaded": playwright.LoadStateDomcontentloaded,
		"networkidle": playwright.LoadStateNetworkidle,
	}
	if states[state] == nil {
		return fmt.Errorf("%w: a page cannot reach the state %s", drivers.ErrUnsupported, screen.Quote(state))
	}
	for {
		_, err := read(ctx, n.slot, func(page playwright.Page) (struct{}, error) {
			limit := milliseconds(max(min(time.Until(deadline), fillSlice), time.Millisecond))
			err := page.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: states[state], Timeout: limit})
			if errors.Is(err, playwright.ErrTimeout) {
				return struct{}{}, errSlice
			}
			return struct{}{}, err
		})
		switch {
		case err == nil || !errors.Is(err, drivers.ErrNotReady):
			return err
		case time.Until(deadline) <= 0:
			return fmt.Errorf("%w: the page did not reach the state %s in time", screen.ErrNotFound, state)
		case !errors.Is(err, errSlice):
			if err := pause(ctx, lookPause); err != nil {
				return err
			}
		}
	}
}

func (n *Navigator) waitTraffic(ctx context.Context, pattern string, answer bool, timeout time.Duration) error {
	fits, err := compile(pattern)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(timeout)
	for {
		s, _, err := n.slot.page()
		if err != nil {
			return err
		}
		if s.traffic.has(fits, answer) {
			return nil
		}
		if time.Until(deadline) <= 0 {
			what := "request was sent to"
			if answer {
				what = "answer came from"
			}
			return fmt.Errorf("%w: no %s %s within %s: %s", screen.ErrNotFound, what, screen.Quote(pattern), timeout,
				s.traffic.newest(answer))
		}
		if err := pause(ctx, lookPause/2); err != nil {
			return err
		}
	}
}

// Scripts runs scripts in the current page.
type Scripts struct{ slot *Slot }

// Eval runs an expression or a function in the page. When it does not end in time, it is left alone: it ends with its
// page.
func (sc *Scripts) Eval(ctx context.Context, script string, timeout time.Duration) (any, error) {
	s, page, err := sc.slot.page()
	if err != nil {
		return nil, err
	}
	if _, err := s.dialogs.settle(ctx, false, ""); err != nil {
		return nil, err
	}
	defer s.dialogs.refusing()()
	s.traffic.mark()
	done := start(sc.slot, func() (any, error) { return evaluate(page, script) })
	timer := time.NewTimer(wait(timeout))
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, s.explain(r.err)
	case <-timer.C:
		return nil, &drivers.ScriptError{Reason: fmt.Sprintf("it did not end within %s", wait(timeout))}
	case <-s.browser.lost:
		return nil, errBrowserLost
	case <-s.crash:
		return nil, errCrashed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func evaluate(page playwright.Page, script string) (any, error) {
	handle, err := page.EvaluateHandle(script)
	if err == nil {
		var text any
		text, err = handle.Evaluate(`(value, max) => {
			const exact = v => JSON.rawJSON ? JSON.rawJSON(String(v)) : String(v);
			const text = JSON.stringify(value, (key, v) => typeof v === 'bigint' ? exact(v) : v);
			return text === undefined ? null : text.length > max ? '' : text;
		}`, maxValue)
		if err == nil {
			_ = handle.Dispose() // it goes with the page otherwise
			return scriptValue(text)
		}
	}
	if disconnected(err) || passing(err) {
		return nil, err
	}
	reason := plain(err)
	for _, prefix := range []string{"Error: ", "page.evaluate: "} {
		reason = strings.TrimPrefix(reason, prefix)
	}
	return nil, &drivers.ScriptError{Reason: reason}
}

// scriptValue decodes what a script returned: whole numbers become ints, so that they are written as they were read.
func scriptValue(text any) (any, error) {
	s, ok := text.(string)
	switch {
	case text == nil:
		return nil, nil
	case !ok || s == "" || len(s) > 4*maxValue:
		return nil, &drivers.ScriptError{Reason: fmt.Sprintf("its value is larger than %d MB", maxValue>>20)}
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(s)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, &drivers.ScriptError{Reason: "its value is not JSON"}
	}
	return plainNumbers(v), nil
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return source.NumberOf(v.String())
		}
		f, _ := v.Float64() // too large becomes infinite, as in the page
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}

// ClosePage closes the pages and their context.
func (o *Opener) ClosePage(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := start(o.slot, func() (struct{}, error) { return struct{}{}, o.dropSession() })
	select {
	case r := <-done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
