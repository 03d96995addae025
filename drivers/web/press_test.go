package web

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// pressCases are buttons that the page moves, or that act, between press and release.
func pressCases() []pressCase {
	const away = `go.style.left = '400px'`
	return []pressCase{
		{"it stays", `go.onclick = () => said('click')`, "click", false},
		{"a press moves it away", `go.onclick = () => said('click'); go.onmousedown = () => { ` + away + ` }`, "", true},
		{"a field that loses the focus moves it away", `go.onclick = () => said('click'); field.onblur = () => { ` + away +
			` }`, "", true},
		{"the release moves it away", `go.onclick = () => said('click'); go.onpointerup = () => { ` + away + ` }`, "click",
			false},
		{"a parent moves it away",
			`go.onclick = () => said('click'); go.onmousedown = () => { document.body.style.marginLeft = '500px'; ` +
				`document.body.style.position = 'relative' }`, "", true},
		{"another gets into its place", `go.onclick = () => said('click'); go.onmousedown = () => { ` + away +
			`; said('other');
			document.body.insertAdjacentHTML('beforeend', '<button ` +
			`style="position:absolute;left:50px;top:80px;width:120px;height:40px">Else</button>') }`, "other", true},
		{"clicks are heard by the page", `document.addEventListener('click', e => { if (e.target === go) said('click') });
			document.addEventListener('mousedown', () => { ` + away + ` })`, "", true},
		{"it moves a little", `go.onclick = () => said('click'); go.onmousedown = () => { go.style.left = '60px' }`, "click",
			false},
		{"it moves when it is clicked", `go.onclick = () => { said('click'); ` + away + ` }`, "click", false},
		{"it acts at once and goes", `go.onmousedown = () => { said('down'); go.remove() }`, "down", false},
		{"it acts at once and hides", `go.onmousedown = () => { said('down'); go.style.display = 'none' }`, "down", false},
		{"it acts at once and moves", `go.addEventListener('mousedown', () => { said('down'); ` + away + ` })`, "down",
			false},
		{"it acts at once and prevents",
			`document.body.addEventListener('pointerdown', e => { e.preventDefault(); said('down'); ` + away + ` })`, "down",
			false},
		{"all presses are heard by the page", `document.addEventListener('pointerdown', () => { said('down'); ` + away +
			` })`, "down", false},
		{"it opens a menu over it", `go.onmousedown = () => { said('down'); document.body.insertAdjacentHTML('beforeend',
			'<div style="position:absolute;left:0;top:0;width:300px;height:300px;background:#fff">Menu</div>') }`, "down",
			false},
		{"a framework hears presses of it and clicks of all",
			`document.addEventListener('mousedown', () => { said('down'); ` +
				away + ` }); document.addEventListener('click', () => {}); go.__reactProps$x1 = {onMouseDown() {}}`, "down", false},
		{"a framework hears clicks of it", `document.addEventListener('mousedown', () => { ` + away +
			` }); document.addEventListener('click', () => {}); go.__reactProps$x1 = {onClick() {}}`, "", true},
		{"addEventListener is replaced", `const native = EventTarget.prototype.addEventListener;
			EventTarget.prototype.addEventListener = function (...args) { return native.apply(this, args); };
			go.addEventListener('click', () => said('click')); go.addEventListener('mousedown', () => { ` + away + ` })`,
			"", true},
		{"addEventListener is the browser's own",
			`said(Function.prototype.toString.call(go.addEventListener).replace(/\s+/g, ' '));
			go.onclick = () => said('!')`, "function addEventListener() { [native code] }!", false},
		{"a field moves when it is entered", `go.remove(); document.body.insertAdjacentHTML('beforeend',
			'<input id=go style="position:absolute;left:50px;top:80px;width:120px;height:40px">');
			const into = document.getElementById('go');
			into.onfocus = () => { said('focus'); into.style.left = '400px' }; into.onclick = () => {}`, "focus", false},
	}
}

type pressCase struct {
	name, script, said string
	lost               bool
}

func (c pressCase) page() string {
	return `<meta name=viewport content="width=device-width"><p id=log></p><input id=field autofocus>
		<button id=go type=button ` +
		`style="position:absolute;left:50px;top:80px;width:120px;height:40px"><span>Go</span></button><script>
		const go = document.getElementById('go'), field = document.getElementById('field'); field.focus();
		function said(text) { document.getElementById('log').textContent += text; }
		` + c.script + `</script>`
}

// check presses in both ways: a touch of a place that is aimed at the button, and a click by selector.
func (c pressCase) check(t *testing.T, d *device) {
	t.Helper()
	for kind, press := range map[string]func() error{
		"touch": func() error {
			n := byID(t, tree(t, d), "go")
			d.Aim(n)
			return d.Tap(t.Context(), centre(n))
		},
		"selector": func() error { return d.ClickOn(t.Context(), target("#go"), drivers.WebClick{}) },
	} {
		Must(t, d.OpenPage(t.Context(), site.Made(c.page()), drivers.PageOptions{}))
		err := press()
		if errors.Is(err, drivers.ErrNotActionable) != c.lost || !c.lost && err != nil {
			t.Errorf("%s: error %v", kind, err)
		}
		if c.lost && (errors.Is(err, drivers.ErrMissed) ||
			!strings.Contains(fmt.Sprint(err), "button#go moved away between press and release: no click")) {
			t.Errorf("%s: error %v", kind, err)
		}
		if got := byID(t, tree(t, d), "log").Text; got != c.said {
			t.Errorf("%s: the page said %q, want %q", kind, got, c.said)
		}
	}
}

