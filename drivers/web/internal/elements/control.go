package elements

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
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
)

const (
	// keepsFor is how long a field must keep holding what was put into it, keepsQuiet the same where nothing is on its
	// way, keepsWait how long it may take to hold it at all.
	keepsFor   = 120 * time.Millisecond
	keepsQuiet = 40 * time.Millisecond
	keepsWait  = time.Second
)

// control is one read of a field, a box or a list that a selector picks.
type control struct {
	Count    int
	Disabled bool // by itself, by what it is in, or by the custom element that it is a part of
	Typed    bool // it has a text
	Editor   bool // it is an editor for text, not a field
	Label    bool // it is a label
	Password bool
	Color    bool // it has a color, in lower case
	Text     string
	Checked  string // "true", "false", or "" where there is no such state
	Options  []choosable
	Several  bool // more than one of them may be chosen
	Rest     screen.Activity
	Late     bool // a timer of the page is due, and has not run yet
}

// choosable is an option of a list.
type choosable struct {
	Value, Label     string
	Written          string // its label with all white space
	Disabled, Chosen bool
}

// wants reports whether a choice means the option at i.
func wants(choice drivers.WebChoice, i int, o choosable) bool {
	return slices.Contains(choice.Values, o.Value) || slices.Contains(choice.Indexes, i) ||
		slices.ContainsFunc(choice.Labels, func(l string) bool { return screen.SameText(l, o.Label) })
}

// meant returns for each entry of a choice the options that it means: of those that differ only in case, the ones that
// are spelled like it.
func meant(choice drivers.WebChoice, options []choosable) (list [][]int) {
	for _, one := range entries(choice) {
		fits := indexes(len(options), func(i int) bool { return wants(one, i, options[i]) })
		if spelled := slices.DeleteFunc(slices.Clone(fits), func(i int) bool {
			return !slices.Contains(one.Labels, options[i].Label)
		}); len(spelled) > 0 {
			fits = spelled
		}
		list = append(list, fits)
	}
	return list
}

// isChosen reports whether the options that a choice means are the chosen ones: a user who chooses them again changes
// nothing.
func (c *control) isChosen(choice drivers.WebChoice) bool {
	wanted := meant(choice, c.Options)
	for _, fits := range wanted {
		if !slices.ContainsFunc(fits, func(i int) bool { return c.Options[i].Chosen }) {
			return false
		}
	}
	all := slices.Concat(wanted...)
	return len(indexes(len(c.Options), func(i int) bool { return c.Options[i].Chosen && !slices.Contains(all, i) })) == 0
}

// spelled returns a choice with labels as the list has them. Two options with one label and different values are an
// error.
func (c *control) spelled(at drivers.WebTarget, choice drivers.WebChoice) (drivers.WebChoice, error) {
	if len(choice.Labels) == 0 || c.Options == nil {
		return choice, nil
	}
	labels := slices.Clone(choice.Labels)
	for n, fits := range meant(choice, c.Options) {
		if len(fits) == 0 {
			continue
		}
		first := c.Options[fits[0]]
		if slices.ContainsFunc(fits, func(i int) bool { return c.Options[i].Value != first.Value }) {
			return choice, fmt.Errorf("%w: %d options of %s are called %s: choose one by its value or index",
				drivers.ErrNotActionable, len(fits), naming(at), screen.Quote(first.Label))
		}
		labels[n] = first.Written
	}
	return drivers.WebChoice{Labels: labels}, nil
}

// entries takes a choice apart into those of one entry each.
func entries(choice drivers.WebChoice) []drivers.WebChoice {
	var list []drivers.WebChoice
	for _, v := range choice.Values {
		list = append(list, drivers.WebChoice{Values: []string{v}})
	}
	for _, l := range choice.Labels {
		list = append(list, drivers.WebChoice{Labels: []string{l}})
	}
	for _, i := range choice.Indexes {
		list = append(list, drivers.WebChoice{Indexes: []int{i}})
	}
	return list
}

// indexes are those below n that fit.
func indexes(n int, fits func(int) bool) (list []int) {
	for i := range n {
		if fits(i) {
			list = append(list, i)
		}
	}
	return list
}

// Controls reads fields, boxes and lists that selectors pick: what they hold, and whether they keep it.
type Controls struct {
	slot   *pages.Slot
	reader *read.Reader
}

