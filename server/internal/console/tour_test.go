package console_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestTour checks every page, full and empty, on a large screen, on a phone and in the dark: axe-core finds nothing, no
// page is wider than its window, and no script in a text runs. CONSOLE_SHOTS names a folder for screenshots of them.
func TestTour(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	hostile := `<img src=x onerror=alert(1)> "'&{{.}} a name that is as long as names may be, to see what it does`
	ada := l.person("ada@example.com", true)
	project, err := ada.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Change(t.Context(), service.Settings{Name: &hostile}); err != nil {
		t.Fatal(err)
	}
	made, err := project.CreateKey(t.Context(), service.NewKey{Name: hostile, Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := project.CreateKey(t.Context(), service.NewKey{Name: fmt.Sprintf("key %d", i),
			Scopes: []string{"runs:read", "runs:write", "reports:write"}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, who := range []string{"grace", "a.very.long.address.that.does.not.break.anywhere.for.quite.a.while"} {
		p := l.person(who+"@example.com", false)
		_, invitation, err := project.Invite(t.Context(), p.Account.Email, service.RoleMember)
		if err == nil {
			_, err = p.Accept(t.Context(), invitation)
		}
		if err == nil {
			_, _, err = project.Invite(t.Context(), "not-yet-"+who+"@example.com", service.RoleViewer)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := l.runWith(made.Secret, firstTest)
	l.runWith(made.Secret,
		"id: broken\nname: \"<script>alert(2)</script>\"\nplatform: android\nsteps:\n  - assert: { label: Not there, "+
			"timeoutMs: "+
			"10 }\n")
	for range 30 {
		l.api(made.Secret, "GET", "/api/reports", nil)
	}
	empty, err := ada.CreateProject(t.Context(), "Empty")
	if err != nil {
		t.Fatal(err)
	}
	p, none := "/console/p/"+project.ID, "/console/p/"+empty.ID
	pages := map[string]string{"overview": p + "/", "keys": p + "/keys", "usage": p + "/usage", "usage-90": p +
		"/usage?since=90", "devices": p + "/devices", "runs": p + "/runs", "run": p + "/runs/" + run,
		"reports": p + "/reports", "reports-none": p + "/reports?text=nothing-fits", "members": p + "/members", "log": p +
			"/log", "settings": p + "/settings", "projects": "/console/projects", "account": "/console/account",
		"invitation": "/console/invitation", "admin": "/console/admin", "accounts": "/console/admin/accounts",
		"hosts": "/console/admin/hosts", "admin-log": "/console/admin/log", "not-found": "/console/nothing",
		"empty-keys": none + "/keys", "empty-usage": none + "/usage", "empty-runs": none + "/runs", "empty-reports": none +
			"/reports"}
	public := map[string]string{"login": "/console/login", "register": "/console/register",
		"confirm": "/console/confirm?token=x", "reset": "/console/reset", "reset-set": "/console/reset?token=x"}
	for name, s := range map[string]screen{"1440": {width: 1440, height: 900}, "390": {width: 390, height: 844},
		"dark": {width: 1440, height: 900, dark: true}} {
		if testing.Short() && name != "390" {
			continue
		}
		// one tour of the pages with content, on a phone in the dark, of the pages on which the others are based
		if testing.Short() {
			s.dark = true
		}
		t.Run(name, func(t *testing.T) {
			in := lab{t: t, service: l.service, server: l.server, http: l.http, root: l.root, log: l.log}
			tab := in.open(s)
			tab.OnDialog(func(d playwright.Dialog) { t.Errorf("a text ran: %s", d.Message()); _ = d.Dismiss() })
			for i, page := range slices.Sorted(maps.Keys(public)) {
				if testing.Short() && i > 0 {
					break
				}
				tab.goTo(public[page])
				tab.accessible(page)
				tab.shot(page + "-" + name)
			}
			tab.must(tab.Context().AddCookies([]playwright.OptionalCookie{
				{Name: "taproot_session", Value: in.cookie(ada), URL: playwright.String(l.http.URL)}}))
			for _, page := range slices.Sorted(maps.Keys(pages)) {
				if testing.Short() && (strings.Contains(page, "-") && page != "admin-log" || page == "hosts" ||
					page == "projects" || page == "invitation") {
					continue
				}
				tab.goTo(pages[page])
				if testing.Short() && !slices.Contains([]string{"run", "settings"}, page) {
					tab.fits(page)
					continue
				}
				tab.accessible(page)
				tab.shot(page + "-" + name)
			}
			tab.goTo(p + "/keys")
			for _, d := range []string{".menu.right > summary", "tbody tr:first-child .more-to:nth-of-type(2) > summary"} {
				tab.must(tab.Locator(d).Click())
			}
			tab.inFull("keys with what can be opened")
			tab.shot("keys-open-" + name)
		})
	}
}

// TestKeyboard: everything that a mouse can do is possible with the keyboard.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestJourney logs in by the mouse")
	l := newLab(t, 0)
	l.person("ada@example.com", false)
	p := l.open(screen{width: 390, height: 844})
	p.goTo("/console/login")
	p.must(p.Keyboard().Type("ada@example.com")) // the field has the focus
	p.must(p.Keyboard().Press("Tab"))
	p.must(p.Keyboard().Type(password))
	p.must(p.Keyboard().Press("Enter"))
	p.sees("Get started")
	p.must(p.Keyboard().Press("Tab"))
	p.must(p.Keyboard().Press("Enter")) // over what is on every page
	if at, err := p.Evaluate(`document.activeElement.id`); err != nil || at != "main" {
		t.Errorf("the focus is at %v %v", at, err)
	}
	p.must(p.Keyboard().Press("Tab"))
	p.must(p.Keyboard().Press("Enter"))
	p.sees("There is no key yet")
	p.must(p.Locator(".menu.right > summary").Focus())
	p.must(p.Keyboard().Press("Enter"))
	p.sees("Log out")
	p.must(p.Keyboard().Press("Escape"))
	if open, err := p.Locator(".menu[open]").Count(); err != nil || open != 0 {
		t.Errorf("%d menus are open %v", open, err)
	}
	if at, err := p.Evaluate(`document.activeElement.tagName`); err != nil || at != "SUMMARY" {
		t.Errorf("the focus is at %v %v", at, err)
	}
	p.must(p.Keyboard().Press("Enter"))
	p.must(p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Log out"}).Focus())
	p.must(p.Keyboard().Press("Enter"))
	p.sees("You are logged out")
}

// TestWithoutScripts: a key is created and revoked, and a run is started and followed to its end, in a browser without
// scripts.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestRoutesAndRoles and TestAttacks send forms without a script")
	l := newLab(t, 1)
	p := l.open(screen{plain: true})
	l.person("ada@example.com", false)
	p.logIn("ada@example.com")
	base := projectInPath.FindString(p.URL())
	p.goTo(base + "keys")
	p.fill("Name", "CI")
	p.press("button", "Create the key")
	p.sees("Copy it now.")
	if n, err := p.Locator("[data-copy]:visible").Count(); err != nil || n != 0 {
		t.Errorf("%d buttons that do nothing without scripts are shown: %v", n, err)
	}
	p.must(p.Locator("summary", playwright.PageLocatorOptions{HasText: "Revoke"}).First().Click())
	p.press("button", "Revoke CI")
	p.sees("The key was revoked")
	p.goTo(base + "runs")
	p.must(p.Locator("textarea").Fill(firstTest))
	p.press("button", "Start")
	p.sees("Passed") // the page loads itself again until the run has ended
	p.press("link", "Open the report")
	if !strings.Contains(p.URL(), "/console/files/") {
		t.Error(p.URL())
	}
}

// TestLive: a run is followed live, and canceled; failed tests are run again.
func TestLive(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	ada := l.person("ada@example.com", false)
	p := l.open(screen{})
	p.logIn("ada@example.com")
	base := projectInPath.FindString(p.URL())
	p.goTo(base + "runs")
	p.must(p.Locator("input[name=tests][type=file]").SetInputFiles([]playwright.InputFile{
		{Name: "tests.tar.gz", MimeType: "application/gzip", Buffer: archiveOf(t, map[string]string{
			"slow.yaml": "id: slow\nplatform: android\nsteps:\n  - sleep: 30m\n",
			"a/fails.yaml": "id: fails\nplatform: android\nsteps:\n  - assert: { label: Not there, timeoutMs: 10 " +
				"}\n", "wrong.yaml": "id: wrong\nsteps:\n  - tapp: x\n"})}}))
	p.press("button", "Upload the tests")
	p.sees("The tests were uploaded")
	p.sees("unknown action") // of the file that is not a test
	p.must(p.Locator("label:has(input[value=slow]) input").Check())
	p.press("button", "Start")
	p.sees("running") // by an event: the page was loaded while the run waited, or just started
	p.must(p.Locator("td .flag.warn", playwright.PageLocatorOptions{HasText: "running"}).WaitFor())
	p.inFull("a run under way")
	p.shot("run-live")
	other := p.secondTab()
	other.goTo(base + "devices")
	other.sees("runs slow")
	other.sees("since")
	other.inFull("devices in use")
	other.shot("devices-busy")
	run := p.URL()[strings.LastIndex(p.URL(), "/")+1:]
	if a := l.ask(l.cookie(ada), "POST", base+"reports/"+run+"/delete", url.Values{}); a.status != 409 {
		t.Errorf("a run under way is deleted: %s", a)
	}
	other.goTo(base + "runs/" + run)
	other.press("button", "Cancel the run")
	other.sees("The run was cancelled")
	p.sees("Interrupted") // without a click, by the stream
	p.press("button", "Run failed tests again")
	p.sees("running")
	again := p.URL()[strings.LastIndex(p.URL(), "/")+1:]
	if a := l.ask(l.cookie(ada), "POST", base+"runs/"+again+"/cancel", url.Values{}); a.status != 303 {
		t.Error(a)
	}
}

// TestDocs: the documentation of the API has a command for each request, and axe-core finds no error in it.
func TestDocs(t *testing.T) {
	t.Parallel()
	p := newLab(t, 0).open(screen{width: 390, height: 844, dark: true})
	p.goTo("/docs")
	p.must(p.Locator("summary", playwright.PageLocatorOptions{HasText: "GET /devices"}).First().Click())
	p.sees(`curl $TAPROOT/devices -H "X-API-Key: $TAPROOT_API_KEY"`)
	p.inFull("the documentation")
	if wide, err := p.Evaluate(`document.documentElement.scrollWidth > innerWidth`); err != nil || wide != false {
		t.Errorf("the page is wider than its window: %v %v", wide, err)
	}
}

// TestTryIt: the page that sends requests works without other servers, and shows the response.
func TestTryIt(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "the server's pages hold what the viewer needs")
	p := newLab(t, 0).open(screen{width: 1440, height: 900})
	p.goTo("/docs")
	p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "try it"}).Click())
	// otherwise only the fragment changes while the page still loads, and the page then shows its overview
	if _, err := p.Goto("about:blank"); err != nil {
		t.Fatal(err)
	}
	p.goTo("/docs/try#?route=get-/healthz")
	p.must(p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Execute"}).First().Click())
	p.sees(`"ok"`)
	urls, err := p.Evaluate(
		`performance.getEntriesByType("resource").map(e => new URL(e.name).origin).filter(o => o !== location.origin)`)
	if list, ok := urls.([]any); err != nil || !ok || len(list) > 0 {
		t.Errorf("the page asked others: %v %v", urls, err)
	}
}
