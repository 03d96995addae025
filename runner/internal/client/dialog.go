package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// A dialog of a page (alert, confirm, prompt) is not part of snapshots, and any access to the page would dismiss it:
// "Delete this?" would be answered with no, without a trace. Therefore the dialog stays open until the client answers
// it with a key, as a person does.

// OpenDialog returns the open dialog of a page, or nil. On phones dialogs are elements like others.
func OpenDialog(ctx context.Context, d drivers.Device) (*drivers.Alert, error) {
	_, page := d.(drivers.Navigator)
	alerter, ok := d.(drivers.Alerter)
	if !page || !ok {
		return nil, nil
	}
	open, err := alerter.Alert(ctx)
	if errors.Is(err, drivers.ErrPage) {
		return nil, nil // no page is open yet
	}
	return open, err
}

// checkNoDialog fails while a dialog is open, because reading the page would dismiss it.
func (s *Client) checkNoDialog(ctx context.Context, d drivers.Device) error {
	open, err := OpenDialog(ctx, d)
	if open == nil {
		return err
	}
	return &live.InvalidError{Err: s.dialogOpen(open)}
}

// dialogOpen returns the refusal of calls that would dismiss an open dialog.
func (s *Client) dialogOpen(open *drivers.Alert) *Refusal {
	what, how := s.question(open)
	return &Refusal{Missing: true, What: "the page waits for an answer, so nothing else can be done on it: " + what,
		Try: how}
}

// DialogWords describes an open dialog and how to answer it.
func (s *Client) DialogWords(open *drivers.Alert) string {
	what, how := s.question(open)
	return what + "; " + s.Say(how)
}

// question returns the text of a dialog and how to answer it.
func (s *Client) question(open *drivers.Alert) (what, how string) {
	how = "`press enter` accepts it"
	if len(open.Buttons) > 1 {
		how += ", `press escape` dismisses it"
	}
	if open.Field {
		how += "; `input text` fills it in and accepts it"
	}
	return fmt.Sprintf("dialog %s is open", s.Foreign(Quoted(open.Text))), how
}

// ignoresDialog reports whether the call works while a dialog is open: it leaves the page and its dialog, or handles
// the dialog.
func (c *Call) ignoresDialog() bool {
	return c.is("openBrowser") || c.is("webNavigate") || c.is("closeBrowser") || c.is("alert")
}

// dialogStep returns the step that answers an open dialog. It refuses a call that is not an answer, so that no dialog
// is answered by accident.
func (c *Call) dialogStep(open *drivers.Alert) (step, error) {
	answer := map[string]string{}
	text, typed := c.Value.Get("text")
	switch {
	case c.is("press") && c.presses("enter"):
		answer["answer"] = "accept"
	case c.is("press") && c.presses("escape"):
		answer["answer"] = "dismiss"
	case c.is("input") && typed && open.Field:
		answer["answer"], answer["text"] = "accept", text.Value.Text
	default:
		return step{}, c.dialogOpen(open)
	}
	def, _ := dsl.Lookup("alert")
	v := source.Value{Kind: source.Map}
	for _, key := range []string{"answer", "text"} {
		if words, given := answer[key]; given {
			v = v.With(key, source.Value{Kind: source.String, Text: words})
		}
	}
	if timeout, given := c.Value.Get("timeout"); given {
		v = v.With("timeout", timeout.Value)
	}
	return step{def: def, value: v}, nil
}

// presses reports whether the call presses this key only.
func (c *Call) presses(name string) bool {
	f, _ := c.Value.Get("keys")
	key := f.Value
	if key.Kind == source.List && len(key.Items) == 1 {
		key = key.Items[0]
	}
	return key.Kind == source.String && dsl.KeyName(key.Text) == name
}
