package action_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// at is the selector of one element by its id.
func at(id string) dsl.Selector { return dsl.Selector{CSS: "#" + id} }

func tapOn(id string) dsl.Tap { return dsl.Tap{Selector: at(id)} }

func typed(text string) dsl.Input { return dsl.Input{Text: text} }

func unverified(text string) dsl.Input {
	no := false
	return dsl.Input{Text: text, Verify: &no}
}

func keys(key string) dsl.Press { return dsl.Press{Keys: []string{key}} }

// entryCase is a page, what is done to it, and what must come of that: the page's own view decides.
type entryCase struct {
	name    string
	page    string
	steps   []any
	model   string // an expression over the page; "" is not asked
	holds   any
	fail    string // in the message of the last step; "": it passes
	warning string // in the warnings of the last step
}

func (c entryCase) run(t *testing.T, s *action.Performer) {
	defer func(before time.Duration) { s.Timeout = before }(s.Timeout)
	visit(t, s, c.page)
	for i, step := range c.steps {
		last := i == len(c.steps)-1
		if s.Timeout = passes; last && c.fail != "" { // it is waited for in vain
			s.Timeout = vain()
		}
		result, err := do(t, s, step)
		switch {
		case last && c.fail != "":
			if result != event.Fail || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%s: %v, not %q", result, err, c.fail)
			}
		case err != nil:
			t.Errorf("step %d: %v", i+1, err)
		case last && !strings.Contains(strings.Join(s.Detail.Warnings, ";"), c.warning):
			t.Errorf("warnings %q, not %q", s.Detail.Warnings, c.warning)
		case last && c.warning == "" && len(s.Detail.Warnings) > 0:
			t.Errorf("warnings %q", s.Detail.Warnings)
		}
	}
	if c.model == "" {
		return
	}
	got, err := s.Device.(drivers.WebPages).Eval(t.Context(), c.model, 10*time.Second)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(c.holds) {
		t.Errorf("the page holds %q, not %q (%v)", fmt.Sprint(got), fmt.Sprint(c.holds), err)
	}
}

func vain() time.Duration {
	if testing.Short() {
		return 3 * time.Second
	}
	return 6 * time.Second
}

// runEntries runs a fifth of them in the short mode.
func runEntries(t *testing.T, cases []entryCase) {
	s := browser(t)
	for _, c := range testutil.Few(5, cases) {
		t.Run(c.name, func(t *testing.T) { c.run(t, s) })
	}
}

// blockEditor keeps each line in a paragraph, as rich-text editors do, and counts what was typed into it.
const blockEditor = `<style>.e:empty::before,.e.blank::before{content:'Write ` +
	`here';color:#999;position:absolute}.e{border:1px solid;min-height:60px;white-space:pre-wrap}</style>
<div id=e class="e blank" contenteditable role=textbox aria-multiline=true><p><br></p></div>
<script>let keys=0;e.addEventListener('beforeinput',()=>keys++);e.addEventListener('input',()=>` +
	`e.classList.toggle('blank',!e.innerText.trim()))</script>`

// hiddenEditor draws what a tiny <textarea> takes, line by line and in no order, as code editors do; it closes brackets
// itself.
const hiddenEditor = `<style>#ed{position:relative;width:500px;height:160px;border:1px solid;font:14px/20px ` +
	`monospace;overflow:hidden}
.l{position:absolute;left:40px;height:20px;white-space:pre}.n{position:absolute;left:5px;height:20px}
#ta{position:absolute;width:1px;height:1px;padding:0;border:0;left:40px;top:0}</style>
<div id=ed><textarea id=ta autocorrect=off></textarea><div id=view></div></div>
<script>let text='',all=false;const draw=()=>{view.innerHTML='';const ` +
	`ls=text.split('\n');ls.map((t,i)=>[t,i]).reverse().forEach(([t,i])=>{
const n=document.createElement('div');n.className='n';n.style.top=i*20+'px';n.textContent=i+1;const ` +
	`l=document.createElement('div');l.className='l';l.style.top=i*20+'px';l.textContent=t.replace(/ ` +
	`/g,'\u00a0');view.append(l,n)})};
let caret=0;const put=s=>{if(all){text='';caret=0;all=false}const ` +
	`close={'(':')','{':'}'}[s]||'';if(text[caret]===s&&')}'.includes(s)){caret++;draw();return}
text=text.slice(0,caret)+s+close+text.slice(caret);caret+=s.length;draw()};
ta.addEventListener('input',()=>{const v=ta.value;ta.value='';for(const c of v)put(c)});
ta.addEventListener('keydown',k=>{if((k.ctrlKey||k.metaKey)&&k.key==='a'){all=true;k.preventDefault()}` +
	`if((k.ctrlKey||k.metaKey)&&k.key==='End'){caret=text.length;k.preventDefault()}
if(k.key==='Delete'&&all){text='';caret=0;all=false;draw()}if(k.key==='Backspace'&&caret){text=text.slice(0,` +
	`caret-1)+text.slice(caret);caret--;draw()}});
ed.addEventListener('mousedown',ev=>{ev.preventDefault();ta.focus()});draw()</script>`

