package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// eventfulSite is a page that writes to its console, requests things, and shows what it knows of the system around it.
func eventfulSite(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "ada"})
			_, _ = w.Write([]byte(`<h1>Shop</h1><p id=p></p><script>
				console.warn('low stock'); console.error('no price'); localStorage.basket = 'milk';
				setTimeout(() => { throw new TypeError('late') });
				const ask = async url => { try { return await (await fetch(url)).text() } catch { return 'failed' } };
				const where = () => new Promise(done => navigator.geolocation.getCurrentPosition(
					p => done(p.coords.latitude), e => done(e.message)));
			</script><img src=/nope.png>`))
		case "/headers":
			_, _ = w.Write([]byte(r.Header.Get("X-Shop") + "|" + r.Header.Get("Cookie")))
		case "/goods":
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"stock": 5, "said": "%s %s %s %s"}`, r.Method, body, r.Header.Get("X-Shop"),
				r.Header.Get("Cookie"))
		case "/empty":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<h1>Empty</h1>"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func remoteEval(t *testing.T, dev *remoteDevice, script string) string {
	t.Helper()
	value, err := dev.Eval(t.Context(), script, patience)
	Must(t, err)
	text, _ := json.Marshal(value)
	return string(text)
}

// By WebDriver BiDi, a session reports requests and the console, and changes what pages receive and know. Nothing of it
// is left to the next test.
func TestRemoteBiDi(t *testing.T) {
	testutil.Leave(t, "it runs without -short; drivers/internal/webdriver and remote test the connection")
	inBrowsers(t, remoteBiDi)
}

func remoteBiDi(t *testing.T, h *hub) {
	d, shop := h.driver(t, 1), eventfulSite(t)
	dev := openRemote(t, d)
	Must(t, dev.CheckActions(t.Context(), []string{"webRoute", "openBrowser.headers", "openBrowser.locale",
		"openBrowser.timezone", "openBrowser.userAgent", "openBrowser.geolocation", "setAirplaneMode", "webStorage",
		"assertLog"}))
	var log bytes.Buffer
	stop, err := dev.StartLog(t.Context(), &log)
	Must(t, err)
	Must(t, dev.Route(t.Context(), drivers.WebRoute{URL: "https://prices.example/**", JSON: map[string]any{"bread": 4}}))
	Must(t, dev.OpenPage(t.Context(), shop.URL+"/", drivers.PageOptions{Headers: map[string]string{"X-Shop": "test"},
		Locale: "de-DE", Timezone: "Asia/Tokyo", UserAgent: "Robot/1", Geolocation: &drivers.Coordinates{Latitude: 52.5}}))
	if o, err := dev.Opening(t.Context()); err != nil || o.Status != 200 || o.URL != shop.URL+"/" {
		t.Errorf("the page came as %+v, %v", o, err)
	}
	got := remoteEval(t, dev, `async () => [await ask('https://prices.example/x'), (await ask('/headers')).split('|')[0],
		navigator.language, new Date().getTimezoneOffset(), navigator.userAgent, await where()]`)
	if got != `["{\"bread\":4}","test","de-DE",-540,"Robot/1",52.5]` {
		t.Error(got)
	}
	Must(t, dev.Route(t.Context(), drivers.WebRoute{URL: "/headers", Block: true}))
	if got := remoteEval(t, dev, `() => ask('/headers')`); got != `"failed"` {
		t.Error(got)
	}
	Must(t, dev.Route(t.Context(), drivers.WebRoute{URL: "/goods", Request: map[string]string{"X-Shop": "changed"},
		Modify: &drivers.WebModify{Status: 203, Merge: map[string]any{"stock": 0}, Headers: map[string]string{"X-A": "b"}}}))
	got = remoteEval(t, dev, `async () => { const said = await fetch('/goods', {method: 'POST', body: 'milk é'});
		return [said.status, said.headers.get('x-a'), await said.json()] }`)
	if got != `[203,"b",{"said":"POST milk é changed who=ada","stock":0}]` {
		t.Error(got)
	}
	remoteEval(t, dev, `() => { setTimeout(() => ask('/later'), 300) }`)
	Must(t, dev.WaitPage(t.Context(), drivers.WebEvent{Response: "/later"}, patience))
	Must(t, dev.WaitPage(t.Context(), drivers.WebEvent{Load: "networkidle"}, patience))
	seen, err := dev.Look(t.Context(), "h1", drivers.WebCondition{NoConsoleErrors: true}, time.Second)
	Must(t, err)
	all := strings.Join(seen.ConsoleErrors, "\n")
	if seen.Met || !strings.Contains(all, "no price") || !strings.Contains(all, "uncaught late") ||
		strings.Contains(all, "status of 404") == h.firefox {
		t.Errorf("the console has %v: %s", seen.Met, all)
	}
	Must(t, dev.SettleLog(t.Context()))
	Must(t, dev.Airplane(t.Context(), true))
	if got := remoteEval(t, dev, `() => navigator.onLine`); got != "false" {
		t.Error(got)
	}
	Must(t, dev.Airplane(t.Context(), false))
	state := filepath.Join(t.TempDir(), "state.json")
	Must(t, dev.SaveState(t.Context(), state))
	Must(t, dev.Close())
	Must(t, stop())
	if text := log.String(); !strings.Contains(text, "console warning: low stock") ||
		!strings.Contains(text, "response: 404 GET "+shop.URL+"/nope.png") {
		t.Error(text)
	}

	dev = openRemote(t, d)
	Must(t, dev.OpenPage(t.Context(), shop.URL+"/empty", drivers.PageOptions{}))
	got = remoteEval(t, dev, `async () => [await (await fetch('/headers')).text(), navigator.language === 'de-DE',
		navigator.userAgent === 'Robot/1', localStorage.length]`)
	if got != `["|",false,false,0]` {
		t.Errorf("of the test before, this is left: %s", got)
	}
	Must(t, dev.OpenPage(t.Context(), shop.URL+"/empty", drivers.PageOptions{Storage: state}))
	got = remoteEval(t, dev, `async () => [await (await fetch('/headers')).text(), localStorage.basket]`)
	if got != `["|who=ada","milk"]` {
		t.Errorf("the state is %s", got)
	}
	Must(t, dev.Close())
}

// What is requested in place of a remote browser goes where the policy of the driver lets browsers go.
func TestRemoteChangedResponsesAreGuarded(t *testing.T) {
	testutil.Leave(t, "it runs without -short; package guard tests what may be reached")
	d, shop := newHub(t).driver(t, 1), eventfulSite(t)
	d.(*remoteDriver).opts.Policy = &guard.Policy{}
	dev := openRemote(t, d)
	Must(t, dev.OpenPage(t.Context(), shop.URL+"/", drivers.PageOptions{}))
	Must(t, dev.Route(t.Context(), drivers.WebRoute{URL: "/goods", Modify: &drivers.WebModify{Status: 203}}))
	if got := remoteEval(t, dev, `() => ask('/goods')`); got != `"failed"` {
		t.Error(got)
	}
	seen, err := dev.Look(t.Context(), "h1", drivers.WebCondition{NoConsoleErrors: true}, time.Second)
	all := strings.Join(seen.ConsoleErrors, "\n")
	if err != nil || !strings.Contains(all, "webRoute: the network did not respond") {
		t.Errorf("%s, %v", all, err)
	}
	Must(t, dev.Close())
}

// Files are sent to the browser, and, by WebDriver BiDi, those that pages offer are saved: in a folder of this machine,
// or by a Grid.
func TestRemoteFiles(t *testing.T) {
	testutil.Leave(t, "it runs without -short; TestUploads and TestDownloads try the page in Chromium")
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	for _, grid := range []bool{false, true} {
		inBrowsers(t, func(t *testing.T, h *hub) { remoteFiles(t, h, grid, folder) })
	}
}

func remoteFiles(t *testing.T, h *hub, grid bool, folder string) {
	if grid && h.firefox {
		t.Skip("Firefox numbers files of one name, which a Grid keeps")
	}
	if grid {
		h.files = t.TempDir()
	}
	dev := openRemote(t, h.driver(t, 1))
	Must(t, dev.CheckActions(t.Context(), []string{"webDownload"}))
	Must(t, dev.OpenPage(t.Context(), site.Page("files.html"), drivers.PageOptions{}))
	uploads(t, dev.device)
	download(t, dev.device, "did not end in time") // it closes the page
	Must(t, dev.Close())
	if left, err := filepath.Glob(filepath.Join(folder, "taproot-downloads-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A connection for events that ends during a test makes what depends on it an error: nothing counts as absent that was
// not reported. The session is not used again.
func TestRemoteBiDiIsLost(t *testing.T) {
	testutil.Leave(t, "it runs without -short; drivers/internal/webdriver tests connections that end")
	h := newHub(t) // of geckodriver, the socket has a port of its own
	d, shop := h.driver(t, 1), eventfulSite(t)
	dev := openRemote(t, d)
	Must(t, dev.OpenPage(t.Context(), shop.URL+"/empty", drivers.PageOptions{}))
	seen, err := dev.Look(t.Context(), "h1", drivers.WebCondition{NoConsoleErrors: true}, time.Second)
	if err != nil || !seen.Met {
		t.Fatal(seen, err)
	}
	h.mu.Lock()
	for _, c := range h.sockets {
		_ = c.Close()
	}
	h.mu.Unlock()
	_, err = dev.Look(t.Context(), "h1", drivers.WebCondition{NoConsoleErrors: true}, time.Second)
	WantError(t, err, drivers.ErrDeviceLost, "events may be missing")
	for name, err := range map[string]error{
		"assertLog": dev.SettleLog(t.Context()),
		"webRoute":  dev.Route(t.Context(), drivers.WebRoute{URL: "/x", Status: 200}),
		"webWait":   dev.WaitPage(t.Context(), drivers.WebEvent{Request: "/x"}, time.Second),
	} {
		if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "events may be missing") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = dev.Close()
	if n := h.open(); n != 0 {
		t.Errorf("%d sessions are open", n)
	}
}
