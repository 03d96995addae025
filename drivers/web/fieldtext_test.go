package web

import (
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestShown reads what a field holds, whatever it is called.
func TestShown(t *testing.T) {
	t.Parallel()
	cases := [][2]string{
		{`<div contenteditable id=a aria-label=Reply>See you at nine</div>`, "See you at nine"},
		{`<div contenteditable id=a aria-label=Reply><p>See you at nine</p></div>`, "See you at nine"},
		{`<div contenteditable id=a aria-label=Reply>See you<div>at nine</div></div>`, "See you\nat nine"},
		{`<div contenteditable id=a aria-label=Reply></div>`, ""},
		{`<p id=n>Reply</p><div role=textbox tabindex=0 aria-labelledby=n id=a><span><div>Hello</div></span></div>`, "Hello"},
		{`<div role=textbox tabindex=0 aria-label=Reply id=a></div>`, ""},
		{`<label for=a>Reply</label><input id=a>`, ""},
		{`<label for=a>Reply</label><input id=a readonly value=Hello>`, "Hello"},
		{`<div role=combobox tabindex=0 aria-label=Language id=a><div>German</div></div>`, "German"},
		{`<div role=combobox aria-label=Language id=a><input value=German></div>`, "German"},
		{`<div role=slider tabindex=0 aria-label=Volume aria-valuenow=3 aria-valuetext=Medium id=a></div>`, "Medium"},
		{`<div role=spinbutton tabindex=0 aria-label=Guests aria-valuenow=4 id=a></div>`, "4"},
		{`<input type=range id=a aria-label=Volume value=30>`, "30"},
		{`<output id=a aria-label=Total>12 €</output>`, "12 €"},
		{`<output id=a aria-label=Total></output>`, ""},
		{`<progress id=a aria-label=Upload value=0.5></progress>`, "0.5"},
		{`<select id=a aria-label=Size><option>Small</select>`, "Small"},
		{`<button id=a aria-label=Close>✕</button>`, "✕"},
		{`<button id=a aria-label=Close></button>`, "Close"},
		{`<div id=a>Old <p>x</p> new</div>`, "Old\nnew"},
	}
	d := browse(t, "blank.html")
	for _, c := range testutil.Few(3, cases) {
		fill(t, d, c[0])
		if got := byID(t, tree(t, d), "a").Shown(); got != c[1] {
			t.Errorf("%s shows %q, not %q", c[0], got, c[1])
		}
	}
}
