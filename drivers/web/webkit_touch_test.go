package web

import (
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Each turn of the mouse wheel is as far as it is asked for, also after another one: WebKitWebDriver turns a wheel by
// the difference from its last turn.
func TestWebKitTurnsTheWheelAgain(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Made(`<style>html, body {height: 100%; overflow: hidden}</style><h1>Wheel</h1>
		<script>let moved = 0; addEventListener('wheel', e => { e.preventDefault(); moved += e.deltaY }, {passive: false})
		</script>`), drivers.PageOptions{}))
	for _, want := range []int{160, 320, 220} {
		by := 160
		if want == 220 {
			by = -100
		}
		Must(t, d.Wheel(t.Context(), image.Pt(150, 100), image.Pt(0, by), 0))
		if moved, err := d.Eval(t.Context(), "moved", patience); err != nil || moved != want {
			t.Errorf("the wheel has turned by %v, %v, not %d", moved, err, want)
		}
	}
}

func TestWebKitDrags(t *testing.T) {
	leftToWebKit(t)
	drags(t, openWebKit(t))
}

// The placeholder of an editor is not a part of its text, also where `-webkit-user-modify` makes it count as editable:
// editors that have a special rule for WebKit do that.
func TestWebKitReadsEditorsWithoutPlaceholders(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), dataPage(`<h1>Note</h1><div id=f contenteditable style="position:relative"><span `+
		`contenteditable=false style="position:absolute;pointer-events:none;-webkit-user-modify:inherit">Write here`+
		`</span><br></div>`), drivers.PageOptions{}))
	Must(t, d.ClickOn(t.Context(), target("#f"), drivers.WebClick{}))
	field, _, err := d.Field(t.Context())
	Must(t, err)
	if field == nil || field.Text != "" {
		t.Errorf("%v", field)
	}
}

// A touch in a frame without scripts is verified, although no listener is called there: by what the mouse hovers over.
func TestWebKitTouchesInFramesWithoutScripts(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), dataPage(`<h1>Page</h1><iframe sandbox width=300 height=120 srcdoc="<style>
		input:focus ~ p {display: none}</style><input value=Field><p>Idle</p><div style='position:relative'>
		<button>Under</button><b style='position:absolute;inset:0'></b></div>"></iframe>`), drivers.PageOptions{}))
	tapAt := func(n *screen.Node) error {
		d.Aim(n)
		return d.Tap(t.Context(), centre(n))
	}
	field := find(tree(t, d), func(n *screen.Node) bool { return n.Text == "Field" })
	if field == nil {
		t.Fatal("the frame is not read")
	}
	Must(t, tapAt(field))
	if n := find(tree(t, d), showing("Idle")); n != nil && !n.Hidden {
		t.Error("the touch did nothing")
	}
	under := find(tree(t, d), func(n *screen.Node) bool { return n.Type == "button" })
	WantError(t, tapAt(under), drivers.ErrMissed, "b")
}

// A field in a frame keeps the focus while pages are read, whichever frames they have: WebKitWebDriver moves the focus
// into each frame that commands go to.
func TestWebKitKeepsTheFocusInFrames(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Made(`<input id=i onblur="blurred++"><iframe id=f srcdoc="<input id=j>"></iframe>
		<iframe srcdoc="<p>Words</p>"></iframe><script>blurred = 0</script>`), drivers.PageOptions{}))
	for _, c := range []struct{ field, active string }{
		{"i", "i,,0"}, {"j", "f,j,1"}, {"i", "i,,1"}, {"j", "f,j,2"},
	} {
		tap(t, d, find(tree(t, d), func(n *screen.Node) bool { return n.ID == c.field }))
		tree(t, d)
		active, err := d.Eval(t.Context(),
			"[document.activeElement.id, f.contentDocument.activeElement.id, blurred].join()", patience)
		if err != nil || active != c.active {
			t.Errorf("a tap on %s: %v, %v, not %s", c.field, active, err, c.active)
		}
		if field, _, err := d.Field(t.Context()); err != nil || field == nil || field.ID != c.field {
			t.Errorf("a tap on %s: %v, %v", c.field, field, err)
		}
	}
}
