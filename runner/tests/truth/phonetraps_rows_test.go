package truth_test

import (
	"image"
	"image/color"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// rowTraps are screens on which names are used twice, and only their place decides which is meant.
func rowTraps() (list []*trap) {
	add := func(name, steps string, want event.Result, taps, says string, f func(s *stage) []part) {
		list = append(list, &trap{name: name, steps: steps, want: want, taps: taps, says: says, show: still(f)})
	}
	namedFieldTraps(add)
	sameRowTraps(add)
	behindTraps(add)
	return list
}

type addRows func(name, steps string, want event.Result, taps, says string, f func(s *stage) []part)

// searchField is a field with a hint that holds a text.
func (s *stage) searchField(text string, b image.Rectangle) part {
	if s.entry == nil {
		s.entry = androidsim.NewEntry(text, false)
	}
	return part{Class: "android.widget.EditText", Hint: "Search", ID: scenePackage + ":id/query", Entry: s.entry,
		Clickable: true, Bounds: b, Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}}
}

// namedFieldTraps are fields next to something that has their name.
func namedFieldTraps(add addRows) {
	left, right := image.Rect(16, 100, 280, 150), image.Rect(290, 100, 384, 150)
	for state, text := range map[string]string{"empty": "", "filled": "old"} {
		add("a field and a button of one name, "+state+"/type",
			"- input: {into: Search, text: tea, replace: true}\n- assert: tea", pass, "", "", func(s *stage) []part {
				return []part{s.searchField(text, left), s.press("Search", right)}
			})
	}
	add("a field and a button of one name/touch", "- tap: {label: Search, timeout: 3s}", fails, "", "equally",
		func(s *stage) []part { return []part{s.searchField("", left), s.press("Search", right)} })
	add("a heading and a field of one name/type", "- input: {into: Search, text: tea}\n- assert: tea", pass, "", "",
		func(s *stage) []part { return []part{label("Search", at(0)), s.searchField("", at(2))} })
}

// sameRowTraps are rows of a list, and cards beside each other.
func sameRowTraps(add addRows) {
	row := func(s *stage, y int, name string) part {
		b := image.Rect(0, y, trapSize, y+60)
		del := s.press("Delete", image.Rect(290, y+6, 384, y+54))
		del.Tapped = s.took("Delete " + name)
		return part{Class: "android.widget.LinearLayout", Bounds: b, Clickable: true, Tapped: s.took("row " + name),
			Parts: []part{{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, y, 280, y+60),
				Parts: []part{label(name, image.Rect(16, y+4, 270, y+30)), label("Friend", image.Rect(16, y+32, 270, y+56))}}, del}}
	}
	names := func(s *stage) []part { return []part{row(s, 60, "Bob"), row(s, 125, "Bo"), row(s, 190, "Bobby")} }
	add("rows with names that begin alike, inside/touch", "- tap: {label: Delete, inside: {contains: Bo}}", pass,
		"Delete Bo", "", names)
	add("rows with names that begin alike, right of/touch", "- tap: {label: Delete, rightOf: Bobby}", pass,
		"Delete Bobby", "", names)
	add("rows with names that begin alike/row", "- tap: Bo", pass, "row Bo", "", names)
	add("rows with names that begin alike/count", "- assert: {label: Friend, count: 3}\n- assert: {label: Bo, count: 1}",
		pass, "", "", names)
	add("the text of another row/assert", "- assert: {label: Delete, inside: {contains: Bill}}", fails, "", "", names)
	card := func(s *stage, x, y int, name string) []part {
		add := s.press("Add", image.Rect(x, y+60, x+170, y+100))
		add.Tapped = s.took("Add " + name)
		return []part{label(name, image.Rect(x, y, x+170, y+26)), label("1 kg", image.Rect(x, y+28, x+170, y+54)), add}
	}
	cards := func(s *stage) (p []part) {
		for i, name := range []string{"Tea", "Rice", "Milk", "Oats"} {
			p = append(p, card(s, 16+i%2*190, 80+i/2*130, name)...)
		}
		return p
	}
	add("cards in two columns, below/touch", "- tap: {label: Add, below: Rice}", pass, "Add Rice", "", cards)
	add("cards in two columns, above/touch", "- tap: {label: Add, above: Milk}", pass, "Add Tea", "", cards)
	add("numbers that begin alike/touch", `- tap: "1"`, pass, "1", "", func(s *stage) []part {
		return []part{s.press("10", at(1)), s.press("1", at(2)), s.press("11", at(3))}
	})
	add("a button lower than its row/touch", "- tap: {label: Edit, rightOf: Work}", pass, "Edit Work", "",
		func(s *stage) []part {
			var p []part
			for i, name := range []string{"Home", "Work"} {
				y := 80 + i*70
				edit := s.press("Edit", image.Rect(290, y+14, 384, y+58))
				edit.Tapped = s.took("Edit " + name)
				p = append(p, label(name, image.Rect(16, y, 200, y+30)), edit)
			}
			return p
		})
}

