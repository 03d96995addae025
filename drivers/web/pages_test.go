package web

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	d := open(t)
	// Before the page: it holds for the page that is opened next.
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/*.svg", Block: true}))
	Must(t, d.OpenPage(t.Context(), site.Page("requests.html"), drivers.PageOptions{}))
	mustShow(t, d, "#log", "no picture")
	press := func(id string) { Must(t, d.ClickOn(t.Context(), target("#"+id), drivers.WebClick{})) }
	press("load")
	mustShow(t, d, "#goods li", "Pear")

	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "/api/goods", JSON: []any{"Mocked"}, Headers: map[string]string{
		"x-kind": "mock"}}))
	press("load")
	mustShow(t, d, "#goods li", "Mocked")
	mustShow(t, d, "#log", "200 mock application/json")
	press("other") // another site: the browser checks whether it may be read
	mustShow(t, d, "#log", "200 - application/json")

	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Status: 503, Body: "out of order"}))
	press("load") // the newest route counts
	mustShow(t, d, "#log", "503 - text/plain; charset=utf-8")
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "/api.goods/", Block: true}))
	press("load")
	mustShow(t, d, "#log", "failed")

	WantError(t, d.Route(t.Context(), drivers.WebRoute{URL: "/(/"}), screen.ErrNotFound)
	WantError(t, d.Route(t.Context(), drivers.WebRoute{URL: "/x", Status: 999}), drivers.ErrUnsupported)
	Must(t, d.OpenPage(t.Context(), site.Page("requests.html"), drivers.PageOptions{}))
	press("load")
	mustShow(t, d, "#goods li", "Pear") // a new page starts without routes
	Must(t, d.Navigate(t.Context(), "reload", patience))
	delayedAnswers(t, d)
}

// delayedAnswers: a delayed response ends with its page.
func delayedAnswers(t *testing.T, d *device) {
	t.Helper()
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "/api/goods", Delay: time.Hour}))
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "/api/orders", Delay: 300 * time.Millisecond, Status: 200}))
	Must(t, d.ClickOn(t.Context(), target("#post"), drivers.WebClick{}))
	mustShow(t, d, "#log", "ordered 200")
	Must(t, d.ClickOn(t.Context(), target("#load"), drivers.WebClick{}))
	if seen := look(t, d, "#goods li", drivers.WebCondition{}, 300*time.Millisecond); seen.Met {
		t.Error("the answer did not wait")
	}
	Must(t, d.ClosePage(t.Context()))
}

func TestWaitPage(t *testing.T) {
	t.Parallel()
	d := browse(t, "requests.html")
	press := func(id string) { Must(t, d.ClickOn(t.Context(), target("#"+id), drivers.WebClick{})) }
	press("post")
	mustShow(t, d, "#log", "ordered 201") // over already, and it counts all the same
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Response: "/api/orders"}, patience))
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Request: "**/orders"}, patience))
	press("load")
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Request: "**/api/goods?page=*"}, patience))
	err := d.WaitPage(t.Context(), drivers.WebEvent{Response: "/api/orders"}, 300*time.Millisecond)
	WantError(t, err, screen.ErrNotFound, "no answer came from", "/api/orders") // it was before the last click
	for _, state := range []string{"load", "domcontentloaded", "networkidle"} {
		Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Load: state}, patience))
	}
	WantError(t, d.WaitPage(t.Context(), drivers.WebEvent{Load: "ready"}, time.Second), drivers.ErrUnsupported)
	WantError(t, d.WaitPage(t.Context(), drivers.WebEvent{}, time.Second), drivers.ErrUnsupported)

	_, page, err := d.slot.Page()
	Must(t, err)
	_, err = page.Evaluate(`() => { setTimeout(() => location.href = 'list.html?from=here', 400) }`)
	Must(t, err)
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{URL: "/list.html"}, patience))
	mustShow(t, d, "h1", "Contacts")
	err = d.WaitPage(t.Context(), drivers.WebEvent{URL: "/cart"}, 300*time.Millisecond)
	WantError(t, err, screen.ErrNotFound, "/cart", "list.html?from=here")
}

func TestSignedInStateIsSavedAndLoaded(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "account.html")
	path := filepath.Join(t.TempDir(), "state.json")
	Must(t, d.ClickOn(t.Context(), target("#in"), drivers.WebClick{}))
	mustShow(t, d, "#who", "Signed in as Ada")
	Must(t, d.SaveState(t.Context(), path))
	info, err := os.Stat(path)
	Must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the state: %v", info.Mode())
	}

	if testing.Short() {
		Must(t, d.ClearState(t.Context()))
		Must(t, d.Navigate(t.Context(), "reload", 0))
	} else {
		Must(t, d.OpenPage(t.Context(), site.Page("account.html"), drivers.PageOptions{}))
	}
	mustShow(t, d, "#who", "Nobody is signed in")
	Must(t, d.LoadState(t.Context(), path)) // while the page is open
	Must(t, d.Navigate(t.Context(), "reload", 0))
	mustShow(t, d, "#who", "Signed in as Ada")
	if !testing.Short() {
		Must(t, d.OpenPage(t.Context(), site.Page("account.html"), drivers.PageOptions{}))
		mustShow(t, d, "#who", "Nobody is signed in")
	}
	Must(t, d.OpenPage(t.Context(), site.Page("account.html"), drivers.PageOptions{Storage: path}))
	mustShow(t, d, "#who", "Signed in as Ada")
	if testing.Short() { // the rest is left to make test-full
		return
	}
	Must(t, d.ClosePage(t.Context()))
	Must(t, d.LoadState(t.Context(), path)) // before the page is opened
	Must(t, d.OpenPage(t.Context(), site.Page("account.html"), drivers.PageOptions{}))
	mustShow(t, d, "#who", "Signed in as Ada")
}

