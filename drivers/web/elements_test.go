package web

import (
	"context"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestFieldsOfEveryType(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	for _, field := range testutil.Few(3, [][2]string{
		{"text", "Zoë"}, {"email", "a@b.c"}, {"tel", "+49 1"}, {"number", "7.5"}, {"url", "https://a.b"}, {"search", "x"},
		{"date", "2031-05-04"},
		{"time", "13:45"}, {"moment", "2031-05-04T13:45"}, {"area", "new"}, {"month", "2031-05"}, {"week", "2031-W07"},
		{"color", "#ff8800"}, {"range", "3"},
	}) {
		id, value := field[0], field[1]
		Must(t, d.FillIn(t.Context(), target("#"+id), value))
		if seen := look(t, d, "#"+id, drivers.WebCondition{Value: &value}, patience); !seen.Met {
			t.Errorf("%s holds %v, not %q", id, seen.Values, value)
		}
	}
	Must(t, d.FillIn(t.Context(), target("#rich"), "other text"))
	mustShow(t, d, "#rich", "other text")
	Must(t, d.FillIn(t.Context(), target("#password"), "hunter2"))
	right, wrong := "hunter2", "hunter3"
	seen := look(t, d, "#password", drivers.WebCondition{Value: &right}, patience)
	if !seen.Met || len(seen.Values) != 1 || seen.Values[0] != "•••••••" {
		t.Errorf("the password is seen as %+v", seen)
	}
	if seen := look(t, d, "#password", drivers.WebCondition{Value: &wrong}, 200*time.Millisecond); seen.Met {
		t.Error("a wrong password counts as the right one")
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	for _, c := range []struct {
		id     string
		choice drivers.WebChoice
		log    string
	}{
		{"fruit", drivers.WebChoice{Values: []string{"b"}}, "fruit b"},
		{"fruit", drivers.WebChoice{Labels: []string{"Cherry"}}, "fruit c"},
		{"fruit", drivers.WebChoice{Indexes: []int{0}}, "fruit a"},
		{"many", drivers.WebChoice{Values: []string{"x", "z"}}, "many x,z"},
		{"late", drivers.WebChoice{Labels: []string{"Second"}}, "late 2"}, // it comes 700 ms late
	} {
		Must(t, d.SelectIn(t.Context(), target("#"+c.id), c.choice))
		mustShow(t, d, "#log", c.log)
	}
	err := d.SelectIn(t.Context(), soon("#fruit"), drivers.WebChoice{Values: []string{"kiwi"}})
	WantError(t, err, drivers.ErrNotActionable, "there is no option", "kiwi", "Banana")
	WantError(t, d.SelectIn(t.Context(), soon("#text"), drivers.WebChoice{Values: []string{"x"}}),
		drivers.ErrNotActionable, "<select>")
	WantError(t, d.SelectIn(t.Context(), soon("#fruit"), drivers.WebChoice{}), drivers.ErrNotActionable,
		"nothing was given")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	yes, no := true, false
	for _, c := range []struct {
		id string
		to bool
	}{{"box", yes}, {"box", yes}, {"box", no}, {"red", yes}, {"blue", yes}, {"switch", yes}} {
		Must(t, d.Check(t.Context(), target("#"+c.id), c.to))
		if n := byID(t, tree(t, d), c.id); n.Checked != c.to {
			t.Errorf("%s: checked %v", c.id, n.Checked)
		}
	}
	mustShow(t, d, "#log", "box true\nbox false\nred true\nblue true")
	WantError(t, d.Check(t.Context(), target("#blue"), no), drivers.ErrNotActionable, "radio")
	WantError(t, d.Check(t.Context(), target("#text"), yes), drivers.ErrNotActionable, "checkbox")
}

// hiddenBoxes are boxes that a page hides and draws itself, one of them in an open shadow root.
const hiddenBoxes = `document.body.innerHTML = '<style>input{position:absolute;opacity:0;width:0;height:0}' +
	'.gone{display:none}b{display:inline-block;width:20px;height:20px;border:2px solid}input:checked+b{background:#06c}' +
	'</style><label><input type=checkbox id=news><b></b> News by mail, see <a href=#terms>the terms</a></label>' +
	'<p><input type=radio class=gone id=fast><b></b><label for=fast>Express</label>' +
	'<p><input type=checkbox class=gone id=lost><label for=lost class=gone>Hidden label</label><div id=host></div>';
	document.getElementById('host').attachShadow({mode: 'open'}).innerHTML = '<style>input{display:none}</style>' +
	'<label><input type=checkbox id=inner>Gift wrap</label>'; null`

func TestCheckOfHiddenBoxes(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*device{"local": browse(t, "blank.html"), "remote": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d == nil {
				h := newHub(t)
				d = openRemote(t, h.driver(t, 1)).device
				Must(t, d.OpenPage(t.Context(), site.Page("blank.html"), drivers.PageOptions{}))
			}
			_, err := d.Eval(t.Context(), hiddenBoxes, patience)
			Must(t, err)
			for _, c := range []struct {
				id string
				to bool
			}{{"news", true}, {"news", true}, {"news", false}, {"fast", true}, {"inner", true}} {
				Must(t, d.Check(t.Context(), target("#"+c.id), c.to))
				if n, err := d.Eval(t.Context(), "(document.getElementById('"+c.id+"') || document.getElementById('host')"+
					".shadowRoot.getElementById('"+c.id+"')).checked", patience); err != nil || n != c.to {
					t.Errorf("%s: checked %v, %v", c.id, n, err)
				}
			}
			if at, err := d.Eval(t.Context(), "location.hash", patience); err != nil || at != "" {
				t.Errorf("a link in the label was followed: %v %v", at, err)
			}
			err = d.Check(t.Context(), soon("#lost"), true)
			WantError(t, err, drivers.ErrNotActionable, `"#lost" is hidden`)
		})
	}
}

