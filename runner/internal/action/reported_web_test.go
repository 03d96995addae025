package action_test

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// clicks writes into #log the id of what a click met, in shadow roots and in frames (of srcdoc), too, and what a field
// holds.
const clicks = `<p id=log style="position:fixed;bottom:0;right:0;margin:0;pointer-events:none">-</p>` + framedClicks

const framedClicks = `<script>{const out=t=>{(parent.log||document.getElementById('log')).textContent=t};
addEventListener('click',e=>{const p=e.composedPath()[0];out(p.closest('[id]')?.id||p.localName)},true);
addEventListener('input',e=>{const p=e.composedPath()[0];out(p.id+'='+(p.type==='checkbox'||p.type==='radio'?` +
	`p.checked:p.value??p.textContent))},true)}</script>`

// reported is a page after a public report about another tool or a library: what a person sees on it, what not, and
// what a step does by the page's own record.
type reported struct {
	name, page   string
	shown, hides []dsl.Selector
	do           any
	record       string // what the page records of the step
	fail         string // what its failure says
}

func labels(all ...string) (list []dsl.Selector) {
	for _, label := range all {
		list = append(list, dsl.Selector{Label: label})
	}
	return list
}

func parts(all ...string) (list []dsl.Selector) {
	for _, label := range all {
		list = append(list, words(label))
	}
	return list
}

func tap(label string) dsl.Tap { return dsl.Tap{Selector: dsl.Selector{Label: label}} }

func inFrame(style, body string) string {
	return `<iframe style="border:0;` + style + `" srcdoc="` + html.EscapeString(body+framedClicks) + `"></iframe>`
}

const tall = `<div style="height:1500px"></div>`

