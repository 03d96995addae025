package html

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// widen replaces the screenshots of a pack by those of a browser's window.
func widen(t testing.TB, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "screenshots", "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 1280, 720))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{240, 244, 240, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(100, 100, 500, 300), image.NewUniform(color.RGBA{30, 80, 40, 255}), image.Point{}, draw.Src)
	for _, file := range files {
		write(t, file, pngOf(t, img))
	}
}

// TestSideBySide: wide screenshots were below each other at 1440 px; a step that passed shows the screen before it and
// after it.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestPackInABrowser goes through the views")
	pack := failing(t, "Pay")
	widen(t, pack)
	widen(t, filepath.Join(filepath.Dir(filepath.Dir(pack)), greenRun, "checkout"))
	if err := WritePack(t.Context(), pack, Options{}); err != nil {
		t.Fatal(err)
	}
	beside := `(() => { const f = [...document.querySelectorAll(".shots figure")].map(e => e.getBoundingClientRect()); ` +
		`return f.length === 2 && f[0].top === f[1].top && f[0].right <= f[1].left && f.every(b => b.width > 280) })()`
	p := openTab(t, filepath.Join(pack, PackFile), "", screen{width: 1440, height: 900})
	p.is(beside, true)
	p.is(textsOf("#views .chip"), []string{"Side by side", "Swipe", "Difference", "Before and after"})
	p.js(`[...document.querySelectorAll("#views .chip")].find(e => e.textContent === "Before and after").click()`)
	p.is(textsOf(".text"), []string{"Before it", "After it, when it failed"})
	p.is(beside, true)
	p.inFull()

	reports := t.TempDir()
	passed := sample{run: thisRun, id: "passed", steps: 4, text: "Pay"}.write(t, reports)
	widen(t, passed)
	if err := WritePack(t.Context(), passed, Options{}); err != nil {
		t.Fatal(err)
	}
	p = openTab(t, filepath.Join(passed, PackFile), "#step-3", screen{width: 1440, height: 900})
	p.is(textsOf(".text"), []string{"Before: touched here", "After it"})
	p.is(beside, true)
	for range 3 { // every step but the first has both
		p.press("k")
	}
	p.is(textsOf(".text"), []string{"This run, after it"})
}

