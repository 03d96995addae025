package action_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// guests is a list of guests, each with a button.
func guests(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b,
			`<div style="display:flex;height:40px"><span style="width:200px">Guest %d</span><button id=g%d>Pick</button></div>`,
			i, i)
	}
	return b.String()
}

func TestAnActionScrollsToWhatItIsRelatedTo(t *testing.T) {
	t.Parallel()
	s := browser(t)
	inBox := func(content string) string {
		return `<div id=box style="height:300px;width:400px;overflow:auto">` + content + `</div>`
	}
	left := strings.Repeat("Guest\n", 30)
	for _, c := range []struct {
		name, page string
		on         dsl.Selector
		want, fail string
	}{
		{"below the window", guests(1, 60), beside("Pick", dsl.Selector{Label: "Guest 38"}), "g38=Pick", ""},
		{"above the window", guests(1, 60) + `<script>scrollTo(0,1e5)</script>`,
			beside("Pick", dsl.Selector{Label: "Guest 3"}), "g3=Pick", ""},
		{"in a box that scrolls", inBox(guests(1, 60)), beside("Pick", dsl.Selector{Label: "Guest 38"}), "g38=Pick", ""},
		{"in a box, at the height of another's rows", inBox(guests(1, 60)) + guests(61, 120),
			beside("Pick", dsl.Selector{Label: "Guest 12"}), "g12=Pick", ""},
		{"by words of it", inBox(strings.ReplaceAll(guests(1, 60), "Guest", "No.")), beside("Pick", words("38")),
			"g38=Pick", ""},
		{"under a heading that is far away", `<h2>Guests</h2><div style="height:3000px"></div><button id=b>Pick</button>`,
			dsl.Selector{Label: "Pick", Below: &dsl.Selector{Label: "Guests"}}, "b=Pick", ""},
		{"above a footer", `<button id=b>Pick</button><div style="height:3000px"></div><p>The end</p>`,
			dsl.Selector{Label: "Pick", Above: &dsl.Selector{Label: "The end"}}, "b=Pick", ""},
		{"a row that holds it", inBox(strings.ReplaceAll(guests(1, 60), "<div ", "<div class=row ")),
			dsl.Selector{Label: "Pick", Inside: &dsl.Selector{CSS: ".row", Contains: []dsl.Selector{{Label: "Guest 38"}}}},
			"g38=Pick", ""},
		{"in a box beside another that scrolls by itself", `<div style="display:flex">` +
			inBox(`<div style="height:900px"></div><p style="margin:0;height:20px">Guest 38</p>`+
				`<div style="height:900px"></div>`) +
			inBox(`<div style="height:900px"></div><button id=wrong style="height:20px">Pick</button><div `+
				`style="height:900px"></div>`) + `</div><button id=also style="position:fixed;left:450px;top:140px">Pick</button>`,
			beside("Pick", dsl.Selector{Label: "Guest 38"}), "also=Pick", ""},
		{"one in view first", `<div style="display:flex">Guest 38<button id=near>Pick</button></div>` + guests(1, 60),
			beside("Pick", dsl.Selector{Label: "Guest 38"}), "near=Pick", ""},
		{"one of several far away", guests(1, 60) + guests(30, 60), beside("Pick", dsl.Selector{Label: "Guest 38"}), "",
			"match"},
		{"what is part of a longer text", `<pre>` + left + `</pre><p>Ada Byron, London</p>`,
			beside("Pick", dsl.Selector{Label: "Ada Byron"}), "",
			"\"Ada Byron, London\" contains it: {label: Ada Byron, match: " +
				"words}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page+recorder)
			if s.Timeout = passes; c.fail != "" {
				s.Timeout = vain()
			}
			result, err := do(t, s, dsl.Tap{Selector: c.on})
			if c.fail != "" {
				if result != event.Fail || !strings.Contains(err.Error(), c.fail) {
					t.Errorf("%s, %v; want a failure that says %q", result, err, c.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if result, err := do(t, s, record(c.want)); result != event.Pass {
				t.Error(err)
			}
		})
	}
}
