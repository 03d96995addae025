package truth_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// touchTraps are screens on which a touch goes elsewhere than one would think.
func touchTraps() (list []*trap) {
	add := func(name string, steps string, want event.Result, taps, says string, show func(s *stage) androidsim.Shown) {
		list = append(list, &trap{name: name, steps: steps, want: want, taps: taps, says: says,
			show: func(s *stage, _ androidsim.Moment) androidsim.Shown { return show(s) }})
	}
	bubble := func(s *stage, at image.Rectangle) part {
		return part{Class: "android.widget.ImageView", Desc: "Bob", Bounds: at, Clickable: true,
			Fill: color.RGBA{0x0b, 0x57, 0xd0, 0xff}, Picture: true, Package: "com.example.chat", Tapped: s.took("Bob")}
	}
	add("half under another app's bubble/touch", "- tap: Pay", pass, "Pay", "", func(s *stage) androidsim.Shown {
		shown := page(s.press("Pay", at(3)))
		shown.Above = []part{bubble(s, image.Rect(160, 200, 240, 280))}
		return shown
	})
	add("under another app's bubble/touch", "- tap: Pay", fails, "", "covered by", func(s *stage) androidsim.Shown {
		shown := page(s.press("Pay", at(3)))
		shown.Above = []part{bubble(s, at(3).Inset(-4))}
		return shown
	})
	add("under a notification/touch", "- tap: Pay", fails, "", "covered by", func(s *stage) androidsim.Shown {
		shown := page(s.press("Pay", at(0)))
		shown.Above = []part{{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(8, 30, 392, 120),
			Clickable: true, Tapped: s.took("message"),
			Parts: []part{label("Bob", image.Rect(20, 36, 380, 76)), label("Lunch?", image.Rect(20, 76, 380, 116))}}}
		return shown
	})
	add("with a button of a notification that has its name/touch", "- tap: Pay", pass, "Pay", "",
		func(s *stage) androidsim.Shown {
			shown := page(s.press("Pay", at(5)))
			other := s.press("Pay", image.Rect(20, 76, 200, 116))
			other.Tapped = s.took("Pay of the bank")
			shown.Above = []part{{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(8, 30, 392, 120),
				Clickable: true, Tapped: s.took("message"), Parts: []part{label("Your bank", image.Rect(20, 36, 380, 76)), other}}}
			return shown
		})
	add("under a clear layer that takes touches/touch", "- tap: Pay", fails, "", "covered by",
		func(s *stage) androidsim.Shown {
			return page(s.press("Pay", at(3)), part{Class: "android.view.View", Bounds: image.Rect(0, 28, trapSize, 776),
				Clickable: true, Tapped: s.took("layer")})
		})
	add("under a clear layer that lets touches through/touch", "- tap: Pay", pass, "Pay", "",
		func(s *stage) androidsim.Shown {
			return page(s.press("Pay", at(3)), part{Class: "android.view.View", Bounds: image.Rect(0, 28, trapSize, 776)})
		})
	for name, hint := range map[string]string{"without a hint": "", "with a hint": "City"} {
		add("an empty field "+name+" under a clear layer/touch", "- input: {into: {id: city}, text: Oslo}\n- assert: Oslo",
			pass, "", "", func(s *stage) androidsim.Shown {
				if s.entry == nil {
					s.entry = androidsim.NewEntry("", false)
				}
				return page(part{Class: "android.widget.EditText", ID: scenePackage + ":id/city", Hint: hint, Entry: s.entry,
					Clickable: true, Bounds: at(3),
					Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}}, part{Class: "android.widget.FrameLayout", Bounds: image.Rect(0, 28,
					trapSize, 776)})
			})
	}
	add("reaching beyond what it lies in/touch", "- tap: Rename", pass, "Rename", "", func(s *stage) androidsim.Shown {
		row := s.press("Rename", image.Rect(16, 200, 384, 300))
		row.Fill, row.Ink = nil, ink
		return page(s.press("Delete", image.Rect(16, 230, 384, 300)), part{Class: "android.widget.FrameLayout",
			Bounds: image.Rect(16, 200, 384, 230), Parts: []part{row}})
	})
	add("half outside of the screen/touch", "- tap: Pay", pass, "Pay", "", func(s *stage) androidsim.Shown {
		return page(s.press("Pay", image.Rect(300, 300, 700, 340)))
	})
	add("drawn enabled and disabled/touch", "- tap: Pay", fails, "", "disabled", func(s *stage) androidsim.Shown {
		pay := s.press("Pay", at(3))
		pay.Disabled = true
		return page(pay)
	})
	twins := func(s *stage) androidsim.Shown {
		off := s.press("Pay", at(3))
		off.Disabled = true
		return page(off, s.press("Pay", at(5)))
	}
	add("of two with one name, one of them disabled/touch", "- tap: Pay", fails, "", "equally", twins)
	add("of two with one name the one that is enabled/touch", "- tap: {label: Pay, enabled: true}", pass, "Pay", "", twins)
	add("of two with one name/touch", "- tap: Pay", fails, "", "equally", func(s *stage) androidsim.Shown {
		return page(s.press("Pay", at(3)), s.press("Pay", at(5)))
	})
	add("of two with one name, one below the screen/touch", "- tap: Pay", pass, "Pay", "",
		func(s *stage) androidsim.Shown {
			return page(s.press("Pay", at(3)), s.press("Pay", image.Rect(16, 900, 384, 948)))
		})
	add("a text in a row that reacts/touch", "- tap: Wi-Fi\n- assertElement: {label: Wi-Fi, is: {checked: true}}", pass,
		"row", "", func(s *stage) androidsim.Shown {
			return page(part{Class: "android.widget.LinearLayout", Bounds: at(3), Clickable: true, Tapped: s.took("row"),
				Parts: []part{
					label("Wi-Fi", image.Rect(16, 208, 200, 256)), {Class: "android.widget.Switch", Checkable: true,
						Checked: s.state == "row", Bounds: image.Rect(320, 208, 384, 256), Fill: blue}}})
		})
	rows := func(s *stage) androidsim.Shown {
		row := func(text string, n int, on bool) part {
			return part{Class: "android.widget.LinearLayout", Bounds: at(n), Clickable: true, Tapped: s.took(text),
				Parts: []part{
					label(text, image.Rect(16, at(n).Min.Y, 200, at(n).Max.Y)), {Class: "android.widget.Switch", Checkable: true,
						Checked: on, Bounds: image.Rect(320, at(n).Min.Y, 384, at(n).Max.Y), Fill: blue}}}
		}
		return page(row("Wi-Fi", 3, false), row("Bluetooth", 4, true))
	}
	add("the switch of the next row/state", "- assertElement: {label: Wi-Fi, is: {checked: true}}", fails, "",
		"not checked", rows)
	add("its own switch/state", "- assertElement: {label: Bluetooth, is: {checked: true}}", pass, "", "", rows)
	add("a row that is no switch/state", "- assertElement: {label: Account, is: {checked: false}}", fails, "", "",
		func(s *stage) androidsim.Shown {
			return page(part{Class: "android.widget.LinearLayout", Bounds: at(3), Clickable: true, Tapped: s.took("row"),
				Parts: []part{label("Account", at(3))}})
		})
	add("under the status bar/touch", "- tap: Menu", fails, "", "covered by", func(s *stage) androidsim.Shown {
		return page(s.press("Menu", image.Rect(16, 2, 384, 26)))
	})
	add("half under the status bar/touch", "- tap: Menu", pass, "Menu", "", func(s *stage) androidsim.Shown {
		return page(s.press("Menu", image.Rect(16, 0, 384, 50)))
	})
	add("a label that holds the name of the app/presence", "- tap: Leave\n- assert: Truth", pass, "Leave",
		"is in the foreground", nil)
	last := list[len(list)-1]
	last.show = func(s *stage, now androidsim.Moment) androidsim.Shown {
		leave := s.press("Leave", at(3))
		leave.Tapped = func() { s.took("Leave")(); now.App.Finish() }
		return page(leave)
	}
	return list
}

