package ios

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// field is an editable field of a scene.
func (s *stage) entry(kind, id, placeholder string, b image.Rectangle, e *iossim.Entry) piece {
	return piece{Kind: kind, ID: id, Placeholder: placeholder, Bounds: b, Fill: white, Ink: scenePlum, Entry: e}
}

// keyScenes are screens with a keyboard on them.
func keyScenes() []*sceneTrap {
	var l sceneList
	form := func(more func(s *stage) []piece) func(*stage, iossim.Moment) []piece {
		name, other := &iossim.Entry{}, &iossim.Entry{}
		_ = other
		return func(s *stage, _ iossim.Moment) []piece {
			return append([]piece{s.entry("TextField", "name", "Name", line(0), name)}, more(s)...)
		}
	}
	focus := "- tap: {id: name}\n"
	l.add("a button named as a key", focus+"- tap: Return", event.Pass, "Return", "",
		form(func(s *stage) []piece { return []piece{s.press("Return", line(3))} }))
	l.add("a letter that only a key shows", focus+"- assert: {text: q, match: exact}", event.Fail, "", "",
		form(func(s *stage) []piece { return nil }))
	l.add("a letter that only a key shows, absent", focus+"- assertNot: {text: q, match: exact}", event.Pass, "", "",
		form(func(s *stage) []piece { return nil }))
	l.add("a text under the keyboard", focus+"- assert: Total 12.00", event.Fail, "", "",
		form(func(s *stage) []piece { return []piece{text("Total 12.00", line(10))} }))
	l.add("a text under the keyboard, absent", focus+"- assertNot: Total 12.00", event.Pass, "", "",
		form(func(s *stage) []piece { return []piece{text("Total 12.00", line(10))} }))
	l.add("a button under the keyboard", focus+"- tap: Pay", event.Fail, "", "",
		form(func(s *stage) []piece { return []piece{s.press("Pay", line(10))} }))
	l.add("the other field",
		"- input: {into: {id: name}, text: Ada}\n- input: {into: {id: city}, text: Paris}\n- assertElement: {id: name, "+
			"value: Ada}\n- assertElement: {id: city, value: Paris}", event.Pass, "", "",
		func() func(*stage, iossim.Moment) []piece {
			name, city := &iossim.Entry{}, &iossim.Entry{}
			return func(s *stage, _ iossim.Moment) []piece {
				return []piece{s.entry("TextField", "name", "Name", line(0), name), s.entry("TextField", "city", "City",
					line(2), city)}
			}
		}())
	wrong := func(ids ...string) func(*stage, iossim.Moment) []piece {
		city := &iossim.Entry{}
		return func(s *stage, _ iossim.Moment) []piece {
			return []piece{{Kind: "TextField", ID: ids[0], Label: "Name", Bounds: line(0), Fill: white, Ink: scenePlum,
				Disabled: false, Tapped: s.took("Name")},
				s.entry("TextField", ids[1], "City", line(2), city)}
		}
	}
	l.add("a field that takes no focus",
		"- tap: {label: City}\n- input: {into: {label: Name}, text: Ada, timeoutMs: "+
			"3000}", event.Fail, "Name", "", wrong("name", "city"))
	l.add("a field that takes no focus, without ids",
		"- tap: {label: City}\n- input: {into: {label: Name}, text: Ada, timeoutMs: "+
			"3000}", event.Fail, "Name", "", wrong("", ""))
	l.add("a hidden value", "- input: {into: {id: pin}, text: lovelace}\n- assert: lovelace", event.Fail, "", "",
		func() func(*stage, iossim.Moment) []piece {
			pin := &iossim.Entry{}
			return func(s *stage, _ iossim.Moment) []piece {
				return []piece{{Kind: "SecureTextField", ID: "pin", Placeholder: "PIN", Bounds: line(0), Fill: white, Value: "",
					Entry: pin}}
			}
		}())
	l.add("a placeholder is no value", "- assertElement: {id: name, value: Name}", event.Fail, "", "",
		form(func(s *stage) []piece { return nil }))
	l.add("a placeholder is no text", "- assert: {text: Name, match: exact}", event.Fail, "", "",
		form(func(s *stage) []piece { return nil }))
	l.add("a key, where nothing else is called so", focus+"- tap: Return\n- assertElement: {type: Keyboard, count: 0}",
		event.Pass, "", "", form(func(s *stage) []piece { return nil }))
	l.add("two fields of one placeholder", "- input: {into: Name, text: Ada}", event.Fail, "", "equally",
		func() func(*stage, iossim.Moment) []piece {
			a, b := &iossim.Entry{}, &iossim.Entry{}
			return func(s *stage, _ iossim.Moment) []piece {
				return []piece{s.entry("TextField", "a", "Name", line(0), a), s.entry("TextField", "b", "Name", line(2), b)}
			}
		}())
	return l
}

