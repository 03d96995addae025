package action_test

import (
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// recorder writes into #log what a pointer went down on, by the id of the element, the word at the point, and what is
// selected after a double click.
const recorder = `<p id=log style="position:fixed;bottom:0;right:0;margin:0;pointer-events:none">-</p><script>
const wordAt=(x,y)=>{const at=document.caretRangeFromPoint?document.caretRangeFromPoint(x,y):(p=>` +
	`p&&{startContainer:p.offsetNode,startOffset:p.offset})(document.caretPositionFromPoint(x,y));
  const n=at&&at.startContainer;if(!n||n.nodeType!==3)return '';for(const m of n.data.matchAll(/\S+/g)){const ` +
	`r=document.createRange();r.setStart(n,m.index);r.setEnd(n,m.index+m[0].length);
  for(const b of r.getClientRects())if(b.left<=x&&x<=b.right&&b.top<=y&&y<=b.bottom)return m[0]}return ''};
addEventListener('pointerdown',e=>{log.textContent=(e.target.id||e.target.localName)+'='+wordAt(e.clientX,e.clientY)}` +
	`,true);
addEventListener('dblclick',()=>{log.textContent='selected='+getSelection().toString().trim()});
addEventListener('input',e=>{log.textContent=e.target.id+'='+e.target.value});</script>`

// record is what the page has written down.
func record(want string) dsl.Assert {
	return dsl.Assert{Selector: dsl.Selector{Label: want, Match: dsl.MatchExact}}
}

func words(label string) dsl.Selector { return dsl.Selector{Label: label, Match: dsl.MatchWords} }

func beside(label string, of dsl.Selector) dsl.Selector {
	return dsl.Selector{Label: label, RightOf: &of}
}

const people = `<div style="font:16px/30px monospace;position:relative;width:500px"><div>Zoe Quill, 030 12<br>Ada ` +
	`Byron, 040 34<br>Tim Vale, 050 56</div>
<button id=zoe style="position:absolute;left:300px;top:3px">Call</button><button id=ada style="position:absolute;` +
	`left:300px;top:33px">Call</button><button id=tim style="position:absolute;left:300px;top:63px">Call</button></div>`

const mailbox = `<pre id=box onclick="" style="font:16px/30px monospace;cursor:pointer">Inbox
Drafts
Sent
Trash can</pre>`

func TestWordsOfAPageAreTouched(t *testing.T) {
	t.Parallel()
	s := browser(t)
	for _, c := range []struct {
		name, page string
		do         any
		want       string // in the record
		fail       string // in the error
	}{
		{"a button in the line of the words", people, dsl.Tap{Selector: beside("Call", words("Ada Byron"))}, "ada=Call", ""},
		{"and of the last line", people, dsl.Tap{Selector: beside("Call", words("Tim"))}, "tim=Call", ""},
		{"a line of a text", mailbox, dsl.Tap{Selector: words("Trash can")}, "box=Trash", ""},
		{"the first line", mailbox, dsl.Tap{Selector: words("inbox")}, "box=Inbox", ""},
		{"a word", `<p id=p style="width:200px">The quick brown fox jumps over the lazy dog</p>`,
			dsl.DoubleTap{Selector: words("fox")}, "selected=fox", ""},
		{"a word of a long press", `<p id=p style="width:200px">The quick brown fox jumps over the lazy dog</p>`,
			dsl.LongPress{Selector: words("lazy")}, "p=lazy", ""},
		{"a field right of words",
			`<div style="font:16px/30px monospace;position:relative;width:500px">Last name:<br>Post code, then E-mail:<br>` +
				`Phone:</div><input id=last style="position:absolute;left:240px;top:3px;width:90px">
			<input id=mail style="position:absolute;left:240px;top:33px;width:90px"><input id=phone style="position:absolute;` +
				`left:240px;top:63px;width:90px">`,
			dsl.Input{Into: &dsl.Selector{Type: "textbox", RightOf: &dsl.Selector{Label: "E-mail:", Match: dsl.MatchWords}},
				Text: "ada"}, "mail=ada", ""},
		{"a link within a text, by words around it",
			`<p id=p style="width:500px">Read our <a id=a href="#">terms</a> and wait</p>`,
			dsl.Tap{Selector: words("terms and wait")}, "p=and", ""},
		{"a button as a whole", `<button id=b>Pay 12 €</button>`, dsl.Tap{Selector: words("Pay")}, "b=Pay", ""},
		{"a column below words",
			`<div style="font:16px/30px monospace;position:relative;width:600px"><div>Morning       Noon       Night</div>` +
				`<button id=m style="position:absolute;left:0;top:33px">Book</button>
			<button id=e style="position:absolute;left:250px;top:40px">Book</button></div><style>div{white-space:pre}</style>`,
			dsl.Tap{Selector: dsl.Selector{Label: "Book", Below: &dsl.Selector{Label: "Night", Match: dsl.MatchWords}}},
			"e=Book", ""},
		{"words out of view", `<pre id=x style="height:200px;overflow:auto;font:16px/20px monospace">` +
			strings.Repeat("a line\n", 100) + `job 250 done` + strings.Repeat("\na line", 100) + `</pre>`,
			dsl.Tap{Selector: dsl.Selector{Label: "job 250", Match: dsl.MatchContains}}, "x=job", ""},
		{"words that are cut off",
			`<div id=x style="overflow:hidden;width:60px;white-space:nowrap">Invoice 4711 Call us</div>`,
			dsl.Tap{Selector: words("us")}, "", "cut off"},
		{"words under a box",
			`<div style="position:relative;font:16px monospace"><p id=p>Invoice 4711 Call us</p><div id=over ` +
				`style="position:absolute;left:75px;top:-20px;width:45px;height:60px;background:#fff">x</div></div>`,
			dsl.Tap{Selector: words("4711")}, "", "covered by div#over"},
		{"words in two lines that lead to two buttons",
			`<div style="font:16px/30px monospace;position:relative;width:500px"><div>Ada Byron<br>Tim Vale<br>Ada ` +
				`Lovelace</div><button style="position:absolute;left:300px;top:3px">Call</button>
			<button style="position:absolute;left:300px;top:63px">Call</button></div>`,
			dsl.Tap{Selector: beside("Call", words("Ada"))}, "", "match"},
		{"text that lets touches through to a link",
			`<a id=pay href="#" style="display:block;font-size:20px">Pay</a><div style="position:absolute;left:0;top:0;` +
				`pointer-events:none">Unpaid</div>`,
			dsl.Tap{Selector: dsl.Selector{Label: "Unpaid"}}, "", "covered by a#pay"},
		{"a floating label",
			`<div style="position:relative;height:40px"><input id=i style="width:200px;height:30px"><span ` +
				`style="position:absolute;left:8px;top:8px;pointer-events:none">Card number</span></div>`,
			dsl.Tap{Selector: dsl.Selector{Label: "Card number"}}, "i=", ""},
		{"a text on the button of a drawing",
			`<svg width=300 height=80><g transform="rotate(3)"><rect id=r x=10 y=10 width=200 height=40 fill="#eee" ` +
				`role=button /><text x=20 y=35 pointer-events=none>Turned <tspan>left</tspan></text></g></svg>`,
			dsl.Tap{Selector: dsl.Selector{Label: "Turned left"}}, "r=", ""},
		{"a text of a drawing over the button of another part of it",
			`<svg width=300 height=80><g><rect id=r x=10 y=10 width=200 height=40 fill="#eee" role=button ` +
				`/></g><g><text x=20 y=35 pointer-events=none>Unpaid</text></g></svg>`,
			dsl.Tap{Selector: dsl.Selector{Label: "Unpaid"}}, "", "covered by rect#r"},
		{"a text in its own link", `<a id=a href="#"><span style="pointer-events:none">Orders</span></a>`,
			dsl.Tap{Selector: dsl.Selector{Label: "Orders"}}, "a=Orders", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page+recorder)
			if s.Timeout = passes; c.fail != "" {
				s.Timeout = 3 * time.Second
			}
			result, err := do(t, s, c.do)
			if c.fail != "" {
				if result != event.Fail || !strings.Contains(err.Error(), c.fail) {
					t.Errorf("%s, %v; want a failure that says %q", result, err, c.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if result, err := do(t, s, record(c.want)); result != event.Pass {
				t.Error(err)
			}
		})
	}
}