// Each screenshot of the page takes so long that an attempt of Playwright needs more than one slice of the wait: the
// page waits for the site, which costs nothing.
func TestCheckOnASlowPage(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "it waits for ten seconds; TestCheck remains")
	d := browse(t, "blank.html")
	_, err := d.Eval(t.Context(),
		`document.body.innerHTML = '<label style=position:relative><input type=checkbox id=box `+
			`style=opacity:0;position:absolute;inset:0> Drawn</label>';
		requestAnimationFrame(function slow() { const r = new XMLHttpRequest(); r.open('GET', '/slow?ms=150', false); `+
			`r.send(); requestAnimationFrame(slow); }); null`, patience)
	Must(t, err)
	Must(t, d.Check(t.Context(), target("#box"), true))
	if !byID(t, tree(t, d), "box").Checked {
		t.Error("the box is not checked")
	}
}

func TestClick(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	for _, c := range []struct {
		how drivers.WebClick
		log string
	}{
		{drivers.WebClick{}, "click 1"}, {drivers.WebClick{Count: 2}, "dblclick 2"}, {drivers.WebClick{Button: "right"},
			"contextmenu"},
		{drivers.WebClick{Button: "middle"}, "auxclick 1"}, {drivers.WebClick{Count: 3}, "click 3"},
	} {
		Must(t, d.ClickOn(t.Context(), target("#still"), c.how))
		mustShow(t, d, "#log", c.log)
	}
	Must(t, d.ClickOn(t.Context(), target("#soon"), drivers.WebClick{})) // disabled for 700 ms
	mustShow(t, d, "#log", "clicked soon")
	WantError(t, d.ClickOn(t.Context(), soon("#off"), drivers.WebClick{}), drivers.ErrNotActionable, "is disabled")
	WantError(t, d.ClickOn(t.Context(), soon("#none"), drivers.WebClick{}), screen.ErrNotFound, "nothing on the page",
		"#none")
	WantError(t, d.ClickOn(t.Context(), soon("button"), drivers.WebClick{}), screen.ErrAmbiguous, "button#still")
	WantError(t, d.ClickOn(t.Context(), soon("p["), drivers.WebClick{}), screen.ErrNotFound, "is not valid")
	WantError(t, d.ClickOn(t.Context(), soon("#still"), drivers.WebClick{Button: "fourth"}), drivers.ErrUnsupported)
}

