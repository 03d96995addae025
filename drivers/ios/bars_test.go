package ios

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// barScenes are elements under the status bar, which takes touches, and under the home indicator, which takes swipes.
func barScenes() []*sceneTrap {
	var l sceneList
	menu := func(b image.Rectangle, more ...piece) func(*stage, iossim.Moment) []piece {
		return restful(func(s *stage) []piece {
			said := "Inbox"
			if s.state != "" {
				said = "Opened"
			}
			return append([]piece{text(said, line(2)), s.press("Menu", b)}, more...)
		})
	}
	beneath := image.Rect(10, 4, 200, 44)
	l.add("under the status bar", "- tap: Menu", event.Fail, "", "status bar", menu(beneath))
	l.add("under the status bar, held", "- longPress: Menu", event.Fail, "", "status bar", menu(beneath))
	l.add("under the status bar, twice", "- doubleTap: Menu", event.Fail, "", "status bar", menu(beneath))
	l.add("a name alone under the status bar", "- tap: Menu", event.Fail, "", "status bar",
		restful(func(s *stage) []piece {
			return []piece{text("Inbox", line(2)), {Kind: "Button", Label: "Menu", Bounds: beneath, Tapped: s.took("Menu")}}
		}))
	l.add("half under the status bar", "- tap: Menu", event.Pass, "Menu", "", menu(image.Rect(10, 0, 200, 80)))
	l.add("mostly under the status bar", "- tap: Menu", event.Pass, "Menu", "", menu(image.Rect(10, 0, 200, 54)))
	l.add("half under the status bar, in the place that is asked for", "- tap: {label: Menu, at: \"50%, 20%\"}",
		event.Fail, "", "status bar", menu(image.Rect(10, 0, 200, 80)))
	l.add("below the status bar", "- tap: Menu", event.Pass, "Menu", "", menu(image.Rect(10, 48, 200, 88)))
	l.add("a large title that reaches under the status bar", "- tap: Settings", event.Pass, "title", "",
		restful(func(s *stage) []piece {
			said := "Inbox"
			if s.state != "" {
				said = "Opened"
			}
			return []piece{text(said, line(2)), {Kind: "NavigationBar", ID: "Settings", Bounds: image.Rect(0, 0, 300, 140),
				Fill: ground, Tapped: s.took("title"), Parts: []piece{text("Settings", image.Rect(10, 0, 290, 140))}}}
		}))
	alert := func(b image.Rectangle) piece {
		return piece{Kind: "Alert", Label: "Sure?", Bounds: image.Rect(20, 0, 280, 300), Fill: white, Parts: []piece{
			{Kind: "Button", Label: "Yes", Bounds: b, Fill: scenePlum,
				Parts: []piece{{Label: "Yes", Bounds: b.Inset(6), Ink: white}}}}}
	}
	under := func(b image.Rectangle) func(*stage, iossim.Moment) []piece {
		return restful(func(s *stage) []piece {
			if s.state != "" {
				return []piece{text("Done", line(2))}
			}
			a := alert(b)
			a.Parts[0].Tapped = s.took("Yes")
			return []piece{text("Inbox", line(8)), a}
		})
	}
	l.add("a button of an alert under the status bar", "- tap: \"Yes\"", event.Fail, "", "status bar",
		under(image.Rect(30, 4, 270, 44)))
	l.add("a button of an alert half under the status bar", "- tap: \"Yes\"", event.Pass, "Yes", "",
		under(image.Rect(30, 4, 270, 84)))
	l.add("over the home indicator", "- tap: Menu", event.Pass, "Menu", "", menu(image.Rect(10, 608, 200, 638)))
	l.add("an item of a toolbar over the home indicator", "- tap: Menu", event.Pass, "Menu", "",
		restful(func(s *stage) []piece {
			said := "Inbox"
			if s.state != "" {
				said = "Opened"
			}
			return []piece{text(said, line(2)), {Kind: "Toolbar", Bounds: image.Rect(0, 570, 300, 640), Fill: ground,
				Blocks: true, Parts: []piece{s.press("Menu", image.Rect(10, 580, 200, 638))}}}
		}))
	rows := func(s *stage) []piece {
		list := piece{Kind: "Table", Bounds: image.Rect(0, 0, 300, 640), Fill: ground,
			Scrolled: func(by image.Point) { s.offset = max(-200, min(500, s.offset-by.Y)) }}
		for i := range 12 {
			row := s.press(fmt.Sprint("Row ", i+1), image.Rect(10, i*80-76-s.offset, 290, i*80-36-s.offset))
			if row.Bounds.Overlaps(list.Bounds) {
				list.Parts = append(list.Parts, row)
			}
		}
		return []piece{list}
	}
	l.add("a row under the status bar, scrolled to", "- scrollTo: Row 2\n- tap: Row 2", event.Pass, "Row 2", "",
		restful(rows))
	l.add("a row under the status bar is not seen", "- assert: Row 2", event.Fail, "", "", restful(rows))
	l.add("a row under the status bar is seen by nobody", "- assertNot: Row 2", event.Pass, "", "", restful(rows))
	return l
}

