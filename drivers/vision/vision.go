// Package vision turns a screenshot into what it shows: the text that tesseract reads on it, and what a model sees.
// The code is in drivers/internal/vision; this is what other folders need of it.
package vision

import (
	"github.com/taproot-dev/taproot/drivers/internal/vision"
)

// Mode says whether a model may be asked.
type Mode = vision.Mode

// The modes.
const (
	Off = vision.Off // nothing is asked and nothing is taken from before
)

// ParseMode reads a mode; "" is Live.
func ParseMode(s string) (Mode, error) {
	return vision.ParseMode(s)
}

// Options are what Models need. The zero value works.
type Options = vision.Options

// New makes Models. Nothing is searched and no model is queried before they are used.
func New(o Options) *vision.Models {
	return vision.New(o)
}
