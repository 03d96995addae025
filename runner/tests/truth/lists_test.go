package truth_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// list is a page with a list of a generated layout. What its rows hold is known, so the right result of each question
// about a row is, too.
type list struct {
	r      *rand.Rand
	layout string
	rows   []listRow
	verbs  []string
	checks bool // each row has a check box
	side   string
}

type listRow struct {
	name, state string
	on, badge   bool
}

// listLayout is the parts around the list, around a row and around a cell, and on which side of a name the buttons are:
// "" where they are below it.
type listLayout struct{ list, row, cell, side string }

var listLayouts = map[string]listLayout{
	"table":       {`<table cellpadding=6 style="width:600px">%s</table>`, `<tr>%s</tr>`, `<td>%s</td>`, "rightOf"},
	"tall table":  {`<table border=1>%s</table>`, `<tr style="height:90px">%s</tr>`, `<td>%s</td>`, "rightOf"},
	"from right":  {`<table dir=rtl cellpadding=6>%s</table>`, `<tr>%s</tr>`, `<td>%s</td>`, "leftOf"},
	"flex":        {`<ul>%s</ul>`, `<li style="display:flex;gap:12px;padding:6px">%s</li>`, `<span>%s</span>`, "rightOf"},
	"wrapped":     {`<ul>%s</ul>`, `<li><div><div style="display:flex">%s</div></div></li>`, `<b>%s</b>`, "rightOf"},
	"reversed":    {`%s`, `<div style="display:flex;flex-direction:row-reverse">%s</div>`, `<span>%s</span>`, "leftOf"},
	"no boxes":    {noBoxes, `<section style="display:contents">%s</section>`, `<span>%s</span>`, "rightOf"},
	"floats":      {floats, `<div>%s<br></div>`, `<span>%s</span>`, "rightOf"},
	"cards":       {`<main style="display:flex;gap:20px">%s</main>`, `<article>%s</article>`, `<div>%s</div>`, ""},
	"stacked":     {`%s`, `<article style="border:1px solid">%s</article>`, `<div>%s</div>`, ""},
	"components":  {`%s`, components, `<span>%s</span>`, "rightOf"},
	"two lines":   {`%s`, `<div style="display:flex;gap:9px;align-items:center">%s</div>`, `<span>%s</span>`, "rightOf"},
	"upside down": {upsideDown, `<p>%s</p>`, `<i>%s</i>`, "rightOf"},
}

const (
	noBoxes    = `<main style="display:grid;grid-template-columns:repeat(4,auto)">%s</main>`
	floats     = `<style>span{float:left;margin:4px}br{clear:both}</style>%s`
	components = `<x-row><template shadowrootmode=open><div>%s</div></template></x-row>`
	upsideDown = `<main style="display:flex;flex-direction:column-reverse">%s</main>`
)

func makeList(seed uint64, layout string) *list {
	r := rand.New(rand.NewPCG(seed, 41))
	l := &list{r: r, layout: layout, checks: r.IntN(2) == 0, side: listLayouts[layout].side}
	names := []string{"Ada Archer", "Ben Dunn", "Cleo Ford", "Dora Hale", "Emil Kent", "Fay Marsh"}
	states := []string{"Paid", "Open", "Late"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:3+r.IntN(3)] {
		row := listRow{name: name, state: states[r.IntN(3)], on: r.IntN(2) == 0, badge: r.IntN(3) == 0}
		l.rows = append(l.rows, row)
	}
	l.verbs = []string{"Delete", "Edit", "Add to cart"}[r.IntN(2):]
	return l
}

