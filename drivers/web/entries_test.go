package web

import (
	"fmt"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// An entry of a list that a page draws itself is disabled however its widget says so.
func TestDisabledEntriesOfDrawnLists(t *testing.T) {
	t.Parallel()
	mirror := `<select style="position:absolute;width:1px;height:1px;opacity:0"><option>Oslo</option><option disabled>` +
		`Bern</option><option>Rome</option></select>`
	for name, list := range map[string]string{
		"aria": `<div role=listbox>%s<div role=option>Oslo</div><div role=option aria-disabled=true>Bern</div>` +
			`</div>`,
		"class":           `<ul>%s<li class=option>Oslo</li><li class="option disabled">Bern</li></ul>`,
		"class in a word": `<ul>%s<li class=r>Oslo</li><li class="active-result disabled-result">Bern</li></ul>`,
		"modifier": `<div role=listbox>%s<div class=o>Oslo</div><div class="o o--disabled"><span>Bern</span></div>` +
			`</div>`,
		"module": `<div role=listbox>%s<div class=o>Oslo</div><div class="Select_optionDisabled__x1y2"><span>` +
			`Bern</span></div></div>`,
		"data": `<div role=listbox>%s<div>Oslo</div><div data-combobox-disabled=true><span>Bern</span></div></div>`,
		"empty data": `<div role=menu>%s<div role=menuitem>Oslo</div><div role=menuitem data-disabled=""><span>` +
			`Bern</span></div></div>`,
		"state": `<div role=listbox>%s<div role=option>Oslo</div><div role=option data-headlessui-state="active ` +
			`disabled">Bern</div></div>`,
		"tree": `<div role=tree>%s<ul><li><a class="anchor">Oslo</a></li><li><a class="anchor jstree-disabled">` +
			`Bern</a></li></ul></div>`,
		"cursor": `<div>%s<div style="cursor:pointer">Oslo</div><div style="cursor:not-allowed">Bern</div></div>`,
		"native list": `<div>` + mirror +
			`</div><div class=popup>%s<div class=x1>Oslo</div><div class=x1>Bern</div><div class=x1>Rome</div></div>`,
		"hidden list": `<div hidden>` + mirror +
			`</div><div>%s<ul><li><a><span>Oslo</span></a></li><li><a><span>Bern</span></a></li></ul></div>`,
	} {
		d := display(t, fmt.Sprintf(list, ""))
		for label, disabled := range map[string]bool{"Oslo": false, "Bern": true} {
			matches, err := pick(tree(t, d), label, true)
			if err != nil || len(matches) != 1 {
				t.Errorf("%s: %s: %v, %v", name, label, matches, err)
			} else if matches[0].Disabled() != disabled {
				t.Errorf("%s: %s is disabled: %v", name, label, matches[0].Disabled())
			}
		}
	}
}

// What merely has such a word somewhere is not disabled.
func TestEntriesThatAreNotDisabled(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<ul><li class="not-disabled">One</li><li class="disabled:opacity-50">Two</li><li data-disabled=false>Three</li>
		<li class=hide-disabled>Four</li><li class=enabled data-state=on>Five</li></ul><button class=disabled>Six</button>`+
			`<p class=disabled>Seven</p>
		<select id=s><option>Eight</option><option disabled>Nine</option></select><p>Nine</p><p>Eight</p>
		<div style="height:0;overflow:hidden"><select><option>Ten</option><option disabled>Eleven</option></select></div>`+
			`<p>Eleven</p>`)
	tr := tree(t, d)
	for _, label := range []string{"One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eleven"} {
		n := find(tr, func(n *screen.Node) bool { return n.Text == label && n.Type != "option" })
		if n == nil || n.Disabled {
			t.Errorf("%s: %v", label, n)
		}
	}
	if n := find(tr, func(n *screen.Node) bool { return n.Text == "Nine" && n.Type == "p" }); n == nil || n.Disabled {
		t.Errorf("Nine: %v", n)
	}
}
