package web

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// stateWords puts what a tree has of an element's state into a few words.
func stateWords(tr *screen.Tree, id string) string {
	n := find(tr, func(n *screen.Node) bool { return n.ID == id })
	if n == nil {
		return "none"
	}
	if n.Control != nil {
		n = n.Control
	}
	var words []string
	for _, w := range []struct {
		is   bool
		word string
	}{{n.Hidden, "hidden"}, {n.Checkable, "checkable"}, {n.Checked, "checked"}, {n.Selected, "selected"},
		{!n.Unselectable, "selectable"}, {n.Disabled, "disabled"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " ")
}

// The state that is asked of a label is that of the control which it names.
func TestStates(t *testing.T) {
	t.Parallel()
	d := browse(t, "blank.html")
	for _, c := range testutil.Few(3, []struct{ body, want string }{
		{`<input id=c type=checkbox checked><label id=x for=c>Agree</label>`, "checkable checked"},
		{`<input id=c type=checkbox><label id=x for=c>Agree</label>`, "checkable"},
		{`<label id=x><input type=checkbox checked> Agree</label>`, "checkable checked"},
		{`<label><input type=checkbox checked> <b id=x>Agree</b></label>`, "checkable checked"},
		{`<label><input type=checkbox> <b id=x>Agree</b></label>`, "checkable"},
		{`<div role=checkbox aria-checked=true id=x><span>Agree</span></div>`, "checkable checked"},
		{`<div role=checkbox id=x>Agree</div>`, "checkable"},
		{`<div role=checkbox aria-checked=mixed id=x>Agree</div>`, ""},
		{`<input type=checkbox id=x><script>x.indeterminate=true</script>`, ""},
		{`<span id=x>Wi-Fi</span><button role=switch aria-checked=true aria-labelledby=x></button>`, "checkable checked"},
		{`<h2 id=x>Sure?</h2><div role=dialog aria-labelledby=x>Delete it</div>`, ""},
		{`<button id=x aria-pressed=true>Bold</button>`, "checkable checked selected selectable"},
		{`<button id=x>Bold</button>`, ""},
		{`<button disabled><span id=x>Save</span></button>`, "disabled"},
		{`<fieldset disabled><label id=x>Name <input></label></fieldset>`, "disabled"},
		{`<fieldset disabled><legend><label id=x>Name <input></label></legend></fieldset>`, ""},
		{`<fieldset disabled><p id=x>Explained</p></fieldset>`, ""},
		{`<label><input disabled type=checkbox> <b id=x>Agree</b></label>`, "checkable disabled"},
		{`<div aria-disabled=true><button id=x>Save</button></div>`, "disabled"},
		{`<div inert><button id=x>Save</button></div>`, "disabled"},
		{`<button id=x style="pointer-events:none">Save</button>`, "disabled"},
		{`<a href=# onclick="go()"><button id=x style="pointer-events:none">Save</button></a>`, ""},
		{`<select size=3><optgroup disabled label=G><option id=x>One</option></optgroup></select>`, "selectable disabled"},
		{`<select size=3 disabled><option id=x selected>One</option></select>`, "selected selectable disabled"},
		{`<div role=option id=x aria-selected=true><span>Green</span></div>`, "selected selectable"},
		{`<div role=option id=x><span>Green</span></div>`, "selectable"},
		{`<p id=x>Text</p>`, ""},
		{`<nav><a href=#a aria-current=page id=x>Home</a></nav>`, "selected selectable"},
		{`<nav><a href=#a aria-current=page>Home</a> <a id=x href=#b>Other</a></nav>`, "selectable"},
		{`<a id=x href=#b>Other</a>`, ""},
		{`<label id=x><input type=radio checked name=r> Red</label>`, "checkable checked selected selectable"},
		// Drawn controls.
		{`<label><span style="position:relative;display:inline-block;width:20px;height:20px;border:1px solid"><input id=x ` +
			`type=checkbox checked disabled style="opacity:0;position:absolute;inset:0"></span> Agree</label>`,
			"checkable checked disabled"},
		{`<span style="position:relative;display:inline-block"><input id=x type=checkbox ` +
			`style="opacity:0;position:absolute;inset:0"><span style="display:block;width:16px;height:16px;border:1px ` +
			`solid"></span></span>`, "checkable"},
		{`<label>Agree <input id=x type=checkbox ` +
			`style="position:absolute;width:1px;height:1px;clip-path:inset(50%);overflow:hidden"><i ` +
			`style="display:inline-block;width:16px;height:16px;border:1px solid"></i></label>`, "checkable"},
		{`<input id=x type=checkbox style="opacity:0;position:absolute;left:600px;top:400px">`, "hidden checkable"},
		{`<div style="opacity:0"><label>Agree <input id=x type=checkbox></label></div>`, "hidden checkable"},
		{`<div><button role=radio aria-checked=true>Red</button><input type=radio id=x aria-hidden=true ` +
			`style="opacity:0;position:absolute"></div>`, "hidden checkable selectable"},
		{`<div role=radio aria-checked=true tabindex=0><input type=radio id=x ` +
			`style="position:absolute;width:1px;height:1px;opacity:0">Red</div>`, "hidden checkable selectable"},
		// Elements of a page's own making.
		{`<x-check id=x checked>Agree</x-check>`, "checkable checked"},
		{`<x-button id=x disabled>Save</x-button>`, "disabled"},
		{`<x-box name=a id=x>Agree</x-box><script>x.attachShadow({mode:'open'}).innerHTML='<label><input type=checkbox ` +
			`checked><slot></slot></label>'</script>`, "checkable checked"},
		{`<x-box name=a><b id=x>Agree</b></x-box><script>document.querySelector('x-box').attachShadow({mode:'open'}` +
			`).innerHTML='<label><input type=checkbox checked disabled><slot></slot></label>'</script>`,
			"checkable checked disabled"},
		{`<x-sw id=x>Agree</x-sw><script>customElements.define('x-sw',class extends HTMLElement{static ` +
			`formAssociated=true;constructor(){super();this.i=this.attachInternals();this.i.states.add('checked')}})</script>`,
			"checkable checked"},
		{`<x-st id=x>Agree</x-st><script>customElements.define('x-st',class extends ` +
			`HTMLElement{constructor(){super();const i=this.attachInternals();i.role='switch';i.ariaChecked='true'}})</script>`,
			"checkable checked"},
		{`<x-so id=x>Agree</x-so><script>customElements.define('x-so',class extends ` +
			`HTMLElement{constructor(){super();const ` +
			`i=this.attachInternals();i.role='checkbox';i.ariaChecked='false';i.ariaDisabled='true'}})</script>`,
			"checkable disabled"},
		{`<fieldset disabled><x-sv id=x>Agree</x-sv></fieldset><script>customElements.define('x-sv',class extends ` +
			`HTMLElement{static formAssociated=true})</script>`, "disabled"},
	}) {
		if strings.Contains(c.body, "customElements.define") {
			display(t, c.body) // in a window of its own: a name can be defined once in each
		} else {
			fill(t, d, c.body)
		}
		if got := stateWords(tree(t, d), "x"); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.body, got, c.want)
		}
	}
}

