package ios

import (
	"image"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// busyLayers marks the layers, as large as the screen, that show nothing but a spinner: while it does, they
// take the touches of all that is under them.
func busyLayers(n *screen.Node, whole image.Rectangle) {
	for _, c := range n.Children {
		busyLayers(c, whole)
	}
	if n.Type == elementPrefix+"Other" && !n.Hidden && whole.In(n.Bounds) && onlyBusy(n) {
		n.Blocks = true
	}
}

// onlyBusy reports whether there is a spinner in n, with a text next to it at most.
func onlyBusy(n *screen.Node) bool {
	wheel := false
	for _, c := range n.Children {
		switch {
		case c.Hidden, c.Type == elementPrefix+"StaticText":
		case c.Type == elementPrefix+"ActivityIndicator":
			wheel = true
		case len(c.Children) > 0 && onlyBusy(c):
			wheel = true
		case c.Clickable || c.Editable || len(c.Children) > 0:
			return false
		}
	}
	return wheel
}
