package html

import (
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// TestComparedImagesInABrowser: the three images of a baseline are shown at their step; a path that is not a file of
// the step is not.
func TestComparedImagesInABrowser(t *testing.T) {
	t.Parallel()
	reports := t.TempDir()
	s := sample{run: thisRun, id: "home", steps: 2, fails: 2}
	dir := filepath.Join(reports, s.run, s.id)
	var events []event.Event
	for _, e := range s.events(t, dir) {
		if e.Kind == event.StepEnded && e.Step == 2 {
			for i, name := range []string{"expected", "actual", "diff"} {
				path := "artifacts/home-" + name + ".png"
				write(t, filepath.Join(dir, path), shotOf(t, i+1, false))
				events = append(events, event.Event{Time: e.Time, Kind: event.Attached, Step: 2, Attachment: &event.Attachment{
					Path: path, Type: "image/png", Kind: event.KindArtifact}})
			}
			e.Detail = &event.Detail{Compared: &event.Compared{Name: "home", Pixels: 812, Percent: 0.0313,
				Expected: "artifacts/home-expected.png", Actual: "artifacts/home-actual.png",
				Difference: "artifacts/home-diff.png"},
				Model: &event.ModelUse{Name: "m", Calls: 2, PromptTokens: 1600, CompletionTokens: 60}}
		}
		if e.Kind == event.StepEnded && e.Step == 1 {
			e.Detail = &event.Detail{Compared: &event.Compared{Name: "x", Expected: "../../secret.png",
				Actual: "https://example.com/a.png"}}
		}
		events = append(events, e)
	}
	writeEvents(t, dir, events)
	if err := WritePack(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	p := openTab(t, filepath.Join(dir, PackFile), "", screen{})
	p.is(`[...document.querySelectorAll(".text")].map(e => e.textContent)`, []string{"Expected (home)", "Actual (home)",
		"Difference: 812 pixels differ, 0.0313 %", "This run, when it failed"})
	p.is(`[...document.querySelectorAll(".shot img")].every(i => i.complete && i.naturalWidth === 180)`, true)
	p.is(`document.body.textContent.includes("model m: 2 calls, 0 responses of earlier runs, 1600 + 60 tokens")`, true)
	other := openTab(t, filepath.Join(dir, PackFile), "#step-1", screen{})
	other.is(`document.querySelectorAll(".shot").length`, 1) // the screen alone
	other.is(`document.documentElement.outerHTML.includes("secret.png") || `+
		`document.documentElement.outerHTML.includes("example.com")`, false)
}