// texts lists what a tree says a person sees.
func texts(tr *screen.Tree) string {
	var list []string
	for n := range tr.All {
		if !n.Hidden && !n.Offscreen && n.Obscured == "" && n.Text != "" && !slices.Contains(list, n.Text) {
			list = append(list, n.Text)
		}
	}
	return strings.Join(list, "|")
}

func TestTextsThatArePartOfNoDocument(t *testing.T) {
	t.Parallel()
	d := browse(t, "blank.html")
	for _, c := range testutil.Few(2, []struct{ body, want string }{
		{`<style>#a::before{content:"Paid"}</style><span id=a></span>`, "Paid"},
		{`<style>#a::after{content:"Paid";visibility:hidden}</style><span id=a></span>`, ""},
		{`<style>#a::after{content:"Paid";opacity:0}</style><span id=a></span>`, ""},
		{`<style>#a::after{content:" *"}</style><span id=a>Name</span>`, "Name"},
		{`<style>#a::after{content:" EUR"}</style><span id=a>5</span>`, "5|EUR"},
		{`<style>#a::after{content:attr(data-x)}</style><span id=a data-x=Paid></span>`, "Paid"},
		{`<style>#a::before{content:"\f101"}</style><span id=a></span>`, ""},
		{`<style>#a::before{content:"\f101"}</style><span id=a>Next</span>`, "Next"},
		{`<style>#a::before{content:"Old"}#a{display:none}</style><span id=a></span>`, ""},
		{`<i style="font-family:'Material Icons'">home</i>`, "home"}, // the font did not come
		{"<p>\u200b</p><p>\ue001</p><p>a\ue001</p>", "a"},
		{`<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML='<slot>Nobody ` +
			`yet</slot>'</script>`, "Nobody yet"},
		{`<x-a>Ada</x-a><script>document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML='<slot>Nobody ` +
			`yet</slot>'</script>`, "Ada"},
		{`<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML='Bare'</script>`, "Bare"},
		{`<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode:'closed'}).innerHTML='<p>Secret</p>'</script>`,
			"Secret"},
		{`<x-a>Not shown</x-a><script>document.querySelector('x-a').attachShadow({mode:'closed'}).innerHTML='<p>Secret</p>` +
			`'</script>`, "Secret"},
		{`<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML='<p>Secret</p>'</script>`, "Secret"},
		{`<div id=h>Not shown</div><script>h.attachShadow({mode:'closed'}).innerHTML='<p>Secret</p>'</script>`, "Secret"},
		{`<x-a>Ada</x-a><script>document.querySelector('x-a').attachShadow({mode:'closed'}).innerHTML='Dear ` +
			`<slot></slot>'</script>`, "Dear Ada|Ada"},
		{`<button><span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">Delete</span>` +
			`x</button>`, "x"},
		{`<div style="display:contents"><span>In</span> text</div>`, "In text|In"},
	}) {
		fill(t, d, c.body)
		if got := texts(tree(t, d)); got != c.want {
			t.Errorf("%s\nshows %q, want %q", c.body, got, c.want)
		}
	}
	fill(t, d, `<style>#a::after{content:" EUR"}</style><span id=a>5</span><button id=b><span `+
		`style="position:absolute;width:1px;height:1px;overflow:hidden">Delete</span><svg width=9 height=9></svg></button>`)
	tr := tree(t, d)
	if n := byID(t, tr, "a"); n.Desc != "5 EUR" {
		t.Errorf("a text and what a style sheet adds: %q", n.Desc)
	}
	if n := byID(t, tr, "b"); n.Desc != "Delete" || n.Text != "" {
		t.Errorf("a button with a text for screen readers: text %q, name %q", n.Text, n.Desc)
	}
}

