package ios

import (
	"image"
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
)

// clearScenes have views over what is tapped of which nothing is drawn: some take the touches, and some let them
// through.
func clearScenes() []*sceneTrap {
	var l sceneList
	whole := image.Rect(0, 0, 300, 640)
	over := func(layer piece) func(s *stage) []piece {
		return func(s *stage) []piece {
			pay := s.press("Pay", line(3))
			if s.state != "" {
				return []piece{text("Paid", line(0)), pay, layer}
			}
			return []piece{text("Checkout", line(0)), pay, layer}
		}
	}
	for name, layer := range map[string]piece{"a clear view": {Kind: "Other", Bounds: whole},
		"a clear window":     {Kind: "Window", Bounds: whole},
		"a small clear view": {Kind: "Other", Bounds: line(3).Inset(-4)}} {
		l.add("under "+name+" that lets touches through", "- tap: Pay", event.Pass, "Pay", "", restful(over(layer)))
		layer.Blocks = true
		l.add("under "+name+" that takes touches", "- tap: Pay", event.Fail, "", "takes the touch", restful(over(layer)))
		l.add("pressed under "+name+" that takes touches", "- longPress: Pay", event.Fail, "", "takes the touch",
			restful(over(layer)))
		l.add("seen under "+name+" that takes touches", "- assert: Pay", event.Pass, "", "", restful(over(layer)))
		layer.Mute = true // and XCTest does not know it
		l.add("under "+name+" of which XCTest knows nothing", "- tap: Pay", event.Fail, "", "nothing on the screen",
			restful(over(layer)))
	}
	l.add("under a clear view that goes", "- tap: Pay", event.Pass, "Pay", "",
		timely(func(s *stage, since time.Duration) []piece {
			p := []piece{s.press("Pay", line(3))}
			if since < 1200*msec {
				p = append(p, piece{Kind: "Other", Bounds: whole, Blocks: true})
			}
			return p
		}))
	l.add("hidden from XCTest under a clear view", "- tap: Pay", event.Pass, "Pay", "", restful(func(s *stage) []piece {
		pay := text("Pay", line(3))
		pay.Mute, pay.Tapped = true, s.took("Pay")
		if s.state != "" {
			return []piece{text("Paid", line(0)), pay, {Kind: "Other", Bounds: whole}}
		}
		return []piece{pay, {Kind: "Other", Bounds: whole}}
	}))
	l.add("a row under a clear view", "- tap: Ada", event.Pass, "row", "", restful(func(s *stage) []piece {
		return []piece{{Kind: "Cell", Bounds: line(3), Fill: ground, Tapped: s.took("row"),
			Parts: []piece{text("Ada", line(3).Inset(6))}}, {Kind: "Other", Bounds: whole}}
	}))
	l.add("a row under a clear view that takes touches", "- tap: Ada", event.Fail, "", "takes the touch",
		restful(func(s *stage) []piece {
			return []piece{{Kind: "Cell", Bounds: line(3), Fill: ground, Tapped: s.took("row"),
				Parts: []piece{text("Ada", line(3).Inset(6))}}, {Kind: "Other", Bounds: whole, Blocks: true}}
		}))
	return l
}
