package truth_test

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// appTraps are questions of the system, apps that die and come back, fields that rewrite, lists that are longer than
// the screen.
func appTraps() (list []*trap) {
	add := func(name, steps string, want event.Result, taps, says string, show scene) {
		list = append(list, &trap{name: name, steps: steps, want: want, taps: taps, says: says, show: show})
	}
	for _, some := range []func(addTrap){questionTraps, deathTraps, toastTraps, fieldTraps, listTraps, comingTraps,
		earlyTraps} {
		some(add)
	}
	for _, c := range list {
		if strings.Contains(c.name, "slides in") { // and a finger takes its time
			c.options.Latency = androidsim.Latency{AgentInput: 150 * ms, Input: 150 * ms}
		}
		if strings.HasSuffix(c.name, "and is back/touch") {
			c.later = "Pay, Pay" // the log is not read for each touch there
		}
		if strings.Contains(c.name, "before it is drawn") || strings.HasPrefix(c.name, "a toast") {
			c.way = map[bool]string{true: "agent", false: "stock"}[strings.HasPrefix(c.name, "a toast")]
		}
	}
	return list
}

// questionTraps are questions of the system for a permission, in the words of some language.
func questionTraps(add addTrap) {
	const controller = "com.android.permissioncontroller"
	ask := func(buttons ...[2]string) scene {
		return func(s *stage, _ androidsim.Moment) androidsim.Shown {
			shown := page(label("Your order", at(1)))
			if s.state != "" {
				return page(label("Answered", at(1)))
			}
			d := part{Class: "android.widget.LinearLayout", Fill: paper, Bounds: image.Rect(20, 200, 380, 560),
				Package: controller,
				Parts:   []part{{Text: "?", ID: controller + ":id/permission_message", Bounds: image.Rect(40, 210, 360, 250)}}}
			for i, b := range buttons {
				press := s.press(b[1], image.Rect(40, 260+60*i, 360, 308+60*i))
				press.ID = controller + ":id/" + b[0]
				d.Parts = append(d.Parts, press)
			}
			shown.Dialog = &d
			return shown
		}
	}
	german := ask([2]string{"permission_allow_foreground_only_button", "Bei Nutzung"},
		[2]string{"permission_allow_one_time_button", "Nur dieses Mal"}, [2]string{"permission_deny_button",
			"Nicht zulassen"})
	add("a question in German/yes", "- alert: accept\n- assert: Answered", pass, "Bei Nutzung", "", german)
	add("a question in German/no", "- alert: dismiss\n- assert: Answered", pass, "Nicht zulassen", "", german)
	add("a question in German/by name", "- alert: {button: Nur dieses Mal}\n- assert: Answered", pass, "Nur dieses Mal",
		"", german)
	photos := ask([2]string{"permission_allow_selected_button", "Escolher"}, [2]string{"permission_allow_all_button",
		"Permitir tudo"}, [2]string{"permission_deny_button", "Recusar"})
	add("a question about photos/yes", "- alert: accept\n- assert: Answered", pass, "Permitir tudo", "", photos)
	add("a question about photos/no", "- alert: dismiss\n- assert: Answered", pass, "Recusar", "", photos)
	add("a question about photos/some", "- alert: {button: Escolher}\n- assert: Answered", pass, "Escolher", "", photos)
	odd := ask([2]string{"permission_maybe_button", "Vielleicht"}, [2]string{"permission_deny_button", "Nicht zulassen"})
	add("a question that nobody knows/yes", "- alert: accept", fails, "", "it is unknown which", odd)
	add("a question that nobody knows/no", "- alert: dismiss\n- assert: Answered", pass, "Nicht zulassen", "", odd)
	again := ask([2]string{"permission_allow_foreground_only_button", "While using"},
		[2]string{"permission_deny_and_dont_ask_again_button", "Never"})
	add("a question for the second time/no", "- alert: dismiss\n- assert: Answered", pass, "Never", "", again)
	slides := func(s *stage, now androidsim.Moment) androidsim.Shown {
		if s.state == "" || s.state == "Allow" || s.state == "Deny" {
			next := s.press("Next", at(1))
			next.Tapped = func() { s.took("Next")(); s.offset = int(now.Since.Milliseconds()) }
			return page(next, label("Answered "+s.state, at(3)))
		}
		y := max(0, 360-2*(int(now.Since.Milliseconds())-s.offset)/5)
		yes, no := s.press("Allow", image.Rect(40, 300+y, 360, 348+y)), s.press("Deny", image.Rect(40, 360+y, 360, 408+y))
		yes.ID, no.ID = controller+":id/permission_allow_button", controller+":id/permission_deny_button"
		shown := page(label("Your order", at(1)))
		shown.Dialog = &part{Class: "android.widget.LinearLayout", Fill: paper, Bounds: image.Rect(20, 240+y, 380, 460+y),
			Package: controller, Parts: []part{label("Allow?", image.Rect(40, 250+y, 360, 290+y)), yes, no}}
		return shown
	}
	add("a question that slides in/yes", "- tap: Next\n- alert: accept\n- assert: Answered Allow", pass, "Next, Allow", "",
		slides)
	add("a question that slides in/no", "- tap: Next\n- alert: dismiss\n- assert: Answered Deny", pass, "Next, Deny", "",
		slides)
	add("no question/yes", "- alert: accept", fails, "", "no alert",
		still(func(*stage) []part { return []part{label("Allow", at(1))} }))
}