// A press that makes no click, because the button moved away before the release, is a failure; one of a widget that
// acts when it is pressed is not.
func TestAPressWithoutAClick(t *testing.T) {
	t.Parallel()
	for _, c := range testutil.Few(6, pressCases()) {
		t.Run(c.name, func(t *testing.T) { c.check(t, reach(t, site.Made(c.page()), "")) })
	}
}

// A button that the page replaces while it is pressed gets no click. Where nothing has received the press, it can be
// made again.
func TestAPressOfWhatIsReplaced(t *testing.T) {
	t.Parallel()
	type row struct {
		name, script string
		want         error
		says         string
	}
	for _, c := range testutil.Few(2, []row{
		{"its text is replaced", `go.onclick = () => said('click'); go.onmousedown = () => { go.innerHTML = '<i>Go</i>' }`,
			drivers.ErrNotActionable, "the page replaced button#go between press and release: no click"},
		{"it is replaced", `document.addEventListener('click', () => {});
			document.addEventListener('mousedown', () => { go.outerHTML = go.outerHTML })`,
			drivers.ErrNotActionable, "the page replaced button#go between press and release: no click"},
		{"it is replaced, and has acted", `const draw = old => { const b = old.cloneNode(true); b.onmousedown = () => {
			said('down'); draw(b) }; old.replaceWith(b) }; draw(go)`, nil, "down"},
		{"it goes, and another one comes", `go.onpointerdown = () => { said('gone'); go.outerHTML = '<button ' +
			'style="position:absolute;left:50px;top:80px;width:120px;height:40px">Else</button>' }`, nil, "gone"},
		{"nothing hears the press", `field.onblur = () => { go.innerHTML = '<i>Go</i>' }; go.onclick = () => said('click')`,
			drivers.ErrMissed, "the page replaced button#go between press and release"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			d := reach(t, site.Made(pressCase{script: c.script}.page()), "")
			n := byID(t, tree(t, d), "go")
			d.Aim(n)
			err := d.Tap(t.Context(), centre(n))
			if c.want != nil {
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v", err)
				}
				return
			}
			if got := byID(t, tree(t, d), "log").Text; err != nil || got != c.says {
				t.Errorf("the page said %q, error %v", got, err)
			}
		})
	}
}

// It runs alone: a Firefox has one window with the focus, and the pages of other tests take it.
func TestAPressWithoutAClickInFirefox(t *testing.T) {
	listening := []string{"it acts at once and moves", "all presses are heard by the page"} // see lostPress
	d := openFirefox(t)
	for _, c := range testutil.Few(8, pressCases()) {
		if slices.Contains(listening, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.check(t, d) })
	}
}

// A finger presses what it meets first.
func TestAFingerWithoutAClick(t *testing.T) {
	t.Parallel()
	for _, c := range []pressCase{
		{"it stays", `go.onclick = () => said('click')`, "click", false},
		{"a press moves it away", `go.onclick = () => said('click'); go.onpointerdown = () => { go.style.left = '300px' }`,
			"", true},
		{"it acts at once and moves", `go.addEventListener('pointerdown', () => { said('down'); go.style.left = '300px' })`,
			"down", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := reach(t, site.Made(c.page()), touchable)
			n := byID(t, tree(t, d), "go")
			d.Aim(n)
			err := d.Tap(t.Context(), centre(n))
			if errors.Is(err, drivers.ErrNotActionable) != c.lost || !c.lost && err != nil {
				t.Errorf("error %v", err)
			}
			got := ""
			if !until(t.Context(), patience, func() bool { got = byID(t, tree(t, d), "log").Text; return got == c.said }) {
				t.Errorf("the page said %q, want %q", got, c.said)
			}
		})
	}
}

// A press in a frame, and the next one after it.
func TestAPressWithoutAClickInAFrame(t *testing.T) {
	t.Parallel()
	c := pressCase{
		script: `let n = 0; go.onclick = () => said('click'); go.onmousedown = () => { if (!n++) go.style.left = '300px' }`}
	d := reach(t, site.Made(`<iframe id=in style="width:600px;height:300px" src="`+site.Made(c.page())+`"></iframe>`), "")
	WantError(t, d.ClickOn(t.Context(), inFrame("#in", "#go"), drivers.WebClick{}), drivers.ErrNotActionable, "no click")
	Must(t, d.ClickOn(t.Context(), inFrame("#in", "#go"), drivers.WebClick{}))
	d = reach(t, site.Made(`<iframe id=in style="width:600px;height:300px" src="`+site.Made(c.page())+`"></iframe>`), "")
	n := byID(t, tree(t, d), "go")
	d.Aim(n)
	WantError(t, d.Tap(t.Context(), centre(n)), drivers.ErrNotActionable, "no click")
}
