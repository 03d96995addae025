package truth_test

import (
	"fmt"
	"image"
	"image/color"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// wildTraps are what apps do that were made by many hands: names twice, rows that come and go, windows over windows.
func wildTraps() (list []*trap) {
	add := func(name, steps string, want event.Result, taps, says string, show scene) {
		list = append(list, &trap{name: name, steps: steps, want: want, taps: taps, says: says, show: show})
	}
	for _, some := range []func(addTrap){nameTraps, stateTraps, placeTraps, windowTraps, systemNameTraps, timeTraps,
		spellingTraps} {
		some(add)
	}
	return list
}

type addTrap func(name, steps string, want event.Result, taps, says string, show scene)

const ms = time.Millisecond

// still is a screen that only touches change.
func still(f func(s *stage) []part) scene {
	return func(s *stage, _ androidsim.Moment) androidsim.Shown { return page(f(s)...) }
}

// timed is one that time changes.
func timed(f func(s *stage, since time.Duration) []part) scene {
	return func(s *stage, now androidsim.Moment) androidsim.Shown { return page(f(s, now.Since)...) }
}

// nameTraps are names that an app uses twice, or nearly.
func nameTraps(add addTrap) {
	add("heading and button of one name/touch", "- tap: Sign in", pass, "Sign in", "", still(func(s *stage) []part {
		return []part{label("Sign in", at(0)), s.press("Sign in", at(4))}
	}))
	add("Pay comes after Pay later/touch", "- tap: Pay", pass, "Pay", "",
		timed(func(s *stage, since time.Duration) []part {
			p := []part{s.press("Pay later", at(2))}
			if since > 700*ms {
				p = append(p, s.press("Pay", at(4)))
			}
			return p
		}))
	add("Pay later alone/touch", "- tap: {text: Pay, match: exact}", fails, "", "",
		still(func(s *stage) []part { return []part{s.press("Pay later", at(2))} }))
	add("a row that says it twice/touch", "- tap: Daily summary", pass, "row", "", still(func(s *stage) []part {
		return []part{{Class: "android.view.View", Desc: "Daily summary", Bounds: at(3), Clickable: true,
			Tapped: s.took("row"), Parts: []part{label("Daily summary", at(3).Inset(8))}}}
	}))
	rowsOfOneID := still(func(s *stage) []part {
		var p []part
		for i := range 3 {
			b := s.press(fmt.Sprint("Row ", i+1), at(2+i))
			b.ID = scenePackage + ":id/row"
			p = append(p, b)
		}
		return p
	})
	add("three of one id/touch", "- tap: {id: row}", fails, "", "equally", rowsOfOneID)
	add("three of one id, the second/touch", "- tap: {id: row, index: 1}", pass, "Row 2", "", rowsOfOneID)
	add("three of one id/count", "- assertElement: {id: row, count: 3}", pass, "", "", rowsOfOneID)
	add("three of one id, four/count", "- assertElement: {id: row, count: 4}", fails, "", "3 elements", rowsOfOneID)
}

// stateTraps are elements that react and elements that seem to.
func stateTraps(add addTrap) {
	add("a text in a disabled row/touch", "- tap: Delete account", fails, "", "disabled", still(func(s *stage) []part {
		return []part{{Class: "android.widget.LinearLayout", Bounds: at(3), Clickable: true, Disabled: true,
			Tapped: s.took("row"), Parts: []part{label("Delete account", at(3))}}}
	}))
	add("a disabled button in a row that reacts/touch", "- tap: Buy", fails, "", "disabled", still(func(s *stage) []part {
		buy := s.press("Buy", image.Rect(280, 208, 384, 256))
		buy.Disabled = true
		return []part{{Class: "android.widget.LinearLayout", Bounds: at(3), Clickable: true, Tapped: s.took("row"),
			Parts: []part{label("Milk", image.Rect(16, 208, 200, 256)), buy}}}
	}))
	off := func(s *stage) part {
		return part{Class: "android.view.View", Bounds: at(3), Clickable: true, Disabled: true, Tapped: s.took("row"),
			Parts: []part{label("Delete account", at(3))}}
	}
	dead := still(func(s *stage) []part { return []part{off(s)} })
	add("a text in a disabled row/state", "- assertElement: {label: Delete account, is: {enabled: true}}", fails, "",
		"", dead)
	add("a text in a disabled row/other state", "- assertElement: {label: Delete account, is: {enabled: false}}", pass, "",
		"", dead)
	add("a text in a disabled row/wait", "- waitFor: {enabled: Delete account}", fails, "", "", dead)
	tabs := still(func(s *stage) []part {
		tab := func(name string, x int, on bool) part {
			b := image.Rect(x, 100, x+180, 150)
			return part{Class: "android.view.View", Bounds: b, Clickable: true, Selected: on, Tapped: s.took(name),
				Parts: []part{label(name, b)}}
		}
		return []part{tab("Offers", 10, s.state != "Orders"), tab("Orders", 200, s.state == "Orders")}
	})
	add("a tab that is chosen/state", "- assertElement: {label: Offers, is: {selected: true}}", pass, "", "", tabs)
	add("a tab that is not chosen/state", "- assertElement: {label: Orders, is: {selected: true}}", fails, "", "", tabs)
	add("a tab that is chosen by touch/state", "- tap: Orders\n- assertElement: {label: Orders, is: {selected: true}}",
		pass, "Orders", "", tabs)
	add("two switches with names beside them/state", "- assertElement: {label: Push, is: {checked: true}}", fails, "", "",
		still(func(s *stage) []part {
			return []part{label("E-mail", image.Rect(16, 100, 200, 140)), {Class: "android.widget.Switch", Checkable: true,
				Checked: true, Clickable: true, Bounds: image.Rect(320, 100, 384, 140), Fill: blue},
				label("Push", image.Rect(16, 150, 200, 190)), {Class: "android.widget.Switch", Checkable: true, Clickable: true,
					Bounds: image.Rect(320, 150, 384, 190), Fill: blue}}
		}))
	half := still(func(s *stage) []part {
		return []part{s.press("Pay", at(2)), {Class: "android.widget.ImageView", Fill: paper,
			Bounds: image.Rect(0, 130, trapSize, 220)}, {Class: "android.widget.Button", Text: "Pay", Bounds: at(6),
			Clickable: true, Fill: blue, Ink: color.White, Tapped: s.took("Pay below")}}
	})
	add("of two with one name, one under a picture/touch", "- tap: Pay", pass, "Pay below", "", half)
	add("of two with one name, one under a picture/count", "- assertElement: {label: Pay, count: 1}", pass, "", "", half)
	enabledAfter := func(d time.Duration) scene {
		return timed(func(s *stage, since time.Duration) []part {
			b := s.press("Continue", at(3))
			b.Disabled = since < d
			return []part{b}
		})
	}
	add("a button that becomes enabled/touch", "- tap: Continue", pass, "Continue", "", enabledAfter(600*ms))
	add("a button that stays disabled/touch", "- tap: Continue", fails, "", "disabled", enabledAfter(time.Hour))
	add("a switch that springs back/state", "- tap: Sync\n- assertElement: {label: Sync, is: {checked: true}}", fails,
		"Sync", "", func() scene {
			var flipped time.Duration
			return func(s *stage, now androidsim.Moment) androidsim.Shown {
				on := s.state == "Sync" && now.Since-flipped < 150*ms
				p := part{Class: "android.widget.Switch", Text: "Sync", Checkable: true, Checked: on, Bounds: at(3),
					Clickable: true,
					Fill:      blue, Ink: color.White}
				p.Tapped = func() { s.took("Sync")(); flipped = now.Since }
				return page(p)
			}
		}())
	add("a switch that stays/state", "- tap: Sync\n- assertElement: {label: Sync, is: {checked: true}}", pass, "Sync", "",
		still(func(s *stage) []part {
			return []part{{Class: "android.widget.Switch", Text: "Sync", Checkable: true, Checked: s.state == "Sync",
				Bounds: at(3), Clickable: true, Tapped: s.took("Sync"), Fill: blue, Ink: color.White}}
		}))
}

// placeTraps are elements in places where they are not visible, or half.
func placeTraps(add addTrap) {
	for name, b := range map[string]image.Rectangle{"no size": image.Rect(100, 300, 100, 300),
		"no height": image.Rect(16, 300, 300, 300), "one pixel": image.Rect(16, 300, 17, 301),
		"a place below the screen": image.Rect(16, 900, 384, 948), "a place beside the screen": image.Rect(416, 300, 784,
			348), "a place above the screen": image.Rect(16, -60, 384, -12)} {
		bad := still(func(*stage) []part { return []part{label("Checkout", at(0)), label("Total 12.00", b)} })
		add("with "+name+"/presence", "- assert: Total 12.00", fails, "", "", bad)
		add("with "+name+"/absence", "- assertNot: Total 12.00", pass, "", "", bad)
	}
	sticky := func(y int) scene {
		return still(func(s *stage) []part {
			row := s.press("Row 1", image.Rect(16, y, 384, y+48))
			row.Fill, row.Ink = paper, ink
			return []part{{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: image.Rect(0, 30, trapSize, 776),
				Scrolled: func(int) {}, Parts: []part{row, label("Row 2", image.Rect(16, y+56, 384, y+104))}},
				{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, 30, trapSize, 130),
					Fill: color.RGBA{0xea, 0xdd, 0xff, 0xff}, Clickable: true, Tapped: s.took("header"),
					Parts: []part{label("Section A", image.Rect(16, 40, 384, 120))}}}
		})
	}
	add("wholly under a sticky header/presence", "- assert: Row 1", fails, "", "hidden under", sticky(60))
	add("wholly under a sticky header/absence", "- assertNot: Row 1", pass, "", "", sticky(60))
	add("wholly under a sticky header/touch", "- tap: Row 1", fails, "", "covered by", sticky(60))
	add("mostly under a sticky header/touch", "- tap: Row 1", pass, "Row 1", "", sticky(100))
	add("below a sticky header/touch", "- tap: Row 1", pass, "Row 1", "", sticky(140))
}