// deathTraps are apps that die of a touch and show the same screen again.
func deathTraps(add addTrap) {
	dies := func(of string) scene {
		return func(s *stage, now androidsim.Moment) androidsim.Shown {
			pay := s.press("Pay", at(3))
			pay.Tapped = func() { s.took("Pay")(); now.App.Restart(of) }
			return page(label("Your order", at(1)), pay)
		}
	}
	for what, of := range map[string]string{"crashed": "java.lang.IllegalStateException: no basket", "was killed": ""} {
		add("of an app that "+what+" and is back/presence", "- tap: Pay\n- assert: Your order", fails, "Pay", "", dies(of))
		add("of an app that "+what+" and is back/absence", "- tap: Pay\n- assertNot: Error", fails, "Pay", "", dies(of))
		add("of an app that "+what+" and is back/touch", "- tap: Pay\n- sleep: 300\n- tap: Pay", fails, "Pay", "", dies(of))
	}
}

// toastTraps are toasts, which phones report in odd ways: with the agent alone.
func toastTraps(add addTrap) {
	toasts := func(s *stage, now androidsim.Moment) androidsim.Shown {
		save, other := s.press("Save", at(3)), s.press("Other", at(5))
		save.Tapped = func() { s.took("Save")(); now.App.Toast("Saved") }
		return page(label("Your order", at(1)), save, other)
	}
	add("a toast/presence", "- tap: Save\n- assert: Saved", pass, "Save", "", toasts)
	add("a toast of before/presence", "- tap: Save\n- assert: Saved\n- tap: Other\n- assert: Saved", fails, "Save, Other",
		"", toasts)
	add("a toast/touch of what it says", "- tap: Other\n- assertNot: Saved", pass, "Other", "", toasts)
	add("a toast/absence", "- tap: Save\n- assertNot: {label: Saved, timeoutMs: 6000}", pass, "Save", "", toasts)
}