// TestFirefoxSeesWhatPagesHide: closed shadow roots and the states of ElementInternals, of which Firefox reports no
// driver; and the page finds its roots closed.
func TestFirefoxSeesWhatPagesHide(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	d := openFirefox(t)
	Must(t, d.OpenPage(t.Context(), site.Made(`<div id=h></div><x-st id=x>Agree</x-st><x-so id=y>News</x-so><script>
const r=h.attachShadow({mode:'closed'});r.innerHTML='<p>Secret</p>';document.title=[h.shadowRoot,r.mode].join();
customElements.define('x-st',class extends HTMLElement{constructor(){super();const `+
		`i=this.attachInternals();i.role='switch';i.ariaChecked='true'}});
customElements.define('x-so',class extends HTMLElement{constructor(){super();const `+
		`i=this.attachInternals();i.role='checkbox';i.ariaChecked='false'}})</script>`),
		drivers.PageOptions{}))
	tr := tree(t, d)
	if find(tr, showing("Secret")) == nil {
		t.Error("a text in a closed root is not there")
	}
	if n := byID(t, tr, "x"); !n.Checkable || !n.Checked {
		t.Errorf("a switch that is on: %+v", n)
	}
	if n := byID(t, tr, "y"); !n.Checkable || n.Checked {
		t.Errorf("a box that is empty: %+v", n)
	}
	if got := script(t, d, "document.title"); got != ",closed" {
		t.Errorf("the page sees %s", got)
	}
}

