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
		// A radio button of iOS is a button that is selected.
		{name: "a button that is not selected", sel: dsl.Selector{Label: "Express", Selected: &no}, want: 0,
			source: app(xel("Button", [4]int{16, 100, 358, 44}, called("Express")+` traits="Button, Selected"`))},
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
