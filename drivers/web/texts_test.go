package web

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestTextsWithoutAnElement finds texts that share an element with blocks, controls and other lines.
func TestTextsWithoutAnElement(t *testing.T) {
	t.Parallel()
	type texts []string
	cases := []struct {
		name, body  string
		shown, gone texts
	}{
		{"between blocks", `<p>Shipped</p> Invoice 4711 is overdue <p>Thank you</p> Call us`,
			texts{"Shipped", "Invoice 4711 is overdue", "Thank you", "Call us"}, texts{"Invoice 4711 is overdue Call us"}},
		{"before a form", `<div>Old <p>x</p>Wrong password<form><input> <input></form></div>`,
			texts{"Wrong password", "Old"}, texts{"Old Wrong password"}},
		{"between inputs", `<form>From <input size=3> to <input size=3> days</form>`,
			texts{"From", "to", "days"}, texts{"From to days"}},
		{"behind check boxes", `<div><input type=checkbox> Apples <input type=radio> Pears<br>Plums</div>`,
			texts{"Apples", "Pears", "Plums"}, texts{"Apples Pears"}},
		{"around a button", `<p>Call <button>Ada</button> now</p>`, texts{"Call", "Ada", "now"}, texts{"Call now"}},
		{"lines of a cell", `<table><tr><td>Ada <b>Byron</b><br>12 <i>Main</i> Street<br><a href=#>Map</a></table>`,
			texts{"Ada Byron", "12 Main Street", "Map", "Ada Byron 12 Main Street Map"}, texts{"Ada Byron 12 Main Street"}},
		{"lines of a paragraph", `<p>One <span>and <b>a half</b></span><br>Two<br><br>Three</p>`,
			texts{"One and a half", "Two", "Three"}, texts{"Two Three"}},
		{"lines of an inline element", `<p><b>Bold<br>lines</b> go on</p>`,
			texts{"Bold", "lines go on"}, texts{"Bold go on"}},
		{"inline text", `<p>Pay <b>12</b> € to <a href=#>Ada</a>, <span>please</span></p>`,
			texts{"Pay 12 € to Ada, please", "Ada"}, texts{"Pay"}},
		{"next to a float", `<div><span style="float:right">3 new</span>Inbox</div>`, texts{"3 new", "Inbox"}, nil},
		{"around what is placed", `<p style="position:relative">Dear <i style="position:absolute;right:0">✕ close</i>Ada`,
			texts{"Dear Ada", "✕ close"}, nil},
		{"around an inline block", `<p>Total <span style="display:inline-block">12 €</span> due</p>`,
			texts{"Total 12 € due", "12 €"}, nil},
		{"a table without cells", `<div style="display:table">Heading<div style="display:table-row">
			<div style="display:table-cell">A1</div>
			<div style="display:table-cell">B1</div></div>Foot</div>`,
			texts{"Heading", "A1", "B1", "Foot"}, texts{"Heading Foot"}},
		{"a flexible box", `<div style="display:flex;gap:9px">Left<span>Middle</span>Right</div>`,
			texts{"Left", "Middle", "Right"}, texts{"Left Middle Right", "Left Right"}},
		{"kept lines", "<pre>first\nsecond <b>line</b>\n\nthird</pre>",
			texts{"first", "second line", "third"}, texts{"second"}},
		{"pre-line", "<p style='white-space:pre-line'>alpha\nbeta  gamma</p>", texts{"alpha", "beta gamma"}, texts{"beta"}},
		{"a slot", `<x-card>Slotted <p>block</p> more</x-card><script>
			document.querySelector('x-card').attachShadow({mode:'open'}).innerHTML =
			'Own <hr><slot></slot><div>end</div> last'</script>`,
			texts{"Slotted", "block", "more", "Own", "end", "last"}, texts{"Own last", "Slotted more"}},
		{"contents", `<div>Alpha <section style="display:contents">beta <p>gamma</p> delta</section></div>`,
			texts{"Alpha beta", "gamma", "delta"}, texts{"Alpha delta"}},
		{"around an invisible block", `<div>Alpha <div style="opacity:0">x</div> beta</div>`,
			texts{"Alpha", "beta"}, texts{"Alpha beta"}},
		{"around what is not there", `<div>Alpha <div style="display:none">x</div> beta <input type=hidden> gamma</div>`,
			texts{"Alpha beta gamma"}, nil},
		{"a label around a field", `<label>Name <input> (required)</label>`,
			texts{"Name", "(required)", "Name (required)"}, nil},
		{"between labels with their controls", `<div>Pay by <label><input type=radio> Cash</label> or ` +
			`<label>Card <input type=radio></label> at once</div>`,
			texts{"Pay by", "Cash", "or", "Card", "at once"}, texts{"Cash or", "or Card", "Pay by or at once"}},
		{"a label of a field elsewhere", `<p>Read <label for=x>the terms</label> first</p><input id=x>`,
			texts{"Read the terms first", "the terms"}, texts{"Read first"}},
		{"right to left", `<div dir=rtl>שלום<br>עולם</div>`, texts{"שלום", "עולם"}, nil},
	}
	d := browse(t, "blank.html")
	for _, c := range testutil.Few(3, cases) {
		t.Run(c.name, func(t *testing.T) {
			fill(t, d, c.body)
			tr := tree(t, d)
			for _, text := range c.shown {
				if m, err := tr.Find(screen.Query{Selector: labelled(text)}); err != nil || len(m) != 1 {
					t.Errorf("%q is found %d times: %v", text, len(m), err)
				}
			}
			for _, text := range c.gone {
				if m, err := tr.Find(screen.Query{Selector: labelled(text)}); err != nil || len(m) != 0 {
					t.Errorf("%q is found: %v, %v", text, m, err)
				}
			}
		})
	}
}