func (l *list) page() string {
	parts := listLayouts[l.layout]
	var rows []string
	for i, row := range l.rows {
		cells := []string{row.name}
		if l.layout == "two lines" {
			cells[0] = fmt.Sprintf("<div>%s</div><div>%d members</div>", row.name, i+2)
		} else if row.badge && parts.cell != "<td>%s</td>" && l.layout != "no boxes" {
			cells = append(cells, "<em>New</em>")
		}
		mark := ""
		if l.checks {
			mark = fmt.Sprintf(`<input type=checkbox data-m=c%d %s>`, i, map[bool]string{true: "checked"}[row.on])
		}
		cells = append(cells, row.state, mark)
		var buttons []string
		for j, verb := range l.verbs {
			buttons = append(buttons, fmt.Sprintf(`<button data-m=b%d%d>%s</button>`, i, j, verb))
		}
		var html strings.Builder
		for _, cell := range append(cells, strings.Join(buttons, " ")) {
			fmt.Fprintf(&html, parts.cell, cell)
		}
		rows = append(rows, fmt.Sprintf(parts.row, html.String()))
	}
	if l.layout == "upside down" {
		for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
			rows[i], rows[j] = rows[j], rows[i]
		}
	}
	return `<!doctype html><script src=/model.js></script><body style="font:16px/1.4 sans-serif"><h2>Members</h2>` +
		fmt.Sprintf(parts.list, strings.Join(rows, ""))
}

// check returns questions about the list as the steps of one test.
func (l *list) check(page string) *check {
	c := &check{page: page, name: page + " " + l.layout, result: event.Pass}
	var clicks []string
	step := func(format string, args ...any) {
		c.steps += fmt.Sprintf("  - "+format+"\n", args...)
		c.count++
	}
	for _, i := range l.r.Perm(len(l.rows))[:3] {
		row, in := l.rows[i], fmt.Sprintf("inside: {contains: %s}", l.rows[i].name)
		step("assert: {label: %s, %s}", row.state, in)
		for _, other := range []string{"Paid", "Open", "Late"} {
			if other != row.state {
				step("assertNot: {label: %s, %s}", other, in)
			}
		}
		if l.checks {
			step("assert: {type: checkbox, %s, checked: %v}", in, row.on)
			step("assertNot: {type: checkbox, %s, checked: %v}", in, !row.on)
		}
		if j := l.r.IntN(len(l.verbs)); l.r.IntN(2) == 0 {
			step("tap: {label: %s, %s}", l.verbs[j], in)
			clicks = append(clicks, fmt.Sprintf("b%d%d", i, j))
		}
		if j := l.r.IntN(len(l.verbs)); l.side != "" {
			step("assert: {label: %s, %s: %s}", row.state, l.side, row.name)
			step("tap: {label: %s, %s: %s}", l.verbs[j], l.side, row.name)
			clicks = append(clicks, fmt.Sprintf("b%d%d", i, j))
		} else {
			step("tap: {label: %s, below: %s}", l.verbs[j], row.name)
			clicks = append(clicks, fmt.Sprintf("b%d%d", i, j))
		}
	}
	if j := l.r.IntN(len(l.verbs)); l.layout != "cards" { // buttons under more content are not in one line
		i := l.r.IntN(len(l.rows))
		step("tap: {label: %s, index: %d}", l.verbs[j], i)
		step("tap: {label: %s, first: true}", l.verbs[j])
		clicks = append(clicks, fmt.Sprintf("b%d%d", i, j), fmt.Sprintf("b0%d", j))
	}
	step("assert: {label: %s, count: %d}", l.verbs[0], len(l.rows))
	c.clicks = strings.Join(clicks, " ")
	return c
}

// TestLists compares results with rows of lists in generated layouts: what is in the row of a name, and which button
// is pressed.
func TestLists(t *testing.T) {
	pages := map[string]string{}
	var checks []*check
	layouts, seeds := []string{"no boxes", "components", "two lines"}, 1
	if !testing.Short() {
		layouts, seeds = nil, 4
		for layout := range listLayouts {
			layouts = append(layouts, layout)
		}
	}
	for _, layout := range layouts {
		for seed := range seeds {
			page := fmt.Sprintf("%s-%d.html", strings.ReplaceAll(layout, " ", "-"), seed)
			l := makeList(uint64(seed), layout)
			pages["/"+page] = l.page()
			checks = append(checks, l.check(page))
		}
	}
	files := http.FileServer(http.Dir("testdata/pages"))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, made := pages[r.URL.Path]; made {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(text))
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer site.Close()
	holdAll(t, checks, site.URL)
}
