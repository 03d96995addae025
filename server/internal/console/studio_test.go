package console_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestStudio: a member opens a phone's live screen from the list of devices and acts on it.
func TestStudio(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.person("ada@example.com", false)
	p := l.open(screen{})
	p.logIn("ada@example.com")
	p.goTo(projectInPath.FindString(p.URL()) + "devices")
	p.must(p.Locator("a[href$=\"/SIM1/studio\"]").Click())
	p.sees("You have the device.")
	p.must(p.GetByLabel("Launch app").Fill("com.example.login"))
	p.must(p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Open", Exact: playwright.Bool(true)}).Click())
	p.must(p.GetByLabel("Find selector").Fill("Password"))
	for deadline := time.Now().Add(time.Minute); ; { // the app takes a moment to be there
		p.must(p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Find"}).Click())
		if found, err := p.Locator("#element").TextContent(); err == nil && strings.Contains(found, "Password") &&
			!strings.Contains(found, "No element") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the app's field is not found")
		}
		time.Sleep(200 * time.Millisecond) // each search has the phone drawn and its elements read
	}
	p.inFull("a device in Studio")
	p.shot("studio")
	p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Studio"}).Click())
	p.sees("Open in Studio")
}

// TestRequestsOfStudio: the requests of a page reach only the project's own devices, with the person's permissions.
func TestRequestsOfStudio(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	owner := l.person("owner@example.com", false)
	project, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	viewer, stranger := l.person("viewer@example.com", false), l.person("stranger@example.com", false)
	_, invitation, err := project.Invite(t.Context(), viewer.Account.Email, service.RoleViewer)
	if err == nil {
		_, err = viewer.Accept(t.Context(), invitation)
	}
	if err != nil {
		t.Fatal(err)
	}
	base := "/console/p/" + project.ID + "/api"
	own := []string{"Sec-Fetch-Site", "same-origin"}
	socket := []string{"Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key",
		"dGhlIHNhbXBsZSBub25jZQ=="}
	for name, c := range map[string]struct {
		who          *service.Person
		method, path string
		headers      []string
		status       int
	}{
		"a viewer looks":                     {viewer, "GET", "/devices/SIM1", own, 200},
		"a viewer acts":                      {viewer, "POST", "/devices/SIM1/tap", own, 403},
		"a viewer takes the device":          {viewer, "GET", "/devices/SIM1/input", append(own, socket...), 403},
		"a member acts":                      {owner, "POST", "/devices/SIM1/tap", own, 200},
		"a stranger looks":                   {stranger, "GET", "/devices/SIM1", own, 404},
		"a stranger acts":                    {stranger, "POST", "/devices/SIM1/tap", own, 404},
		"nobody looks":                       {nil, "GET", "/devices/SIM1", own, 401},
		"nobody acts":                        {nil, "POST", "/devices/SIM1/tap", own, 401},
		"another site looks":                 {owner, "GET", "/devices/SIM1", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"another port of this machine looks": {owner, "GET", "/devices/SIM1", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"another site acts": {owner, "POST", "/devices/SIM1/tap", []string{"Sec-Fetch-Site", "cross-site"},
			403},
		"an old browser of another site": {owner, "GET", "/devices/SIM1/input",
			append([]string{"Sec-Fetch-Site", "", "Origin", "https://evil.example.com"}, socket...), 403},
		"keys":               {owner, "GET", "/keys", own, 404},
		"making a key":       {owner, "POST", "/keys", own, 404},
		"a path that climbs": {owner, "GET", "/devices/..%2fkeys", own, 404},
		"another project by a header": {viewer, "POST", "/devices/SIM1/tap", append(own, "X-Project", "prj_other",
			"X-API-Key", "tap_live_x"), 403},
		"a test is checked": {viewer, "POST", "/tests/validate", own, 200},
	} {
		body := ""
		if c.method == "POST" {
			body = `{"point": "50%,50%"}`
			if strings.HasSuffix(c.path, "validate") {
				body = `{"yaml": "id: x"}`
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), c.method, l.http.URL+base+c.path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if c.who != nil {
			r.AddCookie(&http.Cookie{Name: "taproot_session", Value: l.cookie(c.who)})
		}
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for i := 0; i+1 < len(c.headers); i += 2 {
			if r.Header.Set(c.headers[i], c.headers[i+1]); c.headers[i+1] == "" {
				r.Header.Del(c.headers[i])
			}
		}
		if a := l.do(r); a.status != c.status || a.status >= 400 && name != "another site acts" &&
			!strings.Contains(a.body, `"error":`) {
			t.Errorf("%s: %s, not %d", name, a, c.status)
		}
	}
}

// TestRecordAScreen: a screen is recorded from the list of devices, and the video downloaded and deleted.
func TestRecordAScreen(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestRoutesAndRoles asks who may film; the server's TestRecording films")
	l := newLabWith(t, 1, func(o *server.Options, _ string) {
		getenv := o.Config.Getenv
		o.Config.Getenv = func(name string) string {
			if name == "PATH" || name == "HOME" { // where ffmpeg is
				return os.Getenv(name)
			}
			return getenv(name)
		}
	})
	ada := l.person("ada@example.com", false)
	p := l.open(screen{})
	p.logIn("ada@example.com")
	base := projectInPath.FindString(p.URL())
	p.goTo(base + "devices")
	button := func(text string) { p.must(p.Locator("button", playwright.PageLocatorOptions{HasText: text}).Click()) }
	button("Record the screen")
	p.sees("The screen is being recorded")
	p.inFull("a device that is filmed")
	p.shot("devices-filmed")
	button("Stop the recording")
	p.sees("The video can be downloaded.")
	p.inFull("a device with a film")
	p.shot("devices-film")
	if a := l.ask(l.cookie(ada), "GET", base+"devices/SIM1/video", nil); a.status != 200 ||
		a.header.Get("Content-Type") != "video/mp4" || !strings.Contains(a.body[:min(len(a.body), 20)], "ftyp") {
		t.Errorf("the film: %d %v", a.status, a.header)
	}
	button("Delete")
	p.sees("The video was deleted.")
	if a := l.ask(l.cookie(ada), "GET", base+"devices/SIM1/video", nil); a.status != 404 {
		t.Error(a)
	}
}