// screenScenes are the ways of UIKit with pages, sheets, rows and bars.
func screenScenes() []*sceneTrap {
	var l sceneList
	whole := image.Rect(0, 0, 300, 640)
	sheet := func(s *stage) []piece { // a page sheet: what is behind it is dimmed, and takes no touch
		return []piece{text("Orders", line(0)), s.press("Pay", line(1)),
			{Kind: "Other", Bounds: whole, Blocks: true, Label: "", Parts: nil},
			{Kind: "Other", Bounds: image.Rect(0, 300, 300, 640), Fill: ground, Blocks: true,
				Parts: []piece{text("Confirm order", line(6)), s.press("Confirm", line(8))}}}
	}
	l.add("behind a sheet", "- tap: Pay", event.Fail, "", "", restful(sheet))
	l.add("on a sheet", "- tap: Confirm", event.Pass, "Confirm", "", restful(sheet))
	l.add("title and tab of one name", "- tap: Settings", event.Pass, "tab", "", restful(func(s *stage) []piece {
		return []piece{{Kind: "NavigationBar", ID: "Settings", Bounds: image.Rect(0, 30, 300, 74), Fill: scenePlum,
			Blocks: true, Parts: []piece{{Label: "Settings", Bounds: image.Rect(100, 36, 200, 68), Ink: white}}},
			{Kind: "TabBar", Bounds: image.Rect(0, 590, 300, 640), Fill: ground, Blocks: true,
				Parts: []piece{{Kind: "Button", Label: "Settings", Bounds: image.Rect(150, 592, 300, 638), Ink: scenePlum,
					Tapped: s.took("tab")}}}}
	}))
	l.add("a row's button", "- tap: {label: Remove, rightOf: Ada}", event.Pass, "remove Ada", "",
		restful(func(s *stage) []piece {
			row := func(n int, name string) piece {
				b := line(n)
				return piece{Kind: "Cell", Bounds: b, Fill: ground, Tapped: s.took("row " + name),
					Parts: []piece{text(name, image.Rect(20, b.Min.Y, 150, b.Max.Y)),
						{Kind: "Button", Label: "Remove", Bounds: image.Rect(200, b.Min.Y, 288, b.Max.Y), Fill: scenePlum, Ink: white,
							Tapped: s.took("remove " + name)}}}
			}
			return []piece{row(2, "Bob"), row(3, "Ada"), row(4, "Eve")}
		}))
	l.add("an action of a row that is not drawn out", "- tap: Delete", event.Fail, "", "", restful(func(s *stage) []piece {
		return []piece{{Kind: "Cell", Bounds: line(2), Fill: ground, Tapped: s.took("row"),
			Parts: []piece{text("Ada", line(2).Inset(6)),
				{Kind: "Button", Label: "Delete", Bounds: image.Rect(220, 160, 290, 200), Unseen: true,
					Tapped: s.took("deleted")}}}}
	}))
	l.add("a menu over a button of the same name", "- tap: Share", event.Pass, "menu", "", restful(func(s *stage) []piece {
		below := s.press("Share", line(8))
		below.Tapped = s.took("below")
		return []piece{below, {Kind: "Other", ID: "PopoverDismissRegion", Label: "dismiss popup", Bounds: whole, Blocks: true,
			Tapped: s.took("dismissed")},
			{Kind: "Other", Bounds: image.Rect(100, 100, 280, 200), Fill: ground, Blocks: true,
				Parts: []piece{{Kind: "Button", Label: "Share", Bounds: image.Rect(110, 110, 270, 150), Ink: scenePlum,
					Tapped: s.took("menu")}}}}
	}))
	l.add("fading away", "- assertNot: Saved", event.Pass, "", "", timely(func(s *stage, since time.Duration) []piece {
		p := []piece{text("Orders", line(0))}
		if since < 900*msec {
			p = append(p, text("Saved", line(3)))
		}
		return p
	}))
	l.add("coming and going", "- assertNot: {label: Error, timeoutMs: 3000}", event.Fail, "", "",
		timely(func(s *stage, since time.Duration) []piece {
			return []piece{text("Orders", line(0)), text("Error", line(3))}
		}))
	fades := func(takes time.Duration, film bool) func(s *stage, now iossim.Moment) []piece {
		began := time.Duration(0)
		return func(s *stage, now iossim.Moment) []piece {
			open := s.press("Open", line(0))
			open.Tapped = func() { s.took("Open")(); began = now.Since }
			p := []piece{open}
			if film { // plays over a part of the screen for ever
				p = append(p, piece{Kind: "Other", Bounds: image.Rect(0, 480, 300, 640),
					Fill: color.Gray{uint8(now.Since.Milliseconds() / 7)}})
			}
			if s.state != "Open" && s.state != "Confirm" {
				return p
			}
			part := min(float64(now.Since-began)/float64(takes), 1)
			mix := func(c color.RGBA) color.RGBA {
				at := func(from, to uint8) uint8 { return uint8(float64(from) + (float64(to)-float64(from))*part) }
				return color.RGBA{at(ground.R, c.R), at(ground.G, c.G), at(ground.B, c.B), 0xff}
			}
			confirm := s.press("Confirm", line(4))
			confirm.Fill, confirm.Parts[0].Ink, confirm.Moving = mix(scenePlum), mix(white), part < 1
			return append(p, piece{Kind: "Other", Bounds: image.Rect(0, 200, 300, 400),
				Fill: mix(color.RGBA{0xd0, 0xd8, 0xf0, 0xff}), Moving: part < 1, Parts: []piece{confirm}})
		}
	}
	l.add("fading in", "- tap: Open\n- tap: Confirm", event.Pass, "Open, Confirm", "", fades(700*msec, false))
	if !testing.Short() {
		l.add("fading in slowly", "- tap: Open\n- tap: Confirm", event.Pass, "Open, Confirm", "", fades(3500*msec, false))
		l.add("fading in slowly beside a film", "- tap: Open\n- tap: Confirm", event.Pass, "Open, Confirm", "",
			fades(3500*msec, true))
	}
	for name, takes := range map[string]time.Duration{"quickly": 250 * msec, "in a second": time.Second} {
		l.add("a button alone fades in "+name, "- tap: Open\n- tap: Confirm", event.Pass, "Open, Confirm", "",
			func(s *stage, now iossim.Moment) []piece {
				p := fades(takes, false)
				if s.show == nil {
					s.show = p
				}
				list := s.show(s, now)
				if len(list) > 1 {
					list[1].Fill = nil
				}
				return list
			})
	}
	wave := func(now iossim.Moment, period time.Duration, from, to uint8) color.Gray {
		part := 2 * math.Abs(float64(now.Since%period)/float64(period)-0.5)
		return color.Gray{uint8(float64(from) + (float64(to)-float64(from))*part)}
	}
	restless := func(name string, show func(s *stage, now iossim.Moment, stop piece) []piece) {
		l.add("beside what never rests: "+name, "- tap: Stop", event.Pass, "Stop", "",
			func(s *stage, now iossim.Moment) []piece { return show(s, now, s.press("Stop", line(4))) })
	}
	if !testing.Short() {
		restless("it pulses itself", func(s *stage, now iossim.Moment, stop piece) []piece {
			stop.Fill = wave(now, 1600*msec, 0x40, 0x90)
			return []piece{text("Recording", line(0)), stop}
		})
		restless("it lies on a film", func(s *stage, now iossim.Moment, stop piece) []piece {
			stop.Fill = nil
			return []piece{{Kind: "Other", Bounds: whole, Fill: color.Gray{uint8(now.Since.Milliseconds() / 9 % 120)}}, stop}
		})
	}
	restless("a film beside it", func(s *stage, now iossim.Moment, stop piece) []piece {
		return []piece{stop, {Kind: "Other", Bounds: image.Rect(0, 320, 300, 640),
			Fill: color.Gray{uint8(now.Since.Milliseconds() / 5)}}}
	})
	restless("a bar that fills", func(s *stage, now iossim.Moment, stop piece) []piece {
		return []piece{stop, {Kind: "ProgressIndicator", Label: "Progress", Value: "1%", Bounds: line(6), Fill: ground},
			{Kind: "Other", Bounds: image.Rect(10, 360, 10+min(int(now.Since.Milliseconds()/40), 280), 366), Fill: scenePlum}}
	})
	restless("a clock", func(s *stage, now iossim.Moment, stop piece) []piece {
		return []piece{stop, text(fmt.Sprintf("00:%05.2f", now.Since.Seconds()), line(0))}
	})
	restless("a row of stars", func(s *stage, now iossim.Moment, stop piece) []piece {
		at := int(now.Since.Milliseconds()/30) % 200
		return []piece{stop, {Kind: "Other", Bounds: image.Rect(at, 400, at+60, 460), Fill: scenePlum},
			{Kind: "Other", Bounds: image.Rect(240-at, 60, 300-at, 120), Fill: scenePlum}}
	})
	l.add("half beside the screen", "- tap: Next", event.Pass, "Next", "",
		restful(func(s *stage) []piece { return []piece{s.press("Next", image.Rect(260, 300, 500, 340))} }))
	l.add("nearly beside the screen", "- assert: Next", event.Fail, "", "", restful(func(s *stage) []piece {
		return []piece{text("Orders", line(0)), text("Next", image.Rect(298, 300, 500, 340))}
	}))
	l.add("a switch that is off", "- assertElement: {label: Sounds, is: {checked: true}}", event.Fail, "", "",
		restful(func(s *stage) []piece {
			return []piece{{Kind: "Switch", Label: "Sounds", Value: "0", Bounds: line(2), Fill: scenePlum,
				Tapped: s.took("Sounds")}}
		}))
	l.add("a count of rows", "- assertElement: {type: Cell, count: 3}", event.Pass, "", "",
		restful(func(s *stage) []piece {
			row := func(n int) piece {
				return piece{Kind: "Cell", Bounds: line(n), Fill: ground, Parts: []piece{text("row", line(n).Inset(6))}}
			}
			far := row(30)
			far.Unseen = true
			return []piece{row(1), row(2), row(3), far}
		}))
	l.add("drawn over by a text", "- tap: Pay", event.Pass, "Pay", "", restful(func(s *stage) []piece {
		return []piece{s.press("Pay", line(3)), text("New", image.Rect(250, 200, 290, 230))}
	}))
	l.add("an empty list", "- assertNot: {type: Cell}", event.Pass, "", "",
		restful(func(s *stage) []piece { return []piece{text("Nothing here", line(0))} }))
	l.add("a value of a slider", "- assertElement: {label: Volume, value: 30%}", event.Pass, "", "",
		restful(func(s *stage) []piece {
			return []piece{{Kind: "Slider", Label: "Volume", Value: "30%", Bounds: line(3), Fill: scenePlum}}
		}))
	return l
}