// fieldTraps are fields that make something else of what is typed.
func fieldTraps(add addTrap) {
	edit := func(s *stage, e *androidsim.Entry, hint string, b image.Rectangle) part {
		return part{Class: "android.widget.EditText", Hint: hint, ID: scenePackage + ":id/" + strings.ToLower(hint), Entry: e,
			Clickable: true, Bounds: b, Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}}
	}
	one := func(filter func(string) string) scene {
		return func(s *stage, _ androidsim.Moment) androidsim.Shown {
			if s.entry == nil {
				s.entry = androidsim.NewEntry("", false)
				s.entry.Filter(filter)
			}
			return page(edit(s, s.entry, "Number", at(1)))
		}
	}
	keep := func(ok func(r rune) bool) func(string) string {
		return func(text string) string {
			return strings.Map(func(r rune) rune {
				if ok(r) {
					return r
				}
				return -1
			}, text)
		}
	}
	digits := keep(func(r rune) bool { return r >= '0' && r <= '9' })
	add("digits into a field of digits/writing", "- input: {into: Number, text: \"123\"}\n- assert: \"123\"", pass, "", "",
		one(digits))
	add("letters into a field of digits/writing", "- input: {into: Number, text: abc}", fails, "", "", one(digits))
	add("too much for a field/writing", "- input: {into: Number, text: \"123456\"}", fails, "", "1234",
		one(func(text string) string { return text[:min(4, len(text))] }))
	add("a field that groups/writing", "- input: {into: Number, text: \"1234567\"}\n- assert: 123 4567", pass, "", "",
		one(func(text string) string {
			d := digits(text)
			if len(d) > 3 {
				d = d[:3] + " " + d[3:]
			}
			return d
		}))
	add("a field of capitals/writing", "- input: {into: Number, text: abc}\n- assert: {text: ABC}", pass, "", "",
		one(strings.ToUpper))
	add("a field that swallows all/writing", "- input: {into: Number, text: abc}", fails, "", "",
		one(func(string) string { return "" }))
	add("a field that doubles/writing", "- input: {into: Number, text: \"7\"}", fails, "", "",
		one(func(text string) string { return text + text }))
	code := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		if s.entries == nil {
			for range 4 {
				s.entries = append(s.entries, androidsim.NewEntry("", false))
			}
			for i, e := range s.entries[:3] {
				e.Then(1, s.entries[i+1])
			}
			s.entries[3].Then(1, s.entries[3])
		}
		all, parts := "", []part{}
		for i, e := range s.entries {
			f := edit(s, e, fmt.Sprint("Digit", i+1), image.Rect(16+i*90, 100, 96+i*90, 150))
			f.Hint, all = "", all+e.Text()
			parts = append(parts, f)
		}
		return page(append(parts, label("Code "+all, at(4)))...)
	}
	add("a code in four fields/writing", "- input: {into: {id: digit1}, text: \"1234\"}\n- assert: Code 1234", pass, "",
		"", code)
}

// listTraps are lists that are longer than the screen, under a bar at its end.
func listTraps(add addTrap) {
	rows := func(last int, late bool) scene {
		return func(s *stage, now androidsim.Moment) androidsim.Shown {
			count := last
			if late && s.offset < 60*(last/2)-700 { // the rest is loaded near its end
				count = last / 2
			}
			box := part{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: image.Rect(0, 90, trapSize, 776)}
			box.Scrolled = func(dy int) { s.offset = max(0, min(s.offset+dy, 60*count-600)) }
			for i := range count {
				b := image.Rect(16, 100+60*i-s.offset, 384, 148+60*i-s.offset)
				if b.Overlaps(box.Bounds) {
					row := s.press(fmt.Sprint("Row ", i+1), b)
					row.Fill, row.Ink = paper, ink
					box.Parts = append(box.Parts, row)
				}
			}
			bar := part{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, 700, trapSize, 776), Fill: blue,
				Clickable: true, Tapped: s.took("bar"),
				Parts: []part{{Text: "Basket", Ink: color.White, Bounds: image.Rect(16, 710, 384, 766)}}}
			head := part{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, 28, trapSize, 140),
				Fill: color.RGBA{0xea, 0xdd, 0xff, 0xff}, Clickable: true, Tapped: s.took("head"),
				Parts: []part{label("All rows", image.Rect(16, 40, 384, 90))}}
			return page(box, bar, head)
		}
	}
	add("far down a list under bars/touch", "- scrollTo: Row 27\n- tap: Row 27", pass, "Row 27", "", rows(30, false))
	add("at the end of a list under bars/touch", "- scrollTo: Row 30\n- tap: Row 30", pass, "Row 30", "", rows(30, false))
	add("in rows that are loaded late/touch", "- scrollTo: Row 33\n- tap: Row 33", pass, "Row 33", "", rows(40, true))
	add("beyond the end of a list/touch", "- scrollTo: {label: Row 31, timeoutMs: 300000}", fails, "", "content ends",
		rows(30, false))
	add("under the bar of a list/touch", "- tap: Row 11", pass, "Row 11", "",
		func(s *stage, now androidsim.Moment) androidsim.Shown {
			s.offset = 20 // the row shows 20 pixels above the bar
			return rows(30, false)(s, now)
		})
	for name, top := range map[string]int{"a message": 560, "half a sheet": 440} {
		add("down a list under "+name+"/touch", "- scrollTo: Row 29\n- tap: Row 29", pass, "Row 29", "",
			func(s *stage, now androidsim.Moment) androidsim.Shown {
				over := s.box("over", "", image.Rect(8, top, 392, 700), label("Saved", image.Rect(24, top+8, 200, top+48)))
				over.Fill = color.White
				shown := rows(34, false)(s, now)
				shown.Page = append(shown.Page, over)
				return shown
			})
	}
	add("of which a row is under the bar/touch", "- tap: Row 12", fails, "", "covered by", rows(30, false))
}

