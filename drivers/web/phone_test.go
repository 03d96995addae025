package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// phoneScreen is what the chromedriver of asPhone imitates, in pixels of CSS; each is two pixels wide.
var phoneScreen = image.Pt(412, 800)

// asPhone responds as an Appium server with the Chrome of a phone does: capabilities of its own are not passed on to
// chromedriver, and windows have no other size. It reports whether it has responded.
func asPhone(w http.ResponseWriter, r *http.Request, seen *map[string]any) (done bool) {
	refuse := func(status int, code, message string) bool {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"error": code, "message": message}})
		return true
	}
	switch {
	case r.URL.Path == "/session" && r.Method == http.MethodPost:
		var body struct {
			Capabilities struct{ AlwaysMatch map[string]any }
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		all := body.Capabilities.AlwaysMatch
		*seen = all
		if _, fits := all["appium:chromedriverExecutable"]; !fits {
			return refuse(500, "session not created", "No Chromedriver found that can automate Chrome '150'.")
		}
		passed := map[string]any{"pageLoadStrategy": all["pageLoadStrategy"], "goog:chromeOptions": all["goog:chromeOptions"]}
		text, _ := json.Marshal(map[string]any{"capabilities": map[string]any{"alwaysMatch": passed}})
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	case strings.HasSuffix(r.URL.Path, "/window/rect"):
		return refuse(500, "unsupported operation", "not on Android")
	}
	return false
}

// phoneDriver is a driver of the browser of a phone.
func (h *hub) phoneDriver(t *testing.T, more map[string]any) *remoteDriver {
	t.Helper()
	h.phone = true
	d := h.driver(t, 1).(*remoteDriver)
	d.server.Capabilities["platformName"] = "Android"
	options := d.server.Capabilities["goog:chromeOptions"].(map[string]any)
	options["mobileEmulation"] = map[string]any{"deviceMetrics": map[string]any{"width": phoneScreen.X,
		"height": phoneScreen.Y, "pixelRatio": 2}}
	for name, value := range more {
		d.server.Capabilities[name] = value
	}
	return d
}

// TestPagesOnPhones: pages are opened in the Chrome of a phone, as large as its screen.
func TestPagesOnPhones(t *testing.T) {
	h := newHub(t)
	d := h.phoneDriver(t, map[string]any{"appium:chromedriverExecutable": "/opt/chromedriver"})
	dev := openRemote(t, d)
	if h.seen["appium:automationName"] != "UiAutomator2" {
		t.Error(h.seen)
	}
	if i := dev.Info(); i.Width != phoneScreen.X || i.Height != phoneScreen.Y {
		t.Errorf("%+v", i)
	}
	err := dev.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{Viewport: image.Pt(800, 600)})
	WantError(t, err, drivers.ErrUnsupported, "is as large as its screen")

	for name, head := range map[string]string{"made for phones": `<meta name=viewport content="width=device-width">`,
		"made for desktops": ""} {
		page := site.Made(head + `<h1>Shop</h1><div style="width:900px">wide</div>
			<button onclick="n.textContent = 'Added'">Add</button><p id=n>Nothing</p>`)
		Must(t, dev.OpenPage(t.Context(), page, drivers.PageOptions{}))
		picture, err := dev.Screenshot(t.Context())
		Must(t, err)
		if got := picture.Bounds().Size(); got != phoneScreen {
			t.Errorf("%s: the screenshot has %v pixels", name, got)
		}
		tree, err := dev.Tree(t.Context())
		Must(t, err)
		found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Add"}, Action: true})
		if err != nil || len(found) != 1 || !found[0].Point.In(image.Rectangle{Max: phoneScreen}) {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		dev.Aim(found[0].Node)
		Must(t, dev.Tap(t.Context(), found[0].Point))
		if text, err := dev.TextOf(t.Context(), drivers.WebTarget{Selector: "#n", Timeout: patience}); text != "Added" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	Must(t, dev.Close())
	Must(t, d.Close())
	if h.open() != 0 {
		t.Errorf("%d sessions are open", h.open())
	}
}

// TestDialogThatAppiumCloses: a dialog that opens by itself is closed by the server when a command comes upon it. That
// is an error, and not a page without a dialog.
func TestDialogThatAppiumCloses(t *testing.T) {
	h := newHub(t)
	dev := openRemote(t, h.phoneDriver(t, map[string]any{"appium:chromedriverExecutable": "/opt/chromedriver"}))
	defer dev.Close()

	// While the page loads: what waits for that ignores errors.
	page := site.Made(`<h1>Shop</h1><img src="/hang"><p id=n>Nothing</p>
		<script>setTimeout(() => { n.textContent = 'said ' + confirm('Sure?') }, 300)</script>`)
	closed := func(err error) bool { return err != nil && strings.Contains(err.Error(), "the server has closed it") }
	reports := 0
	err := dev.OpenPage(t.Context(), page, drivers.PageOptions{})
	if failed := closed(err); !failed { // otherwise the page is not open
		Must(t, err)
		for range 3 {
			_, err := dev.Tree(t.Context())
			if closed(err) {
				reports++
			} else if err != nil && !errors.Is(err, drivers.ErrNotReady) {
				t.Error(err)
			}
		}
		if reports != 1 && !noted(t, dev) {
			t.Errorf("%d reports", reports)
		}
	}

	page = site.Made(`<h1>Shop</h1><script>setTimeout(() => { n.textContent = 'said ' + confirm('Sure?') }, 1500)</script>
		<p id=n>Nothing</p>`)
	failed := dev.OpenPage(t.Context(), page, drivers.PageOptions{}) // on a slow machine, it opens meanwhile
	until(t.Context(), patience, func() bool {
		if failed != nil && !errors.Is(failed, drivers.ErrNotReady) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
		var text string
		tree, err := dev.Tree(t.Context())
		if err == nil {
			if n := find(tree, func(n *screen.Node) bool { return strings.HasPrefix(n.Text, "said") }); n != nil {
				text = n.Text
			}
		}
		failed = err
		return err != nil && !errors.Is(err, drivers.ErrNotReady) || text != ""
	})
	alert, _ := dev.Alert(t.Context())
	if alert == nil && !closed(failed) && !noted(t, dev) {
		t.Errorf("%v", failed)
	}
}

// noted reports whether Taproot itself has dismissed the dialog, while the page was being opened, and says so.
func noted(t *testing.T, dev drivers.Device) bool {
	t.Helper()
	tree, err := dev.Tree(t.Context())
	Must(t, err)
	is := func(n *screen.Node) bool { return n.Type == "dialog-note" && strings.Contains(n.Desc, "Sure?") }
	return find(tree, is) != nil
}

// TestPhonesWithoutADriver: what a server lacks for the browser of a phone is reported before a page opens.
func TestPhonesWithoutADriver(t *testing.T) {
	h := newHub(t)
	_, err := h.phoneDriver(t, nil).Open(t.Context(), "lab-1")
	WantError(t, err, drivers.ErrUnsupported, "the remote lab has no chromedriver that fits")
	_, err = h.phoneDriver(t, map[string]any{"platformName": "iOS"}).Open(t.Context(), "lab-1")
	WantError(t, err, drivers.ErrUnsupported, "Safari on an iPhone")
	if n := h.count("POST /session"); n != 1 || h.open() != 1 { // the one that was refused
		t.Errorf("%d sessions were requested", n)
	}
	h.mu.Lock()
	h.commands = nil
	h.mu.Unlock()
}