func TestEditorsTakeATextOnce(t *testing.T) {
	t.Parallel()
	framed := func(attrs, script string) string {
		return `<iframe id=fr style="width:400px;height:200px" srcdoc="<body id=b ` + attrs +
			`><p id=p>here</p></body><script>` + script + `</script>"></iframe>`
	}
	inFrame := "fr.contentDocument.body.innerText.trim()"
	tapFrame := dsl.Tap{Selector: dsl.Selector{Label: "here"}}
	runEntries(t, []entryCase{
		{name: "an empty paragraph", page: blockEditor, steps: []any{tapOn("e"), typed("hello world")},
			model: "[e.innerText.trim(),keys].join()", holds: "hello world,11"},
		{name: "two lines", page: blockEditor, steps: []any{tapOn("e"), typed("one\ntwo")},
			model: "[...e.children].map(p=>p.innerText.trim()).join('|')", holds: "one|two"},
		{name: "behind what is there", page: blockEditor + `<script>e.innerHTML='<p>first</p><p>second</p>'</script>`,
			steps: []any{tapOn("e"), typed(" more")},
			model: "[...e.children].map(p=>p.innerText.trim()).join('|')", holds: "first|second more"},
		{name: "replaced", page: blockEditor + `<script>e.innerHTML='<p>old</p>'</script>`,
			steps: []any{tapOn("e"), dsl.Input{Text: "new", Replace: true}}, model: "e.innerText.trim()", holds: "new"},
		{name: "nested deep in the page",
			page:  `<div><div><div id=e contenteditable><div><div><span>x</span></div></div></div></div></div>`,
			steps: []any{tapOn("e"), typed("yz")}, model: "e.innerText", holds: "xyz"},
		{name: "smart quotes are the editor's",
			page: `<div id=e contenteditable style="min-height:30px;border:1px ` +
				`solid"></div><script>e.addEventListener('beforeinput',v=>{if(v.data==='"'){v.preventDefault();` +
				`document.execCommand('insertText',false,e.innerText?'\u201d':'\u201c')}})</script>`,
			steps: []any{tapOn("e"), typed(`"hi"`)}, model: "e.innerText", holds: "\u201chi\u201d", warning: "the field made"},
		{name: "one that swallows digits",
			page: `<div id=e contenteditable style="min-height:30px;border:1px ` +
				`solid"></div><script>e.addEventListener('beforeinput',v=>{if(/\d/.test(v.data))v.preventDefault()})</script>`,
			steps: []any{tapOn("e"), typed("a1b")}, model: "e.innerText", holds: "ab", fail: `div#e shows "ab"`},
		{name: "a placeholder of its own element",
			page: `<div style="position:relative"><div id=e contenteditable style="min-height:30px;border:1px ` +
				`solid"><p><span contenteditable=false style="pointer-events:none;user-select:none;color:#999" id=ph>Say ` +
				`something</span><br></p></div></div><script>e.addEventListener('input',()=>` +
				`{document.getElementById('ph')?.remove()})</script>`,
			steps: []any{tapOn("e"), typed("hey")}, model: "e.innerText.trim()", holds: "hey"},
		{name: "an editable body in a frame", page: framed("contenteditable=true", ""),
			steps: []any{tapFrame, typed(" I am")}, model: inFrame, holds: "here I am"},
		{name: "designMode in a frame", page: framed("", "document.designMode='on'"), steps: []any{tapFrame, typed(" I am")},
			model: inFrame, holds: "here I am"},
		{name: "a hidden field with drawn lines", page: hiddenEditor, steps: []any{tapOn("ed"), typed("if (a) {")},
			model: "text", holds: "if (a) {}"},
		{name: "a hidden field, two lines", page: hiddenEditor, steps: []any{tapOn("ed"), typed("let a = 1\nlet b = 2")},
			model: "text", holds: "let a = 1\nlet b = 2"},
		{name: "a hidden field, replaced", page: hiddenEditor + "<script>text='old';caret=3;draw()</script>",
			steps: []any{tapOn("ed"), dsl.Input{Text: "new", Replace: true}}, model: "text", holds: "new"},
		{name: "a hidden field, all selected by keys", page: hiddenEditor + "<script>text='old';caret=3;draw()</script>",
			steps: []any{tapOn("ed"), keys("control+a"), typed("new")}, model: "text", holds: "new"},
		{name: "a hidden field that takes nothing", page: hiddenEditor + "<script>put=()=>{}</script>" +
			`<script>ta.addEventListener('input',v=>{v.stopImmediatePropagation();ta.value=''},{capture:true});` +
			`window.addEventListener('input',v=>{ta.value='';v.stopImmediatePropagation()},true)</script>`,
			steps: []any{tapOn("ed"), typed("abc")}, fail: `shows ""`},
		{name: "an EditContext",
			page: `<div id=e tabindex=0 style="min-height:40px;border:1px solid;white-space:pre"></div><script>const c=new ` +
				`EditContext();e.editContext=c;c.addEventListener('textupdate',v=>{e.textContent=c.text})</script>`,
			steps: []any{tapOn("e"), typed("drawn")}, model: "e.textContent", holds: "drawn"},
	})
}

