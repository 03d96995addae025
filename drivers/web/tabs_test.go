package web

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

func TestPagesArePicked(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "popup.html")
	first, second, last := 0, 1, -1
	Must(t, d.ClickOn(t.Context(), target("#tab"), drivers.WebClick{}))
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{URL: "**/framed.html*"}, patience))
	mustShow(t, d, "h2, p, button, label", "tab")
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{Index: &first}, patience))
	mustShow(t, d, "h1", "Popups")
	mustShow(t, d, "h1", "Popups") // it stays so
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{Index: &last}, patience))
	if at, _, err := d.Location(t.Context()); err != nil || at == site.Page("popup.html") {
		t.Errorf("%s, %v", at, err)
	}
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{Title: "popups"}, patience))
	mustShow(t, d, "h1", "Popups")
	err := d.PickPage(t.Context(), drivers.WebTabSelector{Title: "/^Nothing/"}, 300*time.Millisecond)
	WantError(t, err, screen.ErrNotFound, "popup.html", "framed.html", "Popups")
	WantError(t, d.PickPage(t.Context(), drivers.WebTabSelector{URL: "/(/"}, time.Second), screen.ErrNotFound,
		"regular expression")
	WantError(t, d.PickPage(t.Context(), drivers.WebTabSelector{Index: new(7)}, 100*time.Millisecond), screen.ErrNotFound,
		"number 7")
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{Index: &second}, patience))
	Must(t, d.CloseTab(t.Context()))
	mustShow(t, d, "h1", "Popups")
	Must(t, d.CloseTab(t.Context()))
	_, err = d.Tree(t.Context())
	WantError(t, err, drivers.ErrPage, "closed")
	WantError(t, d.PickPage(t.Context(), drivers.WebTabSelector{Index: &first}, 100*time.Millisecond), screen.ErrNotFound,
		"none")
}

func TestSelectorsByMeaning(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<label>E-mail address <input id=a></label><label for=b>E-mail</label><input id=b><input id=c placeholder='Say "hi"'>
		<img id=d alt="A cat" src="data:," width=9 height=9><button id=e title="Close it">x</button><button id=f `+
			`data-testid="pay-now">Pay</button>
		<button id=g>Save</button><iframe title=inner srcdoc="<label>Deep <input id=h></label>"></iframe>`)
	for selector, id := range map[string]string{
		`label="E-mail"`: "b", `label=address`: "a", `placeholder=say "HI"`: "c", `placeholder="Say "hi""`: "c",
		`alt=cat`: "d", `title='Close it'`: "e",
		`testId=pay-now`: "f", `role=button[name="Save"]`: "g", `text=Save`: "g", `xpath=//button[.="Save"]`: "g",
		`css=body >> label="E-mail"`: "b",
	} {
		r, err := d.Reader.LookIn(t.Context(), "", selector)
		if err != nil || r.Count != 1 || len(r.What) != 1 || !hasID(r.What[0], id) {
			t.Errorf("%s: %+v, %v", selector, r, err)
		}
	}
	Must(t, d.FillIn(t.Context(), inFrame("title=inner", "label=deep"), "x"))
	if r, err := d.Reader.LookIn(t.Context(), "", "testId=pay"); err != nil || r.Count != 0 {
		t.Errorf("part of a test id: %+v, %v", r, err)
	}
}

func hasID(what, id string) bool {
	for i := range what {
		if what[i:] != "" && what[i] == '#' && len(what) > i+1 && what[i+1:i+2] == id {
			return true
		}
	}
	return false
}

func TestSystem(t *testing.T) {
	t.Parallel()
	d := open(t)
	place := drivers.Coordinates{Latitude: 52.52, Longitude: 13.405, Accuracy: 30}
	permission := "notifications" // for which the whole Chromium is started
	if testing.Short() {
		permission = "clipboard-read"
	}
	Must(t, d.OpenPage(t.Context(), site.Page("popup.html"), drivers.PageOptions{Geolocation: &place,
		UserAgent: "Taproot/1",
		Headers:   map[string]string{"X-Team": "blue"}, Permissions: []string{permission}}))
	where := `() => new Promise(done => navigator.geolocation.getCurrentPosition(
		p => done([p.coords.latitude, p.coords.longitude, p.coords.accuracy].join()), e => done('refused ' + e.message)))`
	shows := func(script, want string) {
		t.Helper()
		if got, err := d.Eval(t.Context(), script, patience); err != nil || got != want {
			t.Errorf("%v, %v; want %s", got, err, want)
		}
	}
	// Geolocation is for secure contexts; 127.0.0.1 is one.
	shows(where, "52.52,13.405,30")
	shows("navigator.userAgent", "Taproot/1")
	shows("navigator.permissions.query({name: '"+permission+"'}).then(s => s.state)", "granted")
	Must(t, d.SetLocation(t.Context(), drivers.Coordinates{Latitude: -33.8, Longitude: 151.2}))
	shows(where, "-33.8,151.2,0")
	dark := "String(matchMedia('(prefers-color-scheme: dark)').matches)"
	Must(t, d.DarkMode(t.Context(), true))
	shows(dark, "true")
	Must(t, d.ClickOn(t.Context(), target("#tab"), drivers.WebClick{}))
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{URL: "**/framed.html*"}, patience))
	if !until(t.Context(), patience, func() bool { v, _ := d.Eval(t.Context(), dark, patience); return v == "true" }) {
		t.Error("a page that comes later is light")
	}
	Must(t, d.DarkMode(t.Context(), false))
	shows(dark, "false")
	fetching := "fetch('api/goods').then(r => 'status ' + r.status, () => 'no network')"
	Must(t, d.Airplane(t.Context(), true))
	shows(fetching, "no network")
	shows("String(navigator.onLine)", "false")
	Must(t, d.Airplane(t.Context(), false))
	shows(fetching, "status 200")
	if !testing.Short() {
		Must(t, d.OpenPage(t.Context(), site.Page("popup.html"), drivers.PageOptions{Offline: true}))
		shows(fetching, "no network")
	}
	WantError(t, d.Rotate(t.Context(), true), drivers.ErrUnsupported)
	WantError(t, d.OpenPage(t.Context(), site.Page("popup.html"), drivers.PageOptions{Permissions: []string{"flying"}}),
		drivers.ErrPage, "flying")
}

func TestClearState(t *testing.T) {
	t.Parallel()
	d := browse(t, "form.html")
	count := `(document.cookie ? 1 : 0) + localStorage.length + sessionStorage.length`
	_, err := d.Eval(t.Context(), `document.cookie = 'a=1'; localStorage.b = 2; sessionStorage.c = 3`, patience)
	Must(t, err)
	if n, err := d.Eval(t.Context(), count, patience); n != 3 || err != nil {
		t.Fatalf("%v, %v", n, err)
	}
	Must(t, d.ClearState(t.Context()))
	if n, err := d.Eval(t.Context(), count, patience); n != 0 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
}
