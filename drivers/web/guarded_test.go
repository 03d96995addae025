package web

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// guardedDevice is a device of a driver that may reach public addresses, and files below a folder, only.
func guardedDevice(t *testing.T, p guard.Policy, below string) *device {
	t.Helper()
	driver := New(Options{Policy: &p, FilesBelow: below})
	opened, err := driver.Open(t.Context(), "web-1")
	Must(t, err)
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened.(*device)
}

// Whatever a page attempts, nothing on this machine receives it.
func TestAGuardedBrowserReachesNothingPrivate(t *testing.T) {
	var reached atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte("private"))
	})
	private, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer private.Close()
	defer encrypted.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	Must(t, err)
	defer udp.Close()
	_, port, _ := net.SplitHostPort(private.Listener.Addr().String())
	root := t.TempDir()
	d := guardedDevice(t, guard.Policy{}, root)
	t.Run("files", func(t *testing.T) { filesBelow(t, d, root) })
	visit := func(address string) error {
		return d.OpenPage(t.Context(), address, drivers.PageOptions{Timeout: patience})
	}
	if testing.Short() { // all in one page
		Must(t, d.OpenPage(t.Context(), "about:blank", drivers.PageOptions{}))
		visit = func(address string) error { return d.Navigate(t.Context(), address, patience) }
	}
	for _, address := range []string{private.URL, encrypted.URL, "http://localhost:" + port, "http://[::1]:" + port,
		"http://0.0.0.0:" + port,
		"http://127.1:" + port, "http://2130706433:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://foo.localhost:" +
			port} {
		WantError(t, visit(address), drivers.ErrPage)
	}
	WantError(t, visit(private.URL), drivers.ErrPage, "127.0.0.1", "loopback", "--allow-private")
	WantError(t, visit("http://169.254.169.254/latest/meta-data/"), drivers.ErrPage, "169.254.169.254", "credentials")
	page := `<!doctype html><img src="` + private.URL + `/img"><script src="` + private.URL +
		`/js"></script><link rel=stylesheet href="` + private.URL + `/css">
		<link rel=preconnect href="` + private.URL + `"><link rel=dns-prefetch href="//localhost"><link rel=prefetch href="` +
		private.URL + `/p">
		<iframe src="` + private.URL + `/frame"></iframe><object data="` + private.URL + `/object"></object><video src="` +
		private.URL + `/v"></video>
		<form id=f method=post action="` + private.URL + `/form" target=_blank></form><script>
		fetch('` + private.URL + `/fetch').catch(() => {}); navigator.sendBeacon('` + private.URL + `/beacon');
		new WebSocket('ws://127.0.0.1:` + port + `/ws'); new EventSource('` + private.URL + `/events'); f.submit();
		window.open('` + private.URL + `/popup');
		const rtc = new RTCPeerConnection({iceServers: [{urls: 'stun:` + udp.LocalAddr().String() + `'}]});
		rtc.createDataChannel('x'); rtc.createOffer().then(o => rtc.setLocalDescription(o));</script><h1>Tried</h1>`
	Must(t, d.OpenPage(t.Context(), "data:text/html,"+percent(page), drivers.PageOptions{Timeout: patience}))
	for _, n := range []int{2, 0} { // its two windows come when they like, and each comes to the foreground
		Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{Index: &n}, patience))
	}
	mustShow(t, d, "h1", "Tried")
	_, err = d.Eval(t.Context(), "fetch('"+private.URL+"/last').catch(() => 'refused')", patience)
	Must(t, err)
	// A route that fetches in place of the browser goes the same way.
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/modified", Modify: &drivers.WebModify{Status: 201}}))
	if got, err := d.Eval(t.Context(), "fetch('"+private.URL+"/modified').then(r => r.status, () => 'refused')",
		patience); err != nil || got != "refused" {
		t.Errorf("a modified answer: %v, %v", got, err)
	}
	WantError(t, d.OpenPage(t.Context(), "about:blank", drivers.PageOptions{Connect: private.URL}), drivers.ErrUnsupported)
	WantError(t, d.OpenPage(t.Context(), "about:version", drivers.PageOptions{}), drivers.ErrPage, "browser itself")
	Must(t, d.OpenPage(t.Context(), "about:blank", drivers.PageOptions{}))
	_ = udp.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	if n, _, err := udp.ReadFrom(make([]byte, 100)); err == nil {
		t.Errorf("WebRTC sent %d bytes past the proxy", n)
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("%d requests came through", n)
	}
}