// TestEditorsThatRefuse: what takes the keys may keep a text that its editor has refused, as those of Monaco do when it
// is read-only. The step fails unless the text is shown, or is painted, where no script reads it.
func TestEditorsThatRefuse(t *testing.T) {
	t.Parallel()
	context := func(draw string) string {
		return `<div id=e tabindex=0 style="min-height:40px;border:1px solid;position:relative"></div><div id=view></div>
<script>const c=new EditContext();e.editContext=c;c.addEventListener('textupdate',v=>{` + draw + `})</script>`
	}
	painted := `<canvas id=ink width=300 height=40></canvas>`
	area := func(draw string) string {
		return `<style>#ed{position:relative;width:500px;height:80px;border:1px ` +
			`solid}#ta{position:absolute;width:1px;height:1px;` +
			`padding:0;border:0}</style><div id=ed><textarea id=ta></textarea><div id=view>` + draw +
			`</div></div><script>ed.onmousedown=v=>{v.preventDefault();ta.focus()}</script>`
	}
	dots := `<style>#f{position:absolute;opacity:0}i{display:inline-block;width:12px;height:12px;border:1px ` +
		`solid}i.on{background:#000}</style>
<label id=pin style="display:block;position:relative;width:200px;height:40px"><input id=f><i></i><i></i><i></i></label>
<script>f.oninput=()=>document.querySelectorAll('i').forEach((n,i)=>n.classList.toggle('on',i<f.value.length))</script>`
	runEntries(t, []entryCase{
		{name: "an empty EditContext that draws nothing", page: context(""), steps: []any{tapOn("e"), typed("abc")},
			model: "c.text", holds: "abc", fail: `shows ""`},
		{name: "an EditContext that is drawn below", page: `<div style="padding:2px">` + context("view.textContent=c.text") +
			`</div>`, steps: []any{tapOn("e"), typed("abc")}, model: "view.textContent", holds: "abc"},
		{name: "an EditContext that is painted",
			page:  context("ink.getContext('2d').fillText(c.text,5,20)") + `<script>e.innerHTML='` + painted + `'</script>`,
			steps: []any{tapOn("e"), typed("abc")}, model: "c.text", holds: "abc", warning: "painted"},
		{name: "an empty box that keeps the keys", page: area(""), steps: []any{tapOn("ed"), typed("abc")}, model: "ta.value",
			holds: "abc", fail: `shows ""`},
		{name: "a box that keeps the keys", page: area("let a = 1"), steps: []any{tapOn("ed"), typed("abc")},
			model: "ta.value", holds: "abc", fail: `shows "let a = 1"`},
		{name: "a box that keeps the keys of what is painted", page: area(painted), steps: []any{tapOn("ed"), typed("abc")},
			model: "ta.value", holds: "abc", warning: "painted"},
		{name: "circles for the digits", page: dots, steps: []any{tapOn("pin"), typed("123")}, model: "f.value", holds: "123",
			warning: "the field made"},
	})
}