// windowTraps are windows over windows.
func windowTraps(add addTrap) {
	menu := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		shown := page(s.press("Large", at(1)), s.press("Order", at(3)))
		large := s.press("Large", image.Rect(60, 400, 340, 448))
		large.Tapped = s.took("Large of the menu")
		shown.Menu = &part{Class: "android.widget.ListView", Fill: paper, Bounds: image.Rect(40, 380, 360, 560),
			Parts: []part{large, s.press("Small", image.Rect(60, 460, 340, 508))}}
		return shown
	}
	add("in a menu and on the page/touch", "- tap: Large", pass, "Large of the menu", "", menu)
	add("in a menu/touch", "- tap: Small", pass, "Small", "", menu)
	add("behind a menu/touch", "- tap: Order", fails, "", "", menu)
	dialogs := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		shown := page(s.press("OK", at(1)))
		first := s.press("OK", image.Rect(60, 440, 340, 488))
		first.Tapped = s.took("OK of the first")
		second := s.press("OK", image.Rect(80, 360, 320, 408))
		second.Tapped = s.took("OK of the second")
		shown.Dialog = &part{Class: "android.widget.FrameLayout", Fill: paper, Bounds: image.Rect(40, 200, 360, 500),
			Parts: []part{label("Delete it?", image.Rect(60, 210, 340, 260)), first}}
		shown.Menu = &part{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(60, 270, 340, 430),
			Parts: []part{label("Really?", image.Rect(80, 290, 320, 340)), second}}
		return shown
	}
	add("a dialog over a dialog/touch", "- tap: OK", pass, "OK of the second", "", dialogs)
	add("a dialog over a dialog/presence", "- assert: Really?", pass, "", "", dialogs)
	add("a dialog below a dialog/presence", "- assert: Delete it?", fails, "", "", dialogs)
	halves := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		shown := page(label("Your order", at(1)), s.press("Pay", at(3)))
		other := s.press("Pay", image.Rect(16, 600, 384, 648))
		other.Tapped = s.took("Pay of the shop")
		shown.Above = []part{{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(0, 400, trapSize,
			776), App: true, Package: "com.example.shop", Parts: []part{label("Shop", image.Rect(16, 420, 384, 468)), other}}}
		return shown
	}
	add("in both halves of a split screen/touch", "- tap: Pay", pass, "Pay", "", halves)
	battery := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		shown := page(label("Your order", at(1)), s.press("Pay", at(3)))
		shown.Dialog = &part{Class: "android.widget.FrameLayout", Fill: paper, Bounds: image.Rect(20, 180, 380, 500),
			Package: "com.android.systemui",
			Parts: []part{label("Turn on Battery Saver?", image.Rect(60, 320, 340, 370)),
				s.press("No thanks", image.Rect(60, 400, 340, 448))}}
		return shown
	}
	add("under a question of the system/touch", "- tap: Pay", fails, "", "", battery)
	add("under a question of the system/presence", "- assert: Your order", fails, "", "", battery)
	add("under a question of the system/absence", "- assertNot: Error", pass, "", "in the foreground", battery)
}

