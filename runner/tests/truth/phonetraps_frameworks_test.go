package truth_test

import (
	"fmt"
	"image"
	"image/color"
)

// frameworkTraps are screens as dumps of apps in public repositories have them: what Compose and Flutter describe to
// services themselves.
func frameworkTraps() (list []*trap) {
	for _, some := range []func(addTrap){composeTraps, panelTraps, flutterTraps, flutterRowTraps, scrimTraps,
		middleTraps} {
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

// panelTraps are texts of Compose under a panel that only draws, which is in no tree.
func panelTraps(add addTrap) {
	rows := still(func(s *stage) []part {
		compose := part{Class: "androidx.compose.ui.platform.ComposeView", Bounds: image.Rect(0, 24, trapSize, 776)}
		for i, name := range []string{"Ada", "Bo", "Cy"} {
			y := 100 + i*64
			edit := s.box("Edit "+name, "", image.Rect(290, y, 384, y+56), label("Edit", image.Rect(310, y+16, 364, y+40)))
			edit.Class = view
			compose.Parts = append(compose.Parts, label(name, image.Rect(16, y+16, 200, y+40)), edit)
		}
		compose.Parts = append(compose.Parts, part{Class: view, Bounds: image.Rect(0, 772, 4, 776),
			Painted: []part{{Class: view, Bounds: image.Rect(0, 90, trapSize, 160), Fill: paper}}})
		return []part{compose}
	})
	add("under a panel of Compose/touch", "- tap: {label: Edit, rightOf: Bo}", pass, "Edit Bo", "", rows)
	add("under a panel of Compose/touch of the first", "- tap: {label: Edit, index: 0}", pass, "Edit Bo", "", rows)
	add("under a panel of Compose/touch of a hidden one", "- tap: {label: Ada, timeout: 2s}", fails, "", "is drawn", rows)
	add("under a panel of Compose/count", "- assert: {label: Edit, count: 2}", pass, "", "", rows)
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

// flutterRowTraps are rows and cards of Flutter: one element with the names of the texts in it, and with the buttons.
func flutterRowTraps(add addTrap) {
	named := func(s *stage, what, name string, box, text, button image.Rectangle) part {
		press := s.press("", button)
		press.Desc, press.Tapped = what, s.took(what+" "+name)
		press.Painted = []part{label(what, button.Inset(4))}
		row := s.box("row "+name, name+"\nOffline", box, press)
		row.Class, row.Painted = view, []part{label(name, text)}
		return row
	}
	rows := still(func(s *stage) (p []part) {
		for i, name := range []string{"Ada", "Bo", "Cy"} {
			y := 100 + i*64
			p = append(p, named(s, "Delete", name, image.Rect(0, y, trapSize, y+64), image.Rect(16, y+8, 200, y+40),
				image.Rect(290, y+8, 384, y+56)))
		}
		return p
	})
	add("a button in a merged row, right of its name/touch", "- tap: {label: Delete, rightOf: Bo}", pass, "Delete Bo", "",
		rows)
	add("a button in a merged row, near its name/touch", "- tap: {label: Delete, near: Bo}", pass, "Delete Bo", "", rows)
	cards := still(func(s *stage) (p []part) {
		for i, name := range []string{"Lamp", "Chair", "Desk", "Rug"} {
			b := image.Rect(8, 100, 192, 280).Add(image.Pt(i%2*200, i/2*200))
			p = append(p, named(s, "Add", name, b, image.Rect(b.Min.X+8, b.Min.Y+100, b.Max.X-8, b.Min.Y+130),
				image.Rect(b.Min.X+8, b.Max.Y-48, b.Min.X+100, b.Max.Y-4)))
		}
		return p
	})
	add("a button in a merged card, below its name/touch", "- tap: {label: Add, below: Chair}", pass, "Add Chair", "",
		cards)
}

// middleTraps are texts behind the middle of a dark layer that has a name, where a layer can show an icon.
func middleTraps(add addTrap) {
	behind := func(x int, layer ...part) scene {
		return still(func(s *stage) []part {
			scrim := part{Class: view, Desc: "Close sheet", Bounds: image.Rect(0, 24, trapSize, 776), Clickable: true,
				Fill: color.RGBA{A: 0x6e}, Tapped: s.took("scrim"), Painted: layer}
			return []part{label("Balance 1,234", image.Rect(x, 390, x+160, 416)), label("Account", at(2)), scrim}
		})
	}
	add("behind the middle of a scrim/presence", "- assert: Balance 1,234", pass, "", "", behind(30))
	add("behind the right half of a scrim/presence", "- assert: Balance 1,234", pass, "", "", behind(230))
	spinner := part{Class: view, Bounds: image.Rect(176, 376, 224, 424), Fill: color.RGBA{0xff, 0, 0, 0xff}}
	opaque := part{Class: view, Bounds: image.Rect(0, 24, trapSize, 776), Fill: paper}
	add("behind an opaque layer with a name and a spinner/presence", "- assert: Balance 1,234", fails, "", "hidden under",
		behind(120, opaque, spinner))
	dot := part{Class: view, Bounds: image.Rect(192, 394, 208, 410), Fill: color.RGBA{0xff, 0, 0, 0xff}}
	add("behind an opaque layer with a name and a small icon/presence", "- assert: Balance 1,234", fails, "",
		"hidden under", behind(120, opaque, dot))
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
