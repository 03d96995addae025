package screen

import "errors"

// What comes of a search that does not end with one element. Both blame the app or the test, not the device.
var (
	ErrNotFound  = errors.New("element not found")
	ErrAmbiguous = errors.New("several elements match")
)
