package web

import (
	"context"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/field"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// touchable is an emulated phone with a touch screen.
const touchable = "Pixel 7"

// phone is browse on an emulated phone.
func phone(t *testing.T, name string) *device {
	t.Helper()
	return reach(t, site.Page(name), touchable)
}

func TestGestures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, by string
		open     func(*testing.T, string) *device
	}{{"mouse", "mouse", browse}, {"touch", "touch", phone}} {
		t.Run(c.name, func(t *testing.T) {
			d := c.open(t, "drag.html")
			press := centre(byID(t, tree(t, d), "press"))
			Must(t, d.Tap(t.Context(), press))
			mustShow(t, d, "#log", "short press by "+c.by)
			Must(t, d.LongPress(t.Context(), press, 800*time.Millisecond))
			mustShow(t, d, "#log", "long press by "+c.by)
			Must(t, d.DoubleTap(t.Context(), press))
			mustShow(t, d, "#log", "double")
			ball := byID(t, tree(t, d), "ball")
			Must(t, d.Drag(t.Context(), centre(ball), centre(ball).Add(image.Pt(150, 50)), 300*time.Millisecond))
			to := ball.Bounds.Min.Add(image.Pt(150, 50))
			mustShow(t, d, "#log", "ball at")
			mustShow(t, d, "#log", "by "+c.by)
			if n := byID(t, tree(t, d), "ball"); n.Bounds.Min != to {
				t.Errorf("the ball lies at %v, not at %v", n.Bounds.Min, to)
			}
		})
	}
}

// On a phone, no click follows a long press: a link is not followed, and a box keeps its state.
func TestALongPressOfAFingerMakesNoClick(t *testing.T) {
	t.Parallel()
	d := reach(t, site.Made(`<meta name=viewport content="width=device-width"><input type=checkbox id=box
		style="width:60px;height:60px"><p id=log></p><script>let said = '';
		for (const kind of ['touchstart', 'touchend', 'click'])
			box.addEventListener(kind, () => { log.textContent = said += kind + ' '; });</script>`), touchable)
	box := centre(byID(t, tree(t, d), "box"))
	Must(t, d.LongPress(t.Context(), box, 700*time.Millisecond))
	Must(t, d.LongPress(t.Context(), box, 100*time.Millisecond))
	mustShow(t, d, "#log", "touchstart touchend touchstart touchend click")
	if n := byID(t, tree(t, d), "box"); !n.Checked {
		t.Error("the short press did not check the box")
	}
}

// A finger's two taps are a double tap although the page takes long to answer the first: a busy machine makes any page
// such a one.
func TestDoubleTapOnABusyPage(t *testing.T) {
	t.Parallel()
	d := reach(t,
		site.Made(`<meta name=viewport content="width=device-width"><button id=b>Tap</button><p id=log></p><script>
		b.addEventListener('touchstart', () => { for (const end = performance.now() + 400; performance.now() < end;); });
		b.addEventListener('dblclick', () => log.textContent = 'double');</script>`), touchable)
	Must(t, d.DoubleTap(t.Context(), centre(byID(t, tree(t, d), "b"))))
	mustShow(t, d, "#log", "double")
}

func TestDragAndDrop(t *testing.T) {
	t.Parallel()
	d := browse(t, "drag.html")
	tr := tree(t, d)
	Must(t, d.Drag(t.Context(), centre(byID(t, tr, "tile")), centre(byID(t, tr, "zone")), 300*time.Millisecond))
	mustShow(t, d, "#log", "dragstart\ndropped tile")
}

func TestWheelScrolls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		open func(*testing.T, string) *device
	}{{"mouse", browse}, {"touch", phone}} {
		if testing.Short() && c.name == "touch" {
			continue // left to make test-full
		}
		t.Run(c.name, func(t *testing.T) {
			d := c.open(t, "list.html")
			before := find(tree(t, d), showing("Contact 10")).Bounds.Min.Y
			Must(t, d.Wheel(t.Context(), image.Pt(200, 500), image.Pt(0, 300), 300*time.Millisecond))
			moved := 0
			ok := until(t.Context(), patience, func() bool {
				moved = before - find(tree(t, d), func(n *screen.Node) bool { return n.Text == "Contact 10" }).Bounds.Min.Y
				return moved > 200
			})
			if !ok || c.name == "mouse" && moved > 310 {
				t.Errorf("the list moved by %d", moved)
			}
		})
	}
}

func TestGesturesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	d := browse(t, "drag.html")
	p := centre(byID(t, tree(t, d), "press"))
	endsWithContext(t, "long press", func(ctx context.Context) error { return d.LongPress(ctx, p, time.Minute) })
	endsWithContext(t, "swipe", func(ctx context.Context) error {
		return d.Swipe(ctx, p, p.Add(image.Pt(0, -50)), time.Minute)
	})
	endsWithContext(t, "drag", func(ctx context.Context) error {
		return d.Drag(ctx, p, p.Add(image.Pt(50, 0)), time.Minute)
	})
	Must(t, d.Tap(t.Context(), p)) // nothing is still pressed
	mustShow(t, d, "#log", "short press by mouse")
	for _, err := range []error{
		d.LongPress(t.Context(), image.Pt(-1, 5), 0), d.DoubleTap(t.Context(), image.Pt(5, 720)),
		d.Swipe(t.Context(), p, image.Pt(2000, 5), 0), d.Drag(t.Context(), image.Pt(2000, 5), p, 0),
	} {
		WantError(t, err, drivers.ErrNotActionable, "outside the page's")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	_, page, err := d.slot.Page()
	Must(t, err)
	_, err = page.Evaluate(`() => addEventListener('keydown', event => event.preventDefault())`) // a tab key would move on
	Must(t, err)
	unknown := map[string]bool{"back": true, "appSwitch": true, "power": true, "volumeUp": true, "volumeDown": true,
		"search": true}
	for _, remote := range []string{"lock", "select", "playPause", "mediaStop", "mediaNext", "mediaPrevious", "rewind",
		"fastForward", "navigateUp", "navigateDown",
		"buttonA", "buttonB", "tvInput", "hdmi1", "hdmi2", "hdmi3"} {
		unknown[remote] = true
	}
	names := field.KeyNames()
	for _, key := range testutil.Few(3, drivers.KeyNames()) {
		switch name := names[strings.ToLower(key)]; {
		case unknown[key] && key != "back":
			WantError(t, d.Press(t.Context(), []string{key}), drivers.ErrUnsupported, key)
		case !unknown[key] && name == "":
			t.Errorf("%s is not known", key)
		case !unknown[key]:
			if err := d.Press(t.Context(), []string{key}); err != nil {
				t.Errorf("%s: %v", key, err)
			} else if name != "Space" {
				mustShow(t, d, "#log", name)
			}
		}
	}
	Must(t, d.Press(t.Context(), []string{"control", "shift", "k"}))
	mustShow(t, d, "#log", "key Control+Shift+K")
	Must(t, d.Press(t.Context(), []string{"shift", "m"}))
	mustShow(t, d, "#log", "key Shift+M")
	Must(t, d.Press(t.Context(), []string{"shift", "1"}))
	mustShow(t, d, "#log", "key Shift+!")
	Must(t, d.Press(t.Context(), []string{"+"}))
	mustShow(t, d, "#log", "key Shift++")
	Must(t, d.Press(t.Context(), []string{"ü"}))
	mustShow(t, d, "#log", "key ü")
	WantError(t, d.Press(t.Context(), []string{"turbo"}), drivers.ErrUnsupported, "there is no key")
	WantError(t, d.Press(t.Context(), []string{"control", "back"}), drivers.ErrUnsupported)
	WantError(t, d.Press(t.Context(), nil), drivers.ErrUnsupported)
}

func TestErase(t *testing.T) {
	t.Parallel()
	d := browse(t, "inputs.html")
	WantError(t, d.Erase(t.Context(), -1), drivers.ErrNotActionable, "no field has the focus")
	type row struct {
		id, text, after string
		n               int
	}
	for _, c := range testutil.Few(3, []row{
		{"text", "Zoë 😀x", "Zoë ", 2}, {"text", "abc", "", -1}, {"text", "abc", "", 99}, {"text", "abc", "abc", 0},
		{"area", "one\ntwo", "one", 4},
		{"number", "123", "1", 2}, {"number", "123", "", -1}, {"email", "a@b.c", "a@b", 2}, {"date", "2031-05-04", "", -1},
	}) {
		Must(t, d.FillIn(t.Context(), target("#"+c.id), c.text)) // it leaves the focus there
		Must(t, d.Erase(t.Context(), c.n))
		if seen := look(t, d, "#"+c.id, drivers.WebCondition{Value: &c.after}, patience); !seen.Met {
			t.Errorf("%s: %q without %d is %v", c.id, c.text, c.n, seen.Values)
		}
	}
	Must(t, d.FillIn(t.Context(), target("#rich"), "other text"))
	Must(t, d.Erase(t.Context(), 5))
	mustShow(t, d, "#rich", "other")
	Must(t, d.Erase(t.Context(), -1))
	if got, err := d.TextOf(t.Context(), target("#rich")); err != nil || got != "" {
		t.Errorf("%q is left, %v", got, err)
	}
	if testing.Short() { // in a frame: left to make test-full
		return
	}
	d = browse(t, "iframe.html")
	Must(t, d.FillIn(t.Context(), inFrame("#cross", "#field"), "in a frame"))
	Must(t, d.Erase(t.Context(), -1))
	mustShow(t, d, "#log", "cross typed")
	none := ""
	if seen := look(t, d, "#field", drivers.WebCondition{Frame: "#cross", Value: &none}, patience); !seen.Met {
		t.Errorf("in the frame is left %v", seen.Values)
	}
}

