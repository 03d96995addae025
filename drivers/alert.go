package drivers

import (
	"context"
)

// Alert is a question of the system, or of a page, that covers everything else until it is answered.
type Alert struct {
	Text    string   // what it says
	Buttons []string // as they are shown, where the device can tell
	Accept  string   // the one of Buttons that says yes; "" where they do not tell
	Dismiss string   // the one that says no; the only one of an alert that has one
	Field   bool     // it asks for a text, as far as the device can tell
}

// Alerter is a Device whose alerts can be answered. On a page they are the dialogs of alert, confirm and prompt.
type Alerter interface {
	// Alert gives the alert that is open, nil when there is none.
	Alert(ctx context.Context) (*Alert, error)
	// AnswerAlert presses a button of the one that is open, by the name that Alert gives; text goes into its field first,
	// where it has one and text is not empty. No open alert, and one without that button, is an ErrNotFound.
	AnswerAlert(ctx context.Context, button, text string) error
}
