package action_test

import (
	"image"
	"net/url"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// TestDatesInTheLocaleOfThePage: a native field gets the date that a text means in the page's locale, or the step
// fails.
func TestDatesInTheLocaleOfThePage(t *testing.T) {
	t.Parallel()
	field := func(kind string) string { return `<input id=f type=` + kind + ` style="width:300px">` }
	tapAndType := func(text string) []any { return []any{tapOn("f"), typed(text)} }
	for locale, cases := range map[string][]entryCase{
		"en-GB": {
			{name: "day first", page: field("date"), steps: tapAndType("03/04/1990"), model: "f.value", holds: "1990-04-03"},
			{name: "into", page: field("date"), steps: []any{dsl.Input{Text: "24/12/1990", Into: &dsl.Selector{CSS: "#f"}}},
				model: "f.value", holds: "1990-12-24"},
			{name: "month first", page: field("date"), steps: tapAndType("12/24/1990"), fail: "day/month/year"},
			{name: "day and time", page: field("datetime-local"), steps: tapAndType("03/04/1990 21:30"), model: "f.value",
				holds: "1990-04-03T21:30"},
			{name: "a page that changes it", page: field("date") + `<script>f.onchange=()=>{f.value='1990-03-04'}</script>`,
				steps: tapAndType("03/04/1990"),
				fail:  `not "1990-04-03"`},
		},
		"": {
			{name: "month first", page: field("date"), steps: tapAndType("12/24/1990"), model: "f.value", holds: "1990-12-24"},
			{name: "over another date", page: `<input id=f type=date value=2001-02-03 style="width:300px">`,
				steps: []any{tapOn("f"), dsl.Input{Text: "12/24/1990", Replace: true}},
				model: "f.value", holds: "1990-12-24"},
			{name: "its own spelling", page: field("date"), steps: tapAndType("1990-12-24"), model: "f.value",
				holds: "1990-12-24"},
			{name: "key by key", page: field("date"), steps: []any{tapOn("f"), dsl.Input{Text: "12/24/1990", PerKey: true}},
				model: "f.value", holds: "1990-12-24"},
			{name: "a clock", page: field("time"), steps: tapAndType("9:30 PM"), model: "f.value", holds: "21:30"},
			{name: "a month", page: field("month"), steps: tapAndType("11/2026"), model: "f.value", holds: "2026-11"},
			{name: "a week", page: field("week"), steps: tapAndType("2026-W47"), model: "f.value", holds: "2026-W47"},
			{name: "half a date", page: field("date"), steps: tapAndType("12/24"), fail: `"2026-11-22" works in every locale`},
		},
	} {
		t.Run("locale "+locale, func(t *testing.T) {
			t.Parallel()
			s := browser(t)
			opts := drivers.PageOptions{Viewport: image.Pt(600, 800), Locale: locale}
			if err := s.Device.(drivers.Browser).OpenPage(t.Context(), "data:text/html,"+url.PathEscape("<p>"),
				opts); err != nil {
				t.Fatal(err)
			}
			visited.Store(s.Device, true)
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) { c.run(t, s) })
			}
		})
	}
}