func TestASelectionIsReplaced(t *testing.T) {
	t.Parallel()
	field := `<input id=f value="old words"><p id=p>x</p>`
	area := `<textarea id=f>old words</textarea>`
	runEntries(t, []entryCase{
		{name: "by control+a", page: field, steps: []any{tapOn("f"), keys("control+a"), typed("new")}, model: "f.value",
			holds: "new"},
		{name: "by control+a in an area", page: area, steps: []any{tapOn("f"), keys("control+a"), typed("new")},
			model: "f.value", holds: "new"},
		{name: "by control+a in a number", page: `<input id=f type=number value=92>`,
			steps: []any{tapOn("f"), keys("control+a"), typed("7")}, model: "f.value", holds: "7"},
		{name: "by a double tap", page: `<input id=f value=old>`, steps: []any{dsl.DoubleTap{Selector: at("f")},
			typed("new")}, model: "f.value", holds: "new"},
		{name: "by a page that selects on focus", page: `<input id=f value=old onfocus="setTimeout(()=>f.select())">`,
			steps: []any{tapOn("f"), typed("new")}, model: "f.value", holds: "new"},
		{name: "a plain tap goes behind", page: field, steps: []any{tapOn("f"), typed("!")}, model: "f.value",
			holds: "old words!"},
		{name: "a caret that keys have put", page: field, steps: []any{tapOn("f"), keys("home"), typed("my ")},
			model: "f.value", holds: "my old words"},
		{name: "two texts in a row", page: field, steps: []any{tapOn("f"), keys("home"), typed("a"), typed("b")},
			model: "f.value", holds: "abold words"},
		{name: "a selection that the field will not give up",
			page: `<input id=f value=old><script>f.onkeydown=e=>` +
				`{if(!e.ctrlKey&&e.key.length===1)f.setSelectionRange(f.value.length,f.value.length)}</script>`,
			steps: []any{tapOn("f"), keys("control+a"), typed("new")}, fail: `shows "oldnew"`},
	})
}