// TestFirefoxKeepsASelection: what keys have selected is replaced by what is typed.
func TestFirefoxKeepsASelection(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	d := openFirefox(t)
	Must(t, d.OpenPage(t.Context(), site.Made(`<input id=f value="Hello">`), drivers.PageOptions{}))
	Must(t, d.ClickOn(t.Context(), target("#f"), drivers.WebClick{}))
	Must(t, d.Press(t.Context(), []string{"control", "a"}))
	Must(t, d.Type(t.Context(), "Fresh "))
	if got := script(t, d, "f.value"); got != "Fresh " {
		t.Errorf("the field holds %q", got)
	}
}

func TestPressPoints(t *testing.T) {
	t.Parallel()
	d := browse(t, "blank.html")
	row := `<ul style="list-style:none;padding:0;width:400px"><li id=x style="padding:8px">Invoice 2 <button id=del ` +
		`style="float:right">Delete</button></li></ul>`
	type point struct {
		name, body string
		hits       string // what is topmost where x is pressed
		covered    string
	}
	for _, c := range testutil.Few(3, []point{
		{"a row", row, "x", ""},
		{"a post with a link in its middle",
			`<div id=x tabindex=0 style="width:300px">Read <a href=# id=tag ` +
				`style="display:inline-block;width:250px;height:40px">#tag</a></div>`, "x", ""},
		{"a button half under a bar",
			`<button id=x style="position:absolute;left:0;top:0;width:200px;height:60px">Save</button><div id=bar ` +
				`style="position:absolute;left:0;top:0;width:150px;height:60px;background:#ccc"></div>`, "x", ""},
		{"a covered button",
			`<button id=x style="position:absolute;left:0;top:0;width:200px;height:60px">Save</button><div id=bar ` +
				`style="position:absolute;left:0;top:0;width:250px;height:70px;background:#ccc8"></div>`, "", "div#bar"},
		{"a floating label",
			`<div style="position:relative"><input id=f style="height:40px;width:200px"><span id=x ` +
				`style="position:absolute;left:8px;top:10px;pointer-events:none">Name</span></div>`, "f", ""},
		{"a floating label of its own",
			`<div style="position:relative"><label for=f id=x style="position:absolute;left:8px;top:10px">Name</label><input ` +
				`id=f style="position:relative;height:40px;width:200px;background:none"></div>`, "f", ""},
		{"a card filled by a link",
			`<div id=x style="position:relative;width:200px;height:100px"><a href=# id=in ` +
				`style="position:absolute;inset:0"></a></div>`, "", ""},
		{"a scrim by a pseudo-element",
			`<style>body::after{content:"";position:fixed;inset:0;background:#0003}</style><button id=x>Save</button>`, "",
			"body"},
		{"a label", `<label id=x>Agree <input type=checkbox id=c></label>`, "x", ""},
		{"text in a button", `<button><b id=x>Save</b></button>`, "x", ""},
	}) {
		fill(t, d, c.body)
		n := byID(t, tree(t, d), "x")
		got := ""
		if n.Press != nil {
			_, page, err := d.slot.Page()
			Must(t, err)
			hit, err := page.Evaluate(fmt.Sprintf("document.elementFromPoint(%d, %d).id", n.Press.X, n.Press.Y))
			Must(t, err)
			got = fmt.Sprint(hit)
		}
		if got != c.hits || n.Covered != c.covered {
			t.Errorf("%s: a press meets %q, want %q; covered by %q, want %q; %v", c.name, got, c.hits, n.Covered, c.covered,
				n.Press)
		}
	}
	fill(t, d, row)
	n := byID(t, tree(t, d), "x")
	if n.TextBounds == nil || n.TextBounds.Dx() > 100 || !n.TextBounds.In(n.Bounds) {
		t.Errorf("the row's text is at %v in %v", n.TextBounds, n.Bounds)
	}
	if n.Press == nil || !n.Press.In(*n.TextBounds) {
		t.Errorf("the row is pressed at %v, its text is at %v", n.Press, n.TextBounds)
	}
}