// playOn plays traps on one phone.
func playOn(t *testing.T, o iossim.DeviceOptions, traps []*sceneTrap) {
	t.Helper()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{o}})
	dev, err := b.driver(t).Open(t.Context(), b.lab.Device(0).UDID())
	must(t, err)
	defer dev.Close()
	for _, trap := range traps {
		trap.play(t, dev.(*device), b.lab.Device(0))
	}
}

func TestSystemBars(t *testing.T) {
	t.Parallel()
	playOn(t, iossim.DeviceOptions{Width: 300, Height: 640, Scale: 1}, barScenes())
}

// TestNoStatusBar: an app that hides the status bar, and a phone on its side, get the touches at the upper
// edge.
func TestNoStatusBar(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]iossim.DeviceOptions{"hidden": {NoStatusBar: true}, "on its side": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Width, o.Height, o.Scale = 300, 640, 1
			b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{o}})
			d, phone := b.open(t)
			phone.Lie(name != "hidden")
			trap := &sceneTrap{name: "at the upper edge", steps: "- tap: Menu", want: event.Pass, taps: "Menu",
				show: restful(func(s *stage) []piece {
					said := "Inbox"
					if s.state != "" {
						said = "Opened"
					}
					return []piece{text(said, line(2)), s.press("Menu", image.Rect(10, 2, 200, 42))}
				})}
			trap.play(t, d, phone)
		})
	}
}

// TestStatusBarComes: the status bar is hidden at first, and shown while the test runs.
func TestStatusBarComes(t *testing.T) {
	t.Parallel()
	d, b := opened(t, iossim.DeviceOptions{Width: 300, Height: 640, Scale: 1, NoStatusBar: true})
	phone := b.lab.Device(0)
	phone.ShowScene(restfulScene(text("Menu", image.Rect(10, 2, 200, 42))))
	must(t, d.LaunchWith(t.Context(), iossim.SceneBundle, drivers.LaunchOptions{Force: true}))
	for _, shown := range []bool{false, true, false} {
		phone.ShowStatusBar(shown)
		tree, err := d.Tree(t.Context())
		must(t, err)
		if bar := tree.BarAt(image.Pt(20, 20)); (bar != nil) != shown {
			t.Errorf("the status bar is shown: %v; the tree has %v", shown, bar)
		}
	}
}

// restfulScene always shows the same.
func restfulScene(pieces ...piece) iossim.Scene {
	return func(iossim.Moment) []piece { return pieces }
}