func TestTheFieldDecidesWhatWasTyped(t *testing.T) {
	t.Parallel()
	boxes := func(script string) string {
		return `<div id=code>` + strings.Repeat(`<input class=b inputmode=numeric maxlength=1 style="width:24px">`, 5) +
			`</div><script>
const bs=[...document.querySelectorAll('.b')],all=()=>bs.map(b=>b.value).join('');bs[0].id='f';` + script + `</script>`
	}
	late := `bs.forEach((b,i)=>b.addEventListener('input',()=>{if(b.value&&bs[i+1])setTimeout(()=>bs[i+1].focus(),40)}))`
	segments := `<style>span[role]{padding:2px;border:1px solid}</style><div role=group id=g>` +
		`<span id=m role=spinbutton contenteditable data-max=12 data-len=2>mm</span>/<span id=d role=spinbutton ` +
		`contenteditable data-len=2>dd</span>/<span id=y role=spinbutton contenteditable data-len=4>yyyy</span></div>
<script>const ss=[...document.querySelectorAll('[role=spinbutton]')];ss.forEach((s,i)=>{let ` +
		`v='';s.addEventListener('focus',()=>v='');s.addEventListener('beforeinput',e=>{e.preventDefault();` +
		`if(!/^\d$/.test(e.data||''))return;v+=e.data;s.textContent=v.padStart(+s.dataset.len,'0');if(v.length>` +
		`=+s.dataset.len&&ss[i+1])ss[i+1].focus()})})</script>`
	runEntries(t, []entryCase{
		{name: "a date as people write it", page: `<input id=f type=date>`, steps: []any{tapOn("f"), typed("2026-11-22")},
			model: "f.value", holds: "2026-11-22"},
		{name: "a date that is none", page: `<input id=f type=date>`, steps: []any{tapOn("f"), typed("tomorrow")},
			fail: `input#f shows ""`},
		{name: "a time", page: `<input id=f type=time>`, steps: []any{tapOn("f"), typed("09:30")}, model: "f.value",
			holds: "09:30"},
		{name: "a month", page: `<input id=f type=month>`, steps: []any{tapOn("f"), typed("2026-11")}, model: "f.value",
			holds: "2026-11"},
		{name: "a range", page: `<input id=f type=range min=0 max=100 value=5>`, steps: []any{tapOn("f"), typed("70")},
			model: "f.value", holds: "70"},
		{name: "a number", page: `<input id=f type=number step=any>`, steps: []any{tapOn("f"), typed("12.5")},
			model: "f.value", holds: "12.5"},
		{name: "a number without the letters", page: `<input id=f type=number>`, steps: []any{tapOn("f"), typed("12b4")},
			fail: `shows "124"`},
		{name: "boxes of a code",
			page:  boxes(`bs.forEach((b,i)=>b.addEventListener('input',()=>{if(b.value&&bs[i+1])bs[i+1].focus()}))`),
			steps: []any{tapOn("f"), typed("70481")}, model: "all()", holds: "70481"},
		{name: "boxes whose focus moves late", page: boxes(late), steps: []any{tapOn("f"), typed("70481")}, model: "all()",
			holds: "70481"},
		{name: "boxes whose focus does not move", page: boxes(""), steps: []any{tapOn("f"), typed("70481")}, model: "all()",
			holds: "7", fail: `shows "7"`},
		{name: "boxes, typed again", page: boxes(late + ";bs.forEach((b,i)=>b.value=i)"),
			steps: []any{tapOn("f"), dsl.Input{Text: "70481", Replace: true}}, model: "all()", holds: "70481"},
		{name: "segments of a date", page: segments, steps: []any{tapOn("m"), typed("11222026")}, model: "g.textContent",
			holds: "11/22/2026"},
		{name: "one segment", page: segments, steps: []any{tapOn("d"), typed("07")}, model: "g.textContent",
			holds: "mm/07/yyyy"},
		{name: "a mask",
			page: `<input id=f><script>f.oninput=()=>{const ` +
				`d=f.value.replace(/\D/g,'');f.value=d.length>3?'('+d.slice(0,3)+') '+d.slice(3):d}</script>`,
			steps: []any{tapOn("f"), typed("1234567")}, model: "f.value", holds: "(123) 4567", warning: "the field made"},
		{name: "a page that takes it back later",
			page:  `<input id=f><script>f.oninput=()=>setTimeout(()=>{f.value=''},60)</script>`,
			steps: []any{tapOn("f"), typed("ada")}, fail: `shows ""`},
		{name: "invalid and told so", page: `<input id=f type=email required>`, steps: []any{tapOn("f"), typed("ada")},
			model: "f.value", holds: "ada", warning: "does not accept"},
		{name: "invalid and told so without verification", page: `<input id=f type=email required>`,
			steps: []any{tapOn("f"), unverified("ada")}, model: "f.value", holds: "ada", warning: "does not accept"},
		{name: "sent by Enter",
			page: `<input id=f><p id=log></p><script>f.onkeydown=e=>{if(e.key==='Enter'){log.textContent+=f.value;f.value=''}}` +
				`</script>`, steps: []any{tapOn("f"), typed("hello\n")}, model: "log.textContent", holds: "hello",
			warning: "sent the text off"},
		{name: "the focus is stolen",
			page: `<input id=f><input id=chat ` +
				`aria-label=Chat><script>f.oninput=()=>{if(f.value.length===3)chat.focus()}</script>`,
			steps: []any{tapOn("f"), typed("abcdef")}, model: "[f.value,chat.value].join()", holds: "abc,def",
			fail: `input#f shows "abc"; the focus moved to input#chat, which shows "def"`},
		{name: "the focus goes on when it is full",
			page: `<input id=f><input id=next ` +
				`style="width:200px"><script>f.oninput=()=>{if(f.value.length===3)next.focus()}</script>`,
			steps: []any{tapOn("f"), typed("abc")}, model: "[f.value,next.value].join()", holds: "abc,"},
		{name: "a field that lags drops a character once",
			page:  `<input id=f><script>let n=0;f.addEventListener('beforeinput',e=>{if(++n===2)e.preventDefault()})</script>`,
			steps: []any{tapOn("f"), typed("abc")}, model: "f.value", holds: "abc"},
		{name: "a count that falls back to 0",
			page:  `<input id=f value=3><script>f.oninput=()=>{f.value=String(+f.value||0)}</script>`,
			steps: []any{tapOn("f"), dsl.Input{Text: "5", Replace: true}}, model: "f.value", holds: "5"},
	})
}

