package studio_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestRecordWaitsForTheDevice: Record is disabled until the page has the device, and says why; a recording is paused
// while another page has the device.
func TestRecordWaitsForTheDevice(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	address := "/studio/devices/" + l.phone.Serial()
	p := l.open(l.link(address), 1440, false)
	p.connected()
	p.must(p.Locator("#record").Click())
	p.sees(`#record[aria-pressed="true"]`)
	other := l.open(l.link(address), 390, true)
	other.sees(`#holder:has-text("has the device since")`)
	other.sees(`#record:disabled[aria-pressed="false"][title*="you do not have the device"]`)
	_, err := other.Evaluate(`document.getElementById("record").click()`)
	other.must(err)
	other.sees(`#record[aria-pressed="false"]`)
	other.inFull("a page without the device")
	other.must(other.Locator("#take").Click())
	other.connected()
	other.sees(`#record:enabled[aria-pressed="false"]`)
	p.sees(`#record:disabled[aria-pressed="true"]`)
	p.sees(`#recording:has-text("Recording is paused: you do not have the device")`)
	p.inFull("a recording that is paused")
	p.must(p.Locator("#take:not([hidden])").Click())
	p.connected()
	p.sees(`#record:enabled[aria-pressed="true"]`)
	p.must(p.Locator("#what").Fill("com.example.login"))
	p.must(p.Locator("#launching button").Click())
	p.writes("launch: {package: com.example.login, force: true}")
}

// TestRecordingAPageIsSeen: a click on Record before the page is ready does not turn off the recording that starts with
// the page. While it is on, a bar shows that, with the time; the screen gets half of a wide window, and everything is
// readable, light and dark, wide and narrow.
func TestRecordingAPageIsSeen(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.open(l.link("/studio"), 1440, true)
	p.device = "web-1"
	early := `document.addEventListener("DOMContentLoaded", () => document.getElementById("record").click())`
	p.must(p.AddInitScript(playwright.Script{Content: playwright.String(early)}))
	_, err := p.Goto(l.url + "/studio/devices/web-1?open=" + site(t) + "/home")
	p.must(err)
	p.connected()
	p.writes("openBrowser: ")
	p.sees(`#record[aria-pressed="true"]`)
	p.sees(`#recording:not([hidden])`)
	p.sees(`[aria-live="polite"]:text-is("Recording")`)
	p.must(p.until(`() => /^[0-9]+:[0-5][0-9]$/.test(document.getElementById("recording-time").textContent)`, nil))
	if title, err := p.Title(); err != nil || !strings.HasPrefix(title, "●") {
		t.Errorf("the title of the tab is %q, %v", title, err)
	}
	for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeDark, playwright.ColorSchemeLight} {
		for _, width := range []int{1440, 390} {
			p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}))
			p.must(p.SetViewportSize(width, 900))
			p.accessible(fmt.Sprint(*scheme, " at ", width))
			p.shot(fmt.Sprintf("recording-%d-%s", width, *scheme))
			if width == 390 {
				continue
			}
			if box, err := p.Locator("#live-screen").BoundingBox(); err != nil || box.Width < 720 {
				t.Errorf("the screen of a page has %+v of %d pixels, %v", box, width, err)
			}
		}
	}
	moving, err := p.Evaluate(`[...document.querySelectorAll("button")]
		.filter((b) => parseFloat(getComputedStyle(b).transitionDuration) > 0).length`)
	if p.must(err); moving != 0 {
		t.Errorf("%v buttons fade from one colour scheme to the other, and cannot be read meanwhile", moving)
	}
	p.must(p.Locator("#record").Click())
	p.sees(`[aria-live="polite"]:text-is("Recording has stopped")`)
	if seen, err := p.Locator("#recording").IsVisible(); err != nil || seen {
		t.Errorf("the bar stays, %v", err)
	}
}