// TestRelationsToTextsWithoutAnElement starts relations at the text that is named, not at the element around it.
func TestRelationsToTextsWithoutAnElement(t *testing.T) {
	t.Parallel()
	d := display(t, `<form>First name <input id=first size=5> Last name <input id=last size=5><br>
		E-mail <input id=mail size=5></form>
		<ul><li>Milk <button id=a>Delete</button> 2 l<li>Bread <button id=b>Delete</button> 1 kg</ul>`)
	box := dsl.Selector{Type: "textbox"}
	right, below, inside := box, box, labelled("Delete")
	right.RightOf, below.Below = &dsl.Selector{Label: "Last name"}, &dsl.Selector{Label: "First name"}
	inside.Inside = &dsl.Selector{Label: "Bread"}
	tr := tree(t, d)
	for want, s := range map[string]dsl.Selector{"last": right, "mail": below, "b": inside} {
		m, err := tr.Find(screen.Query{Selector: s, Action: true})
		if err != nil || len(m) != 1 || m[0].Node.ID != want {
			t.Errorf("%s: %v, %v", screen.Describe(s), m, err)
		}
	}
}

// TestTextsComeIntoView scrolls to a line of a long text, and touches it.
func TestTextsComeIntoView(t *testing.T) {
	t.Parallel()
	d := display(t, `<pre id=log style="height:90px;overflow:auto;border:1px solid"></pre><p id=out></p><script>
		log.textContent = Array.from({length: 300}, (_, i) => 'job ' + i + ' done').join('\n');
		log.onclick = e => { const r = document.caretRangeFromPoint(e.clientX, e.clientY);
			out.textContent = log.textContent.slice(0, r.startOffset).split('\n').length - 1; };</script>`)
	find := func(reveal bool) *screen.Match {
		m, err := tree(t, d).Find(screen.Query{Selector: labelled("job 250 done"), Action: true, Reveal: reveal})
		Must(t, err)
		if len(m) != 1 {
			return nil
		}
		return &m[0]
	}
	if find(false) != nil {
		t.Fatal("a line far out of view counts as seen")
	}
	Must(t, d.Reveal(t.Context(), find(true).Node))
	m := find(false)
	if m == nil {
		t.Fatal("the line did not come into view")
	}
	Must(t, d.Tap(t.Context(), m.Point))
	mustShow(t, d, "#out", "250")
}

// TestTheFrontOfTwins touches the button on top, of two with one name and place.
func TestTheFrontOfTwins(t *testing.T) {
	t.Parallel()
	const at = `<button style="position:absolute;z-index:`
	for name, body := range map[string]string{
		"front last":  at + `1" id=back>Pay</button>` + at + `2" id=front>Pay</button>`,
		"front first": at + `2" id=front>Pay</button>` + at + `1" id=back>Pay</button>`,
	} {
		m, err := tree(t, display(t, body)).Find(screen.Query{Selector: labelled("Pay"), Action: true})
		if err != nil || len(m) != 1 || m[0].Node.ID != "front" || m[0].Obstacle() != "" {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}
