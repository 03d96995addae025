// Package reading finds texts among what was read in an image: lines and a wanted text go in, the places that show it
// come out, with what a reader of pixels confuses forgiven. The code is in drivers/internal/reading; this is what
// other folders need of it.
package reading

import (
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/reading"
)

// Find returns the places that show a text: whole lines, or whole words within one, best and then in reading order.
// Only what a reader of pixels confuses is forgiven, and the score shows it: l for I, O for 0, rn for m, a lost accent,
// blank or comma. "Unpaid" never shows "Paid", nor "50" "60".
func Find(lines []drivers.TextLine, want string) []drivers.Sighting {
	return reading.Find(lines, want)
}

// Nearest returns what is most like a text, whether it shows it or not, best first.
func Nearest(lines []drivers.TextLine, want string, limit int) []drivers.Sighting {
	return reading.Nearest(lines, want, limit)
}