func TestScrolledOutOfABox(t *testing.T) {
	t.Parallel()
	d := browse(t, "boxes.html")
	for _, c := range testutil.Few(2, [][2]string{{"Row 90", "row 90"}, {"Far right", "far right"}}) {
		tr := tree(t, d)
		q := screen.Query{Selector: dsl.Selector{Label: c[0]}, Action: true}
		if found, err := tr.Find(q); err != nil || len(found) != 0 {
			t.Fatalf("%s is on the screen: %v, %v", c[0], found, err)
		}
		q.Reveal = true
		found, err := tr.Find(q)
		if err != nil || len(found) != 1 || !found[0].Node.Offscreen || found[0].Node.Hidden {
			t.Fatalf("%s: %v, %v", c[0], found, err)
		}
		Must(t, d.Reveal(t.Context(), found[0].Node))
		q.Reveal = false
		if found, err = tree(t, d).Find(q); err != nil || len(found) != 1 || found[0].CoverText != "" {
			t.Fatalf("%s, revealed: %v, %v", c[0], found, err)
		}
		Must(t, d.Tap(t.Context(), found[0].Point))
		mustShow(t, d, "#chosen", "Chosen: "+c[1])
	}
	tr := tree(t, d)
	if n := find(tr, func(n *screen.Node) bool { return n.Text == "Cut hides" }); n == nil || !n.Hidden || n.Offscreen {
		t.Errorf("nobody can scroll there: %+v", n)
	}
	if n := find(tr, func(n *screen.Node) bool { return n.Text == "Far below" }); n == nil || n.Hidden {
		t.Errorf("in the frame, below: %+v", n)
	}
	below := screen.Query{Selector: dsl.Selector{Label: "Below the fold"}}
	if found, err := tr.Find(below); err != nil || len(found) != 0 {
		t.Errorf("an assertion sees what is below the fold: %v, %v", found, err)
	}
	below.Action, below.Reveal = true, true
	if found, err := tr.Find(below); err != nil || len(found) != 1 {
		t.Errorf("below the fold: %v, %v", found, err)
	}
	mustShow(t, d, "text=Below the fold", "Below the fold")
}