func TestTheSeenPartOfAnElement(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<style>body{margin:0}</style><div style="height:50px;width:200px;overflow:hidden"><p id=x `+
			`style="margin:0;height:100px">One<br>two<br>three<br>four</p></div><p id=y style="margin:0">Whole</p>`)
	tr := tree(t, d)
	if n := byID(t, tr, "x"); n.Seen == nil || *n.Seen != image.Rect(0, 0, 200, 50) ||
		n.Bounds != image.Rect(0, 0, 200, 100) {
		t.Errorf("bounds %v, seen %v", n.Bounds, n.Seen)
	}
	if n := byID(t, tr, "y"); n.Seen != nil {
		t.Errorf("of what is whole: %v", n.Seen)
	}
}

func TestTouchesInAScaledFrame(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<style>body{margin:0}</style><iframe style="width:800px;height:600px;border:5px `+
			`solid;transform:scale(.6);transform-origin:30px 40px"
		srcdoc="<body style='margin:0'><div style='height:400px'></div><button id=b style='margin-left:500px' `+
			`onclick='this.textContent=&quot;Done&quot;'>Go</button>"></iframe>
		<div id=cover style="position:fixed;left:0;top:0;width:100px;height:100px"></div>`)
	if !until(t.Context(), patience, func() bool { return find(tree(t, d), showing("Go")) != nil }) {
		t.Fatal("no button in the frame")
	}
	n := byID(t, tree(t, d), "b")
	if n.Press == nil || n.Covered != "" {
		t.Fatalf("in the frame: %+v", n)
	}
	d.Aim(n)
	Must(t, d.Tap(t.Context(), *n.Press))
	if d.TouchMet() != "button#b" {
		t.Errorf("the touch met %q", d.TouchMet())
	}
	if !until(t.Context(), patience, func() bool { return find(tree(t, d), showing("Done")) != nil }) {
		t.Error("the touch did not reach the button")
	}
}

func TestTextsBeyondTheLargestTree(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestALargePageIsCut remains")
	d := display(t, `<div id=big></div><p id=last>The end</p><script>
		const f = document.createDocumentFragment();
		for (let i = 0; i < 600; i++) { const e = document.createElement('button'); e.textContent = 'Button ' + i; `+
		`f.append(e); }
		big.append(f);</script>`)
	d.Reader.Most = dom.MaxNodes / 40
	tr := tree(t, d)
	if tr.Cut() == "" || find(tr, showing("Button 585")) != nil {
		t.Fatal("the page is not too large")
	}
	d.HintTexts("Button 585")
	n := find(tree(t, d), showing("Button 585"))
	if n == nil {
		t.Fatal("the text that was sought is left out")
	}
	Must(t, d.Reveal(t.Context(), n))
	n = find(tree(t, d), showing("Button 585"))
	if n == nil || n.Press == nil || find(tree(t, d), showing("The end")) != nil && n.Type != "button" {
		t.Fatalf("revealed: %+v", n)
	}
	d.HintTexts()
	if find(tree(t, d), showing("Button 585")) == nil {
		t.Error("what is in view is left out")
	}
}
