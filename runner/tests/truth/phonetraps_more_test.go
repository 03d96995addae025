package truth_test

import (
	"image"
	"image/color"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// otherTraps are about the owner of a text, the orientation of the screen, and what a thing says of itself.
func otherTraps() (list []*trap) {
	add := func(name, steps string, want event.Result, taps, says string, show scene) *trap {
		c := &trap{name: name, steps: steps, want: want, taps: taps, says: says, show: show}
		list = append(list, c)
		return c
	}
	parts := func(all ...part) scene {
		return func(*stage, androidsim.Moment) androidsim.Shown { return page(all...) }
	}
	notice := func(mine string) scene {
		return func(*stage, androidsim.Moment) androidsim.Shown {
			shown := page(label(mine, at(5)))
			shown.Above = []part{{Class: "android.widget.FrameLayout", Fill: color.White, Bounds: image.Rect(8, 30, 392, 120),
				Clickable: true,
				Parts:     []part{label("Your bank", image.Rect(20, 36, 380, 76)), label("Paid", image.Rect(20, 76, 380, 116))}}}
			return shown
		}
	}
	add("in a notification of another app/presence", "- assert: Paid", pass, "", "is of com.android.systemui",
		notice("Paying"))
	add("in a notification and in the app/presence", "- assert: Paid", pass, "", "", notice("Paid"))
	add("in a notification of another app/absence", "- assertNot: Paid", fails, "", "", notice("Paying"))

	upright := func(s *stage, now androidsim.Moment) androidsim.Shown {
		b := image.Rect(now.Area.Max.X-160, now.Area.Min.Y+200, now.Area.Max.X-10, now.Area.Min.Y+260)
		return page(s.press("Pay", b), s.press("Cancel", b.Sub(image.Pt(220, 0))),
			label("Paid "+s.state, image.Rect(16, now.Area.Min.Y+100, 300, now.Area.Min.Y+140)))
	}
	add("turned/touch", "- setOrientation: landscape\n- tap: Pay\n- assert: Paid Pay", pass, "Pay", "", upright)
	add("turned twice/touch", "- setOrientation: landscape\n- tap: Pay\n- setOrientation: portrait\n- tap: Cancel\n"+
		"- assert: Paid Cancel", pass, "Pay, Cancel", "", upright)
	for name, o := range map[string]androidsim.Options{"of a folded phone": {Displays: 2, Folded: true},
		"of a phone with two displays": {Displays: 2}} {
		add("on the screen "+name+"/touch", "- tap: Pay\n- assert: Paid Pay", pass, "Pay", "", upright).options = o
		add("on the screen "+name+"/pixels", "- assert: {ocr: Cancel}\n- assertNot: {ocr: Refund}", pass, "", "",
			upright).options = o
	}

	row := func(checked bool) part {
		return part{Class: "android.widget.LinearLayout", Bounds: at(3), Clickable: true, Checkable: true, Checked: checked,
			Parts: []part{label("Daily summary", at(3))}}
	}
	add("a row that is checked/state", "- assertElement: {label: Daily summary, is: {checked: true}}", pass, "", "",
		parts(row(true)))
	add("a row that is not checked/state", "- assertElement: {label: Daily summary, is: {checked: true}}", fails, "",
		"not checked", parts(row(false)))
	cart := part{Class: "android.widget.ImageView", Desc: "Cart", Picture: true, Bounds: at(3), Clickable: true}
	add("the name of an icon/presence", "- assert: Cart", pass, "", "", parts(cart))
	add("the name of an icon/text", "- assert: {text: Cart}", fails, "", "", parts(cart))
	add("the name of an icon/absence", "- assertNot: Cart", fails, "", "", parts(cart))
	add("a slider's number/presence", "- assert: \"50.0\"", fails, "", "",
		parts(part{Class: "android.widget.SeekBar", Level: "50.0", Bounds: at(3), Fill: blue}))

	secret := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		if s.entry == nil {
			s.entry = androidsim.NewEntry("", true)
		}
		return page(part{Class: "android.widget.EditText", ID: scenePackage + ":id/pin", Hint: "Password", Entry: s.entry,
			Clickable: true, Bounds: at(1), Fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}}, s.press("Pay", at(3)))
	}
	add("typed into a password field/presence", "- tap: Password\n- input: lovelace\n- assert: lovelace", fails, "", "",
		secret)
	add("typed into a password field/absence", "- tap: Password\n- input: lovelace\n- assertNot: lovelace", pass, "", "",
		secret)

	twice := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		return page(s.press("Add", at(3)), label(s.state, at(5)))
	}
	add("two taps/touch", "- tap: Add\n- tap: Add", pass, "Add, Add", "", twice)
	add("a double tap/touch", "- doubleTap: Add", pass, "Add, Add", "", twice)
	add("under the list of notifications/absence", "- notifications\n- assertNot: Your order", pass, "",
		"is in the foreground",
		parts(label("Your order", at(1))))
	list[len(list)-1].steps = "- openNotifications: {}\n- assertNot: Your order"
	add("under the list of notifications/presence", "- openNotifications: {}\n- assert: Your order", fails, "", "",
		parts(label("Your order", at(1))))

	ask := func(s *stage, _ androidsim.Moment) androidsim.Shown {
		shown := page(label("Your order", at(1)), s.press("Allow", at(3)))
		allow := s.press("Allow", image.Rect(60, 400, 340, 448))
		allow.Tapped = s.took("Allow of the system")
		shown.Dialog = &part{Class: "android.widget.FrameLayout", Fill: paper, Bounds: image.Rect(40, 300, 360, 500),
			Package: "com.google.android.permissioncontroller",
			Parts:   []part{label("Allow Truth to take pictures?", image.Rect(60, 320, 340, 370)), allow}}
		return shown
	}
	add("under the question for a permission/presence", "- assert: Your order", fails, "", "", ask)
	add("under the question for a permission/absence", "- assertNot: Your order", pass, "",
		"a dialog is in the foreground", ask)
	add("in the question for a permission/touch", "- tap: Allow", pass, "Allow of the system", "", ask)

	opaque := parts(part{Class: "android.widget.Button", Text: "Pay", Bounds: at(3), Clickable: true, Fill: blue,
		Ink: color.White}, part{Class: "android.widget.ImageView", Fill: paper, Bounds: image.Rect(0, 28, trapSize, 776)})
	add("under something opaque that lets touches through/touch", "- tap: Pay", fails, "", "covered by", opaque)
	add("some pixels of it at the edge/presence", "- assert: Terms apply", fails, "", "",
		parts(label("Terms apply", image.Rect(16, 797, 384, 845))))
	add("its empty part at the edge/presence", "- assert: Terms apply", fails, "", "nothing of its text is drawn",
		parts(part{Text: "Terms apply", Fill: paper, Bounds: image.Rect(16, 770, 384, 870)}))
	add("its written part at the edge/presence", "- assert: Terms apply", pass, "", "",
		parts(part{Text: "Terms apply", Fill: paper, Bounds: image.Rect(16, 740, 384, 820)}))
	return list
}
