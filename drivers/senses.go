package drivers

import (
	"context"
	"image"
	"time"
)

// Place is a position on earth, in degrees.
type Place struct {
	Latitude, Longitude float64
	Accuracy            float64 // radius in metres; 0: the driver's own, as exact as it can
}

// Locator is a Device that can be told where it is. The made-up position holds until the next one, or until Device.Close, which gives the
// real one back.
type Locator interface {
	// SetLocation makes the device believe that it is there. Where only some devices can (an emulator, a phone with a helper app), the
	// others give an error that wraps ErrUnsupported and says what is missing.
	SetLocation(ctx context.Context, at Place) error
}

// Shaker is a Device whose apps can be made to feel that it is shaken.
type Shaker interface {
	// Shake returns once the movement is over. A device that only a hand can shake gives an error that wraps ErrUnsupported.
	Shake(ctx context.Context) error
}

// MediaAdder is a Device with a gallery of pictures and films.
type MediaAdder interface {
	// AddMedia copies a picture or film into the gallery and returns once apps can find it there. Device.Close takes it away again.
	AddMedia(ctx context.Context, path string) error
}

// Pincher is a Device that feels two fingers.
type Pincher interface {
	// Pinch puts two fingers down at the same distance from centre, on a line through it, and moves them from the distance `from` to the
	// distance `to` within d. A finger beside the screen is an ErrNotActionable, and no gesture.
	Pinch(ctx context.Context, centre image.Point, from, to int, d time.Duration) error
}

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