// TestFieldsThatFormat: what a field makes of a text is compared, whatever it showed before; and a field that fills
// itself can be replaced.
func TestFieldsThatFormat(t *testing.T) {
	t.Parallel()
	thousands := func(value string) string {
		return `<input id=f value="` + value +
			`"><script>f.oninput=()=>{const d=f.value.replace(/\D/g,'');f.value=d&&(+d).toLocaleString('en-US')}</script>`
	}
	dollars := `<input id=f value="$0.00"><script>f.oninput=()=>{const d=f.value.split('.')[0].replace(/\D/g,'');` +
		`f.value='$'+(+d).toLocaleString('en-US')+'.00';f.setSelectionRange(f.value.length-3,f.value.length-3)}</script>`
	refills := `<input id=f value=1><script>f.oninput=()=>{if(!f.value)f.value='1'}</script>`
	later := `<input id=f value=1><script>f.oninput=()=>{if(!f.value)setTimeout(()=>f.value='1')}</script>`
	replaced := func(text string) []any { return []any{tapOn("f"), dsl.Input{Text: text, Replace: true}} }
	runEntries(t, []entryCase{
		{name: "the old text is a beginning", page: thousands("1"), steps: replaced("1250"), model: "f.value", holds: "1,250",
			warning: "the field made"},
		{name: "the old text is beginning and end", page: thousands("10"), steps: replaced("1250"), model: "f.value",
			holds: "1,250", warning: "the field made"},
		{name: "the same number again", page: thousands("1,250"), steps: replaced("1250"), model: "f.value", holds: "1,250",
			warning: "the field made"},
		{name: "behind what is there", page: thousands("12"), steps: []any{tapOn("f"), typed("50")}, model: "f.value",
			holds: "1,250"},
		{name: "selected by keys", page: thousands("1"), steps: []any{tapOn("f"), keys("control+a"), typed("1250")},
			model: "f.value", holds: "1,250", warning: "the field made"},
		{name: "dollars and cents", page: dollars, steps: replaced("1250"), model: "f.value", holds: "$1,250.00",
			warning: "the field made"},
		{name: "a field that is never empty", page: refills, steps: replaced("5"), model: "f.value", holds: "5"},
		{name: "a field that soon fills itself", page: later, steps: replaced("5"), model: "f.value", holds: "5"},
		{name: "an area", page: `<textarea id=f>one
two</textarea>`, steps: replaced("three"), model: "f.value", holds: "three"},
		{name: "a password", page: `<input id=f type=password value=old>`, steps: replaced("secret"), model: "f.value",
			holds: "secret", warning: "its length"},
		{name: "a number", page: `<input id=f type=number value=12>`, steps: replaced("125"), model: "f.value", holds: "125"},
		{name: "a selection that is kept",
			page: `<input id=f value=old><script>f.onkeydown=e=>` +
				`{if(!e.ctrlKey&&e.key.length===1)f.setSelectionRange(f.value.length,f.value.length)}</script>`,
			steps: []any{tapOn("f"), keys("control+a"), typed("new")}, fail: `shows "oldnew"`},
	})
}

// TestAListTakesNoText: the action for it is named.
func TestAListTakesNoText(t *testing.T) {
	t.Parallel()
	list := `<input id=b><select id=f><option>A<option>B</select>`
	runEntries(t, []entryCase{
		{name: "tapped by the step", page: list, steps: []any{dsl.Input{Text: "B", Into: &dsl.Selector{CSS: "#f"}}},
			model: "f.value", holds: "A", fail: "webSelect"},
		{name: "in focus", page: list, steps: []any{tapOn("b"), keys("tab"), typed("B")}, fail: "webSelect"},
	})
}