// barTraps are elements under the system's navigation bar: with buttons it takes touches, and is drawn over what an app
// has there.
func barTraps() (list []*trap) {
	add := func(name, steps string, want event.Result, taps, says string, buttons bool, show func(s *stage) []part) {
		for _, api := range []int{34, 36} {
			list = append(list, &trap{name: fmt.Sprintf("%s of Android %d/touch", name, api), steps: steps, want: want,
				taps: taps, says: says,
				options: androidsim.Options{API: api, ButtonBar: buttons}, show: still(show)})
		}
	}
	beneath, half := image.Rect(16, 758, 384, 796), image.Rect(16, 720, 384, 796)
	pay := func(b image.Rectangle) func(s *stage) []part {
		return func(s *stage) []part { return []part{label("Your order", at(0)), s.press("Pay", b)} }
	}
	add("below the navigation bar", "- tap: Pay", fails, "", "navigation bar", true, pay(beneath))
	add("below the navigation bar, held", "- longPress: Pay", fails, "", "navigation bar", true, pay(beneath))
	add("half below the navigation bar", "- tap: Pay", pass, "Pay", "", true, pay(half))
	add("mostly below the navigation bar", "- tap: Pay", pass, "Pay", "", true, pay(image.Rect(16, 744, 384, 796)))
	add("above the navigation bar", "- tap: Pay", pass, "Pay", "", true, pay(image.Rect(16, 700, 384, 750)))
	add("over a navigation bar of gestures", "- tap: Pay", pass, "Pay", "", false, pay(beneath))
	add("an item of a bar half below the navigation bar", "- tap: Orders", pass, "Orders", "", true,
		func(s *stage) []part {
			bar := part{Class: "android.widget.LinearLayout", Fill: paper, Bounds: image.Rect(0, 720, trapSize, 800)}
			for i, name := range []string{"Home", "Orders", "Account"} {
				b := image.Rect(i*133, 720, i*133+133, 800)
				bar.Parts = append(bar.Parts, part{Class: "android.widget.FrameLayout", Bounds: b, Clickable: true,
					Tapped: s.took(name), Parts: []part{
						{Class: "android.widget.ImageView", Picture: true, Bounds: image.Rect(b.Min.X+50, 724, b.Min.X+80, 748)},
						{Text: name, Centered: true, Bounds: image.Rect(b.Min.X, 744, b.Max.X, 798)}}})
			}
			return []part{label("Your order", at(0)), bar}
		})
	rows := func(s *stage) []part {
		list := part{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: image.Rect(0, 100, trapSize, 800),
			Scrolled: func(dy int) { s.offset = max(0, min(500, s.offset+dy)) }}
		for i := range 14 {
			row := s.press(fmt.Sprint("Row ", i+1), image.Rect(16, 104+i*80-s.offset, 384, 180+i*80-s.offset))
			if row.Bounds.Overlaps(list.Bounds) {
				list.Parts = append(list.Parts, row)
			}
		}
		return []part{label("Rows", at(0)), list}
	}
	add("a row below the status bar, scrolled to", "- scrollTo: Row 2\n- tap: Row 2", pass, "Row 2", "", true,
		func(s *stage) []part {
			list := part{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: image.Rect(0, 0, trapSize, 800),
				Scrolled: func(dy int) { s.offset = max(-200, min(500, s.offset+dy)) }}
			for i := range 14 {
				row := s.press(fmt.Sprint("Row ", i+1), image.Rect(16, i*80-78-s.offset, 384, i*80-54-s.offset))
				if row.Bounds.Overlaps(list.Bounds) {
					list.Parts = append(list.Parts, row)
				}
			}
			return []part{list}
		})
	add("a row below the navigation bar, scrolled to", "- scrollTo: Row 9\n- tap: Row 9", pass, "Row 9", "", true, rows)
	return list
}
