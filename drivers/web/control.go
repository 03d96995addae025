package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	// keepsFor is how long a field must go on holding what was put into it, keepsWait how long it may take to hold it at all.
	keepsFor  = 120 * time.Millisecond
	keepsWait = time.Second
)

// control is one look at a field, a box or a list that a selector picks.
type control struct {
	Count    int
	Disabled bool // by itself, by what it lies in, or by the custom element that it is a part of
	Typed    bool // it has a text
	Password bool
	Text     string
	Options  []struct {
		Value, Label string
		Disabled     bool
	}
}

// controlAt takes one fresh look; a control that is not there (yet) has the count 0.
func (d *Device) controlAt(ctx context.Context, at drivers.WebTarget) (*control, error) {
	return read(ctx, d, func(page playwright.Page) (*control, error) {
		nonce := strconv.FormatInt(d.gen.Add(1), 36)
		matches := page.Locator(scoped(at.Frame, at.Selector) + " >> " + typingName + "=look." + nonce)
		answer := typingName + "=held." + nonce // in the frame of what it is united with
		limit := callLimit - time.Second
		if at.Frame != "" {
			limit = fillSlice // the frame may not be there
		}
		var c control
		err := askSelector(matches.Or(page.Locator(answer)), &c, limit)
		if err != nil && !disconnected(err) {
			return &control{}, nil // what is wrong with the selector is told by the action itself
		}
		return &c, err
	})
}

// untilControl looks at a control until fits holds or the time of the step is over; it gives the last look.
func (d *Device) untilControl(ctx context.Context, at drivers.WebTarget, fits func(*control) bool) (*control, error) {
	for deadline := time.Now().Add(wait(at.Timeout)); ; {
		c, err := d.controlAt(ctx, at)
		if errors.Is(err, drivers.ErrNotReady) && time.Until(deadline) > 0 {
			c, err = &control{}, pause(ctx, lookPause)
		}
		if err != nil || fits(c) || time.Until(deadline) <= 0 {
			return c, err
		}
		if err := pause(ctx, lookPause); err != nil {
			return nil, err
		}
	}
}

// enabled waits until the control is not disabled. One that is not there is left to the action itself.
func (d *Device) enabled(ctx context.Context, at drivers.WebTarget) error {
	c, err := d.untilControl(ctx, at, func(c *control) bool { return c.Count != 1 || !c.Disabled })
	if err != nil || c.Count != 1 || !c.Disabled {
		return err
	}
	return fmt.Errorf("%w: %s is disabled (waited %s)", drivers.ErrNotActionable, naming(at), wait(at.Timeout))
}

// choosable waits until the list and the options that are wanted of it are not disabled.
func (d *Device) choosable(ctx context.Context, at drivers.WebTarget, choice drivers.WebChoice) error {
	off := ""
	c, err := d.untilControl(ctx, at, func(c *control) bool {
		off = ""
		for i, o := range c.Options {
			wanted := slices.Contains(choice.Values, o.Value) || slices.Contains(choice.Indexes, i) ||
				slices.ContainsFunc(choice.Labels, func(l string) bool { return strings.Join(strings.Fields(l), " ") == o.Label })
			if wanted && o.Disabled {
				off = o.Label
			}
		}
		return c.Count != 1 || !c.Disabled && off == ""
	})
	switch {
	case err != nil || c.Count != 1:
		return err
	case c.Disabled:
		return fmt.Errorf("%w: %s is disabled (waited %s)", drivers.ErrNotActionable, naming(at), wait(at.Timeout))
	case off != "":
		return fmt.Errorf("%w: the option %s of %s is disabled (waited %s)", drivers.ErrNotActionable, screen.Quote(off), naming(at), wait(at.Timeout))
	}
	return nil
}

// keeps checks that a field holds a text that was put into it, as it was or as the field writes it, and goes on holding it. A field that
// is gone, because the page went on, cannot be asked.
func (d *Device) keeps(ctx context.Context, at drivers.WebTarget, text string) error {
	var c *control
	var since time.Time
	for end := time.Now().Add(keepsWait); ; {
		var err error
		c, err = d.controlAt(ctx, at)
		if errors.Is(err, drivers.ErrNotReady) {
			return nil
		}
		if err != nil || c.Count != 1 || !c.Typed {
			return err
		}
		switch kept := c.Text == text || text != "" && screen.Follows(c.Text, text) == screen.Whole; {
		case !kept:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= keepsFor:
			return nil
		}
		if since.IsZero() && time.Now().After(end) {
			break
		}
		if err := pause(ctx, lookPause); err != nil {
			return err
		}
	}
	shows := c.Text
	if c.Password {
		shows = strings.Repeat("•", min(len([]rune(shows)), 64))
	}
	return fmt.Errorf("%w: typed %s, and %s shows %s", drivers.ErrNotActionable, screen.Quote(text), naming(at), screen.Quote(shows))
}
