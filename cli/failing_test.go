package cli_test

import (
	"image"
	"image/color"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// failing lists the results of the tests of suites/failing.
var failing = map[string]struct {
	step  int
	words []string
}{
	"android-covered":     {4, []string{"Behind", "Cookie banner"}},
	"android-login-fails": {7, []string{"Welcome, Ada", "Wrong e-mail or password"}},
	"android-no-such-app": {1, []string{"com.example.logn", "com.example.login"}},
	"android-twice":       {5, []string{"Twice", "2"}},
	"android-unpaid":      {4, []string{`"Paid"`, "Unpaid"}},
	"web-login-fails":     {5, []string{"Welcome, Ada", "Wrong e-mail or password"}},
	"web-no-such-page":    {1, []string{"http://127.0.0.1:9/"}},
	"web-unpaid":          {6, []string{`"Paid"`, "Unpaid"}},
}

var saysStep = regexp.MustCompile(`^# Fails in (?:step (\d+)|the last step): `)

// Every test of suites/failing fails in the step that its first comment names, for the reason in that comment.
func TestFailingSuite(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 2)
	l.dir = projectRoot(t)
	which := []string{"suites/failing"}
	if testing.Short() { // TestWrongPasswordOnThePhone and TestTruth cover the others
		which = []string{"android-covered", "android-no-such-app"}
	}
	run := l.taproot(append([]string{"run", "--no-video"}, which...)...)
	run.exits(t, 1)
	packs := map[string]*packOf{}
	for _, dir := range l.packs() {
		p := checkPack(t, dir)
		packs[p.ID] = p
	}
	files, err := filepath.Glob(filepath.Join(l.dir, "suites", "failing", "*.yaml"))
	if err != nil || len(files) != len(failing) || !testing.Short() && len(packs) != len(failing) {
		t.Fatalf("%d files and %d packs for %d cases: %v", len(files), len(packs), len(failing), err)
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return testing.Short() && !slices.Contains(which, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	})
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(id, func(t *testing.T) { failsAsItSays(t, packs[id], read(t, file), run.stdout) })
	}
	t.Run("the error is in the picture of the page", func(t *testing.T) {
		testutil.Leave(t, "TestWrongPasswordOnThePhone looks at the picture of a phone")
		shots := filepath.Join(packs["web-login-fails"].dir, "screenshots")
		red := color.RGBA{R: 0xa8, G: 0x20, B: 0x1a, A: 0xff} // of .error in suites/pages/style.css
		before, after := count(picture(t, glob1(t, shots, "03-*.png")), red),
			count(picture(t, glob1(t, shots, "05-*-failed.png")), red)
		if before != 0 || after < 100 {
			t.Errorf("%d red points before signing in, %d in the picture of the failure", before, after)
		}
	})
	l.quiet()
}

func failsAsItSays(t *testing.T, p *packOf, source, terminal string) {
	want, known := failing[p.ID]
	if !known {
		t.Fatal("suites/failing has a test that this table does not know")
	}
	if p.Result != "fail" || p.failedStep() != want.step || p.Failed != 1 || p.Passed != want.step-1 {
		t.Errorf("%s in step %d, %d passed; want a fail in step %d", p.Result, p.failedStep(), p.Passed, want.step)
	}
	first, _, _ := strings.Cut(source, "\n")
	says := saysStep.FindStringSubmatch(first)
	if says == nil || says[1] == "" && want.step != p.Steps || says[1] != "" && says[1] != strconv.Itoa(want.step) {
		t.Errorf("the comment %q does not name step %d of %d", first, want.step, p.Steps)
	}
	line := 0
	for i, text := range strings.Split(source, "\n") {
		if strings.HasPrefix(text, "  - ") {
			if line++; line == want.step {
				line = i + 1
				break
			}
		}
	}
	place := "suites/failing/" + p.ID + ".yaml:" + strconv.Itoa(line) + ":5"
	has(t, "run.md", p.markdown, append(want.words, "## What went wrong", place)...)
	has(t, "the terminal", terminal, append(want.words, "✗ FAIL "+p.ID, place)...)
}

// A wrong password fails the test. The report contains what was found instead: text, place, and a screenshot of that
// moment.
func TestWrongPasswordOnThePhone(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.dir = projectRoot(t)
	run := l.taproot("run", "android-login-fails")
	run.exits(t, 1)
	p := checkPack(t, l.packs()[0])
	for what, text := range map[string]string{"the terminal": run.stdout, "run.md": p.markdown} {
		has(t, what, text, "suites/failing/android-login-fails.yaml:12:5", `assert: {label: "Welcome, Ada", timeout: 3s}`,
			`"Welcome, Ada"`, `"Wrong e-mail or password"`, "07-assert-welcome-ada-failed.png")
	}
	has(t, "the terminal", run.stdout, "\n  expected  ", "\n  actual    ", filepath.Join(p.dir, "screenshots",
		"07-assert-welcome-ada-failed.png"),
		"\n0 passed, 1 failed in ", "\nreports: "+filepath.Dir(p.dir)+"\n")
	if p.Screenshots != 8 || p.rows[7][3] != "– not reached" {
		t.Errorf("%d screenshots, last row %q; want one for each of 7 steps and one for the assertion", p.Screenshots,
			p.rows[7])
	}
	shown := picture(t, filepath.Join(p.dir, "screenshots", "07-assert-welcome-ada-failed.png"))
	if share := differs(t, shown, l.phones[0].Screen()); share > 0.001 {
		t.Errorf("%.2f%% of the picture's points differ from the phone's screen", 100*share)
	}
	before := picture(t, filepath.Join(p.dir, "screenshots", "05-input.png"))
	if share := differs(t, shown, before); share < 0.002 {
		t.Errorf("only %.2f%% of the picture's points differ from the screen before signing in", 100*share)
	}
	l.quiet()
}

func glob1(t *testing.T, elem ...string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(elem...))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q: %q, %v", elem, found, err)
	}
	return found[0]
}

// differs returns the share of pixels, below the status bar with its clock, in which two images differ.
func differs(t *testing.T, a, b image.Image) float64 {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("sizes %s and %s", a.Bounds(), b.Bounds())
	}
	area, n := a.Bounds(), 0
	area.Min.Y += area.Dy() / 20
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if color.RGBAModel.Convert(a.At(x, y)) != color.RGBAModel.Convert(b.At(x, y)) {
				n++
			}
		}
	}
	return float64(n) / float64(area.Dx()*area.Dy())
}

// count returns the number of pixels of a colour.
func count(img image.Image, want color.RGBA) int {
	n, area := 0, img.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}
