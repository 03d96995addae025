package truth_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// reportTraps are screens like those of public bug reports about other test tools; each names one such report.
func reportTraps() (list []*trap) {
	for _, some := range []func(addTrap){mergedTraps, flatTraps, choiceTraps, layerTraps, glyphTraps, edgeTraps} {
		some(addTo(&list))
	}
	return list
}

// addTo returns a function that adds a trap to a list.
func addTo(list *[]*trap) addTrap {
	return func(name, steps string, want event.Result, taps, says string, show scene) {
		*list = append(*list, &trap{name: name, steps: steps, want: want, taps: taps, says: says, show: show})
	}
}

const view, group = "android.view.View", "android.view.ViewGroup"

// box is an element that reacts, with parts in it; its touch is noted by a name.
func (s *stage) box(name, desc string, b image.Rectangle, parts ...part) part {
	return part{Class: group, Desc: desc, Bounds: b, Clickable: true, Tapped: s.took(name), Parts: parts}
}

// mergedTraps are elements of which a framework has made one: Compose, Flutter, React Native.
func mergedTraps(add addTrap) {
	// Maestro 539, 634: a button in a row that is called by all that is in it.
	nested := still(func(s *stage) []part {
		check := s.box("check", "", image.Rect(140, 208, 260, 256), label("Check", image.Rect(150, 212, 250, 252)))
		return []part{s.box("row", "Milk, Check", image.Rect(16, 200, 384, 264),
			label("Milk", image.Rect(24, 212, 100, 252)), check)}
	})
	add("a button in the middle of a row that reacts/touch", "- tap: Check", pass, "check", "", nested)
	add("a row with a button in its middle/touch", "- tap: Milk", pass, "row", "", nested)
	add("a row called by all in it/touch", "- tap: \"Milk, Check\"", pass, "row", "", nested)
	add("a row called by all in it/count", "- assertElement: {label: Milk, count: 1}", pass, "", "", nested)
	// Maestro 2704: descendants that are merged for a screen reader are two texts to a person.
	add("two lines that are merged/presence", "- assert: Line 1\n- assert: Line 2", pass, "", "",
		still(func(*stage) []part {
			return []part{{Class: view, Bounds: at(3).Union(at(4)), Parts: []part{label("Line 1", at(3)),
				label("Line 2", at(4))}}}
		}))
	// Flutter: a tile's title and subtitle are one name of two lines.
	tile := still(func(s *stage) []part {
		t := s.box("tile", "Ada\nOffline since 9:00", image.Rect(0, 200, 400, 272))
		t.Class = view
		t.Painted = []part{label("Ada", image.Rect(16, 204, 380, 234)), label("Offline since 9:00", image.Rect(16, 236, 380,
			268))}
		return []part{t}
	})
	add("a line of a tile's name/touch", "- tap: Ada", pass, "tile", "", tile)
	add("a line of a tile's name/presence", "- assert: Offline since 9:00", pass, "", "", tile)
	add("a part of a line of a tile's name/absence", "- assertNot: Offline", pass, "", "", tile)
	// React Native: one button in boxes that repeat its name.
	twins := still(func(s *stage) []part {
		b := at(3)
		return []part{{Class: group, Desc: "Save", Bounds: b.Inset(-6), Parts: []part{s.box("Save", "Save", b,
			part{Class: group, Bounds: b, Parts: []part{label("Save", b.Inset(8))}})}}}
	})
	add("one button in boxes of its name/count", "- assertElement: {label: Save, count: 1}", pass, "", "", twins)
	add("one button in boxes of its name/touch", "- tap: Save", pass, "Save", "", twins)
	// A key of a PIN pad: a digit over characters.
	keys := still(func(s *stage) (p []part) {
		for i, text := range []string{"1\n ", "2\nABC", "3\nDEF", "22\nXYZ"} {
			p = append(p, s.press(text, image.Rect(10+i*95, 300, 100+i*95, 360)))
		}
		return p
	})
	add("a digit over letters/touch", "- tap: \"2\"", pass, "2\nABC", "", keys)
	// A day of a calendar shows a number and is called by its date.
	days := still(func(s *stage) (p []part) {
		for i := range 7 {
			d := s.press(fmt.Sprint(9+i), image.Rect(8+i*55, 300, 58+i*55, 350))
			d.Class, d.Desc = view, fmt.Sprintf("%d March 2026", 9+i)
			p = append(p, d)
		}
		return p
	})
	add("a day of a calendar/touch", "- tap: \"15\"\n- tap: 9 March 2026", pass, "15, 9", "", days)
}

