package server_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/server"
)

// inner is a server that callers must not reach; it counts requests.
func inner(t *testing.T) (url string, visits *atomic.Int64) {
	t.Helper()
	visits = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		visits.Add(1)
		fmt.Fprint(w, "<title>inner</title>xyzzy-inside")
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL, visits
}

// TestHostileRequests: each gets the right response, no internal address is reached, and no secret is revealed.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withAuth, func(o *server.Options) {
		o.Network = guard.Policy{}
		o.Exposed = map[string]string{"APP_PASSWORD": "hunter22hunter22"}
		o.Files = filepath.Join(o.Config.Dir, "suites")
		if err := os.Mkdir(o.Files, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	l.header.Set("X-API-Key", key)
	suites := filepath.Join(l.dir, "suites")
	for name, text := range map[string]string{filepath.Join(l.dir, ".env"): "TAPROOT_JWT_SECRET=" + secret,
		filepath.Join(l.dir, "outside.txt"): "outside"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(l.dir, "outside.txt"), filepath.Join(suites, "link.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(suites, ".hidden"), []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, visits := inner(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	web := func(steps string) string { return "id: evil\nplatform: web\nsteps:\n" + steps }
	phone := func(steps string) string { return "id: evil\nplatform: android\nsteps:\n" + steps }
	none := web // what needs no page; where time is short, none is opened for it
	if testing.Short() {
		none = phone
	}
	n := 0
	refused := func(what string, a answer, statuses ...int) {
		t.Helper()
		n++
		ok := false
		for _, s := range statuses {
			ok = ok || a.status == s
		}
		if !ok {
			t.Errorf("%s: %s", what, a)
		}
		for _, s := range []string{secret, "hunter22", "xyzzy-inside", "root:x:0"} {
			if strings.Contains(string(a.body), s) {
				t.Errorf("%s gives away %q: %s", what, s, a)
			}
		}
	}
	for _, target := range []string{url, "http://localhost:" + port, "http://[::1]:" + port, "http://0.0.0.0:" + port,
		"http://2130706433:" + port, "http://0x7f.1:" + port,
		"http://0177.0.0.1:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://127.1:" + port,
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://10.0.0.1/",
		"http://192.168.1.1/", "http://172.16.0.1/", "http://100.64.0.1/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/",
		"http://user@127.0.0.1:" + port, "https://localhost:" + port} {
		refused("launch "+target, l.ask("POST", "/web/launch", map[string]any{"url": target, "timeoutMs": 3000}), 403,
			422, 400)
	}
	for _, target := range []string{"file:///etc/passwd", "FILE:///etc/passwd", "file://localhost/etc/passwd",
		"view-source:file:///etc/passwd", "javascript:alert(1)", "data:text/html,<h1>x</h1>",
		"chrome://version", "ftp://127.0.0.1/", "../outside.html", "/etc/passwd", "page.html", "//127.0.0.1:" + port + "/",
		"blob:x", "content://x", "\x00", strings.Repeat("http://x/", 5000)} {
		refused(fmt.Sprintf("launch %.60q", target),
			l.ask("POST", "/web/launch", map[string]any{"url": target, "timeoutMs": 3000}), 403, 422, 400)
	}
	for _, link := range []string{url, "http://2130706433:" + port, "http://0x7f.1/", "http://127.0.0.1./",
		"http://0177.1/", "http://①②⑦.0.0.①/", "http://127。0。0。1/", "file:///sdcard/x", "content://contacts",
		"intent://x#Intent;scheme=http;end", "javascript:1", "http://169.254.169.254/"} {
		refused("open link "+link, l.ask("POST", "/devices/SIM1/open-link", map[string]any{"url": link}), 403)
	}
	for _, file := range []string{"/etc/passwd", "../outside.txt", "link.txt", ".hidden", "../.env", "./../.env",
		"a/../../outside.txt", `..\outside.txt`} {
		refused("install "+file, l.ask("POST", "/devices/SIM1/install", map[string]any{"path": file}), 422, 400)
	}
	refused("a shell", l.ask("POST", "/devices/SIM1/shell", map[string]any{"command": "cat /data/x"}), 422, 403, 502)
	for _, text := range []string{"${TAPROOT_JWT_SECRET}", "${TAPROOT_API_KEYS}", "${PATH}",
		"${HOME:-${TAPROOT_JWT_SECRET}}"} {
		refused("input "+text, l.ask("POST", "/devices/SIM1/input", map[string]any{"text": text}), 400)
	}
	for what, body := range map[string]any{
		"the environment in vars": map[string]any{"yaml": none("  - log: ${A}\n"), "vars": map[string]string{
			"A": "${TAPROOT_JWT_SECRET}"}},
		"the environment in a test": map[string]any{"yaml": strings.Replace(none("  - log: ${A}\n"), "steps:",
			"vars: {A: \"${TAPROOT_JWT_SECRET}\"}\nsteps:", 1)},
		"a test outside of the suite": map[string]any{"yaml": web("  - run: {file: ../outside.yaml}\n")},
		"a hidden file of data":       map[string]any{"yaml": "id: evil\nplatform: web\ndata: ../.env\nsteps:\n  - log: x\n"},
		"an anchor that grows": map[string]any{
			"yaml": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d " +
				"[*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n"},
	} {
		a := l.ask("POST", "/runs", body)
		if a.status == 202 {
			run := l.ended(a.json(t)["id"].(string))
			a.body = fmt.Appendf(nil, "%v %s", run, l.allEvents(run["id"].(string)))
			if run["result"] == "pass" && what != "the environment in vars" {
				t.Errorf("%s passed: %s", what, a.body)
			}
		}
		refused(what, a, 202, 400)
	}
	runs := map[string]string{
		"an http step to the inside": none("  - http: {url: \"" + url + "\"}\n"),
		"a page of the inside":       web("  - openBrowser: {url: \"" + url + "\", headless: true}\n"),
		"a script that asks inside": web(
			"  - openBrowser: {url: \"about:blank\", headless: true}\n  - webEval: {script: " +
				"\"fetch('" + url + "', {mode: 'no-cors'})\"}\n"),
		"a file of this machine": web("  - openBrowser: {url: \"file:///etc/passwd\", headless: true}\n"),
		"a file that is uploaded": web(
			"  - openBrowser: {url: \"about:blank\", headless: true}\n  - webUpload: {selector: input, files: [../.env]}\n"),
		"a shell in a test":           phone("  - shell: {command: id}\n"),
		"a link to the inside":        phone("  - openLink: \"" + url + "\"\n"),
		"an app from outside":         phone("  - install: ../outside.txt\n"),
		"an http step to a file":      none("  - http: {url: \"file:///etc/passwd\"}\n"),
		"an http step to the machine": none("  - http: {url: \"http://169.254.169.254/latest\"}\n"),
	}
	if testing.Short() {
		runs = pagesTogether(runs)
	}
	for what, yaml := range runs {
		a := l.ask("POST", "/runs", map[string]any{"yaml": yaml, "timeoutMs": 3000})
		if a.status == 202 {
			run := l.ended(a.json(t)["id"].(string))
			a.body = fmt.Appendf(nil, "%v %s", run, l.allEvents(run["id"].(string)))
			cases, _ := run["cases"].([]any)
			if len(cases) != 1+strings.Count(yaml, "---\n") {
				t.Errorf("%s: %d cases", what, len(cases))
			}
			for _, c := range cases {
				if result := c.(map[string]any)["result"]; result != "fail" && result != "error" {
					t.Errorf("%s, %v: %s", what, c, a.body)
				}
			}
			a.status = 400
		}
		refused(what, a, 400)
	}
	for what, a := range map[string]answer{
		"a foreign origin": l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}, "Origin",
			"https://evil.example.com"),
		"an origin of null": l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}, "Origin", "null"),
		"another port": l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}, "Origin",
			"http://127.0.0.1:1"),
		"a picture for others": l.ask("GET", "/devices/SIM1/screenshot", nil, "Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "no-cors"),
		"a frame of others": l.ask("GET", "/devices", nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
			"navigate", "Sec-Fetch-Dest", "iframe"),
		"a sibling site":            l.ask("POST", "/runs", map[string]any{"yaml": passing}, "Sec-Fetch-Site", "same-site"),
		"a path that climbs":        l.ask("GET", "/reports/..%2f..%2fproject%2f.env", nil),
		"a path that climbs deeper": l.ask("GET", "/reports/2026-03-04T05-06-07/..%2f..%2f..%2f..%2fetc%2fpasswd/x", nil),
		"a device that is a path":   l.ask("POST", "/devices/..%2f..%2fetc/tap", map[string]any{"label": "x"}),
		"a device with a NUL":       l.ask("GET", "/devices/a%00b", nil),
		"a device that is long":     l.ask("GET", "/devices/"+strings.Repeat("x", 5000), nil),
		"a device that is an order": l.ask("POST", "/devices/;reboot/tap", map[string]any{"label": "x"}),
	} {
		refused(what, a, 403, 404)
	}
	if visits.Load() > 0 {
		t.Errorf("the inner network was visited %d times", visits.Load())
	}
	if len(l.phones[0].Taps()) > 0 {
		t.Error("the phone was tapped")
	}
	if n < 50 {
		t.Errorf("%d requests only", n)
	}
	t.Logf("%d hostile requests", n)
	if text := l.log.String(); strings.Contains(text, secret) || strings.Contains(text, key) ||
		strings.Contains(text, "hunter22") {
		t.Error("a secret is in the log")
	}
}

