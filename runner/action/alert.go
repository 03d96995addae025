package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// alert waits for the alert, and closes it when it is the chosen one.
func alert(ctx context.Context, s *Session, a dsl.Alert) error {
	d, err := capability[drivers.Alerter](s)
	if err != nil {
		return err
	}
	var open *drivers.Alert
	err = poll(ctx, s.Timeout, func() (err error) {
		if open, err = d.Alert(ctx); err == nil && open == nil {
			err = errWait
		}
		return err
	})
	switch {
	case errors.Is(err, errWait):
		return &Failure{event.Problem{Expected: "an alert", Actual: "no alert is open",
			Message: fmt.Sprintf("no alert came within %s", s.Timeout)}}
	case err != nil:
		return err
	}
	s.Value = open.Text
	s.note("the alert says %s", screen.Quote(open.Text))
	if a.Shows != "" && !screen.TextShows(open.Text, a.Shows) {
		return &Failure{event.Problem{Assertion: true, Expected: screen.Quote(a.Shows), Actual: screen.Quote(open.Text),
			Message: fmt.Sprintf("the alert says %s, not %s", screen.Quote(open.Text), screen.Quote(a.Shows))}}
	}
	button, err := buttonOf(open, a)
	if err != nil {
		return err
	}
	s.tapped = nil
	if err := d.AnswerAlert(ctx, button, a.Text); err != nil {
		return err
	}
	s.note("pressed %s", screen.Quote(button))
	return nil
}

// buttonOf is the button of an alert that the step means.
func buttonOf(open *drivers.Alert, a dsl.Alert) (string, error) {
	if a.Button != "" {
		if b, ok := screen.Alike(open.Buttons, a.Button); ok {
			return b, nil
		}
		return "", &Failure{event.Problem{Assertion: true, Expected: "the button " + screen.Quote(a.Button),
			Actual:  fmt.Sprintf("its buttons are %q", open.Buttons),
			Message: fmt.Sprintf("the alert has no button %s: it has %q", screen.Quote(a.Button), open.Buttons)}}
	}
	button := open.Dismiss
	if a.Answer == "accept" {
		button = open.Accept
	}
	if button != "" {
		return button, nil
	}
	example := "OK"
	if len(open.Buttons) > 0 {
		example = open.Buttons[0]
	}
	return "", &Failure{
		event.Problem{Expected: "a button that " + map[bool]string{true: "accepts", false: "dismisses"}[a.Answer == "accept"],
			Actual: fmt.Sprintf("its buttons are %q", open.Buttons),
			Message: fmt.Sprintf("it is unknown which of the buttons %q is %s: name it, such as alert: {button: "+
				"%s}", open.Buttons,
				a.Answer, example)}}
}
