package vocabulary

import (
	"time"
)

// Millis is a time in milliseconds.
type Millis int

// Duration returns the time in Go's own unit.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// Point is a place on the screen, in pixels of the screenshot or in per cent of its size. In YAML it is a text,
// "120,340" or "50%,80%", or a map {x: 120, y: 340}.
type Point struct {
	X, Y    float64
	Percent bool
}

// Offset is a way on the screen in pixels of the screenshot, to the right and down: a text, "120,-40", or a map {x:
// 120, y: -40}.
type Offset struct{ X, Y int }

// MaxOffset is more than any screen.
const MaxOffset = 100000