func TestAClickIsMadeOnce(t *testing.T) {
	t.Parallel()
	// The handler takes longer than any slice of a wait.
	d := display(t, `<button id=b style="display:none">Pay</button><p id=n></p><script>
		let n = 0;
		b.onclick = () => { const r = new XMLHttpRequest(); r.open('GET', '`+site.Page("slow?ms=1500")+
		`', false); try { r.send(); } catch {} document.getElementById('n').textContent = 'Paid ' + ++n; };
		setTimeout(() => b.style.display = '', 600);
		</script>`)
	Must(t, d.ClickOn(t.Context(), target("#b"), drivers.WebClick{}))
	mustShow(t, d, "#n", "Paid 1")
	if seen := look(t, d, "#n", text("Paid 2"), time.Second); seen.Met {
		t.Error("it was clicked twice")
	}
}

func TestAClickWaitsUntilNothingCovers(t *testing.T) {
	t.Parallel()
	d := display(t, `<button id=b onclick="log.textContent='clicked'">Pay</button><p id=log></p>
		<div id=veil style="position:fixed;inset:0;background:#0003"></div>`)
	WantError(t, d.ClickOn(t.Context(), soon("#b"), drivers.WebClick{}), drivers.ErrNotActionable,
		"is covered by div#veil")
	_, page, err := d.slot.Page()
	Must(t, err)
	_, err = page.Evaluate(`() => { setTimeout(() => veil.remove(), 700) }`)
	Must(t, err)
	Must(t, d.ClickOn(t.Context(), target("#b"), drivers.WebClick{}))
	mustShow(t, d, "#log", "clicked")
}

func TestACancelledWaitLeavesThePageAlive(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	long := func(selector string) drivers.WebTarget {
		return drivers.WebTarget{Selector: selector, Timeout: time.Minute}
	}
	for name, call := range map[string]func(context.Context) error{
		"click":    func(ctx context.Context) error { return d.ClickOn(ctx, long("#off"), drivers.WebClick{}) },
		"press":    func(ctx context.Context) error { return d.PressOn(ctx, long("#none"), "Enter") },
		"text":     func(ctx context.Context) error { _, err := d.TextOf(ctx, long("#none")); return err },
		"wait":     func(ctx context.Context) error { return d.WaitElement(ctx, long("#none"), "visible") },
		"url":      func(ctx context.Context) error { return d.WaitPage(ctx, drivers.WebEvent{URL: "/x"}, time.Minute) },
		"response": func(ctx context.Context) error { return d.WaitPage(ctx, drivers.WebEvent{Response: "/x"}, time.Minute) },
	} {
		if testing.Short() && (name == "press" || name == "text" || name == "response") {
			continue
		}
		endsWithContext(t, name, call)
	}
	Must(t, d.ClickOn(t.Context(), target("#still"), drivers.WebClick{}))
}

func TestHoverOpensAMenu(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "menu.html") // in a page of its own: the mouse of another test may be over the menu
	WantError(t, d.ClickOn(t.Context(), soon("#leave"), drivers.WebClick{}), drivers.ErrNotActionable, "is hidden")
	Must(t, d.Hover(t.Context(), target("#menu")))
	Must(t, d.ClickOn(t.Context(), target("#leave"), drivers.WebClick{}))
	mustShow(t, d, "#log", "clicked leave")
	WantError(t, d.Hover(t.Context(), soon("#none")), screen.ErrNotFound)
}