// flatTraps are screens of frameworks that have no boxes around what is in one row.
func flatTraps(add addTrap) {
	toggle := func(s *stage, y int, desc string, on bool) part {
		return part{Class: view, Desc: desc, Checkable: true, Checked: on, Clickable: true, Fill: blue,
			Bounds: image.Rect(320, y, 384, y+40), Tapped: s.took(fmt.Sprint("switch at ", y))}
	}
	// Petals 1117: the state is on the control, the label on a sibling.
	rows := still(func(s *stage) []part {
		return []part{label("Dark theme", image.Rect(16, 100, 200, 140)), toggle(s, 100, "", true),
			label("Vibrate", image.Rect(16, 160, 200, 200)), toggle(s, 160, "", false)}
	})
	add("a label beside a switch without a row/state", "- assertElement: {label: Dark theme, is: {checked: true}}", pass,
		"", "", rows)
	add("a label beside a switch without a row/other state", "- assertElement: {label: Vibrate, is: {checked: true}}",
		fails, "", "not checked", rows)
	// A check box that has a text of its own beside another text.
	login := still(func(s *stage) []part {
		return []part{label("Sign in", at(0)), {Class: "android.widget.LinearLayout", Bounds: at(3), Parts: []part{
			{Class: "android.widget.CheckBox", Text: "Remember me", Checkable: true, Checked: true, Clickable: true,
				Bounds: image.Rect(16, 208, 180, 256), Tapped: s.took("Remember me")},
			label("Forgot password?", image.Rect(220, 208, 384, 256))}}}
	})
	add("beside a check box with a text/state", "- assertElement: {label: Forgot password?, is: {checked: true}}", fails,
		"", "no checked state", login)
	add("beside a check box with a text/touch", "- tap: Forgot password?", pass, "", "", login)
	star := still(func(s *stage) []part {
		fav := toggle(s, 208, "Favourite", true)
		fav.Tapped = s.took("star")
		return []part{label("People", at(0)), {Class: "android.widget.LinearLayout", Bounds: at(3), Parts: []part{
			label("Alice", image.Rect(16, 208, 200, 248)), fav}}}
	})
	add("a name beside a star/touch", "- tap: Alice", pass, "", "", star)
	add("a name beside a star/state", "- assertElement: {label: Alice, is: {checked: true}}", fails, "",
		"no checked state", star)
	add("a star beside a name/state", "- assertElement: {label: Favourite, is: {checked: true}}", pass, "", "", star)
	starred := func(on bool) scene {
		return still(func(s *stage) []part {
			fav := toggle(s, 208, "Favourite", !on)
			return []part{s.box("row", "", at(3), part{Class: "android.widget.CheckBox", Checkable: true, Checked: on,
				Bounds: image.Rect(24, 208, 64, 248), Fill: blue}, label("Alice", image.Rect(80, 208, 300, 248)), fav)}
		})
	}
	add("a row with a box and a star/state", "- assertElement: {label: Alice, is: {checked: true}}", pass, "", "",
		starred(true))
	add("a row with no box ticked and a star/state", "- assertElement: {label: Alice, is: {checked: true}}", fails, "",
		"not checked", starred(false))
	// Compose: the label of a field is a text in it; its value is the field's.
	field := still(func(s *stage) []part {
		if s.entry == nil {
			s.entry = androidsim.NewEntry("", false)
		}
		return []part{{Class: "android.widget.EditText", Entry: s.entry, Clickable: true, Bounds: image.Rect(16, 200, 384,
			260), Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}, Parts: []part{label("E-mail", image.Rect(24, 202, 120, 222))}},
			s.press("Send", at(6))}
	})
	add("a field with its label in it/type", "- input: {into: E-mail, text: a@b.example}\n- assert: a@b.example\n"+
		"- input: {into: E-mail, text: c@d.example, replace: true}\n- assert: c@d.example", pass, "", "", field)
	// A card's button below its title, in a tree without cards.
	cards := still(func(s *stage) (p []part) {
		for i, name := range []string{"Basic", "Plus", "Pro"} {
			y := 60 + i*150
			choose := s.press("Choose", image.Rect(16, y+80, 384, y+120))
			choose.Tapped = s.took("Choose " + name)
			p = append(p, label(name, image.Rect(16, y, 384, y+30)), label("per month", image.Rect(16, y+36, 384, y+66)),
				choose)
		}
		return p
	})
	add("a button below a title without a card/touch", "- tap: {label: Choose, below: Plus}", pass, "Choose Plus", "",
		cards)
	add("a button above a title without a card/touch", "- tap: {label: Choose, above: Pro}", pass, "Choose Plus", "",
		cards)
	// Right to left: a label is right of what it belongs to.
	rtl := still(func(s *stage) (p []part) {
		for i, name := range []string{"שלום", "עולם"} {
			y := 100 + i*70
			edit := s.press("ערוך", image.Rect(16, y, 110, y+48))
			edit.Tapped = s.took("edit " + name)
			p = append(p, part{Text: "\u200f" + name, Bounds: image.Rect(260, y, 384, y+48)}, edit)
		}
		return p
	})
	add("a button left of a name, right to left/touch", "- tap: {label: ערוך, leftOf: עולם}", pass, "edit עולם", "", rtl)
}

