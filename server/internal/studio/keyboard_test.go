package studio_test

import (
	"slices"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestByKeyboard: everything but pointing can be done with the keyboard: Tab reaches each control, none keeps the
// focus, and a test is written, run and saved.
func TestByKeyboard(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestEditor writes a test by keys")
	l := newLab(t)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()+"?file=keys.yaml"), 1440, true)
	p.connected()
	var reached []string
	for n := 0; n < 80 && !slices.Contains(reached, "yaml"); n++ {
		p.must(p.Keyboard().Press("Tab"))
		id, err := p.Evaluate(`document.activeElement.id || document.activeElement.textContent.trim()`)
		p.must(err)
		name, _ := id.(string)
		reached = append(reached, name)
		seen, err := p.Evaluate(
			`() => { const at = document.activeElement, e = at.shadowRoot?.activeElement || at, r = ` +
				`e.getBoundingClientRect(); return e.matches(":focus-visible") && r.width >= 18 && r.height >= 18 }`)
		p.must(err)
		if seen != true {
			t.Errorf("%s has the focus, and nobody sees it", name)
		}
	}
	for _, want := range []string{"point", "cut", "record", "live-screen", "Back", "Home", "Recents", "Vol +",
		"Landscape", "Enter", "copy-text", "picture", "text", "what", "gift", "selector", "prefer", "element",
		"All elements", "Log",
		"run-all", "run-to", "run-from", "run-one", "copy", "file", "Save", "yaml"} {
		if !slices.Contains(reached, want) {
			t.Errorf("%s is not reached by Tab: %q", want, reached)
		}
	}
	p.must(p.Keyboard().InsertText(
		"id: keys\nplatform: android\nsteps:\n  - launch: com.example.login\n  - assert: Sign in"))
	p.must(p.Keyboard().Press("Control+Enter"))
	p.sees(`#outcome[data-passed="true"]`)
	p.must(p.Keyboard().Press("Control+s"))
	p.sees(`#outcome:text("Saved")`)
	if n, err := p.Locator("#yaml .result").Count(); err != nil || n != 2 {
		t.Errorf("after saving, results stand beside %d lines, %v", n, err)
	}
	p.must(p.Keyboard().Press("Shift+Tab"))
	if id, err := p.Evaluate(`document.activeElement.id || document.activeElement.textContent.trim()`); err != nil ||
		id == "yaml" {
		t.Errorf("the editor keeps the focus: %v, %v", id, err)
	}
	p.must(p.Locator("#tree summary").Focus())
	p.must(p.Keyboard().Press("Enter"))
	p.sees(`#tree button:has-text("Sign in")`)
	p.must(p.Locator(`#tree button:has-text("Sign in")`).Last().Focus())
	p.must(p.Keyboard().Press("Enter"))
	p.sees("#element li code")
	p.must(p.Locator("#element button:text('Wait until gone')").First().Focus())
	p.accessible("an element that keys pinned")
	p.must(p.Locator("#log summary").Focus())
	p.must(p.Keyboard().Press("Enter"))
	p.must(p.Keyboard().Press("Tab"))
	p.must(p.Keyboard().Type("com.example"))
	p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeLight}))
	p.must(p.SetViewportSize(1024, 900))
	p.inFull("the log")
	p.shot("keys-1024")
}
