package ios

import (
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// sceneList gathers traps.
type sceneList []*sceneTrap

func (l *sceneList) add(name, steps string, want event.Result, taps, says string,
	show func(s *stage, now iossim.Moment) []piece) {
	*l = append(*l, &sceneTrap{name, steps, want, taps, says, show})
}

// restful is a screen that only touches change.
func restful(f func(s *stage) []piece) func(*stage, iossim.Moment) []piece {
	return func(s *stage, _ iossim.Moment) []piece { return f(s) }
}

// timely is one that time changes.
func timely(f func(s *stage, since time.Duration) []piece) func(*stage, iossim.Moment) []piece {
	return func(s *stage, now iossim.Moment) []piece { return f(s, now.Since) }
}

// changing is one that has changed when a screenshot of it is taken for the nth time, as late as the driver can see it:
// a touch comes before, or knows.
func changing(nth int, f func(s *stage, changed bool) []piece) func(*stage, iossim.Moment) []piece {
	return func(s *stage, now iossim.Moment) []piece {
		if now.Picture {
			s.pictures++
		}
		return f(s, s.pictures >= nth)
	}
}

const msec = time.Millisecond

// nameScenes are names that an app uses twice, or nearly, and one text written in two ways.
func nameScenes() []*sceneTrap {
	var l sceneList
	l.add("heading and button of one name", "- tap: Sign in", event.Pass, "Sign in", "", restful(func(s *stage) []piece {
		return []piece{text("Sign in", line(0)), s.press("Sign in", line(3))}
	}))
	l.add("Pay comes after Pay later", "- tap: Pay", event.Pass, "Pay", "",
		timely(func(s *stage, since time.Duration) []piece {
			p := []piece{s.press("Pay later", line(2))}
			if since > 700*msec {
				p = append(p, s.press("Pay", line(4)))
			}
			return p
		}))
	l.add("a row that says it twice", "- tap: Daily summary", event.Pass, "row", "", restful(func(s *stage) []piece {
		return []piece{{Kind: "Cell", Label: "Daily summary", Bounds: line(3), Fill: ground, Tapped: s.took("row"),
			Parts: []piece{text("Daily summary", line(3).Inset(6))}}}
	}))
	two := restful(func(s *stage) []piece { return []piece{s.press("Pay", line(2)), s.press("Pay", line(4))} })
	l.add("two of one name", "- tap: Pay", event.Fail, "", "equally", two)
	l.add("two of one name, counted", "- assertElement: {label: Pay, count: 2}", event.Pass, "", "",
		restful(func(s *stage) []piece { return []piece{text("Pay", line(2)), text("Pay", line(4))} }))
	l.add("two of one name, the second", "- tap: {label: Pay, index: 1}", event.Pass, "Pay", "", two)
	for name, pair := range map[string][2]string{"composed letters": {"Cafe\u0301 Zürich", "Café Zürich"},
		"curly quotes": {"Don\u2019t allow", "Don't allow"}, "an ellipsis": {"More\u2026", "More..."},
		"a heart in colour": {"Like \u2764\ufe0f", "Like \u2764"}, "a long dash": {"Mon \u2013 Fri", "Mon - Fri"},
		"a line break": {"Total\n12.00", "Total 12.00"}, "a space that does not break": {"Total\u00a012.00", "Total 12.00"},
		"marks of direction": {"\u200eTotal 12.00\u200f", "Total 12.00"}} {
		one := restful(func(*stage) []piece { return []piece{text(pair[0], line(2))} })
		l.add("written with "+name, fmt.Sprintf("- assert: %q", pair[1]), event.Pass, "", "", one)
		l.add("not written with "+name, fmt.Sprintf("- assertNot: %q", pair[1]), event.Fail, "", "", one)
	}
	l.add("another word", "- assert: {text: Allow, match: exact}", event.Fail, "", "",
		restful(func(*stage) []piece { return []piece{text("Don\u2019t allow", line(3))} }))
	l.add("a part of a number", "- assert: {text: \"12.00\", match: words}", event.Fail, "", "",
		restful(func(*stage) []piece { return []piece{text("Total 112.00", line(3))} }))
	return l
}

// placeScenes are elements in places where they are invisible, or half, and elements that seem to react.
func placeScenes() []*sceneTrap {
	var l sceneList
	for name, b := range map[string]image.Rectangle{"no size": image.Rect(100, 300, 100, 300),
		"no height": image.Rect(16, 300, 200, 300), "a place below the screen": image.Rect(10, 700, 290, 740),
		"a place beside the screen": image.Rect(310, 300, 590, 340), "a place above the screen": image.Rect(10, -60, 290,
			-12)} {
		bad := restful(func(*stage) []piece { return []piece{text("Checkout", line(0)), text("Total 12.00", b)} })
		l.add("with "+name, "- assert: Total 12.00", event.Fail, "", "", bad)
		l.add("not with "+name, "- assertNot: Total 12.00", event.Pass, "", "", bad)
	}
	unseen := restful(func(*stage) []piece {
		return []piece{text("Checkout", line(0)), {Label: "Total 12.00", Bounds: line(2), Unseen: true}}
	})
	l.add("not visible", "- assert: Total 12.00", event.Fail, "", "", unseen)
	l.add("not there when not visible", "- assertNot: Total 12.00", event.Pass, "", "", unseen)
	covered := restful(func(s *stage) []piece {
		return []piece{s.press("Pay", line(3)), {Kind: "Image", Bounds: image.Rect(0, 150, 300, 400), Fill: ground,
			Blocks: true}}
	})
	l.add("under a picture", "- tap: Pay", event.Fail, "", "covered", covered)
	l.add("seen under a picture", "- assert: Pay", event.Fail, "", "", covered)
	l.add("off", "- tap: Pay", event.Fail, "", "disabled", restful(func(s *stage) []piece {
		pay := s.press("Pay", line(3))
		pay.Disabled = true
		return []piece{pay}
	}))
	row := restful(func(s *stage) []piece {
		return []piece{{Kind: "Cell", Bounds: line(3), Fill: ground, Disabled: true, Tapped: s.took("row"),
			Parts: []piece{text("Delete account", line(3).Inset(6))}}}
	})
	l.add("in a row that is off", "- tap: Delete account", event.Fail, "", "disabled", row)
	l.add("enabled in a row that is off", "- assertElement: {label: Delete account, is: {enabled: true}}", event.Fail, "",
		"", row)
	l.add("of two with one name, one under a picture", "- tap: Pay", event.Pass, "Pay below", "",
		restful(func(s *stage) []piece {
			below := s.press("Pay", line(7))
			below.Tapped = s.took("Pay below")
			return []piece{s.press("Pay", line(2)), {Kind: "Image", Bounds: image.Rect(0, 140, 300, 230), Fill: ground,
				Blocks: true}, below}
		}))
	l.add("off and on", "- tap: Pay", event.Pass, "Pay", "", timely(func(s *stage, since time.Duration) []piece {
		pay := s.press("Pay", line(3))
		pay.Disabled = since < 600*msec
		return []piece{pay}
	}))
	l.add("off and on with one name", "- tap: Pay", event.Fail, "", "equally", restful(func(s *stage) []piece {
		off := s.press("Pay", line(3))
		off.Disabled = true
		return []piece{off, s.press("Pay", line(5))}
	}))
	l.add("in the colour of its ground", "- assert: Total 12.00", event.Fail, "", "", restful(func(*stage) []piece {
		return []piece{text("Checkout", line(0)), {Label: "Total 12.00", Bounds: line(2), Fill: ground, Ink: ground}}
	}))
	l.add("not in the colour of its ground", "- assertNot: Total 12.00", event.Pass, "", "", restful(func(*stage) []piece {
		return []piece{text("Checkout", line(0)), {Label: "Total 12.00", Bounds: line(2), Fill: ground, Ink: ground}}
	}))
	l.add("a name that is not drawn", "- assert: Cart", event.Pass, "", "", restful(func(s *stage) []piece {
		return []piece{text("Checkout", line(0)), {Kind: "Button", Label: "Cart", Bounds: line(2), Tapped: s.took("Cart")}}
	}))
	l.add("a bar over a row", "- tap: Row", event.Pass, "Row", "", restful(func(s *stage) []piece {
		return []piece{s.press("Row", image.Rect(10, 560, 290, 640)), {Kind: "Toolbar", Bounds: image.Rect(0, 590, 300, 640),
			Fill: scenePlum, Blocks: true}}
	}))
	return l
}

// timeScenes are screens that change while they are looked at.
func timeScenes() []*sceneTrap {
	var l sceneList
	ends := func(what string, before ...piece) func(*stage, iossim.Moment) []piece {
		return timely(func(_ *stage, since time.Duration) []piece {
			if since < 1200*msec {
				return before
			}
			return []piece{text("Checkout", line(0)), text(what, line(2))}
		})
	}
	wheel := piece{Kind: "ActivityIndicator", Label: "In progress", Bounds: image.Rect(140, 300, 160, 320),
		Fill: scenePlum}
	l.add("behind a wheel", "- assertNot: {label: Error, timeoutMs: 4000}", event.Fail, "", "",
		ends("Error", text("Checkout", line(0)), wheel))
	l.add("nothing behind a wheel", "- assertNot: {label: Error, timeoutMs: 4000}", event.Pass, "", "",
		ends("Fine", text("Checkout", line(0)), wheel))
	l.add("behind an empty page", "- assertNot: {label: Error, timeoutMs: 4000}", event.Fail, "", "", ends("Error"))
	l.add("counted behind an empty page", "- assertElement: {label: Error, count: 0, timeoutMs: 4000}", event.Fail, "", "",
		ends("Error"))
	l.add("always moving", "- tap: Go", event.Fail, "", "", timely(func(s *stage, since time.Duration) []piece {
		return []piece{text("Here", line(0)), s.press("Go", line(2).Add(image.Pt(0, int(since.Milliseconds()/2)%300)))}
	}))
	for nth := 1; nth <= 4; nth++ {
		l.add(fmt.Sprint("places changed at picture ", nth), "- tap: Archive", event.Pass, "Archive", "",
			changing(nth, func(s *stage, changed bool) []piece {
				names := []string{"Archive", "Delete"}
				if changed {
					names = []string{"Delete", "Archive"}
				}
				return []piece{s.press(names[0], line(3)), s.press(names[1], line(4))}
			}))
		l.add(fmt.Sprint("moved at picture ", nth), "- tap: Pay", event.Pass, "Pay", "",
			changing(nth, func(s *stage, changed bool) []piece {
				if changed {
					return []piece{text("Orders", line(0)), s.press("Pay", line(3).Add(image.Pt(0, 200)))}
				}
				return []piece{text("Orders", line(0)), s.press("Pay", line(3))}
			}))
	}
	early := func(name string, thing func(s *stage) piece) {
		l.add(name+" in the source before it is drawn", "- tap: Cart", event.Pass, "Cart", "",
			func(s *stage, now iossim.Moment) []piece {
				cart := thing(s)
				if now.Since < 1500*msec {
					cart.Tapped = s.took("the way that it goes")
				}
				if now.Picture && now.Since < 1500*msec {
					return []piece{text("Shop", line(8))}
				}
				return []piece{text("Shop", line(8)), cart}
			})
	}
	early("a button", func(s *stage) piece { return s.press("Cart", line(4)) })
	early("a text", func(s *stage) piece { p := text("Cart", line(4)); p.Tapped = s.took("Cart"); return p })
	early("a picture", func(s *stage) piece {
		return piece{Kind: "Image", Label: "Cart", Bounds: image.Rect(200, 400, 250, 450), Fill: scenePlum,
			Tapped: s.took("Cart")}
	})
	l.add("a layer that goes", "- tap: Pay", event.Pass, "Pay", "", timely(func(s *stage, since time.Duration) []piece {
		p := []piece{s.press("Pay", line(3))}
		if since < 1200*msec {
			p = append(p, piece{Kind: "Other", Bounds: image.Rect(0, 0, 300, 640), Fill: scenePlum, Blocks: true})
		}
		return p
	}))
	return l
}

// alertScenes are apps that die, and questions of the system over them.
func alertScenes() []*sceneTrap {
	var l sceneList
	dies := func(again bool) func(*stage, iossim.Moment) []piece {
		return func(s *stage, now iossim.Moment) []piece {
			pay := s.press("Pay", line(3))
			pay.Tapped = func() {
				s.took("Pay")()
				if again {
					now.App.Relaunch("no basket")
				} else {
					now.App.Crash("no basket")
				}
			}
			return []piece{text("Your order", line(0)), pay}
		}
	}
	l.add("of an app that crashed", "- tap: Pay", event.Fail, "Pay", "", dies(false))
	l.add("of an app that crashed and is back", "- tap: Pay", event.Fail, "Pay", "", dies(true))
	ask := func(buttons ...string) func(*stage, iossim.Moment) []piece {
		return func(s *stage, now iossim.Moment) []piece {
			next := s.press("Next", line(3))
			next.Tapped = func() {
				s.took("Next")()
				now.App.Ask("\u201cScene\u201d Would Like to Use Your Current Location", buttons, func(b string) { s.took(b)() })
			}
			return []piece{text("Your order", line(0)), next, s.press("Pay", line(5))}
		}
	}
	location := ask("Allow Once", "Allow While Using App", "Don\u2019t Allow", "Precise: On")
	l.add("yes to a place", "- tap: Next\n- alert: accept", event.Pass, "Next, Allow While Using App", "", location)
	l.add("no to a place", "- tap: Next\n- alert: dismiss", event.Pass, "Next, Don\u2019t Allow", "", location)
	l.add("once to a place", "- tap: Next\n- alert: {button: Allow Once}", event.Pass, "Next, Allow Once", "", location)
	tracking := ask("Ask App Not to Track", "Allow")
	l.add("yes to tracking", "- tap: Next\n- alert: accept", event.Pass, "Next, Allow", "", tracking)
	l.add("no to tracking", "- tap: Next\n- alert: dismiss", event.Pass, "Next, Ask App Not to Track", "", tracking)
	german := ask("Einmal erlauben", "Beim Verwenden der App erlauben", "Nicht erlauben", "Genau: Ein")
	l.add("yes in German", "- tap: Next\n- alert: accept", event.Fail, "Next", "name it", german)
	l.add("by name in German", "- tap: Next\n- alert: {button: Nicht erlauben}", event.Pass, "Next, Nicht erlauben", "",
		german)
	l.add("under a question of the system", "- tap: Next\n- tap: Pay", event.Fail, "Next", "", location)
	l.add("seen under a question of the system", "- tap: Next\n- assertNot: Error", event.Pass, "Next", "", location)
	return l
}
