package action_test

import (
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// virtual holds the rows alone that can be seen; factor is how much further its content moves than its bar.
func virtual(rows, factor string) string {
	return `<div id=box style="height:300px;width:400px;overflow:auto;position:relative;border:1px solid"><div id=space ` +
		`style="position:relative"></div></div>
<script>const N=` + rows + `,H=30,F=` + factor + `;space.style.height=(N*H-300)/F+300+'px';const seen=new Set();
const draw=()=>{const top=box.scrollTop*F;space.innerHTML='';for(let ` +
		`i=Math.max(0,Math.floor(top/H)-1);i<Math.min(N,Math.ceil((top+300)/H)+1);i++){seen.add(i);
const r=document.createElement('div');r.textContent='Row ` +
		`'+(i+1);r.style.cssText='position:absolute;height:'+H+'px;top:'+(i*H-top+box.scrollTop)+'px';space.append(r)}};
box.addEventListener('scroll',()=>requestAnimationFrame(draw));draw()</script>`
}

func row(label string) dsl.ScrollTo {
	return dsl.ScrollTo{Selector: dsl.Selector{Label: label, Match: "exact"}, Limit: 200}
}

func TestScrollToSeesEveryRow(t *testing.T) {
	t.Parallel()
	s := browser(t)
	s.Timeout = 40 * time.Second
	type scrolling struct {
		name, page string
		to         dsl.ScrollTo
		fail       string
	}
	for _, c := range testutil.Few(8, []scrolling{
		{"a virtual list", virtual("200", "1"), row("Row 150"), ""},
		{"one that moves further than its bar", virtual("300", "4"), row("Row 157"), ""},
		{"from the middle back", virtual("200", "1") + "<script>box.scrollTop=2000;draw()</script>", row("Row 5"), ""},
		{"to the left", `<div id=box style="width:300px;overflow:auto"><div style="width:3000px;display:flex">` +
			strings.Repeat(`<span style="flex:1">·</span>`, 3) +
			`</div><b id=end style="position:relative;left:2900px">End</b></div><script>box.scrollLeft=2800</script>`,
			dsl.ScrollTo{Selector: dsl.Selector{Label: "·", Match: "exact"}, Direction: dsl.Left}, ""},
		{"the second box of the page", `<div style="height:1200px">Tall</div><div style="position:fixed;top:0;left:0">` +
			virtual("100", "1") + `</div>`, row("Row 80"), ""},
		{"rows that come late",
			`<ul id=l style="height:200px;overflow:auto"></ul><script>let n=0;const more=()=>{for(let i=0;i<20;i++){const ` +
				`e=document.createElement('li');e.textContent='Row '+(++n);l.append(e)}};more();
			l.onscroll=()=>{if(n<100&&l.scrollTop+l.clientHeight>l.scrollHeight-5&&!l.busy){l.busy=1;setTimeout(()=>{more();` +
				`l.busy=0},400)}}</script>`, row("Row 95"), ""},
		{"a page that moves its content itself",
			`<div id=v style="height:300px;overflow:hidden;position:relative"><div id=c ` +
				`style="position:absolute"></div></div><script>for(let i=1;i<=60;i++)c.innerHTML+='<p ` +
				`style="margin:0;height:30px">Row '+i+'</p>';
			let y=0;v.addEventListener('wheel',e=>{y=Math.max(-1500,Math.min(0,y-e.deltaY));c.style.top=y+'px'})</script>`,
			dsl.ScrollTo{Selector: dsl.Selector{Label: "Row 40", Match: "exact", Inside: &dsl.Selector{CSS: "#v"}}}, ""},
		{"the box that inside names, not the larger one",
			`<div style="height:350px;width:700px;overflow:auto"><div style="height:9000px">Larger</div></div>` +
				virtual("400", "1"),
			dsl.ScrollTo{Selector: dsl.Selector{Label: "Row 350", Match: "exact", Inside: &dsl.Selector{CSS: "#box"}}}, ""},
		{"none", virtual("60", "1"), row("Row 99"), `the first row that was seen is "Row 1", the last one "Row 60"`},
	}) {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page)
			result, err := do(t, s, c.to)
			if c.fail == "" && err != nil {
				t.Errorf("%v", err)
			}
			if c.fail != "" && (result != event.Fail || !strings.Contains(err.Error(), c.fail)) {
				t.Errorf("%s: %v", result, err)
			}
		})
	}
}

