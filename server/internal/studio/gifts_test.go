package studio_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestGiftsAndCuts: apps and images are copied to the phone by the field and by drag and drop, links are opened, texts
// are copied, and a part of the screen without an element is cut out as an image or read; each is a step, and the
// resulting test passes.
func TestGiftsAndCuts(t *testing.T) {
	t.Parallel()
	phone := androidsim.Small // text recognition can read its texts
	if testing.Short() {
		phone = androidsim.Tiny
	}
	l := newLabOf(t, phone)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()+"?file=suites/gifts.yaml"), 1440, false)
	p.must(p.Context().GrantPermissions([]string{"clipboard-read", "clipboard-write"}))
	p.connected()
	p.must(p.Locator("#record").Click())
	p.must(p.Locator("#add-files").SetInputFiles([]playwright.InputFile{
		{Name: "app.apk", Buffer: []byte("PK\x03\x04\npackage=com.example.sent\n")},
		{Name: "photo.png", MimeType: "image/png", Buffer: []byte("a picture")}}))
	p.writes("install: app.apk")
	p.writes("addMedia: [photo.png]")
	if _, is := l.phone.Installed("com.example.sent"); !is {
		t.Error("the app is not installed")
	}
	if !testing.Short() {
		p.dropsAndLinks()
	}
	p.must(p.Locator("#what").Fill("com.example.login"))
	p.must(p.Locator("#launching button").Click())
	p.writes("launch: ")
	p.place(`"Sign in"`)

	p.must(p.Locator("#cut").Click())
	for _, c := range []struct{ button, step string }{{"Assert this image", "assert: {image: cut.png}"},
		{"Tap this image", "tap: {image: cut.png}"}} {
		if testing.Short() && c.button != "Assert this image" {
			continue
		}
		p.cuts(`"Sign in"`)
		p.must(p.Locator("#cutting button:text('" + c.button + "')").Click())
		p.writes(c.step)
	}
	if testing.Short() { // reading, copying and the run are tested by make test-full
		return
	}
	p.cuts("Wrong e-mail")
	p.must(p.Locator("#cutting button:text('Read its text')").Click())
	p.sees("#cutting .copy:has-text('Assert “Wrong e-mail or password”')")
	p.accessible("cut out")
	p.shot("cut-1440")
	p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}))
	p.must(p.SetViewportSize(1024, 900))
	p.accessible("cut out in the dark")
	p.shot("cut-1024-dark")
	p.must(p.SetViewportSize(1440, 900))
	p.must(p.Locator("#cutting .copy:has-text('Assert “Wrong e-mail or password”')").Click())
	p.writes("assert: {ocr: Wrong e-mail or password}")
	p.must(p.Locator("#cut").Click())
	p.must(p.Locator("#point").Click())
	p.click(`"Sign in"`)
	p.sees("#element li code")
	p.must(p.Locator("#copy-text").Click())
	p.sees(`#message:text("Copied: Sign in")`)
	if text, err := p.Evaluate(`navigator.clipboard.readText()`); err != nil || text != "Sign in" {
		t.Errorf("the clipboard holds %v, %v", text, err)
	}
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		t.Errorf("the recorded test does not pass: %s\n%s", said, p.yaml())
	}
	left, err := filepath.Glob(filepath.Join(l.dir, "suites", "*"))
	if names := []string{"app.apk", "cut.png", "dropped.png", "photo.png"}; err != nil ||
		!slices.EqualFunc(left, names, func(path, name string) bool { return filepath.Base(path) == name }) {
		t.Errorf("beside the test lie %v, %v", left, err)
	}
}

// cuts draws a box around an element, and waits for the image.
func (p *tab) cuts(words string) {
	p.l.t.Helper()
	x, y := p.place(words)
	p.must(p.Mouse().Move(x-110, y-14))
	p.must(p.Mouse().Down())
	p.must(p.Mouse().Move(x+110, y+14))
	p.must(p.Mouse().Up())
	p.sees("#cutting canvas")
}

// dropsAndLinks drops an image on the phone and opens a link.
func (p *tab) dropsAndLinks() {
	p.l.t.Helper()
	_, err := p.Evaluate(`() => {
		const files = new DataTransfer();
		files.items.add(new File(["another picture"], "dropped.png"));
		document.querySelector(".glass").dispatchEvent(new DragEvent("drop", {dataTransfer: files, cancelable: true}));
	}`)
	p.must(err)
	p.writes("addMedia: [dropped.png]")
	if all := fmt.Sprint(p.l.phone.Gallery()); !strings.Contains(all, "photo.png") ||
		!strings.Contains(all, "dropped.png") {
		p.l.t.Errorf("the gallery holds %s", all)
	}
	p.must(p.Locator("#what").Fill("login://form"))
	p.must(p.Locator("#launching button").Click())
	p.writes(`openLink: "login://form"`)
}