// TestSwipesAboveTheHomeIndicator: swipes in an element over the home indicator, and those that start there, scroll the
// app; none of them leaves it.
func TestSwipesAboveTheHomeIndicator(t *testing.T) {
	t.Parallel()
	for name, lies := range map[string]bool{"upright": false, "on its side": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{Width: 300, Height: 640, Scale: 1}}})
			d, phone := b.open(t)
			phone.Lie(lies)
			high := map[bool]int{false: 640, true: 300}[lies]
			phone.ShowScene(restfulScene(text("Inbox", line(2)), piece{Kind: "Other", ID: "strip", Label: "Offers",
				Bounds: image.Rect(0, high-60, 300, high), Fill: ground}))
			s := &sceneTrap{name: "swipes", steps: "- swipe: {direction: up, inside: Offers}\n" +
				"- swipe: {direction: left, inside: Offers}\n- scroll: {direction: down, inside: Offers}\n" +
				"- swipe: {from: \"50%, 99%\", to: \"50%, 60%\"}\n- swipe: {from: \"80%, 99%\", to: \"20%, 99%\"}\n" +
				"- assert: Inbox", want: event.Pass, show: restful(func(*stage) []piece {
				return []piece{text("Inbox", line(2)), {Kind: "Other", ID: "strip", Label: "Offers",
					Bounds: image.Rect(0, high-60, 300, high), Fill: ground, Blocks: true}}
			})}
			s.play(t, d, phone)
			if phone.Front() != iossim.SceneBundle {
				t.Errorf("%q is in the foreground", phone.Front())
			}
			for _, note := range phone.Noted() {
				if strings.Contains(note, "swiped home") || strings.Contains(note, "another app") {
					t.Error(note)
				}
			}
		})
	}
}

// TestTouchUnderTheStatusBar: the driver itself refuses a touch of an element that is aimed at the status bar, and
// makes one of a point that a test names.
func TestTouchUnderTheStatusBar(t *testing.T) {
	t.Parallel()
	d, b := opened(t, iossim.DeviceOptions{Width: 300, Height: 640, Scale: 1})
	phone := b.lab.Device(0)
	phone.ShowScene(restfulScene(text("Menu", image.Rect(10, 2, 200, 80))))
	must(t, d.LaunchWith(t.Context(), iossim.SceneBundle, drivers.LaunchOptions{Force: true}))
	for name, touch := range map[string]func(image.Point) error{
		"tap":        func(p image.Point) error { return d.Tap(t.Context(), p) },
		"double tap": func(p image.Point) error { return d.DoubleTap(t.Context(), p) },
		"long press": func(p image.Point) error { return d.LongPress(t.Context(), p, time.Second) },
		"drag":       func(p image.Point) error { return d.Drag(t.Context(), p, image.Pt(100, 300), time.Second) },
	} {
		d.Aim(wait(t, d, "Menu"))
		if err := touch(image.Pt(20, 20)); err == nil || !strings.Contains(err.Error(), "status bar") {
			t.Errorf("%s of an element: %v", name, err)
		}
		d.Aim(nil)
		if err := touch(image.Pt(20, 20)); err != nil {
			t.Errorf("%s of a point: %v", name, err)
		}
	}
}

// TestPageUnderTheStatusBar: an element of a page is touched in the part that the status bar leaves free, and one that
// is under it is covered.
func TestPageUnderTheStatusBar(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true, Bare: true})
	picked(t, d, "E-mail")
	var middle float64
	must(t, phone.EvalWebView(t.Context(), webApp,
		"(() => { const r = document.getElementById('mail').getBoundingClientRect(); return (r.top + r.bottom) / 2 })()",
		&middle))
	const high = 47
	phone.ChangeWebView(webApp, func(w *iossim.WebView) { w.Bounds = image.Rect(0, high-4-int(middle), 390, 844) })
	if m := picked(t, d, "E-mail"); m.CoverText != "" || m.Point.Y < 2*high {
		t.Errorf("touched at %v, covered by %q", m.Point, m.CoverText)
	}
	press(t, d, "E-mail")
	must(t, d.Type(t.Context(), "ada@example.com"))
	press(t, d, "Pay now")
	picked(t, d, "Paid by ada@example.com")
	if m := picked(t, d, "Checkout"); !strings.Contains(m.CoverText, "status bar") {
		t.Errorf("covered by %q", m.CoverText)
	}
}