// systemNameTraps are elements named as the system's own.
func systemNameTraps(add addTrap) {
	for _, name := range []string{"Home", "Back", "Overview"} {
		tab := still(func(s *stage) []part {
			return []part{label("Feed", at(1)), s.press(name, image.Rect(16, 700, 130, 760))}
		})
		add("named as the system's "+name+"/touch", "- tap: "+name, pass, name, "", tab)
		add("nothing but the system's "+name+"/presence", "- assert: "+name, fails, "", "",
			still(func(*stage) []part { return []part{label("Feed", at(1))} }))
	}
}

// timeTraps are screens that change while they are looked at.
func timeTraps(add addTrap) {
	add("blinking/presence", "- assert: Error", pass, "", "", timed(func(_ *stage, since time.Duration) []part {
		p := []part{label("Checkout", at(0))}
		if since%(450*ms) < 300*ms {
			p = append(p, label("Error", at(3)))
		}
		return p
	}))
	splash := func(steps string, name string, want event.Result, after ...part) {
		add("behind an empty first page/"+name, steps, want, "", "", timed(func(_ *stage, since time.Duration) []part {
			if since < 1200*ms {
				return nil
			}
			return after
		}))
		add("behind a spinner/"+name, steps, want, "", "", timed(func(_ *stage, since time.Duration) []part {
			if since < 1200*ms {
				return []part{label("Checkout", at(0)), {Class: "android.widget.ProgressBar",
					Bounds: image.Rect(180, 300, 220, 340), Fill: blue}}
			}
			return after
		}))
	}
	splash("- assertNot: {label: Error, timeoutMs: 4000}", "absence", fails, label("Checkout", at(0)),
		label("Error", at(3)))
	splash("- assertNot: Error", "true absence", pass, label("Checkout", at(0)), label("Fine", at(3)))
	splash("- assertElement: {label: Error, count: 0, timeoutMs: 4000}", "no count", fails, label("Checkout", at(0)),
		label("Error", at(3)))
	moves := timed(func(s *stage, since time.Duration) []part {
		return []part{s.press("Go", at(2).Add(image.Pt(0, int(since.Milliseconds()/2)%300))), label("Here", at(0))}
	})
	add("always moving/touch", "- tap: Go", fails, "", "", moves)
	add("always moving/presence", "- assert: Go", pass, "", "", moves)
	swaps := func(s *stage, now androidsim.Moment) androidsim.Shown {
		if now.Screenshot && now.Since > 900*ms { // not while a touch is on its way, which is unknown
			s.offset = 1
		}
		names := []string{"Archive", "Delete", "Archive"}[s.offset:]
		return page(s.press(names[0], at(3)), s.press(names[1], at(4)))
	}
	add("rows that change places/touch", "- tap: Archive", pass, "Archive", "", swaps)
}