// controlAt reads once; a control that is not there (yet), or that has a missing frame, has the count 0.
func (co *Controls) controlAt(ctx context.Context, at drivers.WebTarget) (*control, error) {
	if at.Frame == "" {
		return co.controlFor(ctx, browser.CallLimit-time.Second, at)
	}
	c, err := co.controlFor(ctx, pages.FillSlice, at)
	if !errors.Is(err, pages.ErrSlice) {
		return c, err
	}
	if err := co.reader.MissingFrame(ctx, at.Frame); !errors.Is(err, pages.ErrSlice) {
		return &control{}, ctx.Err() // what is wrong with the frame is reported by the action itself
	}
	return co.controlFor(ctx, pages.FrameLimit, at)
}

// controlFor is controlAt with a limit. ErrSlice: what is looked for in a frame has not answered within it.
func (co *Controls) controlFor(ctx context.Context, limit time.Duration, at drivers.WebTarget) (*control, error) {
	return pages.Read(ctx, co.slot, func(page playwright.Page) (*control, error) {
		nonce := co.reader.Nonce()
		matches := page.Locator(read.Scoped(at.Frame, at.Selector) + " >> " + browser.TypingName + "=look." + nonce)
		answer := browser.TypingName + "=held." + nonce // in the frame of what it is united with
		var c control
		err := pages.AskSelector(matches.Or(page.Locator(answer)), &c, limit)
		switch {
		case at.Frame != "" && errors.Is(err, playwright.ErrTimeout):
			return nil, pages.ErrSlice
		case err != nil && !browser.Disconnected(err):
			return &control{}, nil // what is wrong with the selector is reported by the action itself
		}
		c.Rest = co.reader.Rest(ctx, page, c.Rest)
		return &c, err
	})
}

// untilControl reads a control until fits holds or the time of the step ends; it returns the last read.
func (co *Controls) untilControl(ctx context.Context, at drivers.WebTarget, fits func(*control) bool) (*control,
	error) {
	for deadline := deadlineOf(ctx, at); ; {
		c, err := co.controlAt(ctx, at)
		if errors.Is(err, drivers.ErrNotReady) && time.Until(deadline) > 0 {
			c, err = &control{}, browser.Pause(ctx, pages.LookPause)
		}
		if err != nil || fits(c) || time.Until(deadline) <= 0 {
			return c, err
		}
		if err := browser.Pause(ctx, pages.LookPause); err != nil {
			return nil, err
		}
	}
}

// enabled waits until the control is not disabled, and returns the last read. One that is not there is left to the
// action itself.
func (co *Controls) enabled(ctx context.Context, at drivers.WebTarget) (*control, error) {
	c, err := co.untilControl(ctx, at, func(c *control) bool { return c.Count != 1 || !c.Disabled })
	if err != nil || c.Count != 1 || !c.Disabled {
		return c, err
	}
	return c, fmt.Errorf("%w: %s is disabled (waited %s)", drivers.ErrNotActionable, naming(at), pages.Wait(at.Timeout))
}

// choosable waits until the list has the options that are wanted of it, and these and the list are not disabled. It
// returns the last read.
func (co *Controls) choosable(ctx context.Context, at drivers.WebTarget, choice drivers.WebChoice) (*control, error) {
	off := ""
	c, err := co.untilControl(ctx, at, func(c *control) bool {
		off = ""
		for i, o := range c.Options {
			if wants(choice, i, o) && o.Disabled {
				off = o.Label
			}
		}
		missing := c.Options != nil && (c.Several || len(entries(choice)) == 1) &&
			slices.ContainsFunc(meant(choice, c.Options), func(fits []int) bool { return len(fits) == 0 })
		return c.Count != 1 || !c.Disabled && off == "" && !missing
	})
	switch {
	case err != nil || c.Count != 1:
		return c, err
	case c.Options != nil && !c.Several && len(entries(choice)) > 1:
		return c, fmt.Errorf("%w: %s takes one entry, not %d: it is not a <select multiple>", drivers.ErrNotActionable,
			naming(at), len(entries(choice)))
	case c.Disabled:
		return c, fmt.Errorf("%w: %s is disabled (waited %s)", drivers.ErrNotActionable, naming(at), pages.Wait(at.Timeout))
	case off != "":
		return c, fmt.Errorf("%w: the option %s of %s is disabled (waited %s)", drivers.ErrNotActionable,
			screen.Quote(off), naming(at), pages.Wait(at.Timeout))
	}
	return c, nil
}

