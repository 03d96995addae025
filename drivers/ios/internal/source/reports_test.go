package source

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// xel writes an element of a source: its kind, its bounds (left, top, width, height), further attributes, its content.
func xel(kind string, b [4]int, attrs string, content ...string) string {
	if !strings.Contains(attrs, "visible=") {
		attrs += ` visible="true"`
	}
	if !strings.Contains(attrs, "traits=") {
		attrs += ` traits=""`
	}
	return fmt.Sprintf(`<%s%s x="%d" y="%d" width="%d" height="%d" enabled="true" %s>%s</%[1]s%[2]s>`, Prefix, kind, b[0],
		b[1], b[2], b[3], attrs, strings.Join(content, ""))
}

func called(label string) string { return `name="` + label + `" label="` + label + `"` }

func text(label string, b [4]int) string {
	return xel("StaticText", b, fmt.Sprintf(`name=%q label=%[1]q value=%[1]q`, label))
}

// TestReportedSources holds sources like those of public reports about other test tools against what a person sees:
// each names one such report.
func TestReportedSources(t *testing.T) {
	whole := [4]int{0, 0, 390, 844}
	app := func(content ...string) string {
		return `<XCUIElementTypeApplication x="0" y="0" width="390" height="844">` +
			xel("Window", whole, "", content...) + `</XCUIElementTypeApplication>`
	}
	yes, no := true, false
	form := app(text("Name", [4]int{16, 100, 200, 18}),
		xel("TextField", [4]int{16, 120, 358, 40}, `label="Name" value="Ada"`),
		text("Code", [4]int{16, 180, 60, 40}), xel("TextField", [4]int{90, 180, 284, 40}, `label="Code" value="12"`),
		xel("TextField", [4]int{16, 240, 358, 40}, `label="City" value="Oslo"`))
	for _, test := range []struct {
		name, source string
		sel          dsl.Selector
		action       bool
		want         int         // how many match
		point        image.Point // of the touch; zero: not checked
		cover        string      // must be in what covers it
	}{
		// maestro-runner 80, Appium 4916: a box is "not visible", and what is in it is.
		{name: "an id of a box whose content is seen", sel: dsl.Selector{ID: "home.screen"}, want: 1,
			source: app(xel("Other", whole, `name="home.screen" visible="false"`, text("Welcome", [4]int{16, 100, 200, 30})))},
		{name: "an id of a box of which nothing is seen", sel: dsl.Selector{ID: "home.screen"},
			source: app(xel("Other", whole, `name="home.screen" visible="false"`,
				xel("StaticText", [4]int{16, 100, 200, 30}, `label="Welcome" value="Welcome" visible="false"`)))},
		{name: "an id of a box whose content is off the screen", sel: dsl.Selector{ID: "next"},
			source: app(xel("Other", [4]int{390, 0, 390, 844}, `name="next" visible="false"`,
				text("Next", [4]int{406, 100, 200, 30})))},
		{name: "a cell that is not visible with a text that is", sel: dsl.Selector{Label: "Patty"}, action: true, want: 1,
			source: app(xel("Cell", [4]int{0, 100, 390, 60}, `name="Patty" label="Patty" visible="false"`,
				text("Patty", [4]int{16, 110, 200, 40})))},
		{name: "a name of a box that is not visible", sel: dsl.Selector{Label: "Welcome"}, want: 1,
			source: app(xel("Other", whole, called("Welcome")+` visible="false"`, text("Welcome", [4]int{16, 100, 200, 30})))},
		// Maestro 1409: React Native's buttons have a label and no title.
		{name: "a pressable with a label alone", sel: dsl.Selector{Label: "Continue"}, action: true, want: 1,
			source: app(xel("Other", [4]int{16, 700, 358, 50}, called("Continue")+` accessible="true"`))},
		// Maestro 2480: the list is called by all that is in it.
		{name: "a row in a list that is called by its rows", sel: dsl.Selector{Label: "Capisce", Match: dsl.MatchPrefix},
			action: true, want: 1, point: image.Pt(195, 130),
			source: app(xel("Other", [4]int{0, 100, 390, 120}, called("Capisce? not yet Buongiorno not yet"),
				xel("Other", [4]int{0, 100, 390, 60}, called("Capisce? not yet")+` accessible="true"`),
				xel("Other", [4]int{0, 160, 390, 60}, called("Buongiorno not yet")+` accessible="true"`)))},
		// agent-device 2589: a tab under the keyboard.
		{name: "a tab under the keyboard", sel: dsl.Selector{Label: "More"}, action: true, want: 1, cover: "Keyboard"},
		// Detox 2017: a row under tabs that the app draws itself.
		{name: "a row under the app's own tabs", sel: dsl.Selector{Label: "Row 9"}, action: true, want: 1, cover: "Orders",
			source: app(xel("ScrollView", whole, "", xel("Other", [4]int{0, 780, 390, 60}, called("Row 9")+
				` accessible="true" traits="Button"`)), xel("Other", [4]int{0, 770, 390, 74}, "",
				xel("Button", [4]int{0, 770, 130, 74}, called("Home, tab, 1 of 3")),
				xel("Button", [4]int{130, 770, 130, 74}, called("Orders, tab, 2 of 3")),
				xel("Button", [4]int{260, 770, 130, 74}, called("Account, tab, 3 of 3"))))},
		{name: "a row half under the app's own tabs", sel: dsl.Selector{Label: "Row 8"}, action: true, want: 1,
			source: app(xel("ScrollView", whole, "", xel("Other", [4]int{0, 740, 390, 80}, called("Row 8")+
				` accessible="true" traits="Button"`)), xel("Other", [4]int{0, 770, 390, 74}, "",
				xel("Button", [4]int{0, 770, 195, 74}, called("Home, tab, 1 of 2")),
				xel("Button", [4]int{195, 770, 195, 74}, called("Orders, tab, 2 of 2"))))},
		// A popover: what is behind it closes it.
		{name: "a button behind a popover", sel: dsl.Selector{Label: "Pay"}, action: true, want: 1, cover: "dismiss popup"},
		// Appium 7679: an element that is "visible" next to the screen.
		{name: "a visible element beside the screen", sel: dsl.Selector{Label: "Cancel"},
			source: app(xel("Button", [4]int{400, 700, 100, 50}, called("Cancel")))},
		{name: "a visible element outside of its list", sel: dsl.Selector{Label: "Row 30"},
			source: app(xel("Table", [4]int{0, 100, 390, 500}, "", xel("Cell", [4]int{0, 640, 390, 50}, called("Row 30"))))},
		// WebDriverAgent 1079: a wheel shows a value and has a name.
		{name: "a wheel by its value", sel: dsl.Selector{Label: "March"}, want: 1,
			source: app(xel("Picker", [4]int{0, 600, 390, 200}, "", xel("PickerWheel", [4]int{0, 600, 195, 200},
				`label="Month" value="March"`)))},
		{name: "a wheel by its name", sel: dsl.Selector{Label: "Month"}, action: true, want: 1,
			source: app(xel("Picker", [4]int{0, 600, 390, 200}, "", xel("PickerWheel", [4]int{0, 600, 195, 200},
				`label="Month" value="March"`)))},
		// The button of a bar over the keyboard has the name of a key.
		{name: "a bar over the keyboard", sel: dsl.Selector{Label: "Done"}, action: true, want: 1, point: image.Pt(350, 522),
			source: app(xel("Toolbar", [4]int{0, 500, 390, 44}, "", xel("Button", [4]int{320, 500, 60, 44}, called("Done"))),
				xel("Keyboard", [4]int{0, 544, 390, 300}, "", xel("Button", [4]int{300, 780, 80, 50}, called("Done"))))},
		// A row of settings: its text, its switch and the row have one name.
		{name: "a switch in a cell of its name", sel: dsl.Selector{Label: "Airplane Mode", Checked: &yes}, want: 1,
			source: app(xel("Cell", [4]int{0, 100, 390, 44}, called("Airplane Mode"), text("Airplane Mode",
				[4]int{60, 110, 200, 24}), xel("Switch", [4]int{320, 106, 51, 31}, called("Airplane Mode")+` value="1"`)))},
		{name: "a switch beside a text without a row", sel: dsl.Selector{Label: "Dark theme", Checked: &yes}, want: 1,
			source: app(text("Dark theme", [4]int{16, 110, 200, 24}), xel("Switch", [4]int{320, 106, 51, 31}, `value="1"`))},
		{name: "a text beside a switch with a name of its own", sel: dsl.Selector{Label: "Help", Checked: &yes},
			source: app(text("Help", [4]int{16, 110, 100, 24}), xel("Switch", [4]int{320, 106, 51, 31},
				called("Remember me")+` value="1"`))},
		// SwiftUI's toggle: a switch around its texts and the switch that takes the touch.
		{name: "a text in a switch around a switch", sel: dsl.Selector{Label: "8 glasses"}, action: true, want: 1,
			point: image.Pt(338, 127), source: app(xel("Cell", [4]int{0, 100, 390, 54}, "",
				xel("Switch", [4]int{16, 108, 358, 39}, called("Drink water")+` value="1"`,
					text("Drink water", [4]int{16, 108, 90, 21}), text("8 glasses", [4]int{16, 130, 60, 17}),
					xel("Switch", [4]int{307, 113, 63, 29}, `value="1"`))))},
		{name: "the state of a text in a switch around a switch", sel: dsl.Selector{Label: "8 glasses", Checked: &yes},
			want: 1, source: app(xel("Switch", [4]int{16, 108, 358, 39}, called("Drink water, 8 glasses")+` value="1"`,
				text("8 glasses", [4]int{16, 130, 60, 17}), xel("Switch", [4]int{307, 113, 63, 29}, `value="1"`)))},
		// SwiftUI's LabeledContent: the element of both texts is over the first one, which XCTest calls hidden.
		{name: "a text under the one that it is a part of", sel: dsl.Selector{Label: "Version"}, want: 1,
			source: app(xel("StaticText", [4]int{32, 122, 57, 21}, `label="Version" value="Version" visible="false"`),
				text("Version, 1.0 (1)", [4]int{16, 106, 358, 53}))},
		{name: "the text that it is a part of", sel: dsl.Selector{Label: "Version, 1.0 (1)"}, want: 1,
			source: app(xel("StaticText", [4]int{32, 122, 57, 21}, `label="Version" value="Version" visible="false"`),
				text("Version, 1.0 (1)", [4]int{16, 106, 358, 53}))},
		{name: "a hidden text under another one", sel: dsl.Selector{Label: "Version"},
			source: app(xel("StaticText", [4]int{32, 122, 57, 21}, `label="Version" value="Version" visible="false"`),
				text("Versions, 1.0 (1)", [4]int{16, 106, 358, 53}))},
		// A floating button over the button of the last row: that of another row is not the nearest.
		{name: "the covered button of a row", sel: dsl.Selector{Label: "Delete", Near: &dsl.Selector{Label: "Bob"}},
			action: true, want: 1, point: image.Pt(340, 180), cover: "Add", source: app(xel("Table", whole, "",
				xel("Cell", [4]int{0, 100, 390, 50}, "", text("Ann", [4]int{16, 110, 200, 30}),
					xel("Button", [4]int{300, 105, 80, 40}, called("Delete"))),
				xel("Cell", [4]int{0, 155, 390, 50}, "", text("Bob", [4]int{16, 165, 200, 30}),
					xel("Button", [4]int{300, 160, 80, 40}, called("Delete")))),
				xel("Button", [4]int{290, 155, 100, 100}, called("Add")))},
		// UIKit lists the bar before what scrolls under it.
		{name: "a row under the bar that is listed before it", sel: dsl.Selector{Label: "Row 1"}, action: true, want: 1,
			cover: "Inbox", source: app(xel("NavigationBar", [4]int{0, 47, 390, 96}, `name="Inbox"`,
				text("Inbox", [4]int{16, 95, 120, 40})), xel("Table", whole, "",
				xel("Cell", [4]int{0, 80, 390, 50}, called("Row 1"), text("Row 1", [4]int{16, 90, 100, 30}))))},
		{name: "a button of a bar over a row", sel: dsl.Selector{Label: "Edit"}, action: true, want: 1,
			point: image.Pt(350, 70), source: app(xel("NavigationBar", [4]int{0, 47, 390, 96}, "",
				xel("Button", [4]int{320, 50, 60, 40}, called("Edit"))), xel("Table", whole, "",
				xel("Cell", [4]int{0, 40, 390, 50}, called("Row 1"))))},
		// A row of which only the part above its text is in view.
		{name: "a row with its text out of view", sel: dsl.Selector{Label: "Row 9"},
			source: app(xel("Table", [4]int{0, 100, 390, 300}, "", xel("Cell", [4]int{0, 385, 390, 60}, called("Row 9"),
				text("Row 9", [4]int{16, 405, 100, 20}))))},
		{name: "a row with its text in view", sel: dsl.Selector{Label: "Row 9"}, want: 1,
			source: app(xel("Table", [4]int{0, 100, 390, 300}, "", xel("Cell", [4]int{0, 370, 390, 60}, called("Row 9"),
				text("Row 9", [4]int{16, 385, 100, 20}))))},
		{name: "a row to be touched above its text", sel: dsl.Selector{Label: "Row 9"}, action: true, want: 1,
			source: app(xel("Table", [4]int{0, 100, 390, 300}, "", xel("Cell", [4]int{0, 385, 390, 60}, called("Row 9"),
				text("Row 9", [4]int{16, 405, 100, 20}))))},
		// A field that has the name of the text above it, or left of it.
		{name: "the name of a field", sel: dsl.Selector{Label: "Name"}, want: 1,
			source: form},
		{name: "a field left of its name", sel: dsl.Selector{Label: "Code"}, action: true, want: 1,
			point: image.Pt(232, 200), source: form},
		{name: "a field below its name", sel: dsl.Selector{Type: "TextField", Below: &dsl.Selector{Label: "Name"}},
			action: true, want: 1, point: image.Pt(195, 140), source: form},
		{name: "a field right of its name", sel: dsl.Selector{Type: "TextField", RightOf: &dsl.Selector{Label: "Code"}},
			action: true, want: 1, point: image.Pt(232, 200), source: form},
		// A sheet with buttons of its own over the rows of a page.
		{name: "the button of a sheet", sel: dsl.Selector{Label: "Delete", Near: &dsl.Selector{Label: "Draft"}},
			action: true, want: 1, point: image.Pt(340, 325), source: app(xel("Other", whole, "",
				xel("Cell", [4]int{0, 255, 390, 50}, "", text("Bob", [4]int{16, 265, 200, 30}),
					xel("Button", [4]int{16, 260, 200, 40}, called("Delete")))),
				xel("Other", [4]int{0, 240, 390, 604}, "", xel("Button", [4]int{0, 240, 390, 60}, called("Draft")),
					xel("Button", [4]int{300, 305, 80, 40}, called("Delete"))))},
		// A radio button of iOS is a button that is selected.
		{name: "a button that is not selected", sel: dsl.Selector{Label: "Express", Selected: &no}, want: 0,
			source: app(xel("Button", [4]int{16, 100, 358, 44}, called("Express")+` traits="Button, Selected"`))},
		{name: "a tab of which an old agent does not say whether it is chosen", sel: dsl.Selector{Label: "Orders",
			Selected: &no}, source: app(`<XCUIElementTypeOther label="Orders&#10;Tab 1 of 3" enabled="true" visible="true" ` +
			`accessible="true" x="0" y="790" width="130" height="54"/>`)},
		{name: "a tab that is not chosen", sel: dsl.Selector{Label: "Orders", Selected: &no}, want: 1,
			source: app(xel("Other", [4]int{0, 790, 130, 54}, `label="Orders&#10;Tab 1 of 3" traits="Button"`))},
		{name: "a radio button that is chosen", sel: dsl.Selector{Label: "Express", Selected: &yes}, want: 1,
			source: app(xel("RadioButton", [4]int{16, 100, 358, 44}, called("Express")+` value="1"`))},
		// maestro-runner 89: the glyph of an icon font in a name.
		{name: "a name with an icon's glyph", sel: dsl.Selector{Label: "Map"}, action: true, want: 1,
			source: app(xel("Other", [4]int{16, 100, 358, 44}, called("Map, \U000f0142")+` accessible="true"`),
				xel("Other", [4]int{16, 150, 358, 44}, called("Maps, \U000f0142")+` accessible="true"`))},
		// Nested boxes of one name are one thing.
		{name: "boxes of one name", sel: dsl.Selector{Label: "Save"}, want: 1,
			source: app(xel("Other", [4]int{0, 90, 390, 70}, called("Save"), xel("Other", [4]int{16, 100, 358, 50},
				called("Save")+` accessible="true" traits="Button"`, text("Save", [4]int{150, 110, 90, 30}))))},
		// Cells with one text each, of which one has a button.
		{name: "a button in the cell of a name", sel: dsl.Selector{Label: "Delete", Inside: &dsl.Selector{
			Contains: []dsl.Selector{{Label: "Bo"}}}}, action: true, want: 1, point: image.Pt(340, 180),
			source: app(xel("Table", whole, "", xel("Cell", [4]int{0, 100, 390, 50}, "", text("Bob", [4]int{16, 110, 200, 30}),
				xel("Button", [4]int{300, 105, 80, 40}, called("Delete"))), xel("Cell", [4]int{0, 155, 390, 50}, "",
				text("Bo", [4]int{16, 165, 200, 30}), xel("Button", [4]int{300, 160, 80, 40}, called("Delete")))))},
		// The large title of a bar and its small one.
		{name: "a large title and a small one", sel: dsl.Selector{Label: "Inbox"}, want: 1,
			source: app(xel("NavigationBar", [4]int{0, 47, 390, 96}, `name="Inbox"`, xel("StaticText",
				[4]int{160, 57, 70, 24}, `label="Inbox" value="Inbox" visible="false"`), text("Inbox", [4]int{16, 95, 120, 40})))},
	} {
		switch {
		case strings.Contains(test.name, "under the keyboard"):
			test.source = app(xel("TabBar", [4]int{0, 790, 390, 54}, "", xel("Button", [4]int{303, 795, 74, 49},
				called("More"))) + `</XCUIElementTypeWindow><XCUIElementTypeWindow x="0" y="0" width="390" height="844">` +
				xel("Keyboard", [4]int{0, 540, 390, 304}, "", xel("Key", [4]int{20, 780, 90, 60}, called("space"))))
		case strings.Contains(test.name, "popover"):
			test.source = app(xel("Button", [4]int{16, 700, 358, 50}, called("Pay")), xel("Other", whole, "",
				xel("Other", whole, `name="PopoverDismissRegion" label="dismiss popup" traits="Button"`),
				xel("Popover", [4]int{100, 200, 200, 200}, "", xel("Button", [4]int{110, 210, 180, 44}, called("Copy")))))
		}
		t.Run(test.name, func(t *testing.T) {
			tree := parseFile(t, test.source, image.Point{})
			found, err := tree.Find(screen.Query{Selector: test.sel, Action: test.action})
			if err != nil || len(found) != test.want {
				t.Fatalf("%d of %d: %v, %v", len(found), test.want, found, err)
			}
			if test.want == 0 || !test.action {
				return
			}
			if m := found[0]; test.point != (image.Point{}) && m.Point != test.point || !strings.Contains(m.CoverText,
				test.cover) || test.cover == "" && m.CoverText != "" {
				t.Errorf("touched at %v, covered by %q", m.Point, m.CoverText)
			}
		})
	}
}