// boxesReported are about what clips, covers and moves elements.
var boxesReported = []reported{
	{name: "a panel that is closed by max-height and overflow: clip", // cypress 23852
		page:  `<p>Plans</p><div style="max-height:0;overflow:clip"><div>Gold plan</div></div>`,
		shown: labels("Plans"), hides: labels("Gold plan")},
	{name: "a positioned box beside the static box that clips", // cypress 4395, 755
		page: `<div style="width:80px;height:40px;overflow:hidden">Main<div style="position:absolute;left:300px">Budget` +
			`<input id=b aria-label=Amount></div></div>`, shown: labels("Budget"),
		do: dsl.Input{Into: &dsl.Selector{Label: "Amount"}, Text: "135"}, record: "b=135"},
	{name: "a fixed box in a box that moves it along and clips it", // cypress 2558
		page: `<div style="overflow:hidden;width:100px;height:60px;transform:translate(0)">Menu<p style="position:fixed;` +
			`top:200px">Log out</p></div><div style="overflow:hidden;height:60px">Shop<p style="position:fixed;top:200px">` +
			`Cart</p></div>`, shown: labels("Menu", "Cart"), hides: labels("Log out")},
	{name: "a box that paints only within itself", // cypress 613
		page: `<div style="contain:paint;width:150px;height:40px">Card<p style="position:absolute;top:80px">Footnote</p>` +
			`</div>`, shown: labels("Card"), hides: labels("Footnote")},
	{name: "a track twice as wide as its window", // cypress 22750, 4161
		page: `<div style="overflow:hidden;position:relative;width:100px;height:36px"><div style="position:absolute;` +
			`width:200%"><b style="position:absolute;left:0">One</b><b style="position:absolute;left:50%">Two</b></div></div>`,
		shown: labels("One"), hides: labels("Two")},
	{name: "a wrapper without a box that would clip", // cypress 25199
		page:  `<div style="display:contents;overflow:hidden"><section>Hello</section></div>`,
		shown: labels("Hello")},
	{name: "clip and clip-path leave nothing", // cypress 1178
		page: `<a href="#" style="position:absolute;clip:rect(1px,1px,1px,1px)">Skip</a><a href="#" style="display:block;` +
			`clip-path:polygon(0 0,0 0,0 0,0 0)">Jump</a>`, hides: labels("Skip", "Jump")},
	{name: "below the end of a scrolling cell of a grid", // cypress 30922
		page: `<div style="display:grid;grid-template-rows:62px 1fr"><div style="overflow-y:auto"><div style="height:297px;` +
			`position:relative"><a href="#" style="position:absolute;top:0">First</a><a href="#" style="position:absolute;` +
			`top:96px">Second</a></div></div></div>`, shown: labels("First"), hides: labels("Second")},
	{name: "the two sides of a turned card", // cypress 5682
		page: `<style>div,b{display:block;width:200px;height:60px}b{position:absolute;backface-visibility:hidden;` +
			`background:#fff}</style><div style="perspective:600px"><div style="transform-style:preserve-3d;` +
			`transform:rotateY(180deg);position:relative"><b>Front</b><b style="transform:rotateY(180deg)">Back</b></div></div>`,
		shown: labels("Back"), hides: labels("Front")},
	{name: "a layer of another depth than the eye", // cypress 5916
		page: `<div style="perspective:400px;height:100px"><p style="transform:translateZ(500px)">Behind you</p></div>` +
			`<p>Here</p>`, shown: labels("Here"), hides: labels("Behind you")},
	{name: "a fixed spinner in a bar that lets touches through", // cypress 6675
		page: `<div style="pointer-events:none"><div style="position:fixed;top:40px;left:40px;background:#fff">` +
			`Loading</div></div>` + tall, shown: labels("Loading")},
	{name: "a row that a skeleton still covers", // jest-dom 462
		page: `<style>.s{position:relative}.s::after{content:"";position:absolute;inset:0;background:#ddd}</style>` +
			`<p class=s>Balance 12</p><p>Account</p>`, shown: labels("Account"), hides: labels("Balance 12")},
	{name: "a ring around a neighbour covers", // cypress 1242
		page: `<p style="margin:0;height:30px">Under it</p><div style="outline:30px solid #357;height:20px;` +
			`position:relative">Box</div>`, shown: labels("Box"), hides: labels("Under it")},
	{name: "an image that replaces the text of an element", // cypress 1242
		page: `<h1 style="content:url(&quot;data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='90' ` +
			`height='30'/>&quot;)">Acme shop</h1><p>Since 1990</p>`, shown: labels("Since 1990"), hides: labels("Acme shop")},
	{name: "the head of a table that stays covers rows", // testcafe 5269
		page: `<div style="height:90px;overflow:auto"><table style="border-spacing:0"><thead style="position:sticky;top:0;` +
			`background:#eee"><tr style="height:40px"><th>Name<tbody><tr style="height:30px"><td>Ada<tr style="height:30px">` +
			`<td>Ben<tr style="height:30px"><td id=zoe>Zoe</table></div><script>document.querySelector('div').scrollTop=40` +
			`</script>`, shown: labels("Zoe"), hides: labels("Ada")},
	{name: "a footer that stays over the field", // testcafe 5269
		page: `<div style="height:640px"></div><input id=f aria-label=City>` + `<footer style="position:sticky;bottom:0;` +
			`height:260px;background:#08f">Steps</footer>`,
		do: dsl.Input{Into: &dsl.Selector{Label: "City"}, Text: "Rome"}, record: "f=Rome"},
	{name: "an area around a cross takes the touches of its neighbour", // testcafe 7309
		page: `<style>i{position:relative}i::after{content:"";position:absolute;inset:-8px -60px}</style>` +
			`<button id=b style="width:100px">Save</button> <i id=x role=button>x</i>`,
		do: tap("Save"), record: "b"},
	{name: "a box over a button", // testcafe 1007, 2930
		page: `<button id=b>Pay</button><div id=over style="position:absolute;left:0;top:0;width:300px;height:90px"></div>`,
		do:   tap("Pay"), fail: "covered by div#over"},
	{name: "a scaled frame", // playwright 18245, webdriverio 13724
		page: `<div style="transform:scale(.5);transform-origin:0 0;width:400px;height:400px;margin:50px">` +
			inFrame("width:100%;height:100%;padding:20px", `<div style="height:150px"></div><button id=in>Inner</button>`) +
			`</div>`, do: tap("Inner"), record: "in"},
	{name: "a zoomed frame below a long page", // puppeteer 5307
		page: tall + `<div style="zoom:1.5">` + inFrame("width:200px;height:100px", tall+`<button id=in>Inner</button>`) +
			`</div>`, do: tap("Inner"), record: "in"},
	{name: "the corner of an L", // cypress 7309
		page: `<button id=under style="position:absolute;left:0;top:0;width:200px;height:200px">Map</button><div id=l ` +
			`role=button aria-label=North style="position:absolute;left:0;top:0;width:200px;height:200px;background:#9c9;` +
			`clip-path:polygon(0 0,100% 0,100% 20%,20% 20%,20% 100%,0 100%)"></div>`, do: tap("North"), record: "l"},
	{name: "the stroke of a ring", // cypress 2258
		page: `<svg width=200 height=200><g id=ring role=button aria-label=Share><circle cx=100 cy=100 r=80 fill=none ` +
			`stroke=#369 stroke-width=14 /></g></svg>`, do: tap("Share"), record: "ring"},
	{name: "a link over two lines", // puppeteer 2822, taiko 366, selenium 3167
		page: `<p id=p style="width:260px;font:16px monospace">Read the notes of the <a id=a href="#">long report</a> now ` +
			`and again.</p>`, do: tap("long report"), record: "a"},
	{name: "a link over two columns", // agent-browser 1756
		page: `<p id=p style="columns:2;width:400px;height:40px;font:16px/20px monospace">aa bb cc dd ee ff gg hh ` +
			`<a id=a href="#">end of one start of two</a> ii jj kk</p>`, do: tap("end of one start of two"), record: "a"},
}