// comingTraps are things that come over the place of a touch and go again.
func comingTraps(add addTrap) {
	over := func(until time.Duration, layer func(s *stage) part, above bool) scene {
		return func(s *stage, now androidsim.Moment) androidsim.Shown {
			shown := page(s.press("Pay", at(0)))
			if now.Since < until {
				if above {
					shown.Above = []part{layer(s)}
				} else {
					shown.Page = append(shown.Page, layer(s))
				}
			}
			return shown
		}
	}
	notice := func(s *stage) part {
		return part{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(8, 30, 392, 120),
			Clickable: true, Tapped: s.took("message"), Parts: []part{label("Bob", image.Rect(20, 36, 380, 76))}}
	}
	veil := func(s *stage) part {
		return part{Class: "android.view.View", Bounds: image.Rect(0, 28, trapSize, 776), Clickable: true,
			Tapped: s.took("veil"), Parts: []part{{Class: "android.widget.ProgressBar", Bounds: image.Rect(180, 300, 220, 340),
				Fill: blue}}}
	}
	add("under a notification that goes/touch", "- tap: Pay", pass, "Pay", "", over(1200*ms, notice, true))
	add("under a notification that stays/touch", "- tap: Pay", fails, "", "covered by", over(time.Hour, notice, true))
	add("under a layer that goes/touch", "- tap: Pay", pass, "Pay", "", over(1200*ms, veil, false))
	add("under a layer that stays/touch", "- tap: Pay", fails, "", "covered by", over(time.Hour, veil, false))
	add("an icon that comes flying/touch", "- tap: Cart", pass, "Cart", "",
		timed(func(s *stage, since time.Duration) []part {
			y := min(0, int(since.Milliseconds()/3)-400)
			return []part{label("Shop", at(8)), {Class: "android.widget.ImageButton", Desc: "Cart", Picture: true,
				Bounds: image.Rect(300, 500, 350, 550).Add(image.Pt(0, y)), Clickable: true, Tapped: s.took("Cart")}}
		}))
	add("no keyboard to hide/presence", "- hideKeyboard: {}\n- assert: Your order", pass, "", "",
		still(func(*stage) []part { return []part{label("Your order", at(1))} }))
}

// earlyTraps are elements that a slow tree has in a place where no screenshot around it shows them: they were on their
// way.
func earlyTraps(add addTrap) {
	early := func(name string, thing func(s *stage) part) {
		add(name+" that the tree has before it is drawn/touch", "- tap: Cart", pass, "Cart", "",
			func(s *stage, now androidsim.Moment) androidsim.Shown {
				cart := thing(s)
				if now.Since < 1500*ms {
					cart.Tapped = s.took("the way that it goes")
				}
				if now.Screenshot && now.Since < 1500*ms {
					return page(label("Shop", at(8)))
				}
				return page(label("Shop", at(8)), cart)
			})
	}
	early("an icon", func(s *stage) part {
		return part{Class: "android.widget.ImageButton", Desc: "Cart", Picture: true, Bounds: image.Rect(300, 500, 350, 550),
			Clickable: true, Tapped: s.took("Cart")}
	})
	early("a button", func(s *stage) part { return s.press("Cart", at(4)) })
}