// choiceTraps are what is chosen of several.
func choiceTraps(add addTrap) {
	// uiautomator2 178, Appium 6712: a radio button that is chosen is checked, and not "selected".
	radio := func(class string) scene {
		return still(func(s *stage) (p []part) {
			for i, name := range []string{"Standard", "Express"} {
				p = append(p, part{Class: class, Text: name, Checkable: true, Checked: i == 1, Clickable: true, Bounds: at(2 + i)})
			}
			return p
		})
	}
	button := radio("android.widget.RadioButton")
	add("a radio button that is chosen/state", "- assertElement: {label: Express, is: {selected: true}}", pass, "", "",
		button)
	add("a radio button that is chosen/other state", "- assertElement: {label: Express, is: {selected: false}}", fails, "",
		"selected", button)
	add("a radio button that is not chosen/state", "- assertElement: {label: Standard, is: {selected: true}}", fails, "",
		"not selected", button)
	add("a line of a list that is chosen/state", "- assertElement: {label: Express, is: {selected: false}}", fails, "",
		"selected", radio("android.widget.CheckedTextView"))
	inRow := still(func(s *stage) (p []part) {
		for i, name := range []string{"Standard", "Express"} {
			b := at(2 + i)
			p = append(p, s.box(name, "", b, part{Class: "android.widget.RadioButton", Checkable: true, Checked: i == 1,
				Bounds: image.Rect(24, b.Min.Y, 64, b.Max.Y), Fill: blue}, label(name, image.Rect(80, b.Min.Y, 384, b.Max.Y))))
		}
		return p
	})
	add("a row of a radio button that is chosen/state", "- assertElement: {label: Express, is: {selected: true}}", pass,
		"", "", inRow)
	// A row that is done is not the row that is selected.
	done := still(func(s *stage) []part {
		return []part{s.box("row", "", at(3), part{Class: "android.widget.CheckBox", Checkable: true, Checked: true,
			Bounds: image.Rect(24, 208, 64, 248), Fill: blue}, label("Milk", image.Rect(80, 208, 300, 248)))}
	})
	add("a ticked row that is not selected/state", "- assertElement: {label: Milk, is: {selected: false}}", pass, "", "",
		done)
	// auto-mobile 6270: what has no state is not "off".
	add("a row without a state/state", "- assertElement: {label: Dark theme, is: {checked: false}}", fails, "",
		"no checked state", still(func(s *stage) []part {
			return []part{s.box("row", "", at(3), label("Dark theme", at(3).Inset(8)))}
		}))
}

