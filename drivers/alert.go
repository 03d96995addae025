package drivers

import (
	"context"
)

// Alert is a question of the system, or of a page, that covers everything else until it is answered.
type Alert struct {
	Text    string   // what it says
	Buttons []string // as they are shown, where the device can tell
	Field   bool     // it asks for a text, as far as the device can tell
}

// Alerter is a Device whose alerts can be answered. On a page they are the dialogs of alert, confirm and prompt.
type Alerter interface {
	// Alert gives the alert that is open, nil when there is none.
	Alert(ctx context.Context) (*Alert, error)
	// AnswerAlert accepts or dismisses the one that is open; text goes into its field first, where it has one and text is not empty. No
	// open alert is an ErrNotFound.
	AnswerAlert(ctx context.Context, accept bool, text string) error
}
