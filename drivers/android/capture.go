package android

import (
	"errors"
	"sync"
	"time"
)

const (
	// a raw screenshot that costs no more is not worth measuring what a PNG would cost
	rawFine     = 800 * time.Millisecond
	rawPatience = time.Second            // for the rest of a raw screenshot with a slow start
	rawGlimpse  = 250 * time.Millisecond // of a raw screenshot, before its rate is judged
	// screenshots of one kind after which the other is attempted again: connections change
	askAgain = 25
)

// errSlowPixels ends a raw screenshot that would take too long.
var errSlowPixels = errors.New("raw pixels come too slowly over this connection")

// captureCosts is what screenshots cost over this phone's connection, as measured. The zero value knows
// nothing.
type captureCosts struct {
	mu        sync.Mutex
	raw, png  time.Duration // of the last one; 0: none was taken
	sinceKind int           // screenshots since both kinds were compared
	asPNG     bool
}

// takesPNG chooses the kind of the next screenshot.
func (c *captureCosts) takesPNG() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sinceKind++
	switch {
	case c.raw == 0:
		c.asPNG = false
	case c.png == 0:
		c.asPNG = c.raw > rawFine
	case c.sinceKind > askAgain && c.raw > rawFine:
		c.asPNG, c.sinceKind = !c.asPNG, 0
	default:
		c.asPNG = c.png < c.raw
	}
	return c.asPNG
}

func (c *captureCosts) tookRaw(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = max(d, 1)
}

func (c *captureCosts) tookPNG(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.png, c.asPNG = max(d, 1), true
}

// patience watches a raw screenshot of so many bytes arrive, and cancels one that would take much longer than a PNG.
// What it would have taken counts as its cost.
func (c *captureCosts) patience(expect int) func(bytes int) error {
	var first time.Time
	var head int
	return func(bytes int) error {
		if first.IsZero() {
			first, head = time.Now(), bytes
			return nil
		}
		took, came := time.Since(first), bytes-head
		if expect <= 0 || took < rawGlimpse || came <= 0 || bytes >= expect {
			return nil
		}
		rest := time.Duration(float64(took) / float64(came) * float64(expect-bytes))
		if rest < rawPatience {
			return nil
		}
		c.tookRaw(took + rest)
		return errSlowPixels
	}
}
