package truth_test

import (
	"image"
	"image/color"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

type (
	scene = func(s *stage, now androidsim.Moment) androidsim.Shown
	part  = androidsim.Part
)

// seenTraps are texts that are in the tree and not visible, and their twins.
func seenTraps() (list []*trap) {
	add := func(name string, show scene, steps string, want event.Result, says string) {
		list = append(list, &trap{name: name, show: show, steps: steps, want: want, says: says})
	}
	title := label("Checkout", at(0))
	shown := func(parts ...part) scene {
		return func(*stage, androidsim.Moment) androidsim.Shown { return page(append([]part{title}, parts...)...) }
	}
	drawn := func(inks color.Color) scene {
		return shown(part{Text: "Total 12.00", Bounds: at(3), Fill: paper, Ink: inks})
	}
	add("in the colour of its ground/presence", drawn(paper), "- assert: Total 12.00", fails, "nothing is drawn")
	add("in the colour of its ground/absence", drawn(paper), "- assertNot: Total 12.00", pass, "")
	add("in the colour of its ground/text", shown(part{ID: scenePackage + ":id/total", Text: "Total 12.00", Bounds: at(3),
		Fill: paper, Ink: paper}),
		"- assertElement: {id: total, text: Total 12.00}", fails, "")
	add("in light grey/text", shown(part{ID: scenePackage + ":id/total", Text: "Total 12.00", Bounds: at(3), Fill: paper,
		Ink: color.RGBA{0xdd, 0xda, 0xde, 0xff}}),
		"- assertElement: {id: total, text: Total 12.00}", pass, "")
	add("in light grey/presence", drawn(color.RGBA{0xdd, 0xda, 0xde, 0xff}), "- assert: Total 12.00", pass, "")
	add("in a colour as bright as its ground/presence",
		shown(part{Text: "Total 12.00", Bounds: at(3), Fill: color.RGBA{0, 0x80, 0, 0xff},
			Ink: color.RGBA{0xfb, 0, 0, 0xff}}),
		"- assert: Total 12.00", pass, "")
	add("a name that is not drawn/presence", shown(part{Class: "android.view.View", Desc: "Total 12.00", Bounds: at(3)}),
		"- assert: Total 12.00", pass, "")
	clear := shown(part{Text: "Total 12.00", Bounds: at(3), Invisible: true})
	add("transparent/presence", clear, "- assert: Total 12.00", fails, "did not appear")
	add("transparent/absence", clear, "- assertNot: Total 12.00", pass, "")

	splash := func(until time.Duration) scene {
		return func(_ *stage, now androidsim.Moment) androidsim.Shown {
			s := page(title, label("Total 12.00", at(3)))
			if now.Since < until {
				s.Page = append(s.Page, part{Class: "android.widget.ImageView", Fill: blue, Bounds: now.Area})
			}
			return s
		}
	}
	add("under a splash screen that stays/presence", splash(time.Hour), "- assert: Total 12.00", fails, "hidden under")
	add("under a splash screen that stays/absence", splash(time.Hour), "- assertNot: Total 12.00", pass, "")
	add("under a splash screen that goes/presence", splash(400*time.Millisecond), "- assert: Total 12.00", pass, "")
	add("under a splash screen that goes/absence", splash(400*time.Millisecond),
		"- waitFor: {visible: Total 12.00}\n- assertNot: Total 12.00", fails, "")

	film := func(at image.Rectangle) scene {
		return func(*stage, androidsim.Moment) androidsim.Shown {
			s := page(title, label("Total 12.00", image.Rect(200, 208, 384, 256)))
			s.Above = []part{{Class: "android.view.SurfaceView", Fill: color.RGBA{0x20, 0x60, 0x90, 0xff}, Picture: true,
				Bounds: at, Package: "com.example.films", App: true, Clickable: true}}
			return s
		}
	}
	add("under a film in a corner/presence", film(image.Rect(180, 180, 400, 300)), "- assert: Total 12.00", fails,
		"hidden under")
	add("under a film in a corner/absence", film(image.Rect(180, 180, 400, 300)), "- assertNot: Total 12.00", pass, "")
	add("beside a film in a corner/presence", film(image.Rect(180, 400, 400, 520)), "- assert: Total 12.00", pass, "")

	seenPartTraps(add, shown)
	dialog := func(*stage, androidsim.Moment) androidsim.Shown {
		s := page(title, label("Total 12.00", at(1)))
		s.Dialog = &part{Class: "android.widget.FrameLayout", Fill: paper, Bounds: image.Rect(40, 300, 360, 500),
			Parts: []part{label("Really?", image.Rect(60, 320, 340, 370))}}
		return s
	}
	add("behind a dialog/absence", dialog, "- assertNot: Total 12.00", pass, "a dialog is in the foreground")
	add("behind a dialog/presence", dialog, "- assert: Total 12.00", fails, "")
	add("in a dialog/absence", dialog, "- assertNot: Really?", fails, "")

	for name, text := range map[string]string{"a space that does not break": "Pay\u00a0now",
		"marks of direction": "\u200ePay\u200b now\u200f", "capitals": "PAY NOW", "a soft hyphen": "Pay n\u00adow"} {
		add("written with "+name+"/presence", shown(label(text, at(3))), "- assert: Pay now", pass, "")
		add("written with "+name+"/absence", shown(label(text, at(3))), "- assertNot: Pay now", fails, "")
	}
	add("a part of a word/presence", shown(label("Unpaid", at(3))), "- assert: {text: paid, match: words}", fails, "")
	add("a part of a number/presence", shown(label("Total 112.00", at(3))), "- assert: {text: \"12.00\", match: words}",
		fails, "")
	add("another letter/presence", shown(label("Tota1 12.00", at(3))), "- assert: Total 12.00", fails, "")
	return list
}

// seenPartTraps are texts of which a person sees none or some, because something is drawn over them or a list ends in
// the middle of them.
func seenPartTraps(add func(name string, show scene, steps string, want event.Result, says string),
	shown func(...part) scene) {
	both := func(name string, show scene, seen bool, text string) {
		presence, absence, none, one := pass, fails, fails, pass
		if !seen {
			presence, absence, none, one = fails, pass, pass, fails
		}
		add(name+"/presence", show, "- assert: "+text, presence, "")
		add(name+"/absence", show, "- assertNot: "+text, absence, "")
		add(name+"/none", show, "- assertElement: {label: "+text+", count: 0}", none, "")
		add(name+"/one", show, "- assertElement: {label: "+text+", count: 1}", one, "")
	}
	wide := label("Weiter", at(3))
	bar := func(fill color.Color) part {
		return part{Class: "android.widget.LinearLayout", Fill: fill, Bounds: image.Rect(0, 190, trapSize, 270),
			Parts: []part{
				{Text: "Back", Bounds: image.Rect(300, 200, 390, 260)}, {Class: "android.widget.ImageButton", Desc: "More",
					Picture: true, Bounds: image.Rect(150, 200, 200, 250)}}}
	}
	both("under a bar that shows something of its own", shown(wide, bar(paper)), false, "Weiter")
	both("under a clear bar that shows something of its own", shown(wide, bar(nil)), true, "Weiter")
	field := part{Class: "android.widget.EditText", Hint: "Straße", Entry: androidsim.NewEntry("", false),
		Bounds: at(3), Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}}
	both("a hint under a panel with a text", shown(field, part{Class: "android.widget.FrameLayout", Fill: color.White,
		Bounds: image.Rect(0, 40, trapSize, 776),
		Parts:  []part{label("Nothing here", image.Rect(16, 205, 200, 250))}}), false, "Straße")
	list := func(bottom int) scene {
		return shown(part{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: image.Rect(0, 100, trapSize, bottom),
			Scrolled: func(int) {},
			Parts: []part{label("Milk", image.Rect(16, 100, 384, 148)), {Text: "Butter", Fill: color.RGBA{0xe7, 0xe0, 0xec,
				0xff}, Bounds: image.Rect(16, 150, 384, 206)}}})
	}
	both("a row of which a strip is in view", list(161), false, "Butter")
	both("a row of which the upper half of its letters is in view", list(181), true, "Butter")
	both("a row that is in view", list(300), true, "Butter")
	chip := func(x int) scene {
		b := image.Rect(x, 208, x+160, 256)
		return shown(part{Text: "Vegan", Centered: true, Fill: color.RGBA{0xea, 0xdd, 0xff, 0xff}, Bounds: b, Painted: []part{
			{Fill: ink, Bounds: image.Rect(b.Min.X, b.Min.Y, b.Min.X+2, b.Max.Y)}, {Fill: ink, Bounds: image.Rect(b.Min.X,
				b.Min.Y, b.Max.X, b.Min.Y+2)}}})
	}
	both("a chip that is cut off before its letters", chip(370), false, "Vegan")
	both("a chip that is cut off behind its letters", chip(280), true, "Vegan")
	both("a text half under a bar that leaves none of its letters", shown(label("Weiter", image.Rect(16, 200, 384, 300)),
		part{Class: "android.widget.FrameLayout", Fill: paper, Bounds: image.Rect(0, 225, trapSize, 330)}), false, "Weiter")
	both("a text under two cards that are next to each other", shown(wide, part{Class: "android.widget.FrameLayout",
		Fill: paper, Bounds: image.Rect(0, 190, 60, 270)},
		part{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(60, 190, trapSize, 270)}), false,
		"Weiter")
}

