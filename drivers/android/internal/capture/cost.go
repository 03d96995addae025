package capture

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

// Costs is what screenshots cost over this phone's connection, as measured. The zero value knows
// nothing.
type Costs struct {
	Mu        sync.Mutex
	Raw, PNG  time.Duration // of the last one; 0: none was taken
	sinceKind int           // screenshots since both kinds were compared
	asPNG     bool
}

// takesPNG chooses the kind of the next screenshot.
func (c *Costs) takesPNG() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.sinceKind++
	switch {
	case c.Raw == 0:
		c.asPNG = false
	case c.PNG == 0:
		c.asPNG = c.Raw > rawFine
	case c.sinceKind > askAgain && c.Raw > rawFine:
		c.asPNG, c.sinceKind = !c.asPNG, 0
	default:
		c.asPNG = c.PNG < c.Raw
	}
	return c.asPNG
}

func (c *Costs) TookRaw(d time.Duration) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Raw = max(d, 1)
}

func (c *Costs) tookPNG(d time.Duration) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.PNG, c.asPNG = max(d, 1), true
}

// patience watches a raw screenshot of so many bytes arrive, and cancels one that would take much longer than a PNG.
// What it would have taken counts as its cost.
func (c *Costs) patience(expect int) func(bytes int) error {
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
		c.TookRaw(took + rest)
		return errSlowPixels
	}
}
