package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/web/webtest"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server"
)

// TestPagesOfAHost: a page is opened in a browser of the named host, used and closed there, and listed as its device.
// Meanwhile no case gets that browser, and no call gets the browser of a case.
func TestPagesOfAHost(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 0)
	f.works = make(chan *pool.Pool, 1)
	m := f.join("one")
	site := webtest.New(t)
	there := []string{"X-Host", m.id}
	if a := f.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true},
		there...); a.status != 200 || a.json(t)["page"] != "web-1" {
		t.Fatal(a)
	}
	if a := f.ask("POST", "/web/assert", map[string]any{"selector": "h1", "text": "Sign in"}, there...); a.status != 200 ||
		a.json(t)["passed"] != true {
		t.Error(a)
	}
	if a, here := f.ask("GET", "/web", nil, there...), f.ask("GET", "/web", nil); !strings.Contains(string(a.body),
		"web-1") || strings.Contains(string(here.body), "web-1") {
		t.Errorf("the pages there: %s, and here: %s", a, here)
	}
	eventually(t, "it is a device", func() bool {
		var list []server.Device
		return json.Unmarshal(f.ask("GET", "/devices", nil).body, &list) == nil && len(list) == 1 &&
			strings.HasPrefix(list[0].ID, "web-1") && list[0].Host == m.id
	})
	forCases := func() string {
		var list []string
		f.hub.ForCases(false, func(d hub.Device, free bool) { list = append(list, fmt.Sprint(d.ID, " ", free)) })
		return strings.Join(list, ", ")
	}
	eventually(t, "no case begins on it", func() bool { return forCases() == "web-1 false, web-2 true, web-3 true" })
	ofCases := <-f.works
	if l, err := ofCases.Take(t.Context(), "web-1", "a case"); err == nil {
		l.Release()
		t.Error("a case got it")
	}
	ofCase, err := ofCases.Take(t.Context(), "web-2", "a case")
	if err != nil {
		t.Fatal(err)
	}
	defer ofCase.Release()
	if a := f.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true},
		there...); a.status != 200 || a.json(t)["page"] != "web-3" {
		t.Errorf("beside a case: %s", a)
	}
	if a := f.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true},
		there...); a.status != 409 {
		t.Errorf("one too many: %s", a)
	}
	for _, page := range []string{"web-1", "web-3"} {
		if a := f.ask("DELETE", "/web/"+page, nil, there...); a.status != 204 {
			t.Error(a)
		}
	}
	if a := f.ask("GET", "/web", nil, "X-Host", "none"); a.status != 404 || !strings.Contains(string(a.body), "none") {
		t.Errorf("a host that there is not: %s", a)
	}
	if a := newLab(t, 0).ask("GET", "/web", nil, there...); a.status != 404 {
		t.Errorf("no farm: %s", a)
	}
}