func TestElementsInNestedFrames(t *testing.T) {
	t.Parallel()
	d := browse(t, "frames.html")
	Must(t, d.ClickOn(t.Context(), inFrame("#outer >> #inner", "#press"), drivers.WebClick{}))
	Must(t, d.FillIn(t.Context(), inFrame("#outer >> #inner", "#field"), "deep"))
	got, err := d.TextOf(t.Context(), inFrame("#outer >> #inner", "#where"))
	if err != nil || got != "Inside inner" {
		t.Errorf("text %q, %v", got, err)
	}
	value := "deep"
	if seen := look(t, d, "#field", drivers.WebCondition{Frame: "#outer >> #inner", Value: &value}, patience); !seen.Met {
		t.Errorf("in the inner frame: %+v", seen)
	}
	Must(t, d.ClickOn(t.Context(), inFrame("#lateframe", "#press"), drivers.WebClick{})) // it comes 600 ms late
	mustShow(t, d, "#log", "pressed late")
	at := soon("#press")
	at.Frame = "#outer >> #none"
	WantError(t, d.ClickOn(t.Context(), at, drivers.WebClick{}), screen.ErrNotFound, "#none")
	if testing.Short() { // other errors of selectors: TestClick
		return
	}
	at.Frame = "iframe"
	WantError(t, d.ClickOn(t.Context(), at, drivers.WebClick{}), screen.ErrAmbiguous)
	_, err = d.Look(t.Context(), "#press", drivers.WebCondition{Frame: "#none"}, 300*time.Millisecond)
	WantError(t, err, screen.ErrNotFound, "#none")
}

func TestPressOn(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	Must(t, d.FillIn(t.Context(), target("#text"), "abc"))
	Must(t, d.PressOn(t.Context(), target("#text"), "Backspace"))
	Must(t, d.PressOn(t.Context(), target("#text"), "x"))
	value := "abx"
	if seen := look(t, d, "#text", drivers.WebCondition{Value: &value}, patience); !seen.Met {
		t.Errorf("the field holds %v", seen.Values)
	}
	Must(t, d.PressOn(t.Context(), target("#text"), "Control+Shift+K"))
	mustShow(t, d, "#log", "key Control+Shift+K")
	Must(t, d.PressOn(t.Context(), target("#text"), "control+k"))
	mustShow(t, d, "#log", "key Control+k")
	Must(t, d.PressOn(t.Context(), drivers.WebTarget{}, "tab"))
	if n := byID(t, tree(t, d), "email"); !n.Focused {
		t.Error("the key did not go where the focus was")
	}
	WantError(t, d.PressOn(t.Context(), soon("#text"), "nokey"), drivers.ErrUnsupported, "nokey")
	WantError(t, d.PressOn(t.Context(), soon("#none"), "Enter"), screen.ErrNotFound)
}

func TestTextOf(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	Must(t, d.FillIn(t.Context(), target("#password"), "abc"))
	for selector, want := range map[string]string{"h1": "Inputs", "#text": "start", "#fruit": "Apple",
		"#password": "•••"} {
		if got, err := d.TextOf(t.Context(), target(selector)); err != nil || got != want {
			t.Errorf("%s shows %q, %v", selector, got, err)
		}
	}
	_, err := d.TextOf(t.Context(), soon("label"))
	WantError(t, err, screen.ErrAmbiguous)
	_, err = d.TextOf(t.Context(), soon("#none"))
	WantError(t, err, screen.ErrNotFound)
}

