package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/server"
)

// attack is the script of a page of another site. It returns what it could read or do.
const attack = `(async () => {
  const target = %q, out = [];
  const attempt = async (name, make) => { try { const r = await make(); out.push(name + ':' + (r && r.type || '') + ` +
	`':' + (r && r.status || '') + ':' + (r && r.text ? (await r.text()).slice(0, 40) : '')); } catch (e) { ` +
	`out.push(name + ':refused'); } };
  await attempt('read', () => fetch(target + '/devices'));
  await attempt('read with credentials', () => fetch(target + '/devices', {credentials: 'include'}));
  await attempt('read blindly', () => fetch(target + '/devices', {mode: 'no-cors'}));
  await attempt('act as JSON', () => fetch(target + '/devices/SIM1/tap', {method: 'POST', headers: {'Content-Type': ` +
	`'application/json'}, body: '{"label":"Login"}'}));
  await attempt('act as text', () => fetch(target + '/devices/SIM1/tap', {method: 'POST', mode: 'no-cors', headers: ` +
	`{'Content-Type': 'text/plain'}, body: '{"label":"Login"}'}));
  await attempt('act without a type', () => fetch(target + '/devices/SIM1/tap', {method: 'POST', mode: 'no-cors', ` +
	`body: new Blob(['{"label":"Login"}'])}));
  await attempt('act by beacon', async () => { navigator.sendBeacon(target + '/devices/SIM1/tap', ` +
	`'{"label":"Login"}'); });
  await attempt('delete', () => fetch(target + '/devices/SIM1/lease', {method: 'DELETE'}));
  await attempt('picture', () => new Promise((yes, no) => { const i = new Image(); i.onload = () => yes({type: ` +
	`'loaded'}); i.onerror = no; i.src = target + '/devices/SIM1/screenshot'; }));
  await attempt('script', () => new Promise((yes, no) => { const s = document.createElement('script'); s.onload = () ` +
	`=> yes({type: 'loaded'}); s.onerror = no; s.src = target + '/devices'; document.body.append(s); }));
  await attempt('form', () => new Promise((yes) => { const f = document.createElement('form'); f.method = 'POST'; ` +
	`f.action = target + '/devices/SIM1/tap'; f.enctype = 'text/plain'; f.target = 'sink';
    const i = document.createElement('input'); i.name = '{"label":"Login","x":"'; i.value = '"}'; f.append(i); const ` +
	`w = document.createElement('iframe'); w.name = 'sink'; w.onload = () => yes({type: 'sent'}); ` +
	`document.body.append(w, f); f.submit(); }));
  return out.join('\n');
})()`

// TestPagesOfOtherSites: in real Chromium, a page of another origin can neither read nor act; one of an allowed origin
// can.
func TestPagesOfOtherSites(t *testing.T) {
	t.Parallel()
	site := func() *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<title>site</title><body>a site")
		}))
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return s
	}
	evil, friend := site(), site()
	l := newLab(t, 1, func(o *server.Options) { o.Origins = []string{friend.URL} })
	visit := func(page string) string {
		opened := l.ask("POST", "/web/launch", map[string]any{"url": page})
		if opened.status != 200 {
			t.Fatal(opened)
		}
		defer l.ask("DELETE", "/web/"+opened.json(t)["id"].(string), nil)
		said := l.ask("POST", "/web/eval", map[string]any{"script": fmt.Sprintf(attack, l.http.URL), "timeoutMs": 180_000})
		var out struct{ Value string }
		if err := json.Unmarshal(said.body, &out); err != nil || out.Value == "" {
			t.Fatal(said)
		}
		t.Logf("%s:\n%s", page, out.Value)
		return out.Value
	}
	for _, page := range []string{evil.URL, strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)} {
		out := visit(page)
		for _, line := range strings.Split(out, "\n") {
			if strings.Contains(line, "SIM1") || strings.HasSuffix(line, ":loaded::") {
				t.Errorf("%s could %s", page, line)
			}
		}
		for _, refused := range []string{"read:refused", "read with credentials:refused", "act as JSON:refused",
			"delete:refused", "picture:refused", "script:refused"} {
			if !strings.Contains(out, refused) {
				t.Errorf("%s: it is not %s", page, refused)
			}
		}
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Fatalf("the page tapped %d times", n)
	}
	out := visit(friend.URL)
	if !strings.Contains(out, "read:cors:200:[{") || !strings.Contains(out, "act as JSON:cors:200") {
		t.Errorf("a page of an allowed origin was refused:\n%s", out)
	}
	if n := len(l.phones[0].Taps()); n != 1 {
		t.Errorf("%d taps", n)
	}
}

