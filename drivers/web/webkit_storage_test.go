package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// keepingSite serves pages that keep something in the browser, under two names.
func keepingSite(t *testing.T) (here, there string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		script := ""
		switch r.URL.Path {
		case "/": // cookies of folders that are never requested
			w.Header().Add("Set-Cookie", "root=1; Path=/; SameSite=Strict")
			w.Header().Add("Set-Cookie", "deep=2; Max-Age=86400; path=/deep/folder; HttpOnly")
			w.Header().Add("Set-Cookie", "gone=3; Path=/; Max-Age=0")
			script = `document.cookie = 'script=4; Path=/by/script'; localStorage.basket = 'milk'; localStorage['%'] = '"';`
		case "/away":
			w.Header().Add("Set-Cookie", "away=5; Path=/")
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
			return
		case "/shop/start":
			script = `document.cookie = 'own=6; SameSite=Lax'; localStorage.shop = 'open';`
		case "/framing":
			script = `document.write('<iframe src="` + r.URL.Query().Get("frame") + `"></iframe>')`
		case "/opening":
			script = `document.write('<button onclick="window.open(\'/shop/start\')">Open</button>')`
		case "/worker":
			script = `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)` +
				`.then(() => document.title = 'Ready')`
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte("onfetch = () => {}"))
			return
		case "/said":
			_, _ = fmt.Fprint(w, r.Header.Get("Cookie"))
			return
		}
		_, _ = fmt.Fprintf(w, "<h1>%s</h1><script>%s</script>", r.URL.Path, script)
	}))
	t.Cleanup(s.Close)
	return s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// savedState saves the state of a device, and returns it without what differs between engines.
func savedState(t *testing.T, d *device) (path string, lines []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state.json")
	Must(t, d.SaveState(t.Context(), path))
	text, err := os.ReadFile(path)
	Must(t, err)
	var state playwright.StorageState
	Must(t, json.Unmarshal(text, &state))
	for _, c := range state.Cookies {
		lines = append(lines, fmt.Sprintf("%s=%s of %s%s, session %v, http only %v, secure %v", c.Name, c.Value, c.Domain,
			c.Path, c.Expires < 0, c.HttpOnly, c.Secure))
	}
	for _, o := range state.Origins {
		for _, item := range o.LocalStorage {
			lines = append(lines, fmt.Sprintf("%s=%s at %s", item.Name, item.Value, o.Origin))
		}
	}
	slices.Sort(lines)
	return path, lines
}

// keepThings opens pages that keep something, the last one of another site than the first.
func keepThings(t *testing.T, d *device, here, there string) {
	t.Helper()
	Must(t, d.OpenPage(t.Context(), here+"/", drivers.PageOptions{}))
	Must(t, d.Navigate(t.Context(), here+"/away?to="+there+"/shop/start", 0))
	mustShow(t, d, "h1", "/shop/start")
}