// textsReported are about texts and names.
var textsReported = []reported{
	{name: "a soft hyphen", page: `<p>Kranken&shy;versicherung</p>`, // playwright 34859
		shown: append(labels("Krankenversicherung"), parts("Krankenversicherung")...)},
	{name: "marks without a width", page: `<p>&#8203;Voll&#8205;ständiger&nbsp;Name</p>`, // playwright 10620, 3830
		shown: labels("Vollständiger Name")},
	{name: "capitals by style", // zora 39
		page:  `<p style="text-transform:uppercase;letter-spacing:.3em">Zora v0.6</p>`,
		shown: append(labels("ZORA V0.6"), dsl.Selector{Label: "ZORA V0.6", Match: dsl.MatchExact})},
	{name: "a word in several elements", // jest-dom 475, accname 205 and 15
		page: `<p><mark>Hello Wo</mark>rld!</p><button>(<span>Q</span><span>E</span><span>D</span>)</button>` +
			`<h2><span style="display:inline-block">S</span><span style="display:inline-block">a</span><span ` +
			`style="display:inline-block">l</span><span style="display:inline-block">e</span></h2>`,
		shown: labels("Hello World!", "(QED)", "Sale")},
	{name: "spaces within an element", page: `<button>abc<span> - </span>abc</button>`, // dom-accessibility-api 1075
		shown: labels("abc - abc")},
	{name: "text against its direction", // playwright 3830
		page:  `<p style="unicode-bidi:bidi-override;direction:rtl">moc.liam@ada</p>`,
		shown: append(labels("ada@mail.com"), parts("ada")...), hides: parts("moc", "liam")},
	{name: "the end of a line that is cut at its start", // selenide 3366
		page: `<p style="direction:rtl;width:120px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;` +
			`font:16px monospace">Invoice 4711 is overdue</p>`, shown: parts("overdue"), hides: parts("Invoice")},
	{name: "a name of a button from a slot", // playwright 18989
		page: `<my-b>Order</my-b><script>customElements.define('my-b',class extends HTMLElement{constructor(){super();` +
			`this.attachShadow({mode:'open'}).innerHTML='<button id=s><slot></slot></button>'}})</script>`,
		shown: []dsl.Selector{{Type: "button", Label: "Order"}, {CSS: `role=button[name="Order"]`}},
		do:    dsl.Tap{Selector: dsl.Selector{CSS: `role=button[name="Order"]`}}},
	{name: "a heading that is a field", // playwright 28848
		page: `<h1><input value="Foo bar" aria-label=Title></h1>`, shown: labels("Foo bar", "Title")},
	{name: "fields in a closed section", // playwright 20610, 26354
		page: `<label>Name <input id=a></label><details><summary>Open form</summary><label>Name <input id=b></label>` +
			`</details>`, do: dsl.Input{Into: &dsl.Selector{Label: "Name"}, Text: "Ada"}, record: "a=Ada"},
	{name: "the summary of a section", // playwright 26354
		page:  `<details><summary id=s>Details of it</summary>Inner text</details>`,
		hides: labels("Inner text"), do: tap("Details of it"), record: "s"},
	{name: "a label around a field and a button", // dom-testing-library 482
		page: `<label for=t><b>Enter your text here:</b><div><input id=t><button id=go type=button>Submit</button></div>` +
			`</label>`, do: dsl.Input{Into: &dsl.Selector{Label: "Enter your text here:"}, Text: "x"}, record: "t=x"},
	{name: "a name of two parts with names of their own", // dom-testing-library 1352
		page: `<div id=row role=row aria-label=Frameworks><button id=sel aria-labelledby="sel row" aria-label=Select>` +
			`+</button><span>Items</span></div>`, do: tap("Select Frameworks"), record: "sel"},
	{name: "a label of two parts", // dom-testing-library 545
		page:  `<p id=l1>Log out after</p><input id=n value=30 aria-labelledby="l1 n l2"><p id=l2>minutes</p>`,
		shown: labels("Log out after", "minutes")},
	{name: "a field with a hint of its set", // dom-testing-library 1253
		page: `<div style="position:relative"><label for=s>Access type</label><select id=s><option>One<option>Two</select>` +
			`<fieldset aria-hidden=true style="position:absolute;inset:-5px 0 0;pointer-events:none;visibility:hidden">` +
			`<legend>Access type</legend></fieldset></div>`,
		do: dsl.WebSelect{Selector: "label=Access type", Label: []string{"Two"}}, record: "s=Two"},
	{name: "a switch whose knob lies over its field", // gravity-ui 1556, playwright 15420
		page: `<label style="position:relative;display:block;width:200px"><input id=i type=checkbox role=switch ` +
			`style="position:absolute;left:0;width:36px;height:20px;opacity:0;margin:0"><span style="position:absolute;left:0;` +
			`width:36px;height:20px;background:#ccc"></span><span style="margin-left:44px">Push</span></label>`,
		do: dsl.Tap{Selector: dsl.Selector{Type: "switch"}}, record: "i=true"},
	{name: "a check box whose label is full of links", // playwright 6057, taiko 1792
		page: `<label style="display:block;width:300px"><input id=c type=checkbox><span>I read <a id=l1 href="#">the long ` +
			`general terms of business</a>, <a id=l2 href="#">the special terms for accounts</a></span></label>`,
		do: dsl.Tap{Selector: words("I read")}, record: "c=true"},
	{name: "a link in the label of a check box", // taiko 1792
		page: `<label style="display:block;width:300px"><input id=c type=checkbox><span>I read <a id=l1 href="#">the long ` +
			`general terms of business</a> and agree</span></label>`,
		do: tap("the long general terms of business"), record: "l1"},
	{name: "a clear radio button over its text", // playwright 32957
		page: `<span style="display:inline-flex;position:relative;pointer-events:none"><input id=r type=radio ` +
			`aria-labelledby=t style="position:absolute;width:100%;height:100%;opacity:0;margin:0;pointer-events:all"><span ` +
			`id=t style="pointer-events:auto;height:36px">Monthly</span></span>`, do: tap("Monthly"), record: "r=true"},
	{name: "an editable text in a button", // playwright 29813
		page: `<div role=button tabindex=0 id=out>Note: <div id=ed contenteditable aria-label=Body style="min-height:20px">` +
			`</div></div>`, do: dsl.Input{Into: &dsl.Selector{Label: "Body"}, Text: "Hi"}, record: "ed=Hi"},
	{name: "the days of two months", // react-day-picker, lego-webapp 3178
		page: `<table><tr><td><button id=old style="opacity:.4">30</button><td><button id=one>1</button><tr><td><button ` +
			`id=new>30</button><td><button id=next style="opacity:.4">1</button></table>`, do: tap("30"), fail: "match"},
	{name: "grids of other months beside the window", // mobiscroll 499
		page: `<div style="overflow:hidden;width:200px"><div style="display:flex;width:600px;transform:translateX(-200px)">` +
			`<button id=p style="width:200px">14</button><button id=c style="width:200px">14</button><button id=n ` +
			`style="width:200px">14</button></div></div>`, do: tap("14"), record: "c"},
	{name: "a list that takes no touches while it moves", // marigold 5691
		page: `<ul id=u style="pointer-events:none"><li id=o role=option>Option 12</li></ul><script>setTimeout(()=>` +
			`{u.style.pointerEvents='auto'},600)</script>`, do: tap("Option 12"), record: "o"},
	{name: "a notice above a dialog that it does not belong to", // whatwg/html 10811, 11195
		page: `<dialog id=d><p>Question</p></dialog><div id=pop popover=manual><button id=x>Undo</button></div><script>` +
			`d.showModal();pop.showPopover()</script>`, shown: labels("Undo"), hides: labels("Question"),
		do: tap("Undo"), fail: "Undo"},
	{name: "a button behind a clear dialog", // openui 1129
		page: `<style>dialog{pointer-events:none;margin:200px 0 0}::backdrop{background:none}</style><button id=b>Archive` +
			`</button><dialog id=d>Done</dialog><script>d.showModal()</script>`,
		shown: labels("Archive", "Done"), do: tap("Archive"), fail: "Archive"},
	{name: "closed boxes that a style sheet shows", // jest-dom 462
		page: `<style>dialog,[popover],[hidden]{display:block!important;position:static!important}</style><dialog>Terms` +
			`</dialog><div popover>Tips</div><p hidden>Sum 12</p>`, shown: labels("Terms", "Tips", "Sum 12")},
	{name: "the radio button beside a label", // playwright 13720
		page: `<style>div{height:30px}</style><div><input type=radio name=r id=r1> Label 1</div><div><input type=radio ` +
			`name=r id=r2> Label 2</div><div><input type=radio name=r id=r3> Label 3</div>`,
		do: dsl.Tap{Selector: dsl.Selector{Type: "radio", LeftOf: &dsl.Selector{Label: "Label 3"}}}, record: "r3=true"},
	{name: "the price below a text", // playwright 14807
		page: `<style>section{float:left;width:150px}</style><section><h3>Pro</h3><p>Starting at</p><b>$750</b><p>Per ` +
			`developer</p></section><section><h3>Max</h3><p>From</p><b>$990</b></section>`,
		shown: []dsl.Selector{{Label: "$", Match: dsl.MatchPrefix, Below: &dsl.Selector{Label: "Starting at"}}},
		hides: []dsl.Selector{{Label: "$990", Below: &dsl.Selector{Label: "Starting at"}}}},
	{name: "a box without an own one", // webdriverio 14098
		page:  `<div id=w style="display:contents"><p>Inside it</p></div><button id=b style="display:contents">Bare</button>`,
		shown: []dsl.Selector{{Label: "Inside it", Inside: &dsl.Selector{ID: "w"}}}, do: tap("Bare"), record: "b"},
	{name: "texts of a drawing that are not drawn", // cypress 2258
		page: `<svg width=200 height=60 viewBox="0 0 200 60"><defs><text id=t y=20>Template</text></defs><title>Chart` +
			`</title><text y=20>Sales</text><text x=300 y=20>Outside</text><switch><text y=50 systemLanguage=zz>Zed</text>` +
			`<text y=50>Default</text></switch></svg>`,
		shown: labels("Sales", "Default"), hides: labels("Template", "Outside", "Zed")},
}