func TestScrolledOutOfAFrame(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestScrolledOutOfABox remains")
	d := display(t, `<div style="height:150px;overflow:auto"><div style="height:600px"></div>
		<iframe id=f srcdoc="<p>Top</p><button id=b style='margin-top:500px'>Deep</button>" style="width:300px;`+
		`height:120px"></iframe></div>
		<iframe id=stuck srcdoc="<style>body{overflow:hidden}</style><p style='margin-top:900px'>Stuck</p>" `+
		`style="height:100px"></iframe>`)
	n := byID(t, tree(t, d), "b")
	if n.Hidden || !n.Offscreen {
		t.Fatalf("scrolled out of a frame that is scrolled out of a box: %+v", n)
	}
	Must(t, d.Reveal(t.Context(), n))
	tr := tree(t, d)
	if n := byID(t, tr, "b"); n.Hidden || n.Offscreen || n.Covered != "" || !n.Bounds.In(image.Rectangle{Max: tr.Size}) {
		t.Errorf("revealed: %+v", n)
	}
	if n := find(tr, func(n *screen.Node) bool { return n.Text == "Stuck" }); n == nil || !n.Hidden {
		t.Errorf("in a frame that does not scroll: %+v", n)
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestSelectorsByMeaning and TestMatchedElementsOfATree remain")
	d := browse(t, "frames.html")
	mustShow(t, d, "h1", "Nested frames")
	if seen := look(t, d, "#press", drivers.WebCondition{Frame: "#lateframe"}, patience); !seen.Met {
		t.Fatalf("%+v", seen)
	}
	tr := tree(t, d)
	for _, c := range []struct {
		css, xpath string
		n          int
	}{
		{"#press", "", 2}, {"", "//button[@id='press']", 2}, {"#press", "//button", 2}, {"#press", "//p", 0}, {"h1", "", 1},
		{"#none", "", 0},
		{"button#press, input", "", 4},
	} {
		found, err := d.Query(t.Context(), tr, c.css, c.xpath)
		if err != nil || len(found) != c.n {
			t.Errorf("%q, %q: %v, %v", c.css, c.xpath, found, err)
		}
	}
	for _, bad := range [][2]string{{"p[", ""}, {"", "//["}, {"", ""}} {
		_, err := d.Query(t.Context(), tr, bad[0], bad[1])
		WantError(t, err, screen.ErrNotFound)
	}
	Must(t, d.Navigate(t.Context(), "reload", 0))
	_, err := d.Query(t.Context(), tr, "h1", "")
	WantError(t, err, drivers.ErrNotReady)
}

func TestEmulation(t *testing.T) {
	t.Parallel()
	d := open(t)
	Must(t, d.OpenPage(t.Context(), site.Page("form.html"), drivers.PageOptions{DeviceName: "iphone 15", Locale: "de-DE",
		Timezone: "Asia/Tokyo", ColorScheme: "dark"}))
	got, err := d.Eval(t.Context(), `[navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
		matchMedia('(prefers-color-scheme: dark)').matches, navigator.userAgent.includes('iPhone'), `+
		`navigator.maxTouchPoints > 0].join()`, time.Minute)
	if err != nil || got != "de-DE,Asia/Tokyo,true,true,true" {
		t.Errorf("%v, %v", got, err)
	}
	picture, err := d.Screenshot(t.Context())
	Must(t, err)
	info := d.Info()
	// form.html does not say that it suits small screens: a phone shows it shrunk.
	if tr := tree(t, d); tr.Size != picture.Bounds().Size() || tr.Size != image.Pt(info.Width, info.Height) ||
		tr.Size.X != 393 {
		t.Errorf("tree %v, picture %v, device %d × %d", tr.Size, picture.Bounds(), info.Width, info.Height)
	}
	box := byID(t, tree(t, d), "gift")
	Must(t, d.Tap(t.Context(), centre(box)))
	// the click of a finger comes after the touch
	if !until(t.Context(), patience, func() bool { return byID(t, tree(t, d), "gift").Checked }) {
		t.Errorf("the tap at %v missed", centre(box))
	}
	Must(t, d.OpenPage(t.Context(), site.Page("list.html"), drivers.PageOptions{Viewport: image.Pt(500, 400)}))
	if tr := tree(t, d); tr.Size != image.Pt(500, 400) {
		t.Errorf("the viewport is %v", tr.Size)
	}
	WantError(t, d.Tap(t.Context(), image.Pt(600, 100)), drivers.ErrNotActionable, "500 × 400")
	type row struct {
		opts drivers.PageOptions
		word string
	}
	for _, c := range testutil.Few(3, []row{
		{drivers.PageOptions{DeviceName: "iPhone 99"}, "iPhone 11"}, {drivers.PageOptions{DeviceName: "Toaster"},
			"for example"},
		{drivers.PageOptions{ColorScheme: "pink"}, "pink"}, {drivers.PageOptions{Timezone: "Mars/Base"}, "Mars/Base"},
		{drivers.PageOptions{Viewport: image.Pt(5, -1)}, "5x-1"},
	}) {
		WantError(t, d.OpenPage(t.Context(), site.Page("list.html"), c.opts), drivers.ErrPage, c.word)
	}
}

// A box that snaps goes back between two half turns, and on a busy machine moves long after the turn.
func TestWheelTurnsOnceAndWaitsForItsBox(t *testing.T) {
	t.Parallel()
	for _, c := range testutil.Few(3, []struct{ name, page, by string }{
		{"a snapping box", snapping(""), "300 after 1"},
		{"a busy page",
			snapping("addEventListener('wheel',e=>{for(const " +
				"end=performance.now()+300;performance.now()<end;);},{passive:false});"), "300 after 1"},
		{"a page that keeps the wheel", snapping("addEventListener('wheel',e=>e.preventDefault(),{passive:false});"),
			"0 after 1"},
		{"in a frame", "<iframe style='border:9px solid;width:400px;height:200px' srcdoc=\"" + snapping("") + "\"></iframe>",
			"300 after 1"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			d := display(t, c.page)
			_, page, err := d.slot.Page()
			Must(t, err)
			Must(t, d.Wheel(t.Context(), image.Pt(100, 50), image.Pt(285, 0), 0))
			got, err := page.Evaluate(
				"() => (window.box ? box : frames[0].box).scrollLeft + ' after ' + (window.turns || frames[0].turns)")
			Must(t, err)
			if got != c.by {
				t.Errorf("the box stands at %v turns, want %v", got, c.by)
			}
		})
	}
}

func snapping(script string) string {
	return `<body style='margin:0'><div id='box' style='display:flex;width:300px;overflow-x:auto;scroll-snap-type:x ` +
		`mandatory'>` +
		strings.Repeat(`<p style='flex:0 0 300px;height:90px;margin:0;scroll-snap-align:start'>Slide</p>`, 3) +
		`</div><script>var turns=0;addEventListener('wheel',()=>{turns++},{passive:true});` + script + `</script>`
}
