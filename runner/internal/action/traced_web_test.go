package action_test

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// canvas draws "Invoice 4711" at 20,20 to 200,50, and no more; fillText is of the 2D context.
const canvas = `<canvas id=c width=400 height=200 style="position:absolute;left:0;top:0"></canvas><script>
const ctx=c.getContext('2d');ctx.fillStyle='#fff';ctx.fillRect(0,0,400,200);ctx.fillStyle='#124';ctx.font='24px ` +
	`sans-serif';ctx.fillText('Invoice 4711',22,44)</script>`

// glCanvas draws the character L there with WebGL.
const glCanvas = `<canvas id=c width=400 height=200 style="position:absolute;left:0;top:0"></canvas><script>
const gl=c.getContext('webgl'),rect=(x,y,w,h,...rgba)=>{gl.scissor(x,200-y-h,w,h);gl.clearColor(...rgba);` +
	`gl.clear(gl.COLOR_BUFFER_BIT)};
gl.enable(gl.SCISSOR_TEST);rect(0,0,400,200,1,1,1,1);rect(30,24,4,22,0,0,0,1);rect(30,42,14,4,0,0,0,1)</script>`

const traceAt = `position:absolute;left:20px;top:20px;width:180px;height:30px;`

const (
	labelled = `<div id=s role=text aria-label="Invoice 4711" style="` + traceAt + `"></div>`
	faded    = `<div style="filter:opacity(0%);position:absolute;left:0;top:0;width:400px;height:200px"><div id=s ` +
		`aria-label="Invoice 4711" style="` + traceAt + `"></div></div>`
	fadedBox = `<div style="opacity:0;position:absolute;left:0;top:0"><div id=s style="` + traceAt +
		`">Invoice 4711</div></div>`
	layer = `<div style="position:absolute;left:0;top:0;width:400px;height:200px"><span id=s ` +
		`style="position:absolute;left:22px;top:22px;font:24px sans-serif;color:transparent">Invoice 4711</span></div>`
	lines = `<div id=s style="position:absolute;left:22px;top:22px;font:24px/30px sans-serif;color:transparent">Invoice ` +
		`4711<br>Balance 0</div>`
)

var invoice = dsl.Selector{Label: "Invoice 4711"}

// TestWhatACanvasDraws: of an assertion and its negation exactly one holds, the one that a person would say.
func TestWhatACanvasDraws(t *testing.T) {
	t.Parallel()
	s := browser(t)
	s.Timeout = 2 * time.Second
	cover := `<div style="position:absolute;left:0;top:0;width:300px;height:100px;background:#eee"></div>`
	type scene struct {
		name, page string
		seen       bool
	}
	for _, c := range testutil.Few(6, []scene{
		{"a name over it", canvas + labelled, true},
		{"a name in a faded element", canvas + faded, true},
		{"a faded text", canvas + fadedBox, true},
		{"a transparent text", canvas + layer, true},
		{"a line of a transparent text", canvas + lines, true},
		{"a name before the canvas", labelled + canvas, true},
		{"WebGL", glCanvas + layer, true},
		{"in a shadow root", `<div id=h></div><template id=t>` + canvas[:strings.Index(canvas, "<script>")] + faded +
			`</template><script>
			const root=h.attachShadow({mode:'open'});root.append(t.content.cloneNode(true));const c=root.getElementById('c')` +
			canvas[strings.Index(canvas, "<script>")+len("<script>"):], true},
		{"a highlight on the text", canvas + strings.Replace(layer, "Invoice 4711",
			`<span style="background:rgba(180,0,170,.2)">Invoice</span> 4711`, 1), true},
		{"in a frame", `<iframe style="position:absolute;left:40px;top:40px;width:420px;height:220px;border:0" srcdoc="` +
			html.EscapeString(canvas+layer) + `"></iframe>`, true},

		{"nothing is drawn in its place", canvas + strings.Replace(labelled, "top:20px", "top:100px", 1), false},
		{"a transparent text where nothing is drawn", canvas + strings.Replace(layer, "top:22px", "top:100px", 1), false},
		{"a cleared canvas", canvas + layer + `<script>ctx.fillStyle='#fff';ctx.fillRect(0,0,400,200)</script>`, false},
		{"a cleared canvas under a name", canvas + faded + `<script>ctx.clearRect(0,0,400,200)</script>`, false},
		{"the canvas of WebGL is cleared", glCanvas + layer + `<script>rect(0,0,400,200,1,1,1,1)</script>`, false},
		{"covered by a box over all", canvas + layer + cover, false},
		{"covered by a box with a text", canvas + layer + strings.Replace(cover, "</div>",
			"<p style='margin:24px'>Please wait</p></div>", 1), false},
		{"covered by a box between", canvas + cover + layer, false},
		{"covered by a box between that takes no touches", canvas + strings.Replace(cover, "background",
			"pointer-events:none;background", 1) + faded, false},
		{"a clear word in a text that is drawn",
			canvas + `<p style="position:absolute;left:20px;top:120px;margin:0;width:900px;font:24px sans-serif">Invoice ` +
				`<span id=s style="color:transparent">4711</span></p>`, false},
		{"a canvas that is not shown", strings.Replace(canvas, "position", "visibility:hidden;position", 1) + layer, false},
		{"no canvas", `<div style="width:400px;height:200px;background:#eee">Hello</div>` + layer, false},
		{"no canvas under a faded text", fadedBox, false},
		{"over a drawing that is no canvas",
			`<svg width=400 height=200 style="position:absolute;left:0;top:0">` +
				`<text x=22 y=44 font-size=24>Invoice</text></svg>` + layer, false},
		{"a bubble that is faded out", canvas + `<div style="opacity:0;background:#fff;` + traceAt + `">Invoice 4711</div>`,
			false},
		{"a text that fades out", canvas + `<div style="opacity:0;transition:opacity .2s;` + traceAt + `">Invoice 4711</div>`,
			false},
		{"another text on a plain part of it", canvas + strings.Replace(layer, "top:22px", "top:120px", 1) +
			`<p style="position:absolute;left:20px;top:120px;margin:0;font-size:24px">Hello there you</p>`, false},
	}) {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page)
			frame := ""
			if strings.Contains(c.page, "<iframe") {
				frame = "iframe"
			}
			// by locator, a box is visible where no canvas could draw what it says
			boxed := !strings.Contains(c.page, "<canvas") || strings.Contains(c.page, "visibility:hidden")
			boxed = boxed && strings.Contains(c.page, "color:transparent")
			for _, q := range []struct {
				args any
				pass bool
			}{
				{dsl.Assert{Selector: invoice}, c.seen},
				{dsl.AssertNot{Selector: invoice}, !c.seen},
				{dsl.Assert{Selector: words("4711")}, c.seen},
				{dsl.AssertNot{Selector: words("4711")}, !c.seen},
				{dsl.WebAssert{Selector: "#s", Text: new("Invoice 4711"), Frame: frame}, c.seen},
				{dsl.WebAssert{Selector: "#s", Frame: frame}, c.seen || boxed},
				{dsl.WebAssert{Selector: "#s", Visible: new(false), Frame: frame}, !c.seen && !boxed},
				{dsl.WebWait{Selector: "#s", Frame: frame}, c.seen}, // as waitFor
				{dsl.WebWait{Selector: "#s", State: "hidden", Frame: frame}, !c.seen && !boxed},
			} {
				s.Timeout = 30 * time.Second // it ends as soon as it passes
				switch q.args.(type) {
				case dsl.WebAssert, dsl.WebWait:
					if !q.pass {
						s.Timeout = 200 * time.Millisecond
					}
				default:
					if !q.pass {
						s.Timeout = 2 * time.Second
					}
				}
				result, err := do(t, s, q.args)
				if want := map[bool]event.Result{true: event.Pass, false: event.Fail}[q.pass]; result != want {
					t.Errorf("%T: %s, want %s: %v", q.args, result, want, err)
				}
			}
		})
	}
}