// TestTypingWaitsForThePage: a page that reacts to each key a moment later gets the text as a person types it; what it
// loses is typed again.
func TestTypingWaitsForThePage(t *testing.T) {
	t.Parallel()
	caret := func(how, value string) string {
		return `<input id=f value="` + value +
			`"><p id=log></p><script>let n=0;f.oninput=()=>{n++;const p=f.selectionStart;` + how + `}</script>`
	}
	put := "()=>f.setSelectionRange(p,p)"
	echo := func(value string) string {
		return `<input id=f value="` + value +
			`"><script>let busy=0;f.oninput=()=>{if(busy)return;busy=1;const ` +
			`v=f.value;setTimeout(()=>{f.value=v;busy=0},120)}</script>`
	}
	all := "[f.value,n].join()"
	runEntries(t, []entryCase{
		{name: "a caret that is put in a timer", page: caret("setTimeout("+put+")", ""),
			steps: []any{tapOn("f"), typed("5120 Main")}, model: all, holds: "5120 Main,9"},
		{name: "a caret that is put in a timer of a timer", page: caret("setTimeout(()=>setTimeout("+put+",0),0)", ""),
			steps: []any{tapOn("f"), typed("5120 Main")}, model: all, holds: "5120 Main,9"},
		{name: "a caret that is put in a frame", page: caret("requestAnimationFrame("+put+")", ""),
			steps: []any{tapOn("f"), typed("5120 Main")}, model: all, holds: "5120 Main,9"},
		{name: "a caret that is put in a frame of a frame", page: caret("requestAnimationFrame(()=>requestAnimationFrame("+
			put+"))", ""), steps: []any{tapOn("f"), typed("5120 Main")}, model: all, holds: "5120 Main,9"},
		{name: "in a filled field", page: caret("setTimeout("+put+")", "No. "), steps: []any{tapOn("f"), typed("5120")},
			model: all, holds: "No. 5120,4"},
		{name: "a timer that is taken back",
			page: caret("const "+
				"a=setTimeout(()=>{f.value='no'});setTimeout(()=>clearTimeout(a));clearTimeout(a)", ""),
			steps: []any{tapOn("f"), typed("512")}, model: all, holds: "512,3"},
		{name: "an echo that loses letters", page: echo(""), steps: []any{tapOn("f"), typed("Hello")}, model: "f.value",
			holds: "Hello"},
		{name: "an echo in a filled field", page: echo("AB "), steps: []any{tapOn("f"), typed("Hello")}, model: "f.value",
			holds: "AB Hello"},
		{name: "an echo, in the middle", page: echo("AB"), steps: []any{tapOn("f"), keys("home"), keys("right"),
			typed("-x-")}, model: "f.value", holds: "A-x-B"},
		{name: "a field that drops a character once, filled",
			page: `<input id=f value=x><script>let ` +
				`n=0;f.addEventListener('beforeinput',e=>{if(++n===2)e.preventDefault()})</script>`,
			steps: []any{tapOn("f"), typed("abc")}, model: "f.value", holds: "xabc"},
		{name: "a page that puts the caret before each letter", page: `<input id=f oninput="f.setSelectionRange(0,0)">`,
			steps: []any{tapOn("f"), typed("abc")}, model: "f.value", holds: "cba", fail: `shows "cba"`},
		{name: "a page that puts the caret before each letter, and has more to do",
			page:  `<input id=f oninput="f.setSelectionRange(0,0);clearTimeout(f.t);f.t=setTimeout(()=>0,300)">`,
			steps: []any{tapOn("f"), typed("abc")}, model: "f.value", holds: "cba", fail: `shows "cba"`},
		{name: "a page that drops each third letter",
			page:  `<input id=f oninput="if(f.value.length===3)f.value=f.value.slice(0,2)">`,
			steps: []any{tapOn("f"), typed("apple")}, model: "f.value", holds: "ap", fail: `shows "ap"`},
		{name: "a page that drops each third letter a moment later",
			page:  `<input id=f oninput="setTimeout(()=>{if(f.value.length===3)f.value=f.value.slice(0,2)},50)">`,
			steps: []any{tapOn("f"), typed("app")}, model: "f.value", holds: "ap", fail: `shows "ap"`},
		{name: "keys that the page refuses",
			page:  `<input id=f onkeydown="if(/[0-9]/.test(event.key))event.preventDefault()">`,
			steps: []any{tapOn("f"), typed("a1b")}, model: "f.value", holds: "ab", fail: `shows "ab"`},
		{name: "keys that the page refuses late", page: `<input id=f value=z onkeypress="return !/[0-9]/.test(event.key)">`,
			steps: []any{tapOn("f"), typed("a1b")}, model: "f.value", holds: "zab", fail: `shows "zab"`},
	})
}

