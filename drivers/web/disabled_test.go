package web

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// What Fill puts into a field is there in the end, or it fails; a field that writes it in its own way is right.
func TestFillEndsWithTheText(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<input id=plain><input id=digits oninput="value=value.replace(/\D/g,'')"><input id=mask `+
			`oninput="value=value.replace(/(\d{3})(\d+)/,'($1) $2')">
		<input id=late oninput="setTimeout(()=>value='',60)"><div id=edit contenteditable><p>old</p></div><input id=pin `+
			`type=password oninput="value=value.slice(0,2)">`)
	Must(t, d.FillIn(t.Context(), target("#plain"), "12b4"))
	Must(t, d.FillIn(t.Context(), target("#plain"), ""))
	Must(t, d.FillIn(t.Context(), target("#mask"), "1234567"))
	Must(t, d.FillIn(t.Context(), target("#edit"), "new"))
	if testing.Short() { // other fields: left to make test-full
		WantError(t, d.FillIn(t.Context(), target("#late"), "x"), drivers.ErrNotActionable, `shows ""`)
		return
	}
	WantError(t, d.FillIn(t.Context(), target("#digits"), "12b4"), drivers.ErrNotActionable, `shows "124"`)
	WantError(t, d.FillIn(t.Context(), target("#late"), "x"), drivers.ErrNotActionable, `shows ""`)
	WantError(t, d.FillIn(t.Context(), target("#pin"), "1234"), drivers.ErrNotActionable, "shows \"••\"")
}

// What is disabled takes nothing: a list, an option, and an item within a custom element that is disabled.
func TestDisabledControlsAreRefused(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<select id=s><option>Red</option><option disabled>Green</option><optgroup label=g disabled><option>Blue</option>`+
			`</optgroup></select>
		<x-box id=host disabled></x-box><x-box id=free></x-box><div aria-disabled=true><input id=in></div>
		<script>customElements.define('x-box',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}`+
			`).innerHTML='<input type=checkbox class=c><input class=t>'}})</script>`)
	pick := func(label string) error {
		at := soon("#s")
		return d.SelectIn(t.Context(), at, drivers.WebChoice{Labels: []string{label}})
	}
	Must(t, d.SelectIn(t.Context(), target("#s"), drivers.WebChoice{Labels: []string{"Red"}}))
	WantError(t, pick("Green"), drivers.ErrNotActionable, `the option "Green"`)
	WantError(t, d.Check(t.Context(), soon("#host .c"), true), drivers.ErrNotActionable, "disabled")
	if testing.Short() { // TestFillTellsWhyNot remains
		return
	}
	WantError(t, pick("Blue"), drivers.ErrNotActionable, `the option "Blue"`)
	WantError(t, d.FillIn(t.Context(), soon("#host .t"), "x"), drivers.ErrNotActionable, "disabled")
	WantError(t, d.FillIn(t.Context(), soon("#in"), "x"), drivers.ErrNotActionable, "disabled")
	Must(t, d.Check(t.Context(), target("#free .c"), true))
	Must(t, d.FillIn(t.Context(), target("#free .t"), "x"))
}
