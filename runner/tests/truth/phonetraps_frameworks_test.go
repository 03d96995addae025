package truth_test

import (
	"fmt"
	"image"
	"image/color"
)

// frameworkTraps are screens as dumps of apps in public repositories have them: what Compose and Flutter describe to
// services themselves.
func frameworkTraps() (list []*trap) {
	for _, some := range []func(addTrap){composeTraps, flutterTraps, scrimTraps} {
		some(addTo(&list))
	}
	return list
}

// composeTraps are buttons of Compose, which end with an element that only says of what kind they are.
func composeTraps(add addTrap) {
	search := still(func(s *stage) []part {
		at := image.Rect(328, 40, 384, 96)
		button := s.box("search", "", at, part{Class: view, Desc: "Voice search", Picture: true, Bounds: at.Inset(12)},
			part{Class: "android.widget.Button", Bounds: at})
		button.Class = view
		return []part{label("Trains", image.Rect(16, 44, 200, 92)), button, label("No trains", image.Rect(16, 320, 384, 368))}
	})
	add("an icon in a button of Compose/presence", "- assert: Voice search", pass, "", "", search)
	add("an icon in a button of Compose/absence", "- assertNot: Voice search", fails, "", "still there", search)
	add("an icon in a button of Compose/touch", "- tap: Voice search", pass, "search", "", search)
	// The one that is chosen takes no touches.
	choice := still(func(s *stage) (p []part) {
		for i, name := range []string{"Off", "On"} {
			at := image.Rect(16+i*100, 200, 106+i*100, 248)
			p = append(p, part{Class: view, Bounds: at, Checkable: true, Checked: i == 1, Clickable: i == 0,
				Tapped: s.took(name), Parts: []part{label(name, at.Inset(12)), {Bounds: at,
					Class: "android.widget.RadioButton"}}})
		}
		return p
	})
	add("a chosen radio button of Compose/presence", "- assert: \"On\"\n- assert: {label: \"On\", checked: true}", pass,
		"", "", choice)
	add("a chosen radio button of Compose/absence", "- assertNot: \"On\"", fails, "", "still there", choice)
	add("a chosen radio button of Compose/touch of another", "- tap: \"Off\"", pass, "Off", "", choice)
}

// flutterTraps are dialogs of Flutter, which lists what closes them after them.
func flutterTraps(add addTrap) {
	dialog := still(func(s *stage) []part {
		whole, box := image.Rect(0, 24, trapSize, 776), image.Rect(40, 300, 360, 520)
		grey := color.RGBA{0x70, 0x70, 0x70, 0xff}
		yes := s.press("", image.Rect(220, 440, 340, 490))
		yes.Desc, yes.Tapped = "Confirm", s.took("Confirm")
		yes.Painted = []part{label("Confirm", image.Rect(224, 444, 336, 486))}
		title := part{Class: view, Desc: "Cancel the visit?", Bounds: image.Rect(60, 320, 340, 360)}
		title.Painted = []part{label("Cancel the visit?", title.Bounds)}
		return []part{{Class: "android.widget.FrameLayout", Bounds: whole, Parts: []part{{Class: view, Bounds: whole,
			Parts: []part{{Class: view, Bounds: whole, Fill: grey, Parts: []part{
				{Class: view, Bounds: whole, Parts: []part{{Class: view, Bounds: box, Fill: paper, Parts: []part{title, yes}}}},
				{Class: view, Desc: "Dismiss", Bounds: whole, Clickable: true, Draw: -1, Tapped: s.took("outside")}}}}}}}}
	})
	add("a dialog of Flutter/presence", "- assert: Cancel the visit?\n- assert: Confirm", pass, "", "", dialog)
	add("a dialog of Flutter/absence", "- assertNot: Cancel the visit?", fails, "", "still there", dialog)
	add("a dialog of Flutter/touch", "- tap: Confirm", pass, "Confirm", "", dialog)
	add("a dialog of Flutter/touch beside it", "- tap: Dismiss", pass, "outside", "", dialog)
}

// scrimTraps are texts behind a dark layer of the same window that has a name: a person reads them.
func scrimTraps(add addTrap) {
	for _, dark := range []uint8{0x52, 0x99, 0xb4} {
		name := fmt.Sprintf("behind a scrim of %d %%", int(dark)*100/255)
		page := still(func(s *stage) []part {
			scrim := part{Class: view, Desc: "Close navigation menu", Bounds: image.Rect(0, 24, trapSize, 776),
				Clickable: true, Fill: color.RGBA{A: dark}, Tapped: s.took("scrim")}
			return []part{label("Balance 1,234", at(2)), label("Zuzüglich Œuvre №7", at(3)), s.press("Transfer", at(5)), scrim,
				{Class: view, Bounds: image.Rect(0, 24, 280, 776), Parts: []part{label("Settings", image.Rect(16, 560, 264, 600))}}}
		})
		add(name+"/presence", "- assert: Balance 1,234\n- assert: Zuzüglich Œuvre №7", pass, "", "", page)
		add(name+"/absence", "- assertNot: Balance 1,234", fails, "", "still there", page)
		add(name+"/absence of another", "- assertNot: Zuzüglich Œuvre №7", fails, "", "still there", page)
		add(name+"/touch", "- tap: Transfer", fails, "", "covered by", page)
	}
	// A picture as large as the screen may have a name, too.
	photo := still(func(s *stage) []part {
		beach := part{Class: view, Desc: "Beach", Bounds: image.Rect(0, 24, trapSize, 776), Fill: blue}
		for i := range 600 {
			x, y := i%20*20, 30+i/20*25
			beach.Painted = append(beach.Painted, part{Class: view, Bounds: image.Rect(x, y, x+9+i%7, y+8+i%5),
				Fill: color.RGBA{uint8(40 + i*37%200), uint8(40 + i*91%200), 0x60, 0xff}})
		}
		return []part{label("Balance 1,234", at(2)), s.press("Transfer", at(5)), beach}
	})
	add("behind a photo with a name/presence", "- assert: Balance 1,234", fails, "", "hidden under", photo)
	add("behind a photo with a name/absence", "- assertNot: Balance 1,234\n- assertNot: Transfer", pass, "", "", photo)
}
