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

// alert waits for the alert, and answers it when it is the one that is meant.
func alert(ctx context.Context, s *Session, a dsl.Alert) error {
	d, err := able[drivers.Alerter](s)
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
	s.tapped = nil
	return d.AnswerAlert(ctx, a.Answer == "accept", a.Text)
}