// keyboardTraps are about what a keyboard covers and shows.
func keyboardTraps() (list []*trap) {
	for _, api := range []int{28, 34} {
		add := func(name string, steps string, want event.Result, says, taps string) {
			list = append(list, &trap{name: name + map[int]string{28: " of Android 9", 34: ""}[api], steps: steps, want: want,
				says: says, taps: taps, options: androidsim.Options{API: api},
				show: func(s *stage, now androidsim.Moment) androidsim.Shown {
					if s.entry == nil {
						s.entry = androidsim.NewEntry("", false)
					}
					return page(part{Class: "android.widget.EditText", Hint: "Your name", ID: scenePackage + ":id/name",
						Entry: s.entry, Clickable: true, Bounds: at(1), Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}},
						label("Above all", at(3)), label("Terms apply", image.Rect(16, 600, 384, 648)),
						s.press("Save", image.Rect(16, 680, 384, 728)))
				}})
		}
		add("under the keyboard/presence", "- tap: Your name\n- input: Ada\n- assert: Terms apply", fails, "keyboard", "")
		add("under the keyboard/absence", "- tap: Your name\n- input: Ada\n- assertNot: Terms apply", pass, "", "")
		add("under the keyboard/touch", "- tap: Your name\n- input: Ada\n- tap: Save", pass, "", "Save")
		add("under the keyboard/state",
			"- tap: Your name\n- input: Ada\n- assertElement: {label: Save, is: {enabled: true}}\n- waitFor: {enabled: "+
				"Save}", pass, "", "")
		add("under the keyboard/state of what is seen",
			"- tap: Your name\n- input: Ada\n- assertElement: {label: Save, visible: true, is: {enabled: "+
				"true}}", fails, "keyboard", "")
		add("under the keyboard/extracted",
			"- tap: Your name\n- input: Ada\n- extract: {label: Terms apply, as: terms}\n- assertTrue: terms == \"Terms "+
				"apply\"", pass, "", "")
		add("under the keyboard/condition",
			"- tap: Your name\n- input: Ada\n- if: {visible: Terms apply, then: [{assertNot: Your}], else: [{assert: Above "+
				"all}]}", pass, "", "")
		add("under no keyboard any more/presence",
			"- tap: Your name\n- input: Ada\n- hideKeyboard: {}\n- assert: Terms apply", pass, "", "")
		add("above the keyboard/presence", "- tap: Your name\n- input: Ada\n- assert: Above all", pass, "", "")
		add("a key of the keyboard/presence", "- tap: Your name\n- input: Ada\n- assert: q", fails, "", "")
		add("a hint/presence", "- assert: Your name", pass, "", "")
		add("a hint that was typed over/presence", "- tap: Your name\n- input: Ada\n- assert: Your name", fails, "", "")
		add("a typed text/presence", "- tap: Your name\n- input: Ada\n- assert: Ada", pass, "", "")
		if api >= 34 {
			add("an empty field/value", "- assertElement: {id: name, value: Your name}", fails, "", "")
		} else {
			add("an empty field that may be filled/value", "- assertElement: {id: name, value: Your name}", pass,
				"is unknown", "")
			list[len(list)-1].way = "stock"
		}
	}
	return list
}
