package action_test

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// chosenIn picks an option by its label.
func chosenIn(selector, label string) dsl.WebSelect {
	return dsl.WebSelect{Selector: selector, Label: []string{label}}
}

// filled replaces the text of a field that is named by its id.
func filled(id, text string) dsl.Input {
	sel := at(id)
	return dsl.Input{Into: &sel, Text: text, Replace: true}
}

func named(label string) dsl.Target { return dsl.Target{Selector: dsl.Selector{Label: label}} }

// actionsReported are pages after what the tests of other tools expect of actions.
var actionsReported = []reported{
	{name: "a button without a box, below the window", // playwright, page-click-timeout
		page: tall + `Ready? <button id=b style="display:contents">Start</button>`, do: tap("Start"), record: "b"},
	{name: "a column that stays over the right of a wide row", // cypress, click
		page: `<style>p{margin:0;height:60px}</style><div style="width:480px;overflow:auto"><div style="display:flex;` +
			`width:1900px"><p style="width:520px"><p id=b style="width:110px;background:#9cf">May</p><p style="width:600px">` +
			`<p style="position:sticky;right:0;width:340px;background:#eee">Sum</p></div></div>`,
		do: tap("May"), record: "b"},
	{name: "two places that no window shows together", // selenium, DragAndDropTest
		page: `<p id=a draggable=true>Tile</p>` + tall + `<p id=b>Tray</p>`, do: dsl.Drag{From: named("Tile"),
			To: dsl.Ptr(named("Tray"))}, fail: "not on the screen together"},
	{name: "two places that scrolling to one of them moves", // selenium, DragAndDropTest
		page: tall + `<p id=a draggable=true>Tile</p><div style="height:250px"></div><p id=b>Tray</p>` + tall +
			`<script>a.ondragstart=e=>e.dataTransfer.setData('text','x');b.ondragover=e=>e.preventDefault();` +
			`b.ondrop=e=>{e.preventDefault();log.textContent='dropped'}</script>`, do: dsl.Drag{From: named("Tile"),
			To: dsl.Ptr(named("Tray"))}, record: "dropped"},
	{name: "a component whose button draws its text", // testcafe 2861
		page: `<x-go id=x>Send it</x-go><script>x.attachShadow({mode:'open'}).innerHTML='<button id=in><slot></slot>` +
			`</button>'</script>`, do: tapOn("x"), record: "in"},
	{name: "a component with another button over its text", // testcafe 2861
		page: `<x-go id=x>Draft</x-go><script>x.attachShadow({mode:'open'}).innerHTML='<div style="position:relative">` +
			`<slot></slot><button id=in style="position:absolute;inset:0">More</button></div>'</script>`,
		do: tap("Draft"), fail: "covered"},
	{name: "a card that takes no touches, over nothing that reacts", // cypress, click
		page: `<section><div id=k style="pointer-events:none;height:90px;background:#cde">Summer sale</div></section>`,
		do:   tap("Summer sale"), fail: "its own pointer-events: none"},
	{name: "a card that takes touches after a while", // cypress, click
		page: `<section><div id=k style="pointer-events:none;height:90px;background:#cde">Summer sale</div></section>` +
			`<script>setTimeout(()=>{k.style.pointerEvents=''},700)</script>`, do: tap("Summer sale"), record: "k"},
	{name: "a button that draws its text again when it is pressed", // cypress, click
		page: `<button id=b type=button><span>Follow</span></button><script>b.addEventListener('mousedown',()=>{` +
			`b.innerHTML='<span>Follow</span>'});b.addEventListener('click',()=>{})</script>`,
		do: tap("Follow"), fail: "replaced button#b between press and release"},
	{name: "a list that is rendered again when it is pressed", // cypress, click
		page: `<ul id=u></ul><script>const draw=()=>{u.innerHTML='<li><button onclick="1">Mute</button>'};draw();` +
			`u.addEventListener('pointerdown',draw)</script>`,
		do: tap("Mute"), fail: "between press and release"},
	{name: "an option with another space and other capitals", // playwright, page-select-option
		page: `<select id=s><option value=a>Any<option value=b>&nbsp;Next&nbsp;week</select>`,
		do:   chosenIn("#s", "NEXT week"), record: "s=b"},
	{name: "options that differ in their capitals", // cypress, select
		page: `<select id=s><option value=a>Any<option value=b>POLISH<option value=c>Polish</select>`,
		do:   chosenIn("#s", "Polish"), record: "s=c"},
	{name: "two options of one label", // cypress, select
		page: `<select id=s><option value=a>Any<option value=b>Springfield<option value=c>Springfield</select>`,
		do:   chosenIn("#s", "Springfield"), fail: "2 options"},
	{name: "one option twice", // cypress, select
		page: `<select id=s><option value=a>Any<option value=de>Germany<option value=dk>Denmark<option value=de>Germany` +
			`</select>`, do: chosenIn("#s", "Germany"), record: "s=de"},
	{name: "the option that is chosen already", // cypress, select
		page: `<select id=s><option>Any<option selected>Later</select><p id=log>-</p>`, do: chosenIn("#s", "Later"),
		record: "-"},
	{name: "a field that is left for a list", // cypress, select
		page: `<input id=i autofocus><select id=s><option>Any<option value=b>Now</select><script>i.focus();i.onblur=()=>{` +
			`s.value='';s.innerHTML='<option>Any<option value=left>Now'}</script>`, do: chosenIn("#s", "Now"),
		record: "s=left"},
	{name: "a list that a label names", // playwright, retarget
		page: `<label>Size <select id=s><option>Any<option value=m>Medium</select></label>`,
		do:   chosenIn("label", "medium"), record: "s=m"},
	{name: "a slider that is set from the start", // playwright, page-fill
		page: `<input id=r type=range max=20 value=4>`, do: filled("r", "15"), record: "r=15"},
	{name: "a color in capitals", // playwright, page-fill
		page: `<input id=c type=color>`, do: dsl.WebType{Selector: "#c", Text: "#FFAA0C"}, record: "c=#ffaa0c"},
	{name: "an editor that moves its caret when it is entered", // playwright, page-fill
		page: `<div id=e contenteditable>Old note</div><script>e.onfocus=()=>{const s=getSelection();if(s.rangeCount)` +
			`s.collapseToEnd()}</script>`, do: dsl.WebType{Selector: "#e", Text: "New"}, record: "e=New"},
	{name: "a label that is a link for the most part", // playwright, page-check
		page: `<input id=c type=checkbox><label for=c style="display:inline-block;width:300px"><a id=l href="#x" ` +
			`style="display:inline-block;width:270px;height:40px">All terms of use</a> ok</label>`,
		do: dsl.WebCheck{Selector: "label", Checked: true}, record: "c=true"},
}