// TestScrollToCrossesAGrid: a grid of 500 rows is crossed in both directions in few reads, also where numbers of later
// rows start with that of the one that is sought, and rows are custom elements; a row that is split among elements is
// not passed over.
func TestScrollToCrossesAGrid(t *testing.T) {
	t.Parallel()
	s := browser(t)
	s.Timeout = 30 * time.Second
	// grid draws the rows that can be seen, as cell makes them of a number
	grid := func(cell, from string) string {
		return `<div id=box role=grid style="height:300px;overflow:auto"><div id=space ` +
			`style="position:relative;height:15000px"></div></div><script>
customElements.define('x-row',class extends ` +
			`HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML='<slot></slot>'}});
const cell=` + cell +
			`;const draw=()=>{space.innerHTML='';for(let i=Math.max(0,Math.floor(box.scrollTop/30)),n=0;n<11&&i<500;n++,i++){
const r=document.createElement('div');r.innerHTML=cell(i+1);
r.style.cssText='position:absolute;height:30px;top:'+i*30+'px';space.append(r)}};
box.onscroll=()=>requestAnimationFrame(draw);draw();box.scrollTop=` + from + `;draw()</script>`
	}
	const few = 40 // one for each movement are more than 60
	plain, split := "n=>'Row '+n", "n=>n===7?'<b>Row</b> <i>7</i><u>0 left</u>':'Row '+n"
	custom := "n=>'<x-row>Row '+n+'</x-row>'"
	for _, c := range testutil.Few(3, []struct {
		name, page, label string
		match             dsl.MatchMode
		way               dsl.Direction
		reads             int
	}{
		{"upward", grid("n=>n", "15000"), "5", "", dsl.Up, few},
		{"upward to a row in parts", grid(split, "15000"), "7", "exact", dsl.Up, 0},
		{"custom elements", grid(custom, "15000"), "Row 3", "", dsl.Up, few},
		{"downward", grid(plain, "0"), "Row 490", "", "", few},
		{"without a direction", grid(plain, "9000"), "Row 4", "words", "", 2 * few},
	}) {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page)
			_, err := do(t, s, dsl.ScrollTo{Direction: c.way, Selector: dsl.Selector{Label: c.label, Match: c.match}})
			if err != nil || c.reads > 0 && s.Detail.ScreenReads > c.reads {
				t.Errorf("after %d reads: %v", s.Detail.ScreenReads, err)
			}
		})
	}
}

// TestScrollToInsideASection: the section that a heading names is scrolled, and no larger box, also when its heading
// has left the view or the page.
func TestScrollToInsideASection(t *testing.T) {
	t.Parallel()
	s := browser(t)
	s.Timeout = 20 * time.Second
	larger := `<div style="height:350px;width:590px;overflow:auto"><div style="height:90000px">Larger</div></div>`
	// list draws the rows that can be seen; its first row is the heading
	list := func(section, heading string) string {
		return larger + `<section id=box ` + section + ` style="height:300px;overflow:auto">` + heading +
			`<div id=space style="position:relative;height:6000px"></div></section><script>
const draw=()=>{space.innerHTML='';for(let i=Math.max(0,Math.floor(box.scrollTop/30)-1),n=0;n<13&&i<200;n++,i++){
const r=document.createElement('div');r.textContent=i||space.previousSibling?'Row '+(i+1):'Orders';if(!i)r.id='h';
r.style.cssText='position:absolute;height:30px;top:'+i*30+'px';space.append(r)}};
box.onscroll=()=>requestAnimationFrame(draw);draw()</script>`
	}
	heading := `<h2>Orders</h2>`
	named := &dsl.Selector{Label: "Orders"}
	holding := &dsl.Selector{Contains: []dsl.Selector{{Label: "Orders"}}}
	for _, c := range []struct {
		name, page string
		inside     *dsl.Selector
	}{
		{"a heading that scrolls away", list("", heading), holding},
		{"a heading that is the first row", list("aria-labelledby=h", ""), named},
		{"a first row that says what it is", list("", ""), holding},
		{"a name that stays", list("aria-label=Orders", heading), named},
	} {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page)
			_, err := do(t, s, dsl.ScrollTo{Selector: dsl.Selector{Label: "Row 150", Match: "exact", Inside: c.inside}})
			if err != nil || s.Detail.ScreenReads > 12 {
				t.Errorf("after %d reads: %v", s.Detail.ScreenReads, err)
			}
		})
	}
}

// The time limit of scrollTo holds, however long the list is.
func TestScrollToEndsInItsTime(t *testing.T) {
	t.Parallel()
	s := browser(t)
	visit(t, s, virtual("100000", "1"))
	s.Timeout = 500 * time.Millisecond
	_, err := do(t, s, row("Row 99999"))
	if err == nil || !strings.Contains(err.Error(), "the time of 500ms was over") {
		t.Errorf("%v", err)
	}
}

// A mouse makes the gesture that the page listens to, and refuses where it listens to none.
func TestSwipeWithAMouse(t *testing.T) {
	t.Parallel()
	s := browser(t)
	log := `<p id=log></p><div id=c style="width:400px;height:200px;background:#cde">Card</div>`
	for _, c := range testutil.Few(2, []struct{ name, page, model, holds, fail string }{
		{"pointer events",
			log + `<script>let x0;c.onpointerdown=e=>{x0=e.clientX};c.onpointerup=e=>` +
				`{log.textContent=e.clientX<x0?'next':'back'}</script>`, "log.textContent", "next", ""},
		{"touch events",
			log + `<script>let x0;c.addEventListener('touchstart',e=>{x0=e.touches[0].clientX});c.addEventListener('touchend',` +
				`e=>{log.textContent=e.changedTouches[0].clientX<x0?'next':'back'})</script>`, "log.textContent", "next", ""},
		{"nothing", log + `<script>document.addEventListener('mousedown',()=>{})</script>`, "", "", "use scroll"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			entryCase{name: c.name, page: c.page, steps: []any{dsl.Swipe{Direction: dsl.Left, Inside: &dsl.Selector{CSS: "#c"}}},
				model: c.model, holds: c.holds, fail: c.fail}.run(t, s)
		})
	}
	visit(t, s, `<div id=c style="width:5000px;height:5000px" onpointerdown="window.went=event.clientX">Map</div>`)
	// the part on the screen
	if _, err := do(t, s, dsl.Swipe{Direction: dsl.Left, Inside: &dsl.Selector{CSS: "#c"}}); err != nil {
		t.Error(err)
	}
}