// layerTraps are layers over pages.
func layerTraps(add addTrap) {
	save := func(s *stage, of string, b image.Rectangle) part {
		p := s.press("Save", b)
		p.Tapped = s.took("Save of " + of)
		return p
	}
	// react-navigation 8200, Detox 1185: the screen below stays in the tree.
	stack := still(func(s *stage) []part {
		screen := func(name string, b image.Rectangle) part {
			return part{Class: group, Bounds: image.Rect(0, 28, 400, 776), Fill: paper, Parts: []part{
				label(name, at(0)), save(s, name, b)}}
		}
		return []part{screen("Layer 1", at(6)), screen("Layer 2", at(3))}
	})
	add("on the upper of two screens/touch", "- tap: Save", pass, "Save of Layer 2", "", stack)
	add("on the lower of two screens/absence", "- assertNot: Layer 1", pass, "", "", stack)
	add("on two screens/count", "- assertElement: {label: Save, count: 1}", pass, "", "", stack)
	// modalsheet 35: what is below a sheet is not touched; its scrim is where nothing is over it.
	sheet := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		shown := page(label("Cart", at(0)), save(s, "the page", at(8)))
		shown.Dialog = &part{Class: view, Bounds: image.Rect(0, 28, 400, 776), Parts: []part{
			{Class: view, Desc: "Close sheet", Bounds: image.Rect(0, 28, 400, 776), Clickable: true, Tapped: s.took("scrim"),
				Fill: color.RGBA{0, 0, 0, 0x50}},
			{Class: view, Bounds: image.Rect(0, 300, 400, 776), Fill: color.White, Parts: []part{
				label("Options", image.Rect(16, 320, 384, 360)), save(s, "the sheet", image.Rect(16, 660, 384, 710))}}}}
		return shown
	}
	add("a sheet with a button of the page/touch", "- tap: Save", pass, "Save of the sheet", "", sheet)
	add("the scrim behind a sheet/touch", "- tap: Close sheet", pass, "scrim", "", sheet)
	// A drawer over a page that has its words.
	drawer := still(func(s *stage) []part {
		settings := s.press("Settings", image.Rect(8, 160, 272, 208))
		settings.Tapped = s.took("Settings of the drawer")
		return []part{s.press("Settings", image.Rect(16, 500, 384, 548)), s.press("Pay", image.Rect(290, 600, 390, 650)),
			{Class: view, Bounds: image.Rect(0, 28, 400, 776), Clickable: true, Fill: color.RGBA{0, 0, 0, 0x60},
				Tapped: s.took("scrim")},
			{Class: "android.widget.FrameLayout", Bounds: image.Rect(0, 28, 280, 776), Fill: color.White, Clickable: true,
				Tapped: s.took("drawer"), Parts: []part{label("Menu", image.Rect(8, 60, 272, 100)), settings}}}
	})
	add("a drawer with a word of the page/touch", "- tap: Settings", pass, "Settings of the drawer", "", drawer)
	add("beside a drawer, behind its scrim/touch", "- tap: Pay", fails, "", "covered by", drawer)
	// android-floating-action-button 139: an unseen box around a round button takes touches; Glucosio 193: a button over
	// a row's button.
	fab := func(del image.Rectangle) scene {
		return still(func(s *stage) []part {
			d := s.press("Delete", del)
			d.Tapped = s.took("Delete")
			return []part{s.box("row", "", image.Rect(0, 640, 400, 700), label("Alice", image.Rect(16, 650, 200, 690)), d),
				{Class: "android.widget.ImageButton", Desc: "Add", Bounds: image.Rect(320, 636, 384, 704), Clickable: true,
					Fill: blue, Picture: true, Tapped: s.took("Add")}}
		})
	}
	add("a row's button under a round button/touch", "- tap: Delete", fails, "", "covered by",
		fab(image.Rect(326, 648, 378, 692)))
	add("a row's button half under a round button/touch", "- tap: Delete", pass, "Delete", "",
		fab(image.Rect(260, 648, 378, 692)))
	add("a row half under a round button/touch", "- tap: Alice", pass, "row", "", fab(image.Rect(326, 648, 378, 692)))
	// A snackbar over the last row, for a while.
	snack := func(s *stage, now androidsim.Moment) androidsim.Shown {
		shown := page(s.press("Row 9", image.Rect(16, 700, 384, 750)))
		if now.Since < 1500*ms {
			undo := s.press("Undo", image.Rect(300, 700, 380, 750))
			shown.Page = append(shown.Page, part{Class: "android.widget.FrameLayout", Fill: ink, Clickable: true,
				Bounds: image.Rect(8, 694, 392, 760), Tapped: s.took("bar"),
				Parts: []part{{Text: "Deleted", Ink: color.White, Bounds: image.Rect(20, 700, 280, 750)}, undo}})
		}
		return shown
	}
	add("under a bar that goes/touch", "- tap: Row 9", pass, "Row 9", "", snack)
	// A tutorial's layer with a hole: what is in the hole is seen, and the layer takes the touch.
	coach := still(func(s *stage) []part {
		return []part{s.press("Pay", at(3)), {Class: view, Desc: "Tutorial", Bounds: image.Rect(0, 28, 400, 776),
			Clickable: true, Tapped: s.took("tutorial"), Painted: []part{
				{Class: view, Fill: color.RGBA{0, 0, 0, 0x90}, Bounds: image.Rect(0, 28, 400, 190)},
				{Class: view, Fill: color.RGBA{0, 0, 0, 0x90}, Bounds: image.Rect(0, 270, 400, 776)}}}}
	})
	add("in the hole of a tutorial/touch", "- tap: Pay", fails, "", "covered by", coach)
	add("in the hole of a tutorial/presence", "- assert: Pay", pass, "", "", coach)
	add("under a picture with a name/presence", "- assert: Pay", fails, "", "hidden under", still(func(s *stage) []part {
		return []part{s.press("Pay", at(3)), {Class: view, Desc: "Beach", Bounds: image.Rect(0, 28, 400, 776),
			Clickable: true, Fill: paper, Picture: true}}
	}))
	// Collapsed and expanded titles of a toolbar.
	title := still(func(*stage) []part {
		big := label("Inbox", image.Rect(16, 100, 300, 150))
		big.Invisible = true
		return []part{big, {Class: "android.widget.LinearLayout", Bounds: image.Rect(0, 28, 400, 84), Fill: paper,
			Parts: []part{label("Inbox", image.Rect(72, 36, 300, 76))}}}
	})
	add("a title that is collapsed/count", "- assertElement: {label: Inbox, count: 1}", pass, "", "", title)
}

