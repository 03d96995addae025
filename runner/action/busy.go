package action

import (
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// busyFor is how long after an action an app may still be at work on what it shows: what is not there in that time may
// be on its way.
const busyFor = 3 * time.Second

// onPhone reports whether it is an app on a phone that is tested.
func (s *Session) onPhone() bool { return s.Platform == dsl.Android || s.Platform == dsl.IOS }

// busy returns by what an app shows that it is still at work after the last action, "" when it is not: a spinner turns,
// or nothing is on its screen.
func (w *screenReader) busy() string {
	if !w.s.onPhone() || w.tree == nil || w.pixelsOnly || w.tree.Taken.Sub(w.s.acted) >= busyFor {
		return ""
	}
	empty := true
	for n := range w.tree.All {
		switch {
		case n.Hidden || n.Offscreen || n.Bounds.Empty():
		case turns(n):
			return n.String() + " turns"
		case n.Text != "" || n.Desc != "" || n.Hint != "" || n.Editable || n.Clickable:
			empty = false
		}
	}
	if empty {
		return "nothing is on the screen"
	}
	return ""
}

// turns reports whether an element is a spinner that turns while an app is at work, rather than a bar that shows how
// far it is.
func turns(n *screen.Node) bool {
	switch n.Type[strings.LastIndexByte(n.Type, '.')+1:] {
	case "ProgressBar", "XCUIElementTypeActivityIndicator":
		return n.Holds == nil || strings.HasPrefix(n.Holds.Value, "0.0")
	}
	return false
}