// spellingTraps are one text written in two ways.
func spellingTraps(add addTrap) {
	for name, pair := range map[string][2]string{"composed letters": {"Cafe\u0301 Zürich", "Café Zürich"},
		"curly quotes": {"Don\u2019t allow", "Don't allow"}, "an ellipsis": {"More\u2026", "More..."},
		"a heart in colour": {"Like \u2764\ufe0f", "Like \u2764"}, "a tab": {"Total\t12.00", "Total 12.00"},
		"a long dash":  {"Mon \u2013 Fri", "Mon - Fri"},
		"a line break": {"Total\n12.00", "Total 12.00"}, "spaces around": {"  Total 12.00 ", "Total 12.00"}} {
		one := still(func(*stage) []part { return []part{label(pair[0], image.Rect(16, 200, 384, 290))} })
		add("written with "+name+"/presence", fmt.Sprintf("- assert: %q", pair[1]), pass, "", "", one)
		add("written with "+name+"/absence", fmt.Sprintf("- assertNot: %q", pair[1]), fails, "", "", one)
	}
	add("a negative of it/presence", "- assert: {text: Allow, match: exact}", fails, "", "",
		still(func(*stage) []part { return []part{label("Don\u2019t allow", at(3))} }))
	cut := still(func(*stage) []part {
		whole := part{Text: "Your order comes on Monday", Bounds: at(3), Fill: paper}
		whole.Painted = []part{{Text: "Your order co\u2026", Fill: paper, Bounds: at(3)}}
		return []part{whole}
	})
	add("cut by an ellipsis/presence", "- assert: Your order comes on Monday", pass, "", "", cut)
	add("cut by an ellipsis/absence", "- assertNot: Your order comes on Monday", fails, "", "", cut)
}