// pagesTogether combines runs of pages to one, because each run starts a browser.
func pagesTogether(runs map[string]string) map[string]string {
	var pages []string
	others := map[string]string{}
	for what, yaml := range runs {
		if strings.Contains(yaml, "platform: web") {
			pages = append(pages, strings.Replace(yaml, "id: evil", fmt.Sprintf("id: evil%d", len(pages)), 1))
		} else {
			others[what] = yaml
		}
	}
	others["pages"] = strings.Join(pages, "---\n")
	return others
}

// allEvents returns all events of a run.
func (l *lab) allEvents(run string) string {
	var b strings.Builder
	for _, e := range l.events(run, "") {
		b.WriteString(e.data)
	}
	return b.String()
}

// TestRedirectsAreGuarded: private addresses are allowed, those of cloud metadata services are not, also after
// redirects.
func TestRedirectsAreGuarded(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
			return
		}
		fmt.Fprint(w, "<title>evil</title><h1>evil</h1>")
	}))
	defer evil.Close()
	if a := l.ask("POST", "/web/launch", map[string]any{"url": evil.URL}); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/web/navigate", map[string]any{"url": evil.URL + "/to", "timeoutMs": 5000}); a.status != 403 &&
		a.status != 422 {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/launch", map[string]any{"url": evil.URL + "/to", "timeoutMs": 5000}); a.status != 403 &&
		a.status != 422 {
		t.Error(a)
	}
}

// TestExposedVariables: exposed variables can be typed, and are visible nowhere.
func TestExposedVariables(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, func(o *server.Options) { o.Exposed = map[string]string{"APP_PASSWORD": "hunter22hunter22"} })
	l.ask("POST", "/devices/SIM1/launch", map[string]any{"package": "com.example.login", "force": true})
	l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "E-mail"})
	typed := l.ask("POST", "/devices/SIM1/input", map[string]any{"text": "${APP_PASSWORD}"})
	if typed.status != 200 || strings.Contains(string(typed.body), "hunter22") {
		t.Fatal(typed)
	}
	for _, path := range []string{"/devices/SIM1/tree"} {
		if a := l.ask("GET", path, nil); a.status != 200 || strings.Contains(string(a.body), "hunter22") {
			t.Errorf("%s: %s", path, a)
		}
	}
	if a := l.ask("POST", "/devices/SIM1/assert", map[string]any{"label": "nothing", "timeoutMs": 0}); strings.Contains(
		string(a.body), "hunter22") {
		t.Error(a)
	}
	if strings.Contains(l.log.String(), "hunter22") {
		t.Error("the value is in the log")
	}
}