// TestATextIsPutInAtOnce where a page that loses characters leaves no time for each key, also if it has nothing more to
// do when the field is read for the first time, as on a busy machine.
func TestATextIsPutInAtOnce(t *testing.T) {
	t.Parallel()
	s := browser(t)
	text := strings.Repeat("Hello, all of you. ", 11)
	enter := func(a dsl.Input) time.Duration {
		visit(t, s, `<input id=f><script>let busy=0;f.oninput=()=>{if(busy)return;busy=1;const `+
			`v=f.value;setTimeout(()=>{f.value=v;busy=0},120)}</script>`)
		if _, err := do(t, s, tapOn("f")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := do(t, s, a); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	s.Timeout = passes
	// half of what is left after the typing is less than a tenth of a second for each character, and enough for the text
	s.Timeout = enter(unverified(text)) + 30*time.Second
	enter(typed(text))
	if notes := strings.Join(s.Detail.Notes, "; "); !strings.Contains(notes, "put in at once") {
		t.Errorf("notes %q", notes)
	}
}

// TestLittleTimeProvesNothing: a field that takes characters away fails the step, however far the typing came.
func TestLittleTimeProvesNothing(t *testing.T) {
	t.Parallel()
	s := browser(t)
	for _, limit := range []time.Duration{300 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second} {
		visit(t, s, `<input id=f oninput="f.value=f.value.replace(/\s/g,'')">`)
		s.Timeout = 10 * time.Second
		if _, err := do(t, s, tapOn("f")); err != nil {
			t.Fatal(err)
		}
		s.Timeout = limit
		_, err := do(t, s, typed("DE89 3704 0044"))
		if err == nil || !strings.Contains(err.Error(), `typed "DE89 3704 0044"`) {
			t.Errorf("in %s: %v", limit, err)
		}
	}
}

func TestPasteIsThePages(t *testing.T) {
	t.Parallel()
	runEntries(t, []entryCase{
		{name: "what the test copied", page: `<p id=p>SAVE10</p><input id=f>`, steps: []any{dsl.CopyText{Selector: at("p")},
			tapOn("f"), dsl.Paste{}}, model: "f.value", holds: "SAVE10"},
		{name: "a page that refuses", page: `<input id=f onpaste="event.preventDefault()">`,
			steps: []any{dsl.SetClipboard{Text: "secret"}, tapOn("f"), dsl.Paste{}}, model: "f.value", holds: "",
			fail: "did not take the paste"},
		{name: "a page that refuses before the input",
			page:  `<input id=f onbeforeinput="if(event.inputType==='insertFromPaste')event.preventDefault()">`,
			steps: []any{dsl.SetClipboard{Text: "secret"}, tapOn("f"), dsl.Paste{}}, model: "f.value", holds: "",
			fail: "did not take the paste"},
		{name: "a page that pastes itself",
			page: `<input id=f><script>f.onpaste=e=>{e.preventDefault();f.value=e.clipboardData.getData('text').toUpperCase()}` +
				`</script>`, steps: []any{dsl.SetClipboard{Text: "abc"}, tapOn("f"), dsl.Paste{}}, model: "f.value", holds: "ABC",
			warning: "the field made"},
		{name: "what the page copied from its selection", page: `<input id=a value="of the page"><input id=f>`,
			steps: []any{dsl.SetClipboard{Text: "old"}, tapOn("a"), keys("control+a"), keys("control+c"), tapOn("f"),
				dsl.Paste{}}, model: "f.value", holds: "of the page"},
		{name: "what the page's copy event says",
			page: `<input id=a value=x><input ` +
				`id=f><script>a.oncopy=e=>{e.preventDefault();e.clipboardData.setData('text/plain','link-42')}</script>`,
			steps: []any{tapOn("a"), keys("control+a"), keys("control+c"), tapOn("f"), dsl.Paste{}}, model: "f.value",
			holds: "link-42"},
		{name: "over a selection", page: `<input id=f value=old>`, steps: []any{dsl.SetClipboard{Text: "new"}, tapOn("f"),
			keys("control+a"), dsl.Paste{}}, model: "f.value", holds: "new"},
	})
}