// With private addresses allowed the same proxy lets pages, encrypted ones and WebSockets too, through.
func TestAGuardedBrowserWorks(t *testing.T) {
	testutil.Leave(t, "it starts a browser of its own; package guard tries its proxy")
	d := guardedDevice(t, guard.Policy{AllowPrivate: true}, "")
	Must(t, d.OpenPage(t.Context(), site.Page("requests.html"), drivers.PageOptions{}))
	Must(t, d.ClickOn(t.Context(), target("#load"), drivers.WebClick{}))
	mustShow(t, d, "#goods", "Apple")
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Modify: &drivers.WebModify{
		Replace: map[string]string{"Apple": "Fig"}}}))
	Must(t, d.ClickOn(t.Context(), target("#load"), drivers.WebClick{}))
	mustShow(t, d, "#goods", "Fig")
	encrypted := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<h1>Secret</h1>"))
	}))
	defer encrypted.Close()
	Must(t, d.OpenPage(t.Context(), encrypted.URL, drivers.PageOptions{AnyCert: true}))
	mustShow(t, d, "h1", "Secret")
	WantError(t, d.OpenPage(t.Context(), encrypted.URL, drivers.PageOptions{}), drivers.ErrPage, "certificate")
	WantError(t, d.OpenPage(t.Context(), "http://100.100.100.200/", drivers.PageOptions{}), drivers.ErrPage, "credentials")
}

func TestFilesBelowAFolder(t *testing.T) {
	testutil.Leave(t, "the same is tried in the browser of TestAGuardedBrowserReachesNothingPrivate")
	root := t.TempDir()
	filesBelow(t, guardedDevice(t, guard.Open(), root), root)
}

// filesBelow: pages are files below root alone, whatever else is requested.
func filesBelow(t *testing.T, d *device, root string) {
	t.Helper()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.html")
	Must(t, os.WriteFile(secret, []byte("<h1>Secret</h1>"), 0o600))
	Must(t, os.Symlink(secret, filepath.Join(root, "link.html")))
	Must(t, os.WriteFile(filepath.Join(root, "ok.html"), []byte("<h1>Mine</h1><iframe id=i src='file://"+secret+
		"'></iframe><img src='inner.svg'>"), 0o600))
	Must(t, os.WriteFile(filepath.Join(root, "inner.svg"),
		[]byte("<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>"), 0o600))
	Must(t, d.OpenPage(t.Context(), "file://"+filepath.Join(root, "ok.html"), drivers.PageOptions{}))
	mustShow(t, d, "h1", "Mine")
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Load: "load"}, patience))
	if width, err := d.Eval(t.Context(), "document.images[0].naturalWidth", patience); width != 7 || err != nil {
		t.Errorf("a picture beside the page: %v, %v", width, err)
	}
	for n := range tree(t, d).All {
		if strings.Contains(n.Text, "Secret") {
			t.Error("a frame shows a file that is outside")
		}
	}
	for _, to := range []string{"file://" + secret, "file://" + root, "file://" + root + "/", "file://" +
		filepath.Join(root, "link.html"), "file://" + root + "/../" + filepath.Base(outside) + "/secret.html",
		"file:///etc/passwd", "FILE:///etc/passwd", "file://localhost/etc/passwd", "file://other/etc/passwd",
		"file:////etc/passwd", "file:///proc/self/environ"} {
		WantError(t, d.Navigate(t.Context(), to, 5*time.Second), drivers.ErrPage)
	}
	_, _ = d.Eval(t.Context(), "location.href = 'file://"+secret+"'", time.Second) // the page may end under it
	if seen, _ := d.Look(t.Context(), "h1", drivers.WebCondition{Text: new("Secret")}, time.Second); seen.Met {
		t.Error("a script led the page to a file that is outside")
	}
	none := New(Options{NoFiles: true})
	defer none.Close()
	WantError(t, newDevice(none.launcher, none.info("web-1")).OpenPage(t.Context(),
		"file://"+filepath.Join(root, "ok.html"),
		drivers.PageOptions{}), drivers.ErrPage, "files")
}