// TestLongLinesOfYAML: long lines wrap, and show where in them the step starts.
func TestLongLinesOfYAML(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestWidths looks at pages with lines of usual length")
	reports := t.TempDir()
	pack := sample{run: thisRun, id: "long", steps: 3, fails: 3, text: strings.Repeat("a very long text of a button ",
		20)}.write(t, reports)
	if err := WritePack(t.Context(), pack, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []screen{{width: 1440, height: 900}, {width: 390, height: 844}} {
		p := openTab(t, filepath.Join(pack, PackFile), "", s)
		p.is(`(() => { const l = document.querySelector(".yaml .hit"); return l.scrollWidth <= l.clientWidth + 1 && `+
			`l.getBoundingClientRect().height > 40 })()`, true)
		p.is(`document.querySelector(".yaml .hit .caret").textContent`, "tap")
	}
}

// TestCardOfTheTestsOwnApp: a test that never got to its app showed, on its card, what the test before it had left on
// the screen.
func TestCardOfTheTestsOwnApp(t *testing.T) {
	t.Parallel()
	reports := t.TempDir()
	sample{run: thisRun, id: "shop", steps: 2, fails: 2, text: "Pay"}.write(t, reports)
	dir := filepath.Join(reports, thisRun, "bank")
	s := sample{run: thisRun, id: "bank", steps: 2, fails: 1, text: "Transfer"}
	events := s.events(t, dir)
	for i := range events {
		if c := events[i].Case; c != nil {
			c.Steps[0].Action, c.Steps[0].Args = "launch", "com.example.bank"
		}
	}
	writeEvents(t, dir, events)
	run, err := history.LoadRun(filepath.Join(reports, thisRun))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	p := openTab(t, filepath.Join(reports, thisRun, IndexFile), "", screen{})
	p.is(`[...document.querySelectorAll(".cause")].map(c => c.querySelector(".few").textContent.slice(0, 4) + " " + `+
		`(c.querySelector("img") ? c.querySelector("img").alt : c.querySelector(".noshot").textContent)).sort()`,
		[]string{"bank no screenshot", "shop The screen when shop stopped"})
}

// TestRecorderIsNamed: a page is recorded by the browser, a phone records itself.
func TestRecorderIsNamed(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestBundleIsSelfContained shows a film")
	reports := t.TempDir()
	for platform, want := range map[string]string{"web": "Recorded by the browser.",
		"android": "Recorded by the device."} {
		s := sample{run: thisRun, id: platform, steps: 2, text: "Pay", film: true}
		dir := s.write(t, reports)
		events := s.events(t, dir)
		events[0].Case.Platform = event.Fold(events).Case.Platform
		if platform == "web" {
			events[0].Case.Platform = "web"
		}
		writeEvents(t, dir, events)
		if err := WritePack(t.Context(), dir, Options{}); err != nil {
			t.Fatal(err)
		}
		p := openTab(t, filepath.Join(dir, PackFile), "", screen{})
		p.is(textsOf(".recordingfoot .quiet"), []string{want})
	}
}

// TestElementsOfEveryStep: each step of a phone's test shows the tree that it saw, with what it matched.
func TestElementsOfEveryStep(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestPanelsInABrowser shows the elements of one step")
	reports := t.TempDir()
	s := sample{run: thisRun, id: "phone", steps: 4, fails: 4, text: "Pay"}
	dir := s.write(t, reports)
	var events []event.Event
	for _, e := range s.events(t, dir) {
		if e.Kind == event.StepEnded && e.Step != 2 {
			name := fmt.Sprintf("artifacts/tree-%02d.json", e.Step)
			write(t, filepath.Join(dir, name),
				fmt.Appendf(nil,
					`{"windows":[{"type":"android.widget.FrameLayout","bounds":{"Min":{"X":0,"Y":0},"Max":{"X":180,"Y":400}},`+
						`"children":[
				{"type":"android.widget.Button","text":"Button of step %d","bounds":{"Min":{"X":20,"Y":40},"Max":{"X":160,"Y":80}}},
				{"type":"android.widget.TextView","text":"Pay","bounds":{"Min":{"X":20,"Y":200},"Max":{"X":160,"Y":240}}}]}]}`,
					e.Step))
			events = append(events, event.Event{Time: e.Time, Kind: event.Attached, Step: e.Step, Attachment: &event.Attachment{
				Path: name, Type: "application/json", Kind: event.KindArtifact}})
		}
		if e.Problem != nil && e.Step > 0 {
			e.Problem.Candidates[1] = "FrameLayout [18,198][162,242]"
			e.Problem.Rejected = []string{`it says "Pay", not "Button Pay"`, "it is hidden"}
		}
		events = append(events, e)
	}
	writeEvents(t, dir, events)
	if err := WritePack(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	p := openTab(t, filepath.Join(dir, PackFile), "#panel=elements", screen{})
	p.is(textsOf(".tree .node.is-near"), []string{`TextView “Pay” candidate 1: it says "Pay", not "Button Pay"`})
	p.press("k")
	p.is(textsOf(".tree .node.is-match"), []string{"Button “Button of step 3” matched"})
	p.is(`document.querySelector("#spot .line").getAttribute("y")`, "40")
	p.press("k")
	p.is(textsOf("#panel .elements p"), []string{"This step did not read the elements of the screen."})
	p.press("k")
	p.is(textsOf(".tree .node.is-match"), []string{"Button “Button of step 1” matched"})
	p.inFull()
	// The numbers of nested elements covered each other.
	p = openTab(t, filepath.Join(dir, PackFile), "", screen{})
	p.is(`(() => { const [a, b] = [...document.querySelectorAll(".marks .tag")].map(e => [+e.getAttribute("cx"), `+
		`+e.getAttribute("cy"), +e.getAttribute("r")]); return Math.hypot(a[0] - b[0], a[1] - b[1]) >= a[2] + b[2] })()`,
		true)
}

// TestTimelineToTheEnd: a last step that took no time hid the rest of the timeline, and a recording that was not loaded
// yet had no lane.
func TestTimelineToTheEnd(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "the lanes of one test more")
	reports := t.TempDir()
	s := sample{run: thisRun, id: "film", steps: 3, text: "Pay", film: true}
	dir := s.write(t, reports)
	events := s.events(t, dir)
	for i := range events {
		if events[i].Kind == event.StepEnded && events[i].Step == 3 {
			events[i].DurationMS = 0
		}
		if events[i].Kind == event.CaseEnded {
			events[i].Time = events[i].Time.Add(2 * time.Second)
		}
	}
	writeEvents(t, dir, events)
	if err := WritePack(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	p := openTab(t, filepath.Join(dir, PackFile), "#panel=timeline", screen{})
	p.is(textsOf(".lanename"), []string{"Set-up, end", "Steps", "Log", "Recording", "Scrub"})
}
