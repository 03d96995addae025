package truth_test

import (
	"image"
	"image/color"
)

// frameworkTraps are screens as dumps of apps in public repositories have them: what Compose and Flutter describe to
// services themselves.
func frameworkTraps() (list []*trap) {
	for _, some := range []func(addTrap){composeTraps, flutterTraps} {
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