func TestWhatACanvasDrawsIsTouched(t *testing.T) {
	t.Parallel()
	s := browser(t)
	log := `<p id=log style="position:absolute;top:300px">-</p><script>onclick=e=>{log.textContent=e.target.id}</script>`
	clearing := `<script>onclick=()=>setTimeout(()=>{ctx.fillStyle='#fff';ctx.fillRect(0,0,400,200)},100)</script>`
	for _, c := range []struct {
		name, page string
		do         any
		record     string
		pass       bool
	}{
		{"a name", canvas + labelled + log, dsl.Tap{Selector: invoice}, "s", true},
		{"a faded name", canvas + faded + log, dsl.Tap{Selector: invoice}, "s", true},
		{"a transparent text", canvas + layer + log, dsl.Tap{Selector: invoice}, "s", true},
		{"one that lets touches through", canvas + strings.ReplaceAll(faded, `style="`, `style="pointer-events:none;`) + log,
			dsl.Tap{Selector: invoice}, "c", true},
		{"one where nothing is drawn", canvas + strings.Replace(faded, "top:20px", "top:100px", 1) + log,
			dsl.Tap{Selector: invoice}, "", false},
		{"one of two that is drawn", canvas + layer + strings.Replace(layer, "top:22px", "top:120px", 1),
			dsl.AssertElement{Selector: invoice, Count: new(1)}, "", true},
		{"not both", canvas + layer + strings.Replace(layer, "top:22px", "top:120px", 1), dsl.AssertElement{Selector: invoice,
			Count: new(2)}, "", false},
		{"gone", canvas + layer + `<script>setTimeout(()=>ctx.clearRect(0,0,400,200),700)</script>`,
			dsl.WaitFor{NotVisible: &invoice}, "", true},
		{"gone by locator", canvas + layer + `<script>setTimeout(()=>ctx.clearRect(0,0,400,200),700)</script>`,
			dsl.WebWait{Selector: "#s", State: "hidden"}, "", true},
		{"appears by locator", canvas + labelled +
			`<script>ctx.clearRect(0,0,400,200);setTimeout(()=>ctx.fillText('Invoice 4711',22,44),700)</script>`,
			dsl.WebWait{Selector: "#s"}, "", true},
		{"not gone", canvas + layer, dsl.WaitFor{NotVisible: &invoice}, "", false},
		{"appears", canvas + layer +
			`<script>ctx.clearRect(0,0,400,200);setTimeout(()=>ctx.fillText('Invoice 4711',22,44),700)</script>`,
			dsl.WaitFor{Visible: &invoice}, "", true},
		{"cleared by a touch", canvas + layer + clearing, []any{dsl.Tap{Selector: invoice}, dsl.AssertNot{Selector: invoice}},
			"", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.Timeout = 2 * time.Second
			if c.pass {
				s.Timeout = 30 * time.Second // it ends as soon as it passes
			}
			visit(t, s, c.page)
			steps, several := c.do.([]any)
			if !several {
				steps = []any{c.do}
			}
			for _, step := range steps {
				if result, err := do(t, s, step); result != event.Pass && result != event.Fail ||
					(result == event.Pass) != c.pass {
					t.Fatalf("%T: %s, %v", step, result, err)
				}
			}
			if c.record != "" {
				if result, err := do(t, s, record(c.record)); result != event.Pass {
					t.Error(err)
				}
			}
		})
	}
}
