package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// phonePage is wider than a phone unless the browser is one.
const phonePage = `<!doctype html><meta name=viewport content="width=device-width, initial-scale=1"><title>Shop</title>
<h1>Checkout</h1><label>E-mail <input id=mail></label><label><input type=checkbox id=terms> I agree</label>
<button id=pay onclick="done.textContent='Paid by '+mail.value">Pay now</button>
<button onclick="done.textContent=confirm('Sure?')?'Left':'Stayed'">Leave</button><p id=done>Nothing paid</p>
<p id=size></p><script>size.textContent = 'width ' + innerWidth</script>
<div style="height:3000px"></div><button onclick="done.textContent='Bottom'; window.scrollTo(0, 0)">Bottom</button>`

// TestChromeAtAppium runs a test of a page in the Chrome of a simulated phone, behind the Appium server of its makers
// and a real chromedriver.
func TestChromeAtAppium(t *testing.T) {
	testutil.Leave(t, "TestPagesOnPhones in drivers/web, with chromedriver alone")
	program, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Skip("chromedriver is not installed: it is Debian's chromium-driver")
	}
	var chromium chromiumtest.DevTools
	defer func() {
		if err := chromium.Close(); err != nil {
			t.Error(err)
		}
	}()
	adb := androidsim.StartADB(t)
	phone := androidsim.NewPhone(androidsim.Small)
	t.Cleanup(phone.Close)
	serial := adb.Connect(t, phone)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, phonePage)
	}))
	t.Cleanup(site.Close)
	phone.InstallWebView("com.android.chrome", "Chrome", androidsim.WebView{Browser: true, Mute: true, URL: "about:blank",
		DevTools: chromium.Start(t)})
	proxy := newCountingProxy(t, appiumtest.Start(t, appiumtest.Options{ADB: adb.Path, Env: adb.Env}).URL)
	l := newLab(t, 0)
	remote := func(more string) {
		l.write("taproot.yaml", fmt.Sprintf("evidence: {video: off}\nremotes:\n  lab:\n    url: %q\n    capabilities: "+
			"{platformName: Android, browserName: Chrome, 'appium:udid': %q, 'appium:adbPort': %d, "+
			"'appium:suppressKillServer': true, 'appium:skipDeviceInitialization': true%s}\n", proxy.URL, serial, adb.Port,
			more))
	}
	l.write("shop.yaml", strings.ReplaceAll(`id: shop
platform: web
steps:
  - openBrowser: "URL"
  - assert: Checkout
  - webAssert: {selector: "#size", text: width 412}
  - webType: {selector: "#mail", text: ada@example.com}
  - tap: I agree
  - tap: Pay now
  - webAssert: {selector: "#done", text: Paid by ada@example.com}
  - assertNot: Nothing paid
  - tap: Leave
  - alert: accept
  - assert: Left
  - tap: Bottom
  - assert: {text: Bottom, id: done}
`, "URL", site.URL))
	l.write("wide.yaml", "id: wide\nplatform: web\nsteps:\n  - openBrowser: {url: \""+site.URL+"\", viewport: 800x600}\n")

	remote("")
	end := l.start("taproot", "run", "--remote", "lab", "shop.yaml").wait()
	end.exits(t, 3)
	has(t, "a server without chromedriver", end.stdout+end.stderr, "the remote lab has no chromedriver that fits")
	refused := proxy.left() // requests for a session, none of which was opened
	remote(fmt.Sprintf(", 'appium:chromedriverExecutable': %q", program))
	end = l.start("taproot", "doctor", "--remote", "lab").wait()
	end.exits(t, 0)
	end = l.start("taproot", "run", "--remote", "lab", "shop.yaml").wait()
	end.exits(t, 0)
	end = l.start("taproot", "run", "--remote", "lab", "wide.yaml").wait()
	end.exits(t, 2)
	has(t, "a size", end.stdout+end.stderr, "openBrowser.viewport does not work on the remote lab")
	if n := proxy.left(); n != refused {
		t.Errorf("%d sessions are left", n-refused)
	}
}