// holding reads a control until something of it has held for keepsFor, or keepsQuiet, at most keepsWait. It
// returns the last read; nil: the control is gone, because the page was left, and cannot be queried.
func (co *Controls) holding(ctx context.Context, at drivers.WebTarget, holds func(*control) bool) (
	last *control, ok bool, err error) {
	var since time.Time
	end := time.Now().Add(keepsWait)
	lateEnd := end.Add(keepsWait)
	if over := deadlineOf(ctx, at); over.Before(end) {
		end = over
	}
	if over := deadlineOf(ctx, at); over.Before(lateEnd) {
		lateEnd = over
	}
	for {
		if s, _, err := co.slot.Page(); err == nil && s.Dialogs.IsOpen() {
			at.Warn(fmt.Sprintf("a dialog of the page is open: what %s holds was not read", naming(at)))
			return nil, true, nil // reading would close it
		}
		asked := time.Now()
		c, err := co.controlAt(ctx, at)
		if errors.Is(err, drivers.ErrNotReady) || err == nil && c.Count != 1 {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		rests := keepsFor
		if c.Rest == screen.Quiet {
			rests = keepsQuiet
		}
		switch is := holds(c); {
		case !is && time.Now().After(end):
			return c, false, nil
		case !is:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
			if at.Meanwhile != nil {
				at.Meanwhile(ctx)
				at.Meanwhile = nil
			}
		case asked.Sub(since) >= rests && (!c.Late || time.Now().After(lateEnd)):
			return c, true, nil
		}
		wait := pages.LookPause
		if left := rests - time.Since(since); !since.IsZero() && left > 0 {
			wait = min(wait, left)
		}
		if err := browser.Pause(ctx, wait); err != nil {
			return nil, false, err
		}
	}
}

// keeps checks that a field holds a text that was put into it, as it was or as the field writes it, and keeps holding
// it.
func (co *Controls) keeps(ctx context.Context, at drivers.WebTarget, text string) error {
	c, ok, err := co.holding(ctx, at, func(c *control) bool {
		return !c.Typed || c.Text == text || text != "" && screen.Follows(c.Text, text) == screen.Whole
	})
	if err != nil || ok {
		return err
	}
	shows := c.Text
	if c.Password {
		shows = strings.Repeat("•", min(len([]rune(shows)), 64))
	}
	return fmt.Errorf("%w: typed %s, and %s shows %s", drivers.ErrNotActionable, screen.Quote(text), naming(at),
		screen.Quote(shows))
}

// keepsChecked checks that a box, button or switch stays checked, or not.
func (co *Controls) keepsChecked(ctx context.Context, at drivers.WebTarget, checked bool) error {
	_, ok, err := co.holding(ctx, at, func(c *control) bool {
		return c.Checked == "" ||
			c.Checked == strconv.FormatBool(checked)
	})
	if err != nil || ok {
		return err
	}
	return fmt.Errorf("%w: %s was made %s, and the page has taken that back", drivers.ErrNotActionable, naming(at),
		checkedWord(checked))
}

func checkedWord(checked bool) string {
	if checked {
		return "checked"
	}
	return "unchecked"
}

// keepsChoice checks that what was chosen in a list stays chosen. A list that starts again at once with an
// option that means none is a menu of actions, and a list with other options is another one.
func (co *Controls) keepsChoice(ctx context.Context, at drivers.WebTarget, choice drivers.WebChoice) error {
	looks, menu := 0, false
	shows := ""
	_, ok, err := co.holding(ctx, at, func(c *control) bool {
		looks++
		wanted, chosen := 0, 0
		shows = ""
		none := true
		missing := 0
		for _, one := range entries(choice) {
			is := func(i int) bool { return wants(one, i, c.Options[i]) }
			if fits := indexes(len(c.Options), is); len(fits) > 0 &&
				!slices.ContainsFunc(fits, func(i int) bool { return c.Options[i].Chosen }) {
				missing++
			}
		}
		for i, o := range c.Options {
			if wants(choice, i, o) {
				wanted++
				chosen += map[bool]int{true: 1}[o.Chosen]
			}
			if o.Chosen {
				shows, none = o.Label, none && o.Value == ""
			}
		}
		menu = looks == 1 && chosen == 0 && none || menu
		return menu || wanted == 0 || missing == 0
	})
	if err != nil || ok {
		return err
	}
	return fmt.Errorf("%w: what was chosen in %s was taken back by the page: it shows %s", drivers.ErrNotActionable,
		naming(at), screen.Quote(shows))
}
