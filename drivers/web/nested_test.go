package web

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// TestInsideTheBoxAroundAText: what is asked for inside the element that contains a text is never another entry's,
// however a page makes its lists.
func TestInsideTheBoxAroundAText(t *testing.T) {
	t.Parallel()
	del := func(of string) string { return `<button id="` + of + `">Delete</button>` }
	rows := map[string]func(name, button string) string{
		"li":          func(name, button string) string { return `<li>` + name + ` ` + button + `</li>` },
		"li and span": func(name, button string) string { return `<li><span>` + name + `</span>` + button + `</li>` },
		"li and p":    func(name, button string) string { return `<li><p>` + name + `</p>` + button + `</li>` },
		"div":         func(name, button string) string { return `<div>` + name + ` ` + button + `</div>` },
		"div and b":   func(name, button string) string { return `<div><b>` + name + `</b> ` + button + `</div>` },
		"row of a table": func(name, button string) string {
			return `<tr><td>` + name + `</td><td>9.99 ` + button + `</td></tr>`
		},
		"role": func(name, button string) string { return `<div role="listitem">` + name + button + `</div>` },
	}
	for kind, row := range rows {
		body := row("Ada", del("ada")) + row("Bob", "") + row("Eve", del("eve"))
		switch {
		case strings.HasPrefix(kind, "li"):
			body = `<ul>` + body + `</ul>`
		case kind == "row of a table":
			body = `<table>` + body + `</table>`
		}
		d := show(t, `<div><section>`+body+`</section></div>`)
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"Ada": "ada", "Bob": "", "Eve": "eve"} {
			in := dsl.Selector{Contains: []dsl.Selector{{Label: name}}}
			got, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Delete", Inside: &in}, Action: true})
			if err != nil || len(got) != min(len(want), 1) || want != "" && got[0].Node.ID != want {
				t.Errorf("%s, %s: %v, %v", kind, name, got, err)
			}
			if one, err := tree.Find(screen.Query{Selector: in}); err != nil || len(one) != 1 {
				t.Errorf("%s, %s: %d contain it, %v", kind, name, len(one), err)
			}
		}
	}
}
