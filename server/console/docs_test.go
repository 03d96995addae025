package console_test

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/shorttest"
)

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
	shorttest.Leave(t, "the server's pages hold what the viewer needs")
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