func TestWaitElement(t *testing.T) {
	t.Parallel()
	d := display(t, `<p id=a>A</p><p id=h style="display:none">H</p><script>
		function go() { setTimeout(() => { a.style.display = 'none'; h.style.display = ''; setTimeout(() => a.remove(), `+
		`400) }, 600) }</script>`)
	for _, c := range [][2]string{{"#a", "attached"}, {"#h", "attached"}, {"#h", "visible"}, {"#a", "hidden"},
		{"#a", "detached"}} {
		if c == [2]string{"#h", "visible"} {
			_, err := d.Eval(t.Context(), "go()", patience)
			Must(t, err)
		}
		Must(t, d.WaitElement(t.Context(), target(c[0]), c[1]))
	}
	WantError(t, d.WaitElement(t.Context(), soon("#a"), "visible"), screen.ErrNotFound, "did not become visible")
	WantError(t, d.WaitElement(t.Context(), soon("#h"), "hidden"), drivers.ErrNotActionable, "1 visible")
	WantError(t, d.WaitElement(t.Context(), soon("#h"), "gone"), drivers.ErrUnsupported)
	WantError(t, d.WaitElement(t.Context(), soon("p["), "hidden"), screen.ErrNotFound, "is not valid")
}

func TestLookAtThePage(t *testing.T) {
	t.Parallel()
	d := browse(t, "list.html")
	count := func(n int) drivers.WebCondition { return drivers.WebCondition{Count: &n} }
	for n, met := range map[int]bool{120: true, 119: false, 0: false} {
		if seen := look(t, d, "#rows li", count(n), 200*time.Millisecond); seen.Met != met || seen.Count != 120 {
			t.Errorf("%d rows: %+v", n, seen)
		}
	}
	if seen := look(t, d, ".none", count(0), patience); !seen.Met {
		t.Errorf("none: %+v", seen)
	}
	is := func(s string) *string { return &s }
	type row struct {
		want drivers.WebCondition
		met  bool
	}
	for _, c := range testutil.Few(2, []row{
		{drivers.WebCondition{URL: is("/list.html")}, true}, {drivers.WebCondition{URL: is(site.Page("list.html"))}, true},
		{drivers.WebCondition{URL: is("**/list.*")}, true}, {drivers.WebCondition{URL: is("/l[ia]st/")}, true},
		{drivers.WebCondition{URL: is("/list")}, false},
		{drivers.WebCondition{Title: is("List")}, true}, {drivers.WebCondition{Title: is("/^Li/")}, true},
		{drivers.WebCondition{Title: is("Lis")}, false},
		{drivers.WebCondition{URL: is("/list.html"), Title: is("Other")}, false},
		{drivers.WebCondition{NoConsoleErrors: true}, true},
	}) {
		seen, err := d.Look(t.Context(), "", c.want, map[bool]time.Duration{
			true: patience, false: 200 * time.Millisecond}[c.met])
		if err != nil || seen.Met != c.met {
			t.Errorf("%+v: %+v, %v", c.want, seen, err)
		}
	}
	_, err := d.Look(t.Context(), "", drivers.WebCondition{}, time.Second)
	WantError(t, err, screen.ErrNotFound, "no selector")
	_, err = d.Look(t.Context(), "", drivers.WebCondition{URL: is("/(/")}, time.Second)
	WantError(t, err, screen.ErrNotFound, "is not valid")
}

func TestConsoleErrors(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<button id=b onclick="console.error('out of tea')">B</button><button id=u onclick="nothing()">U</button>`)
	none := drivers.WebCondition{NoConsoleErrors: true}
	if seen := look(t, d, "", none, patience); !seen.Met {
		t.Fatalf("%+v", seen)
	}
	Must(t, d.ClickOn(t.Context(), target("#b"), drivers.WebClick{}))
	Must(t, d.ClickOn(t.Context(), target("#u"), drivers.WebClick{}))
	ok := until(t.Context(), patience, func() bool {
		seen := look(t, d, "#b", none, 100*time.Millisecond)
		return !seen.Met && len(seen.ConsoleErrors) == 2
	})
	if !ok {
		t.Errorf("%+v", look(t, d, "", none, time.Second))
	}
}
