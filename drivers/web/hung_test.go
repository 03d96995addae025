package web

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// A script that never ends in a handler: the call that it holds ends, the page is closed whatever it does, and others
// continue.
func TestAHungPageIsClosedHard(t *testing.T) {
	t.Parallel()
	neighbour := display(t, `<h1>Next door</h1>`)
	d := visitPage(t, "busy.html")
	button := byID(t, tree(t, d), "hang")
	d.slot.Limit, d.slot.Grace = 2*time.Second, browser.ActGrace
	if testing.Short() { // the page computes as long
		d.slot.Limit, d.slot.Grace = 200*time.Millisecond, 200*time.Millisecond
	}
	WantError(t, d.Tap(t.Context(), centre(button)), drivers.ErrNotReady, "did not answer")
	_, err := d.Screenshot(t.Context())
	WantError(t, err, drivers.ErrDeviceLost, "")
	_, err = d.Tree(t.Context())
	WantError(t, err, drivers.ErrDeviceLost, "had to be cancelled")
	Must(t, d.Close())
	if _, err := neighbour.Tree(t.Context()); err != nil && !errors.Is(err, drivers.ErrDeviceLost) {
		t.Errorf("next door: %v", err)
	}
	Must(t, show(t, `<h1>Again</h1>`).Close()) // another page opens
}

// A page that hangs by itself, when nothing acts on it, returns no screenshot and is closed as well.
func TestAPictureOfAPageThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestAHungPageIsClosedHard remains")
	d := visitPage(t, "busy.html")
	_, page, err := d.slot.Page()
	Must(t, err)
	_, _ = page.Evaluate(`() => setTimeout(() => document.getElementById('hang').click(), 0)`)
	d.slot.Limit = time.Second
	if !until(t.Context(), patience,
		func() bool { _, err := d.Tree(t.Context()); return errors.Is(err, drivers.ErrNotReady) }) {
		t.Fatal("the page does not hang")
	}
	if _, err := d.Screenshot(t.Context()); err == nil {
		t.Error("there is a picture")
	}
	Must(t, d.Close())
}

// A page that takes longer for a text than a call may take gets the whole of it, if it takes each part in time.
func TestALongTextOnASlowPage(t *testing.T) {
	t.Parallel()
	d := display(t, `<input id=f oninput="for(const end=performance.now()+75;performance.now()<end;);">`)
	tap(t, d, byID(t, tree(t, d), "f"))
	text := strings.Repeat("abcd efgh ", 5) // 3.75 s
	d.slot.Limit = 3 * time.Second
	Must(t, d.Type(t.Context(), text))
	d.slot.Limit = browser.CallLimit
	if got := byID(t, tree(t, d), "f").Text; got != text {
		t.Errorf("the field shows %q", got)
	}
}

// A page with a dialog about leaving it is left when the test says so, and not before.
func TestLeavingIsAsked(t *testing.T) {
	t.Parallel()
	guarded := `<h1>Draft</h1><input id=f><a id=go href="` + site.Page("form.html") +
		`">Go</a><script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='x'})</script>`
	d := display(t, guarded)
	tap(t, d, byID(t, tree(t, d), "f"))
	Must(t, d.Type(t.Context(), "unsaved"))
	for _, leave := range []bool{false, true} {
		tap(t, d, byID(t, tree(t, d), "go"))
		alertOf(t, d, "Leave site?")
		Must(t, d.AnswerAlert(t.Context(), map[bool]string{true: "Leave", false: "Cancel"}[leave], ""))
		there := until(t.Context(), patience, func() bool {
			address, _, err := d.Location(t.Context())
			return err == nil && strings.HasPrefix(address, site.Page("made")) != leave
		})
		if !there {
			t.Errorf("leave %v is not what happens", leave)
		}
	}
}

