package studio_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestEditor: the editor completes keys, values and labels on the screen, explains keys, underlines the errors of
// validate, undoes steps, searches, saves formatted files, and detects a change on disk.
func TestEditor(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	file := filepath.Join(l.dir, "t.yaml")
	if err := os.WriteFile(file, []byte("id: x\nplatform: android\nsteps:\n    - launch:   com.example.login\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()+"?file=t.yaml"), 1440, false)
	p.connected()
	p.writes("launch")
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed="true"]`)
	p.sees("#yaml .mark-pass")
	p.sees(`#yaml .result button[aria-label="Screenshot after line 4"]`)
	p.must(p.Locator("#yaml .result button").Click())
	p.sees(`#shot[open] img[alt="The screen after line 4"]`)
	p.inFull("the picture of a step")
	p.must(p.Keyboard().Press("Escape"))

	p.must(p.Locator("#yaml .cm-content").Focus())
	p.must(p.Keyboard().Press("Control+End"))
	p.must(p.Keyboard().Type("    - asse"))
	p.completes("assert", `Waits until an element is on the screen`)
	p.shot("completion-1440")
	p.completed("assert")
	p.place(`"Sign in"`) // the app that was launched may take a moment to draw it
	p.must(p.Keyboard().Type("Sig"))
	p.completes("Sign in", "on the screen")
	p.completed("Sign in")
	p.writes("- assert: Sign in")
	p.must(p.Keyboard().Press("Enter"))
	if testing.Short() {
		p.must(p.Keyboard().Type("swipe: {direction: "))
	} else {
		p.must(p.Keyboard().Type("swipe: {direc"))
		p.completes("direction", "")
		p.completed("direction")
		p.must(p.Keyboard().Press("Control+Space"))
		p.completes("left", "")
		p.accessible("completion")
		p.must(p.Keyboard().Press("Escape"))
	}
	p.must(p.Keyboard().Type("lef"))
	p.writes("\n    - swipe: {direction: lef")
	p.sees(`#yaml .cm-lintRange-error`)
	p.shot("problem-1440")
	p.must(p.Keyboard().Press("Control+z"))
	p.must(p.Locator(`#yaml .cm-line:has-text("launch") span:text("launch")`).Hover())
	p.sees(`#yaml .cm-tooltip-hover:has-text("Starts an app")`)
	p.must(p.Keyboard().Press("Control+f"))
	p.sees("#yaml .cm-search")
	p.inFull("search")
	if !testing.Short() {
		p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}))
	}
	p.inFull("search in the dark")
	p.shot("search-1440-dark")
	p.must(p.Keyboard().Press("Escape"))

	p.edits("id: x\nplatform: android\nsteps:\n    - launch:   com.example.login\n")
	p.must(p.Keyboard().Press("Control+s"))
	p.sees(`#outcome:text("Saved")`)
	want := "id: x\nplatform: android\nsteps:\n  - launch: com.example.login\n"
	if data, err := os.ReadFile(file); err != nil || string(data) != want || p.yaml() != want {
		t.Errorf("saved is %q, the editor has %q, %v", data, p.yaml(), err)
	}
	if err := os.WriteFile(file, []byte(want+"  - press: back\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.sees("#stale:not([hidden])")
	p.inFull("a file that has changed")
	p.must(p.Locator("#reload").Click())
	p.writes("press: back")
	p.must(p.Keyboard().Press("Control+s"))
}

// completed selects a completion.
func (p *tab) completed(label string) {
	p.l.t.Helper()
	p.must(p.Locator("#yaml .cm-tooltip-autocomplete li", playwright.PageLocatorOptions{
		Has: p.GetByText(label, playwright.PageGetByTextOptions{Exact: playwright.Bool(true)})}).Click())
}

// completes waits for a completion with its description.
func (p *tab) completes(label, about string) {
	p.l.t.Helper()
	p.sees(`#yaml .cm-tooltip-autocomplete li:has-text("` + label + `")`)
	if about != "" { // may appear after the list
		p.sees(`#yaml .cm-tooltip-autocomplete:has-text("` + about + `")`)
	}
}