// glyphTraps are characters of icon fonts, and emojis.
func glyphTraps(add addTrap) {
	show := func(texts ...string) scene {
		return still(func(s *stage) (p []part) {
			for i, text := range texts {
				p = append(p, s.press(text, at(2+i)))
			}
			return p
		})
	}
	// maestro-runner 89: glyphs of icon fonts in names.
	add("a word after an icon's glyph/touch", "- tap: Map", pass, "\U000f0142 Map", "", show("\U000f0142 Map",
		"\U000f0142 Mapping"))
	add("a word before an icon's glyph/touch", "- tap: Map", pass, "Map, \U000f0142", "", show("Map, \U000f0142",
		"Maps, \U000f0142"))
	add("a word before an icon's glyph/absence", "- assertNot: Map", fails, "", "", show("Map, \U000f0142"))
	add("one of two icons' glyphs/touch", "- tap: {label: \"\\ue5ce\"}", pass, "\ue5ce", "", show("\ue5cd", "\ue5ce"))
	add("another icon's glyph/presence", "- assert: {label: \"\\ue5cf\"}", fails, "", "", show("\ue5cd", "\ue5ce"))
	add("another icon's glyph before a word/presence", "- assert: {label: \"\\ue5cf Map\", match: exact}", fails, "", "",
		show("\ue5cd Map"))
	add("a picture in a text/presence", "- assert: 🎉 Done", pass, "", "", show("🎉 Done"))
	add("another picture in a text/presence", "- assert: 🎉 Done", fails, "", "", show("❌ Done"))
	add("a picture of many parts/presence", "- assert: 👩‍💻 Team", pass, "", "", show("👩‍💻 Team"))
}

// edgeTraps are what is at an edge of what scrolls.
func edgeTraps(add addTrap) {
	// maestro-runner 164, Detox 2017: of a button, a sliver is above a bar; WordPress-iOS 21392: some of a card.
	sliver := func(seen int) scene {
		return still(func(s *stage) []part {
			box := part{Class: "android.widget.ScrollView", Bounds: image.Rect(0, 40, 400, 690),
				Scrolled: func(dy int) { s.offset = max(0, min(150, s.offset+dy)) }}
			b := image.Rect(16, 690-seen-s.offset, 384, 740-seen-s.offset)
			box.Parts = []part{label("Terms", image.Rect(16, 100-s.offset, 384, 148-s.offset)), s.press("Manage", b)}
			bar := part{Class: group, Bounds: image.Rect(0, 690, 400, 776), Fill: paper}
			for i, name := range []string{"Home", "Search", "Account"} {
				bar.Parts = append(bar.Parts, s.box(name, "", image.Rect(i*133, 690, i*133+133, 776),
					part{Text: name, Centered: true, Bounds: image.Rect(i*133, 720, i*133+133, 760)}))
			}
			return []part{box, bar}
		})
	}
	for _, seen := range []int{2, 9, 25} {
		add(fmt.Sprintf("a button of which %d pixels are above a bar/scrolled to", seen), "- scrollTo: Manage\n- tap: Manage",
			pass, "Manage", "", sliver(seen))
	}
	add("a button of which 9 pixels are above a bar/touch", "- tap: Manage", pass, "Manage", "", sliver(9))
	// Barista 40: a row with a button where its middle is, called by the row's own name.
	add("a row named by itself with a button in its middle/touch", "- tap: Row 3", pass, "row", "",
		still(func(s *stage) []part {
			return []part{s.box("row", "Row 3", at(3), s.press("Delete", image.Rect(140, 210, 260, 254)))}
		}))
	// auto-mobile 5500: a text that has a link near its end.
	add("a link in a text/touch", "- tap: {label: Terms, match: words}", fails, "", "within a longer text",
		still(func(s *stage) []part {
			return []part{{Text: "I have read the Terms", Bounds: at(3), Clickable: true, LongClickable: true,
				Tapped: s.took("text")}}
		}))
}
