package web

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestOrnaments finds a text by its words, whatever signs are at its ends.
func TestOrnaments(t *testing.T) {
	t.Parallel()
	cases := []struct {
		body, text string
		found      bool
	}{
		{`<li><span>⠿</span> Fold</li>`, "Fold", true},
		{`<div role=option><i aria-hidden=true>✓</i>Fold</div>`, "Fold", true},
		{`<button><span>☰</span> Fold</button>`, "Fold", true},
		{`<p>▸ Fold</p>`, "Fold", true},
		{`<p>Fold ›</p>`, "Fold", true},
		{`<div>Fold <span>*</span> <input></div>`, "Fold", true},
		{`<p><span>⠿</span> Fold <br> Cut</p>`, "Fold", true},
		{`<p><span>⠿</span> Fold</p>`, "⠿ Fold", true},
		{`<p><span>-</span>12</p>`, "12", false},
		{`<p><b>€</b> 12</p>`, "12", false},
		{`<p>▼ 5 %</p>`, "5 %", false},
		{`<p><span>Un</span>Fold</p>`, "Fold", false},
		{`<p>Fold?</p>`, "Fold", false},
		{`<p>✗ Fold</p>`, "Fold", false},
		{`<p><span>❌</span> Fold</p>`, "Fold", false},
		{`<p>Fold <sup>?</sup></p>`, "Fold", false},
		{`<p><i>✓</i> Fold</p>`, "Fold", true},
	}
	d := browse(t, "blank.html")
	for _, c := range testutil.Few(3, cases) {
		fill(t, d, c.body)
		m, err := tree(t, d).Find(screen.Query{Selector: labelled(c.text)})
		if err != nil || len(m) != map[bool]int{true: 1}[c.found] {
			t.Errorf("%q in %s: %v, %v", c.text, c.body, m, err)
		}
	}
}

// TestSlottedTextIsPressed touches the text of a button that a custom element draws around it.
func TestSlottedTextIsPressed(t *testing.T) {
	t.Parallel()
	d := browse(t, "blank.html")
	host := `<style>:host{display:inline-block;position:relative;background:#ddd}button{all:unset}`
	for _, inner := range testutil.Few(2, []string{
		`<button><slot></slot></button>`,
		host + `button{position:absolute;inset:0}</style><span><slot></slot></span><button></button>`,
		host + `.r{position:absolute;inset:0}</style><button><slot></slot><div class=r></div></button>`,
		host + `button{pointer-events:none}</style><button><slot></slot></button>`,
		host + `a{pointer-events:none}</style><a href=#><slot></slot></a>`,
		host + `div{pointer-events:none}</style><div role=button><slot></slot></div>`,
	}) {
		for _, text := range []string{`Save`, `<span>Save</span>`} {
			fill(t, d, `<x-b onclick="out.textContent='saved'">`+text+`</x-b><p id=out></p><script>
				document.querySelector('x-b').attachShadow({mode:'open'}).innerHTML = '`+inner+`'</script>`)
			m, err := pick(tree(t, d), "Save", true)
			if err != nil || len(m) != 1 || m[0].CoverText != "" || m[0].Disabled() {
				t.Errorf("%s in %s: %v, %v", text, inner, m, err)
				continue
			}
			d.Aim(m[0].Aimed())
			Must(t, d.Tap(t.Context(), m[0].Point))
			mustShow(t, d, "#out", "saved")
		}
	}
	// What is drawn over the text covers it all the same.
	fill(t, d, `<x-b>Save</x-b><script>document.querySelector('x-b').attachShadow({mode:'open'}).innerHTML = '`+host+
		`i{position:absolute;inset:0;background:red}</style><slot></slot><i></i>'</script>`)
	if m, err := pick(tree(t, d), "Save", true); err != nil || len(m) != 1 || m[0].CoverText == "" {
		t.Errorf("a red box over the text: %v, %v", m, err)
	}
}

// TestLabelOpensItsControl touches the control of a label, which opens at the press of a button alone.
func TestLabelOpensItsControl(t *testing.T) {
	t.Parallel()
	open := `onmousedown="out.textContent='open'"`
	d := browse(t, "blank.html")
	for _, body := range testutil.Few(2, []string{
		`<label for=c>Language</label><div ` + open + `><input id=c role=combobox readonly size=3> German</div>`,
		`<label for=c>Language</label><br><button id=c role=combobox ` + open + `>German</button>`,
		`<p id=n>Language</p><div role=combobox tabindex=0 aria-labelledby=n ` + open + `>German</div>`,
		`<label for=c>Language</label><br><select id=c ` + open + `><option>German</select>`,
		`<label>Language<br><button role=combobox ` + open + `>German</button></label>`,
	}) {
		fill(t, d, body+`<p id=out></p>`)
		m, err := pick(tree(t, d), "Language", true)
		if err != nil || len(m) != 1 || m[0].CoverText != "" {
			t.Errorf("%s: %v, %v", body, m, err)
			continue
		}
		d.Aim(m[0].Aimed())
		if err := d.Tap(t.Context(), m[0].Point); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if seen := look(t, d, "#out", text("open"), 5*time.Second); !seen.Met {
			t.Errorf("%s: not open: %v", body, m)
		}
	}
}
