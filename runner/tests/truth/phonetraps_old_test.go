package truth_test

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// oldPhoneTraps are screens of phones before Android 14. They list the views next to each other by their places, and do
// not say which of them is drawn over the others: the larger one comes first, be it behind the others or over them. Nor
// do they report hints.
func oldPhoneTraps() (list []*trap) {
	for _, api := range []int{28, 33} {
		first := len(list)
		for _, some := range []func(addTrap){messageTraps, cardTraps, fieldTraps} {
			some(addTo(&list))
		}
		before := len(list)
		unknownTraps(addTo(&list))
		for _, c := range list[before:] {
			c.way = "stock" // the agent knows what is drawn over what
		}
		for _, c := range list[first:] {
			c.name, c.options = strings.Replace(c.name, "/", fmt.Sprintf(", API %d/", api), 1), androidsim.Options{API: api}
		}
	}
	return list
}

// messageTraps are rows that are still there under a message that they could not be loaded again.
func messageTraps(add addTrap) {
	lost := func(fill color.Color, name string) scene {
		return still(func(s *stage) []part {
			rows := part{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: image.Rect(0, 96, trapSize, 776)}
			for i, item := range []string{"Milk", "Bread", "Eggs", "Salt", "Rice"} {
				y := 110 + i*90
				rows.Parts = append(rows.Parts, s.box("row "+item, "", image.Rect(0, y, trapSize, y+80),
					label(item, image.Rect(16, y+16, 200, y+60))))
			}
			over := part{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, 28, trapSize, 776), Fill: fill,
				Clickable: true, Tapped: s.took("nothing"), Parts: []part{label(name, image.Rect(220, 300, 384, 340)),
					s.press("Retry", image.Rect(220, 380, 384, 430))}}
			return []part{{Class: "android.view.ViewGroup", Bounds: image.Rect(0, 28, trapSize, 776), Parts: []part{
				label("Groceries", image.Rect(16, 40, 300, 88)), rows, over}}}
		})
	}
	add("a row under a message as large as the screen/presence", "- assert: Bread", fails, "", "hidden under",
		lost(paper, "Offline"))
	add("a row under a message as large as the screen/absence", "- assertNot: Bread", pass, "", "", lost(paper, "Offline"))
	add("a row under a message as large as the screen/count", "- assertElement: {label: Eggs, count: 0}", pass, "", "",
		lost(paper, "Offline"))
	add("a row under a message as large as the screen/touch", "- tap: Bread", fails, "", "covered by",
		lost(paper, "Offline"))
	add("in a message as large as the screen/presence", "- assert: Offline\n- assert: Retry", pass, "", "",
		lost(paper, "Offline"))
	add("in a message as large as the screen/touch", "- tap: Retry", pass, "Retry", "", lost(paper, "Offline"))
}

// cardTraps are cards that are behind what is on them, and a bar over the end of a list.
func cardTraps(add addTrap) {
	card := still(func(s *stage) []part {
		back := s.box("card", "", image.Rect(8, 40, 392, 400),
			part{Class: "android.widget.ImageView", Bounds: image.Rect(8, 40, 392, 240), Picture: true, Fill: paper})
		return []part{{Class: "android.widget.FrameLayout", Bounds: image.Rect(0, 28, trapSize, 776), Parts: []part{
			back, label("Lisbon", image.Rect(24, 260, 200, 310)), s.press("Save", image.Rect(280, 320, 380, 380)),
			label("New", image.Rect(300, 56, 380, 96))}}}
	})
	add("on a card that is listed first/presence", "- assert: Lisbon\n- assert: New\n- assert: Save", pass, "", "", card)
	add("on a card that is listed first/absence", "- assertNot: New", fails, "", "still there", card)
	add("on a card that is listed first/touch", "- tap: Save", pass, "Save", "", card)
	bar := still(func(s *stage) []part {
		b := s.box("bar", "", image.Rect(0, 700, trapSize, 776), label("Home", image.Rect(20, 710, 180, 766)),
			label("Profile", image.Rect(220, 710, 380, 766)))
		b.Fill = color.White
		return []part{s.press("Row 8", image.Rect(16, 630, 384, 690)), s.press("Row 9", image.Rect(16, 704, 384, 760)), b}
	})
	add("under a bar with words/touch", "- tap: Row 9", fails, "", "covered by", bar)
	add("beside a bar with words/touch", "- tap: Row 8", pass, "Row 8", "", bar)
	add("in a bar with words/touch", "- tap: Home", pass, "bar", "", bar)
}

// unknownTraps are what no tree and no screenshot shows: what can be seen through a layer may be drawn over it as well.
// A touch that changes nothing is warned of.
func unknownTraps(add addTrap) {
	scrim := still(func(s *stage) []part {
		return []part{s.press("Transfer", image.Rect(16, 200, 384, 250)), s.box("scrim", "",
			image.Rect(0, 28, trapSize, 776)), label("Balance", image.Rect(16, 300, 384, 350))}
	})
	add("behind a layer that shows nothing/touch", "- tap: Transfer", pass, "scrim", "may be over", scrim)
}
