package console_test

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestDocs: the documentation of the API has a command for each request, and axe-core finds nothing wrong with it.
func TestDocs(t *testing.T) {
	p := newLab(t, 0).open(screen{width: 390, height: 844, dark: true})
	p.goTo("/docs")
	p.must(p.Locator("summary", playwright.PageLocatorOptions{HasText: "GET /devices"}).First().Click())
	p.sees(`curl $TAPROOT/devices -H "X-API-Key: $TAPROOT_API_KEY"`)
	p.accessible("the documentation")
	if wide, err := p.Evaluate(`document.documentElement.scrollWidth > innerWidth`); err != nil || wide != false {
		t.Errorf("the page is wider than its window: %v %v", wide, err)
	}
}
