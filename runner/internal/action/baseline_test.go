package action_test

import (
	"image"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// passes is how long a step may wait that is to pass; one that is to fail waits for a second.
const passes = time.Minute

// baseline takes what is on the screen for right, and returns the file.
func baseline(t *testing.T, s *action.Performer, a dsl.AssertScreenshot) string {
	t.Helper()
	defer func(before time.Duration) { s.UpdateBaselines, s.Timeout = false, before }(s.Timeout)
	s.UpdateBaselines, s.Timeout = true, passes
	if result, err := do(t, s, a); result != event.Pass {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.Dir, "baselines", a.Name+"-*.png"))
	if err != nil || len(files) != 1 {
		t.Fatalf("baselines %q, %v", files, err)
	}
	return files[0]
}

func TestAssertScreenshotInTheBrowser(t *testing.T) {
	t.Parallel()
	s := browser(t)
	differs := time.Second // screenshots are taken as long as they differ
	if testing.Short() {
		differs /= 3
	}
	s.Timeout = differs
	page := func(style string) string {
		return `<style>body{font:20px ` +
			`sans-serif;background:#fefbff}button{position:absolute;top:80px;left:40px;width:160px;height:48px;border:0;` +
			`background:#6750a4;color:#fff;font:20px sans-serif}` + style +
			`</style><h1>Your basket</h1><button>Check out</button><p id=clock ` +
			`style="position:absolute;top:200px">12:00</p><p style="position:absolute;top:260px">Three items, 42.50 EUR, ` +
			`<i>delivered on Monday</i></p>`
	}
	visit(t, s, page(""))
	file := baseline(t, s, dsl.AssertScreenshot{Name: "home"})
	if want := "home-web-600x800.png"; filepath.Base(file) != want {
		t.Errorf("the baseline is %s, want %s", filepath.Base(file), want)
	}
	type look struct {
		style  string
		step   dsl.AssertScreenshot
		result event.Result
	}
	looks := map[string]look{
		"the same": {"", dsl.AssertScreenshot{}, event.Pass},
		// moves some by more than a pixel
		"letters of another layout": {"body,button{text-rendering:geometricPrecision}", dsl.AssertScreenshot{
			Threshold: 0.01}, event.Pass},
		"letters on a layer":           {"p,h1{will-change:transform}", dsl.AssertScreenshot{}, event.Pass},
		"letters a third beside":       {"p,h1{transform:translateX(.34px)}", dsl.AssertScreenshot{}, event.Pass},
		"letters half a pixel lower":   {"p,h1{transform:translateY(.5px)}", dsl.AssertScreenshot{}, event.Pass},
		"a line of one pixel":          {"i{text-decoration:underline 1px}", dsl.AssertScreenshot{}, event.Fail},
		"button 3 pixels to the right": {"button{left:43px}", dsl.AssertScreenshot{}, event.Fail},
		"button 3 pixels up":           {"button{top:77px}", dsl.AssertScreenshot{}, event.Fail},
		"button 3 pixels wider":        {"button{width:163px}", dsl.AssertScreenshot{}, event.Fail},
		"another colour":               {"button{background:#506fa4}", dsl.AssertScreenshot{}, event.Fail},
		"no italics":                   {"i{font-style:normal}", dsl.AssertScreenshot{}, event.Fail},
		"a word that is hidden":        {"#clock{visibility:hidden}", dsl.AssertScreenshot{}, event.Fail},
		// it is gone: there is nothing to mask
		"a word that may look as it may": {"#clock{visibility:hidden}", dsl.AssertScreenshot{
			Mask: []dsl.Selector{{ID: "clock"}}}, event.Fail},
		"within what is allowed": {"button{left:43px}", dsl.AssertScreenshot{Threshold: 5}, event.Pass},
	}
	if testing.Short() {
		few := []string{"the same", "letters a third beside", "a line of one pixel"}
		maps.DeleteFunc(looks, func(name string, _ look) bool { return !slices.Contains(few, name) })
	}
	for name, c := range looks {
		visit(t, s, page(c.style))
		c.step.Name = "home"
		if s.Timeout = differs; c.result == event.Pass {
			s.Timeout = passes
		}
		result, err := do(t, s, c.step)
		if result != c.result {
			t.Errorf("%s: %s, %v, %+v", name, result, err, s.Detail.Compared)
		}
		if result != event.Fail {
			continue
		}
		for _, kept := range []string{s.Detail.Compared.Expected, s.Detail.Compared.Actual, s.Detail.Compared.Difference} {
			if _, err := os.Stat(filepath.Join(s.Work, "kept", kept)); err != nil || kept == "" {
				t.Errorf("%s: evidence %q, %v", name, kept, err)
			}
		}
	}
	// An element alone, and a masked one.
	s.Timeout = passes
	visit(t, s, page(""))
	button := dsl.AssertScreenshot{Name: "button", Element: &dsl.Selector{Label: "Check out"}}
	if f := baseline(t, s, button); filepath.Base(f) != "button-web-160x48.png" {
		t.Errorf("the element's baseline is %s", f)
	}
	masked := dsl.AssertScreenshot{Name: "masked", Mask: []dsl.Selector{{ID: "clock"}}}
	baseline(t, s, masked)
	visit(t, s, strings.Replace(page("button{left:90px}"), "12:00", "12:34", 1))
	if result, err := do(t, s, button); result != event.Pass {
		t.Errorf("the element elsewhere: %v", err)
	}
	visit(t, s, strings.Replace(page(""), "12:00", "12:34", 1))
	if result, err := do(t, s, masked); result != event.Pass {
		t.Errorf("masked: %v", err)
	}
	s.Timeout = differs
	if result, _ := do(t, s, dsl.AssertScreenshot{Name: "home"}); result != event.Fail {
		t.Error("the clock without a mask passes")
	}
	if result, err := do(t, s, dsl.AssertScreenshot{Name: "new"}); result != event.Fail ||
		!strings.Contains(err.Error(), "--update-baselines") {
		t.Errorf("no baseline: %s, %v", result, err)
	}
	if err := os.WriteFile(file, []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	if result, _ := do(t, s, dsl.AssertScreenshot{Name: "home"}); result != event.Fail {
		t.Error("a broken baseline passes")
	}
}

// TestAssertScreenshotOnThePhone: the clock of the status bar is none of the app's; a button 3 pixels away is.
func TestAssertScreenshotOnThePhone(t *testing.T) {
	t.Parallel()
	s := simulated(t)
	if result, err := do(t, s, dsl.Launch{Package: androidsim.ListPackage, Force: true}); result != event.Pass {
		t.Fatal(err)
	}
	if result, err := do(t, s, dsl.Assert{Selector: dsl.Selector{Label: "Visits: 1"}}); result != event.Pass {
		t.Fatal(err)
	}
	file := baseline(t, s, dsl.AssertScreenshot{Name: "list"})
	if filepath.Base(file) != "list-android-540x1200.png" {
		t.Errorf("the baseline is %s", file)
	}
	before, err := s.Device.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for bar := pixels.StatusBar(before.Bounds().Size()); ; { // until the clock of the status bar shows another second
		now, err := s.Device.Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !pixels.Changed(before, now, bar).Empty() {
			break
		}
	}
	s.Timeout = passes
	if result, err := do(t, s, dsl.AssertScreenshot{Name: "list"}); result != event.Pass {
		t.Errorf("the same: %v", err)
	}
	s.Timeout = time.Second
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	was, err := png.Decode(f)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	moved := image.NewRGBA(was.Bounds())
	draw.Draw(moved, moved.Rect, was, image.Point{}, draw.Src)
	button := image.Rect(370, 50, 530, 100) // "Delete all"
	draw.Draw(moved, button.Add(image.Pt(3, 0)), was, button.Min, draw.Src)
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(out, moved); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if result, err := do(t, s, dsl.AssertScreenshot{Name: "list"}); result != event.Fail {
		t.Errorf("moved by 3 pixels: %s, %v", result, err)
	}
}

// TestAssertScreenshotWaits: what is compared may come late, grow, or move; only then it is wrong.
func TestAssertScreenshotWaits(t *testing.T) {
	box := func(name string, w int) *screen.Node { return el(name, 100, 300, 100+w, 400) }
	late := func(at time.Duration, _ []image.Point) []*screen.Node {
		switch {
		case at < time.Second:
			return nil
		case at < 2*time.Second:
			return []*screen.Node{box("Card", 200)}
		}
		return []*screen.Node{box("Card", 300)}
	}
	card := dsl.AssertScreenshot{Name: "card", Element: &dsl.Selector{Label: "Card"}}
	dir := t.TempDir()
	for _, c := range []struct {
		name   string
		step   dsl.AssertScreenshot
		update bool
		show   func(time.Duration, []image.Point) []*screen.Node
		want   event.Result
		says   string
	}{
		{"no baseline yet", card, false, late, event.Fail, "no baseline"},
		{"the first one", card, true, func(time.Duration, []image.Point) []*screen.Node {
			return []*screen.Node{box("Card", 300)}
		}, event.Pass, ""},
		{"it comes late and grows", card, false, late, event.Pass, ""},
		{"it never comes", card, false, func(time.Duration, []image.Point) []*screen.Node { return nil }, event.Fail, "Card"},
		{"it stays small", card, false, func(time.Duration, []image.Point) []*screen.Node {
			return []*screen.Node{box("Card", 200)}
		}, event.Fail, "card-android-300x100.png"},
		{"beside the screen", card, true, func(time.Duration, []image.Point) []*screen.Node {
			return []*screen.Node{el("Card", 100, 2300, 400, 2400)}
		}, event.Fail, "Card"},
		{"all is masked", dsl.AssertScreenshot{Name: "all", Mask: []dsl.Selector{{Type: "root"}}}, true, late, event.Fail,
			"nothing is left"},
		{"it never rests", dsl.AssertScreenshot{Name: "moving"}, true,
			func(at time.Duration, _ []image.Point) []*screen.Node {
				return []*screen.Node{box(at.String(), 300)}
			}, event.Fail, "kept changing"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), pictureCost: 10 * time.Millisecond, treeCost: 10 * time.Millisecond, show: c.show}
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 5 * time.Second, Settings: action.Settings{
				Dir: dir, UpdateBaselines: c.update}}
			result, err := do(t, s, c.step)
			if result != c.want || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %s, %v", c.name, result, err)
			}
		})
	}
	if files, err := filepath.Glob(filepath.Join(dir, "baselines", "*")); err != nil || len(files) != 1 {
		t.Errorf("baselines %q, %v", files, err)
	}
}
