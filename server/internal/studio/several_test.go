package studio_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

const severalHead = "id: chat\ndevices:\n  alice: {platform: android}\n  bob: {platform: android}\n  " +
	"page: {platform: web}\nsteps:\n"

// clickOn clicks an element on the live screen of one of several devices.
func (p *tab) clickOn(device, canvas, words string) {
	p.l.t.Helper()
	p.device, p.canvas = device, canvas
	p.click(words)
}

// TestSeveralDevices: a person opens a test with two phones and a page, sees all three, records on each, and runs it.
func TestSeveralDevices(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	l := newLabOf(t, androidsim.Tiny, androidsim.Tiny)
	one, two := l.phones[0].Serial(), l.phones[1].Serial()
	file := filepath.Join(l.dir, "chat.yaml")
	if err := os.WriteFile(file, []byte(severalHead+"  - set: {a: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := "/studio/devices/" + one + "?as=alice&with=bob%3D" + two + "%2Cpage%3Dweb-1&file=chat.yaml"
	p := l.open(l.link(path), 1440, false)
	p.connected()
	p.sees(`#live-screen-bob[data-frames]`)
	p.sees(`#holder:has-text("You have all devices.")`)
	if status, text, _ := l.ask("POST", "/devices/"+two+"/tap", `{"point": "50%,50%"}`, "X-API-Key", key,
		"Content-Type", "application/json"); status != 409 {
		t.Errorf("another client acts on bob: %d %s", status, text)
	}
	p.must(p.Locator("#record").Click())
	launch := func(name, what string) {
		p.must(p.Locator(fmt.Sprintf(`[data-choose="%s"]`, name)).Click())
		p.sees(fmt.Sprintf(`[data-choose="%s"][aria-pressed="true"]`, name))
		p.must(p.Locator("#what").Fill(what))
		p.must(p.Locator("#launching button").Click())
	}
	launch("bob", "com.example.login")
	p.writes("  - set: {a: b}\n  - on:\n      bob:\n        - launch: {package: com.example.login, force: true}\n")
	p.clickOn(two, "live-screen-bob", "E-mail")
	p.writes("force: true}\n        - tap: E-mail\n")
	p.must(p.Locator("#live-screen-bob").PressSequentially("bob@"))
	p.must(p.Locator("#live-screen-bob").Press("Backspace"))
	launch("alice", "com.example.login") // at once: what was typed is bob's
	p.writes("        - input: bob\n  - on:\n      alice:\n        - launch: {package: com.example.login, force: true}\n")
	p.clickOn(one, "live-screen", "Password")
	p.writes("        - tap: Password\n")
	p.must(p.Locator("#live-screen").PressSequentially("hidden"))
	p.writes("        - input: ${PASSWORD}\n")
	launch("page", site.Page("list.html"))
	p.writes("  - on:\n      page:\n        - openBrowser:")
	p.sees(`#live-screen-page[data-frames]`)
	for _, s := range []struct {
		width int
		dark  bool
	}{{1440, false}, {1440, true}, {390, false}, {390, true}} {
		if testing.Short() && (s.width == 1440) != s.dark {
			continue
		}
		scheme := playwright.ColorSchemeLight
		if s.dark {
			scheme = playwright.ColorSchemeDark
		}
		p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}))
		p.must(p.SetViewportSize(s.width, 900))
		p.accessible(fmt.Sprint("three devices at ", s.width, s.dark))
		p.shot(fmt.Sprint("several-", s.width, "-", s.dark))
	}
	p.must(p.SetViewportSize(1440, 900))
	// The keyboard chooses a device: Tab passes the screens without choosing them.
	p.must(p.Locator(`[data-choose="alice"]`).Focus())
	p.must(p.Keyboard().Press("Enter"))
	for range 2 { // its screen, the next device
		p.must(p.Keyboard().Press("Tab"))
	}
	p.sees(`[data-choose="alice"][aria-pressed="true"]`)
	p.must(p.Keyboard().Press("Enter"))
	p.sees(`[data-choose="bob"][aria-pressed="true"]`)
	p.sees(`#message:has-text("The controls are for bob (` + two + `).")`)
	taps := [2]int{len(l.phones[0].Taps()), len(l.phones[1].Taps())}
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		outcome, _ := p.Locator("#outcome").TextContent()
		t.Fatalf("the recorded test does not pass: %s %s\n%s", outcome, said, p.yaml())
	}
	for i, phone := range l.phones {
		if n := len(phone.Taps()); n != taps[i]+1 {
			t.Errorf("the run tapped %d times on phone %d, not once", n-taps[i], i+1)
		}
	}
	p.must(p.Locator("#saving button").Click())
	p.sees(`#outcome:text("Saved")`)
	saved, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(saved), "hidden") || strings.Count(string(saved), "\n  - on:\n") != 3 {
		t.Errorf("saved is %v\n%s", err, saved)
	}
	p.edits("id: chat\ndevices:\n  alice: {platform: android}\n  bob: {platform: web}\nsteps:\n" +
		"  - on: {bob: [{log: hello}]}\n")
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome:has-text("the device bob of the test is web, and ` + two + ` is android")`)
	p.edits(strings.Replace(severalHead, "bob", "carol", 1) + "  - on: {carol: [{press: back}]}\n")
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome:has-text("the test has a device carol, and none is open for it: here are alice, bob, page")`)
}

// TestSeveralDevicesInUse: a page that cannot have all devices has none, and says who has them.
func TestSeveralDevicesInUse(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "server TestInputOfSeveralDevices leases all or none; TestSeveralDevices has all")
	l := newLabOf(t, androidsim.Tiny, androidsim.Tiny)
	one, two := l.phones[0].Serial(), l.phones[1].Serial()
	first := l.open(l.link("/studio/devices/"+two), 1024, false)
	first.connected()
	p := l.open(l.link("/studio/devices/"+one+"?as=alice&with=bob%3D"+two), 1440, true)
	p.sees(`#holder:has-text("alice (` + one + `): not in use here. bob (` + two + `): ")`)
	p.sees(`#holder:has-text("has the device since")`)
	p.sees(`#record[disabled]`)
	if status, text, _ := l.ask("GET", "/devices/"+one+"/lease", "", "X-API-Key", key); status != 200 ||
		strings.Contains(text, `"leased":true`) {
		t.Errorf("alice is leased alone: %d %s", status, text)
	}
	p.accessible("without its devices")
	p.must(p.Locator("#take").Click()) // the same person's
	p.connected()
	first.sees(`#holder:has-text("You do not have the device any more")`)
}
