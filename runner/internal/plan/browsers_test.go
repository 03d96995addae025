package plan_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// TestBrowsersOfSeveralDevices: --browser is for the pages that name none, and not for phones.
func TestBrowsersOfSeveralDevices(t *testing.T) {
	text := "id: chat\ndevices:\n  phone: {platform: android}\n  own: {platform: web, browser: chromium}\n" +
		"  page: {platform: web}\nsteps:\n  - on: {page: [ACTION]}\n"
	planned := func(action, browser string) plan.Options {
		dir := project(t, map[string]string{"a.yaml": strings.Replace(text, "ACTION", action, 1)})
		return plan.Options{Dir: dir, Args: []string{"a.yaml"}, Browser: browser,
			Browsers: []string{dsl.Chromium, dsl.Firefox}}
	}
	for browser, want := range map[string]string{
		"":               "phone=, own=chromium, page=",
		dsl.Firefox:      "phone=, own=chromium, page=firefox",
		plan.AllBrowsers: "phone=, own=chromium, page=",
	} {
		p, err := plan.Build(planned("{openBrowser: a.html}", browser))
		if err != nil || len(p.Cases) != 1 {
			t.Fatalf("%q: %+v, %v", browser, p, err)
		}
		var got []string
		for _, e := range p.Cases[0].Devices {
			got = append(got, e.Name+"="+e.Browser)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("--browser %q: %s, want %s", browser, s, want)
		}
	}
	// The actions on a page must work in its browser.
	want(t, packs(t, planned("{setDarkMode: true}", "")), "chat")
	fails(t, planned("{setDarkMode: true}", dsl.Firefox), "setDarkMode does not work in Firefox")
}
