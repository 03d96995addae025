package ios

import (
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
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

// partScenes have bars and layers of plain views over a part of what is tapped.
func partScenes() []*sceneTrap {
	var l sceneList
	row := image.Rect(0, 540, 300, 640)
	over := func(layers ...piece) func(*stage, iossim.Moment) []piece {
		return restful(func(s *stage) []piece {
			list := []piece{text("Lines", line(0)), {Kind: "Cell", Bounds: row, Fill: ground, Tapped: s.took("row"),
				Parts: []piece{text("Line 7", row.Inset(6))}}}
			if s.state != "" {
				list[0] = text("Chosen", line(0))
			}
			for _, p := range layers {
				p.Tapped = s.took("bar")
				list = append(list, p)
			}
			return list
		})
	}
	bar := func(b image.Rectangle) piece { return piece{Kind: "Other", Bounds: b, Fill: scenePlum} }
	for name, b := range map[string]image.Rectangle{"lower half": image.Rect(0, 585, 300, 640),
		"upper half": image.Rect(0, 500, 300, 595), "left part": image.Rect(0, 500, 200, 640)} {
		l.add("a row with its "+name+" under a bar", "- tap: Line 7", event.Pass, "row", "", over(bar(b)))
	}
	l.add("a row with its middle under a clear view", "- tap: Line 7", event.Pass, "row", "",
		over(piece{Kind: "Other", Bounds: image.Rect(60, 560, 240, 620)}))
	l.add("a row under a bar in the place that is asked for", "- tap: {label: Line 7, at: \"50%, 90%\"}", event.Fail, "",
		"takes the touch", over(bar(image.Rect(0, 585, 300, 640))))
	l.add("a row under a button in the place that is asked for", "- tap: {label: Line 7, at: \"85%, 50%\"}", event.Fail,
		"", "takes the touch", over(piece{Kind: "Button", Label: "Add", Bounds: image.Rect(200, 560, 290, 620),
			Fill: scenePlum}))
	l.add("a row with a button beside the place that is asked for", "- tap: {label: Line 7, at: \"15%, 50%\"}", event.Pass,
		"row", "", over(piece{Kind: "Button", Label: "Add", Bounds: image.Rect(200, 560, 290, 620), Fill: scenePlum}))
	l.add("a row beside a bar", "- tap: Line 7", event.Pass, "row", "", over(bar(image.Rect(0, 440, 300, 540))))
	l.add("a row under nothing", "- tap: Line 7", event.Pass, "row", "", over())
	l.add("a row under a clear page that lets touches through", "- tap: Line 7", event.Pass, "row", "",
		restful(func(s *stage) []piece {
			return append(over()(s, iossim.Moment{}), piece{Kind: "Other", Bounds: image.Rect(0, 0, 300, 640)})
		}))
	l.add("a row under a clear page that takes touches", "- tap: Line 7", event.Fail, "", "",
		restful(func(s *stage) []piece {
			return append(over()(s, iossim.Moment{}), piece{Kind: "Other", Bounds: image.Rect(0, 0, 300, 640), Blocks: true})
		}))
	return l
}

// TestPartlyCovered holds what is partly covered against a WebDriverAgent that reports what a touch meets, and against
// those that do not.
func TestPartlyCovered(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]iossim.DeviceOptions{"told": {}, "without places": {NoPlaces: true},
		"old": {OldAgent: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Width, o.Height, o.Scale = 300, 640, 1
			b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{o}})
			dev, err := b.driver(t).Open(t.Context(), b.lab.Device(0).UDID())
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			for _, trap := range partScenes() {
				trap.name = fmt.Sprintf("%s: %s", name, trap.name)
				trap.play(t, dev.(*device), b.lab.Device(0))
			}
		})
	}
}
