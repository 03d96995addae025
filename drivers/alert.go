package drivers

import (
	"context"
)

// Alert is a question of the system, or of a page, that covers everything else until it is answered.
type Alert struct {
	Text    string   // what it says
	Buttons []string // as they are shown, where the device reports it
	Accept  string   // the one of Buttons that accepts; "" where it is unknown
	Dismiss string   // the one that says no; the only one of an alert that has one
	Field   bool     // it has a field for a text, as far as the device reports it
}

// Alerter is a Device with alerts that can be answered. On a page they are the dialogs of alert, confirm and prompt.
type Alerter interface {
	// Alert returns the open alert, nil when there is none.
	Alert(ctx context.Context) (*Alert, error)
	// AnswerAlert presses a button of the one that is open, by the name that Alert returns; text goes into its field
	// first, where it has one and text is not empty. No open alert, and one without that button, is an ErrNotFound.
	AnswerAlert(ctx context.Context, button, text string) error
}