// TestReportedPages compares results with pages after public reports of users of other tools and libraries. What a
// person sees on them was decided before the first run.
func TestReportedPages(t *testing.T) {
	t.Parallel()
	s := browser(t)
	for _, c := range testutil.Few(3, allReported()) {
		t.Run(c.name, func(t *testing.T) {
			s.Timeout = 3 * time.Second
			visit(t, s, c.page+clicks)
			for i, sel := range append(append([]dsl.Selector(nil), c.shown...), c.hides...) {
				found, _, err := action.Look(t.Context(), s, sel)
				if err != nil || len(found) > 0 != (i < len(c.shown)) {
					t.Errorf("%s: found %d, %v", screen.Describe(sel), len(found), err)
				}
			}
			if c.do == nil {
				return
			}
			result, err := do(t, s, c.do)
			met, _, lookErr := action.Look(t.Context(), s, dsl.Selector{ID: "log"})
			if lookErr != nil || len(met) == 0 {
				t.Fatal("the page records nothing", lookErr)
			}
			log := met[0].Node.Text
			switch {
			case c.fail != "" && (result != event.Fail || !strings.Contains(err.Error(), c.fail) || log != "-"):
				t.Errorf("%s, %v; want a failure that says %q, and no touch; it met %q", result, err, c.fail, log)
			case c.fail == "" && (result != event.Pass || c.record != "" && log != c.record):
				t.Errorf("%s, %v: it met %q, want %q", result, err, log, c.record)
			}
		})
	}
}