// A navigation of the test's own opens the dialog as well.
func TestNavigatingAwayIsAsked(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<input id=f><script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='x'})</script>`)
	tap(t, d, byID(t, tree(t, d), "f"))
	Must(t, d.Type(t.Context(), "unsaved"))
	Must(t, d.Navigate(t.Context(), site.Page("form.html"), patience))
	alertOf(t, d, "Leave site?")
	Must(t, d.AnswerAlert(t.Context(), "Leave", ""))
	if !until(t.Context(), patience, func() bool {
		address, _, err := d.Location(t.Context())
		return err == nil && address == site.Page("form.html")
	}) {
		t.Error("the page was not left")
	}
}

// What a person can use is open, whatever still loads; it is reported.
func TestAPageWhoseImageNeverLoads(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "never.html")
	opening, err := d.Opening(t.Context())
	Must(t, err)
	if len(opening.Loading) != 1 || opening.Loading[0] != site.Page("hang") {
		t.Errorf("still loading %q", opening.Loading)
	}
	tap(t, d, byID(t, tree(t, d), "b"))
	Must(t, d.Navigate(t.Context(), site.Page("form.html"), patience))
	if opening, err = d.Opening(t.Context()); err != nil || slices.Contains(opening.Loading, site.Page("hang")) ||
		opening.Status != 200 {
		t.Errorf("%+v, %v", opening, err)
	}
}

// A page that sends its visitor on is not the one that was gone to.
func TestAPageThatGoesOnElsewhereIsWaitedFor(t *testing.T) {
	t.Parallel()
	for when, script := range map[string]string{
		"while it loads": `<img src="/hang"><script>addEventListener('DOMContentLoaded', () => ` +
			`setTimeout(go, 100))</script>`,
		"as it is asked, and loads":      `<img src="/hang">` + goWhenAsked,
		"as it is asked, and has loaded": goWhenAsked,
		"without a clock to ask": `<script>delete window.performance; window.performance = null</script><img ` +
			`src="/slow?ms=200"><script>addEventListener('load', go)</script>`,
	} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			goesOn(t, browse(t, "list.html"), script)
		})
	}
}

// goWhenAsked is of a page that goes elsewhere at the very moment in which it is asked whether it has loaded.
const goWhenAsked = `<script>const stage = Object.getOwnPropertyDescriptor(Document.prototype, 'readyState').get;
	Object.defineProperty(document, 'readyState', {configurable: true, get() { delete document.readyState; go(); return ` +
	`stage.call(document) }})</script>`

// goesOn goes to a page with a script that calls go, which leads elsewhere, and holds that it is there.
func goesOn(t *testing.T, d *device, script string) {
	t.Helper()
	second := site.Page("slow?ms=300")
	Must(t, d.Navigate(t.Context(), site.Made(`<p>First</p><script>const go = () => location.replace('`+second+
		`')</script>`+script), patience))
	if state, err := d.Eval(t.Context(), "location.href + ' ' + document.readyState", patience); err != nil ||
		state != second+" complete" {
		t.Errorf("%v, %v", state, err)
	}
}

// A page that is left while it loads says that it is complete; what is not in it may come in its place. One that is
// still there a second later has all that it will get.
func TestAPageThatStopsLoading(t *testing.T) {
	t.Parallel()
	d := browse(t, "list.html")
	Must(t, d.Navigate(t.Context(),
		site.Made(`<p>First</p><img src="/hang"><script>addEventListener('DOMContentLoaded', () => location.href = `+
			`'/status/204')</script>`), patience))
	if !until(t.Context(), patience, func() bool {
		state, err := d.Eval(t.Context(), "document.readyState", patience)
		return err == nil && state == "complete"
	}) {
		t.Fatal("the page is not left")
	}
	r, err := d.Reader.LookIn(t.Context(), "", "#none")
	Must(t, err)
	if r.Ready != "stopped" || r.Loaded {
		t.Errorf("at first it is %s, loaded %v", r.Ready, r.Loaded)
	}
	if !until(t.Context(), patience, func() bool {
		r, err = d.Reader.LookIn(t.Context(), "", "#none")
		return err == nil && r.Loaded && !tree(t, d).Loading
	}) {
		t.Errorf("it never has loaded: %+v, %v", r, err)
	}
}

func TestTheAnswerOfTheServerIsTold(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 503} {
		d := browse(t, "status/"+map[int]string{404: "404", 503: "503"}[status])
		if opening, err := d.Opening(t.Context()); err != nil || opening.Status != status {
			t.Errorf("%+v, %v", opening, err)
		}
	}
}