// TestHosts: without authentication, unknown names in the Host header are rejected: they may belong to another site
// (DNS rebinding).
func TestHosts(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, func(o *server.Options) { o.Hosts = []string{"rack.example.com"} })
	for host, status := range map[string]int{"evil.example.com": 403, "evil.example.com:3210": 403, "localhost": 200,
		"LOCALHOST:1": 200, "127.0.0.1:3210": 200, "[::1]:3210": 200, "rack.example.com:3210": 200,
		"rack.example.com.evil.com": 403, "localhost.evil.com": 403, "localhost.": 200, "192.168.7.7": 200} {
		for _, path := range []string{"/devices", "/", "/docs", "/nothing"} {
			want := status
			if path == "/nothing" && status == 200 {
				want = 404
			}
			if a := l.ask("GET", path, nil, "Host", host); a.status != want {
				t.Errorf("%s at %s: %s", path, host, a)
			}
		}
	}
	authed := newLab(t, 0, withAuth)
	if a := authed.ask("GET", "/devices", nil, "Host", "rack.example.org", "X-API-Key", key); a.status != 200 {
		t.Errorf("with a credential, any name will do: %s", a)
	}
}

// TestCORS: an empty list allows no origin, and the headers name the allowed origin exactly.
func TestCORS(t *testing.T) {
	t.Parallel()
	for _, origins := range [][]string{nil, {}, {"https://console.example.com"}} {
		l := newLab(t, 0, func(o *server.Options) { o.Origins = origins })
		for _, origin := range []string{"https://evil.example.com", "null", "https://console.example.com.evil.com",
			"http://console.example.com"} {
			a := l.ask("OPTIONS", "/devices", nil, "Origin", origin, "Access-Control-Request-Method", "POST",
				"Access-Control-Request-Headers", "content-type,x-api-key")
			if h := a.header.Get("Access-Control-Allow-Origin"); h != "" {
				t.Errorf("%q: %s may call: %q", origins, origin, h)
			}
			if a := l.ask("GET", "/devices", nil, "Origin", origin); a.status != 403 ||
				a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%q: %s: %s", origins, origin, a)
			}
		}
		if len(origins) == 0 {
			continue
		}
		a := l.ask("OPTIONS", "/devices", nil, "Origin", origins[0], "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "content-type,x-api-key")
		if a.header.Get("Access-Control-Allow-Origin") != origins[0] ||
			!strings.Contains(strings.ToLower(a.header.Get("Access-Control-Allow-Headers")), "x-api-key") {
			t.Errorf("%v", a.header)
		}
		if a := l.ask("GET", "/devices", nil, "Origin", origins[0]); a.status != 200 ||
			a.header.Get("Access-Control-Allow-Origin") != origins[0] ||
			!strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "Retry-After") {
			t.Errorf("%d %v", a.status, a.header)
		}
	}
}

// TestNeighboursAreOneCaller: all addresses of one IPv6 network are counted together; other networks are not.
func TestNeighboursAreOneCaller(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, withAuth, func(o *server.Options) {
		o.Guesses = allow(2)
		o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	for i, c := range []struct {
		from   string
		status int
	}{{"2001:db8::1", 401}, {"2001:db8::ffff:2", 401}, {"2001:db8:0:0:1:2:3:4", 429}, {"2001:db8:0:1::1", 401},
		{"192.0.2.1", 401}, {"192.0.2.2", 401}, {"192.0.2.2", 401}, {"192.0.2.2", 429}} {
		if a := l.ask("GET", "/runs", nil, "X-API-Key", "wrong", "X-Forwarded-For", c.from); a.status != c.status {
			t.Errorf("request %d, from %s: %s", i+1, c.from, a)
		}
	}
}