func TestFilesThatAreNoState(t *testing.T) {
	t.Parallel()
	d := open(t)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty": "", "text": "hello", "other": `{"a":1}`, "list": `[]`, "cut": `{"cookies":[`, "wrong": `{"cookies":"x"}`,
	} {
		path := filepath.Join(dir, name)
		Must(t, os.WriteFile(path, []byte(content), 0o600))
		WantError(t, d.LoadState(t.Context(), path), drivers.ErrPage, "not a saved state")
		err := d.OpenPage(t.Context(), site.Page("account.html"), drivers.PageOptions{Storage: path})
		WantError(t, err, drivers.ErrPage, "not a saved state")
	}
	WantError(t, d.LoadState(t.Context(), filepath.Join(dir, "none")), drivers.ErrPage, "there is no saved state")
	path := filepath.Join(dir, "cookie")
	Must(t, os.WriteFile(path, []byte(`{"cookies":[{"name":"a","value":"b"}],"origins":[]}`), 0o600))
	err := d.OpenPage(t.Context(), site.Page("account.html"), drivers.PageOptions{Storage: path})
	WantError(t, err, drivers.ErrPage)
}

func TestEval(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "list.html")
	for script, want := range map[string]any{
		"document.title": "List", "1 + 2": 3, "() => 1.5": 1.5, "null": nil, "undefined": nil, "[1, 'a', {b: true}]": []any{
			1, "a", map[string]any{"b": true}},
		"async () => { await new Promise(done => setTimeout(done, 50)); return 'late' }": "late", "1e300": 1e300, "NaN": nil,
		"true": true, "''": "",
	} {
		got, err := d.Eval(t.Context(), script, patience)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, %v", script, got, err)
		}
	}
	for script, words := range map[string]string{
		"nothing.here": "nothing is not defined", "() => { throw new Error('no tea') }": "no tea", "1 +": "SyntaxError",
		"'x'.repeat(2000000)": "larger than 1 MB", "() => { const a = {}; a.a = a; return a }": "circular",
	} {
		_, err := d.Eval(t.Context(), script, time.Minute)
		WantError(t, err, drivers.ErrNotActionable, "the script failed", words)
	}
	_, err := d.Eval(t.Context(), "new Promise(() => {})", 300*time.Millisecond)
	WantError(t, err, drivers.ErrNotActionable, "did not end within")
	if _, err := d.Eval(t.Context(), "1", patience); err != nil {
		t.Errorf("after a script without an end: %v", err)
	}
}

// closes: a closed page does not count, and another one may be opened.
func closes(t *testing.T, d *device) {
	t.Helper()
	for range 2 {
		Must(t, d.ClosePage(t.Context()))
	}
	_, err := d.Tree(t.Context())
	WantError(t, err, drivers.ErrPage, "no page is open")
	Must(t, d.OpenPage(t.Context(), site.Page("list.html"), drivers.PageOptions{}))
}

func TestNavigate(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "list.html")
	WantError(t, d.Navigate(t.Context(), "back", 0), drivers.ErrNotActionable, "no page to go back to")
	WantError(t, d.Press(t.Context(), []string{"back"}), drivers.ErrNotActionable)
	for _, step := range [][2]string{
		{site.Page("spa.html"), "/spa.html"}, {"back", "/list.html"}, {"forward", "/spa.html"}, {"reload", "/spa.html"},
		{"/form.html?x=1", "/form.html?x=1"}, {"#there", "/form.html?x=1#there"},
	} {
		Must(t, d.Navigate(t.Context(), step[0], patience))
		at, _, err := d.Location(t.Context())
		if err != nil || at != site.URL+step[1] {
			t.Errorf("%s leads to %s, %v", step[0], at, err)
		}
	}
	WantError(t, d.Navigate(t.Context(), "forward", 0), drivers.ErrNotActionable, "forward")
	Must(t, d.Press(t.Context(), []string{"back"}))
	if _, title, err := d.Location(t.Context()); err != nil || title != "Form" {
		t.Errorf("title %q, %v", title, err)
	}
	WantError(t, d.Navigate(t.Context(), "ftp://x", 0), drivers.ErrPage)
	WantError(t, d.Navigate(t.Context(), "http://127.0.0.1:9/", 0), drivers.ErrPage, "refuse")
	_, err := d.Tree(t.Context())
	WantError(t, err, drivers.ErrPage)
	WantError(t, d.Navigate(t.Context(), site.Page("hang"), 300*time.Millisecond), drivers.ErrPage, "did not load within")
	Must(t, d.Navigate(t.Context(), site.Page("list.html"), 0))
	mustShow(t, d, "h1", "Contacts")
	if !testing.Short() { // TestDownloads and TestRoutes close their pages
		closes(t, d)
	}
}
