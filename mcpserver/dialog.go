package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
)

// A dialog of a page (alert, confirm, prompt) is in no snapshot, and whatever reads or touches the page dismisses it: "Delete this?" would
// be answered with no, and nobody would know. So it stays open until the client answers it, with a key as a person does.

// openDialog gives the dialog that is open on a page, nil when there is none; on phones dialogs are elements like others.
func openDialog(ctx context.Context, d drivers.Device) (*drivers.Alert, error) {
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

// undisturbed refuses to look at a page while a dialog is open, which that would dismiss.
func (s *Server) undisturbed(ctx context.Context, d drivers.Device) error {
	open, err := openDialog(ctx, d)
	if open == nil {
		return err
	}
	return &live.InvalidError{Err: s.unanswered(open)}
}

// unanswered refuses what would dismiss an open dialog.
func (s *Server) unanswered(open *drivers.Alert) *refusal {
	what, how := s.question(open)
	return &refusal{What: "the page waits for an answer, so nothing else can be done on it: " + what, Try: how}
}

// dialog gives the dialog that is open on a device of the session.
func (c *call) dialog(ctx context.Context, device string) (open *drivers.Alert, err error) {
	if !c.isOpen(device) || c.platform(device) != dsl.Web {
		return nil, nil
	}
	err = c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) (err error) {
		open, err = openDialog(ctx, s.Device)
		return err
	})
	return open, err
}

// dialogWords tell of an open dialog and how it is answered.
func (s *Server) dialogWords(open *drivers.Alert) string {
	what, how := s.question(open)
	return what + "; " + how
}

// question gives what a dialog says and how it is answered.
func (s *Server) question(open *drivers.Alert) (what, how string) {
	how = `press {keys: ["enter"]} accepts it`
	if len(open.Buttons) > 1 {
		how += `, press {keys: ["escape"]} dismisses it`
	}
	if open.Field {
		how += "; input {text} fills it in and accepts it"
	}
	return fmt.Sprintf("dialog %s is open", s.foreign(client.Quoted(open.Text))), how
}

// beyondDialog tells whether the call leaves the page, and its dialog with it.
func (c *call) beyondDialog() bool {
	switch c.tool.name {
	case "open_browser", "web_navigate", "close_browser":
		return true
	}
	return false
}

// reply makes the step that answers an open dialog; a call that is no answer to it is refused, so that nothing is answered by accident.
func (c *call) reply(open *drivers.Alert) (step, error) {
	answer := map[string]string{}
	text, typed := c.value.Get("text")
	switch {
	case c.tool.name == "press" && c.presses("enter"):
		answer["answer"] = "accept"
	case c.tool.name == "press" && c.presses("escape"):
		answer["answer"] = "dismiss"
	case c.tool.name == "input" && typed && open.Field:
		answer["answer"], answer["text"] = "accept", text.Value.Text
	default:
		return step{}, c.unanswered(open)
	}
	def, _ := dsl.Lookup("alert")
	v := source.Value{Kind: source.Map}
	for _, key := range []string{"answer", "text"} {
		if words, given := answer[key]; given {
			v = with(v, key, source.Value{Kind: source.String, Text: words})
		}
	}
	if timeout, given := c.value.Get("timeoutMs"); given {
		v = with(v, "timeoutMs", timeout.Value)
	}
	return step{def: def, value: v}, nil
}

// presses tells whether the call presses this key and no other.
func (c *call) presses(name string) bool {
	f, _ := c.value.Get("keys")
	key := f.Value
	if key.Kind == source.List && len(key.Items) == 1 {
		key = key.Items[0]
	}
	return key.Kind == source.String && key.Text == name
}