// TestAStepLeavesItsDialogOpen performs steps that open a dialog of the page: the next step answers it.
func TestAStepLeavesItsDialogOpen(t *testing.T) {
	t.Parallel()
	s := browser(t)
	field := at("x")
	for _, c := range []struct {
		page string
		do   any
	}{
		{`<select id=x onchange="log.textContent=confirm('Sure?')"><option>One<option>Two</select>`, chosenIn("#x", "Two")},
		{`<input id=x type=checkbox onchange="log.textContent=confirm('Sure?')">`,
			dsl.WebCheck{Selector: "#x", Checked: true}},
		{`<input id=x oninput="log.textContent=confirm('Sure?')">`, dsl.WebType{Selector: "#x", Text: "Hi"}},
		{`<input id=x oninput="log.textContent=confirm('Sure?')">`, dsl.Input{Into: &field, Text: "H"}},
	} {
		s.Timeout = 3 * time.Second
		visit(t, s, `<p id=log>-</p>`+c.page)
		if result, err := do(t, s, c.do); result != event.Pass {
			t.Errorf("%T: %s, %v", c.do, result, err)
		}
		d := s.Device.(drivers.Alerter)
		if open, err := d.Alert(t.Context()); err != nil || open == nil || open.Text != "Sure?" {
			t.Errorf("%T: the dialog is %v, %v", c.do, open, err)
			continue
		}
		if err := d.AnswerAlert(t.Context(), "OK", ""); err != nil {
			t.Error(err)
		}
		result, err := do(t, s, dsl.Assert{Selector: dsl.Selector{Label: "true"}})
		if result != event.Pass {
			t.Errorf("%T: the page was answered something else: %v", c.do, err)
		}
	}
}
