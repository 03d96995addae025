package drivers

import (
	"context"
)

// Coordinates is a position on earth, in degrees.
type Coordinates struct {
	Latitude, Longitude float64
	Accuracy            float64 // radius in metres; 0: the driver's own, as exact as it can
}

// LocationSetter is a Device with a location that can be set. The made-up position holds until the next one, or until
// Device.Close, which restores the real one.
type LocationSetter interface {
	// SetLocation makes the device believe that it is there. Where only some devices can (an emulator, a phone with a
	// helper app), the others give an error that wraps ErrUnsupported and says what is missing.
	SetLocation(ctx context.Context, at Coordinates) error
}