// behindTraps are names of which one is behind something, or outside of the screen.
func behindTraps(add addRows) {
	ok := func(s *stage, name string, b image.Rectangle) part {
		p := s.press("OK", b)
		p.Tapped = s.took(name)
		return p
	}
	dialog := func(s *stage) []part {
		return []part{ok(s, "OK of the page", at(9)), {Class: "android.view.View", Bounds: image.Rect(0, 28, trapSize, 776),
			Clickable: true, Fill: color.RGBA{0, 0, 0, 0x80}, Tapped: s.took("scrim"), Parts: []part{{
				Class: "android.widget.FrameLayout", Bounds: image.Rect(40, 240, 360, 440), Fill: color.White, Clickable: true,
				Parts: []part{label("Delete it?", image.Rect(60, 260, 340, 300)), ok(s, "OK of the dialog",
					image.Rect(60, 360, 340, 420))}}}}}
	}
	add("two of one name, one behind a scrim/touch", "- tap: OK", pass, "OK of the dialog", "", dialog)
	add("outside of the screen, and on it/touch", "- tap: OK", pass, "OK here", "", func(s *stage) []part {
		return []part{ok(s, "OK of the next page", image.Rect(416, 200, 784, 248)), ok(s, "OK here", at(3))}
	})
	add("outside of the screen/assert", "- assertNot: Next page", pass, "", "", func(s *stage) []part {
		return []part{label("This page", at(1)), label("Next page", image.Rect(416, 200, 784, 248))}
	})
	add("without a size, and with one/touch", "- tap: OK", pass, "OK here", "", func(s *stage) []part {
		return []part{ok(s, "OK of nothing", image.Rect(16, 100, 16, 100)), ok(s, "OK here", at(3))}
	})
	bar := part{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, 700, trapSize, 776),
		Fill: paper, Clickable: true}
	add("a row under the app's own bar/touch", "- tap: {label: Row 9, timeout: 3s}", fails, "", "covered by",
		func(s *stage) []part {
			b := bar
			b.Tapped = s.took("bar")
			b.Parts = []part{label("Home", image.Rect(20, 710, 180, 766)), label("Profile", image.Rect(220, 710, 380, 766))}
			return []part{s.press("Row 9", image.Rect(16, 704, 384, 760)), b}
		})
	add("a row half under the app's own bar/touch", "- tap: Row 9", pass, "Row 9", "", func(s *stage) []part {
		b := bar
		b.Tapped = s.took("bar")
		b.Parts = []part{label("Home", image.Rect(20, 710, 180, 766)), label("Profile", image.Rect(220, 710, 380, 766))}
		return []part{s.press("Row 9", image.Rect(16, 670, 384, 760)), b}
	})
	add("a sheet over a list with its words/touch", "- tap: Share", pass, "Share of the sheet", "", func(s *stage) []part {
		share := s.press("Share", image.Rect(16, 540, 384, 590))
		share.Tapped = s.took("Share of the sheet")
		return []part{s.press("Share", image.Rect(16, 500, 384, 560)), {Class: "android.widget.FrameLayout",
			Bounds: image.Rect(0, 480, trapSize, 776), Fill: color.White, Clickable: true, Parts: []part{share}}}
	})
	add("a heading, and an image that is called the same/touch", "- tap: Close", pass, "Close", "", func(s *stage) []part {
		return []part{label("Close", image.Rect(16, 60, 200, 100)), {Class: "android.widget.ImageButton", Desc: "Close",
			Bounds: image.Rect(340, 60, 384, 104), Clickable: true, Fill: blue, Tapped: s.took("Close")}}
	})
}