// A state that is saved in WebKit is the one that Chromium saves: cookies of sites and folders that are not open, and
// local storage of all sites. Loaded, it is there again, before a page opens and while one is open.
func TestWebKitSavesAndLoadsStates(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	here, there := keepingSite(t)
	other := open(t)
	keepThings(t, other, here, there)
	_, want := savedState(t, other)
	keepThings(t, d, here, there)
	path, got := savedState(t, d)
	if warned := d.TakeWarnings(); len(warned) != 1 || !strings.Contains(warned[0], "redirects") {
		t.Errorf("warnings: %q", warned)
	}
	if !slices.Equal(got, want) || len(got) != 8 {
		t.Errorf("WebKit has\n%s\nand Chromium\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	mustShow(t, d, "h1", "/shop/start")
	shows := func(opened, asked, want string) {
		t.Helper()
		Must(t, d.Navigate(t.Context(), opened, 0))
		value, err := d.Eval(t.Context(), `async () => JSON.stringify([(await (await fetch('`+asked+
			`')).text()).split('; ').sort().join(' '), {...localStorage}])`, patience)
		if err != nil || value != want {
			t.Errorf("%s has %v, %v, not %s", opened, value, err, want)
		}
	}
	all := func() {
		t.Helper()
		shows(here+"/said", "/said", `["away=5 root=1",{"%":"\"","basket":"milk"}]`)
		shows(here+"/deep/folder/x", "/said", `["away=5 root=1",{"%":"\"","basket":"milk"}]`)
		shows(there+"/shop/x", "/said", `["",{"shop":"open"}]`)
	}
	Must(t, d.OpenPage(t.Context(), here+"/empty", drivers.PageOptions{Storage: path}))
	all()
	_, again := savedState(t, d)
	if !slices.Equal(again, want) {
		t.Errorf("loaded, it is\n%s", strings.Join(again, "\n"))
	}
	Must(t, d.Navigate(t.Context(), here+"/said", 0))
	Must(t, d.ClearState(t.Context()))
	if _, left := savedState(t, d); !slices.Equal(left, []string{"shop=open at " + there}) {
		t.Errorf("cleared, it is %q", left)
	}
	shows(here+"/said", "/said", `["",{}]`)
	Must(t, d.LoadState(t.Context(), path))
	all()
	tabs, err := d.Tabs(t.Context())
	if err != nil || len(tabs) != 1 {
		t.Errorf("%+v, %v", tabs, err)
	}
	Must(t, d.OpenPage(t.Context(), here+"/empty", drivers.PageOptions{}))
	shows(here+"/said", "/said", `["",{}]`)
	file := filepath.Join(t.TempDir(), "cookie")
	Must(t, os.WriteFile(file, []byte(`{"cookies":[{"name":"a","value":"b"}],"origins":[]}`), 0o600))
	WantError(t, d.OpenPage(t.Context(), here+"/empty", drivers.PageOptions{Storage: file}), drivers.ErrPage, "cookie a")
	Must(t, os.WriteFile(file, []byte(`{"cookies":[],"origins":[{"origin":"x","localStorage":[]}]}`), 0o600))
	WantError(t, d.OpenPage(t.Context(), here+"/empty", drivers.PageOptions{Storage: file}), drivers.ErrPage, "the site")
}

// What WebKit does not show of a state is an error of saving, and what it may not show a warning.
func TestWebKitSavesNoPartOfAState(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	here, there := keepingSite(t)
	path := filepath.Join(t.TempDir(), "state.json")
	ready := func(expression string, want any) {
		t.Helper()
		ok := until(t.Context(), patience, func() bool {
			value, err := d.Eval(t.Context(), expression, patience)
			return err == nil && value == want
		})
		if !ok {
			t.Fatalf("%s is not %v", expression, want)
		}
	}
	Must(t, d.OpenPage(t.Context(), here+"/framing?frame="+there+"/shop/start", drivers.PageOptions{}))
	ready("frames.length", 1)
	WantError(t, d.SaveState(t.Context(), path), drivers.ErrUnsupported,
		"WebKit keeps the local storage of "+there+" in frames of "+here)
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
	// A frame of another site that keeps nothing is in no one's way.
	Must(t, d.OpenPage(t.Context(), here+"/framing?frame="+there+"/empty", drivers.PageOptions{}))
	ready("frames.length", 1)
	if _, lines := savedState(t, d); len(lines) != 0 {
		t.Errorf("saved: %q", lines)
	}

	Must(t, d.Navigate(t.Context(), here+"/away?to=/opening", 0))
	Must(t, d.ClickOn(t.Context(), target("button"), drivers.WebClick{}))
	ok := until(t.Context(), patience, func() bool {
		tabs, err := d.Tabs(t.Context())
		return err == nil && len(tabs) == 2
	})
	if !ok {
		t.Fatal("no window opens")
	}
	Must(t, d.SaveState(t.Context(), path))
	if warned := d.TakeWarnings(); len(warned) != 1 || !strings.Contains(warned[0], "may lack cookies of 127.0.0.1 for") {
		t.Errorf("warnings: %q", warned)
	}

	Must(t, d.OpenPage(t.Context(), here+"/worker", drivers.PageOptions{}))
	ready("document.title", "Ready")
	Must(t, d.SaveState(t.Context(), path)) // it has no cookies
	ready("document.cookie = 'a=b'", "a=b")
	Must(t, d.SaveState(t.Context(), path))
	if warned := d.TakeWarnings(); len(warned) != 1 || !strings.Contains(warned[0], "service workers") {
		t.Errorf("warnings: %q", warned)
	}
}
