package html

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/testutil"
)

const (
	thisRun  = "2026-12-31T23-59-50"
	greenRun = "2026-12-30T08-00-00"
	redRun   = "2026-12-29T08-00-00"
)

// failing writes a test that failed in step 4 of 6, passed in the run before and failed in the one before that.
func failing(t testing.TB, text string) (pack string) {
	t.Helper()
	reports := t.TempDir()
	sample{run: redRun, id: "checkout", steps: 6, fails: 2}.write(t, reports)
	green := sample{run: greenRun, id: "checkout", steps: 6, text: text}.write(t, reports)
	if err := WritePack(t.Context(), green, Options{}); err != nil {
		t.Fatal(err)
	}
	pack = sample{run: thisRun, id: "checkout", steps: 6, fails: 4, film: true, text: text}.write(t, reports)
	if err := WritePack(t.Context(), pack,
		Options{Cause: &CauseLink{N: 2, Others: 4, Link: "../index.html#cause=2"}}); err != nil {
		t.Fatal(err)
	}
	return pack
}

func TestPackInABrowser(t *testing.T) {
	t.Parallel()
	file := filepath.Join(failing(t, "Pay"), PackFile)
	t.Run("what broke is there at once", func(t *testing.T) {
		p := openTab(t, file, "", screen{})
		p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-4")
		p.is(`document.querySelector(".headline").textContent`, `"Button Pay" did not appear within 3s`)
		p.is(`document.querySelector("#where .place bdi").textContent`, "suites/checkout.yaml:9:5")
		p.is(`document.querySelector("#where").textContent.includes("Cause 2: also in 4 other tests")`, true)
		p.is(`[...document.querySelectorAll(".text")].map(e => e.textContent)`, []string{"This run, when it failed",
			"Last green, " + greenRun})
		// the originals
		p.is(`[...document.querySelectorAll(".shot img")].every(i => i.complete && i.naturalWidth === 180)`, true)
		p.is(`document.querySelectorAll(".marks .near").length`, 1)
		p.is(`document.querySelector(".yaml .hit").textContent.trim()`, "9   - tap: Button Pay")
		p.is(`document.querySelector("pre.log").textContent.includes("step 4 Pay") && `+
			`!document.querySelector("pre.log").textContent.includes("step 3")`, true)
		p.is(`[...document.querySelectorAll(".dot")].map(e => e.firstChild.textContent)`, []string{"✗", "✓", "✗"})
		p.is(`document.querySelector(".dots a").getAttribute("href")`, "../../"+greenRun+"/checkout/report.html")
		p.is(`document.querySelector("#warnings .notes").textContent`, "Steps 5 to 6 not reached")
		p.is(`document.querySelector("#warnings-flag").textContent`, "2 steps with a warning")
		p.is(`location.hash`, "")
	})
	t.Run("keys and the address", func(t *testing.T) {
		p := openTab(t, file, "#step-2", screen{})
		p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-2")
		p.is(`document.querySelectorAll(".marks .tap").length`, 1)
		p.press("j")
		p.is(`location.hash`, "#step-3")
		p.press("k", "k", "k", "k")
		p.is(`location.hash`, "#step-1")
		p.press("f")
		p.is(`[...document.querySelectorAll("#timeline li")].filter(e => !e.hidden).map(e => e.id)`, []string{"row-4"})
		p.is(`location.hash`, "#step-1&f=1")
		p.press("j", "f", "/")
		if err := p.Keyboard().Type("button 5"); err != nil {
			t.Fatal(err)
		}
		p.is(`location.hash`, "#step-4&q=button%205")
		p.is(`[...document.querySelectorAll("#timeline li")].filter(e => !e.hidden).map(e => e.id)`, []string{"row-5"})
		p.press("Escape", "?")
		p.is(`document.getElementById("help").open`, true)
		p.press("Escape")
		p.is(`document.getElementById("help").open`, false)
		p.js(`location.hash = "#step-6"`)
		p.is(`[...document.querySelectorAll("#timeline [aria-current]")].map(e => e.parentNode.id)`, []string{"row-6"})
		if testing.Short() { // the panels start at URLs
			return
		}
		again := openTab(t, file, "#L7&q=button%202&f=1", screen{})
		again.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-2")
		again.is(`[document.getElementById("filter").value, document.getElementById("only").getAttribute("aria-pressed")]`,
			[]string{"button 2", "true"})
	})
	t.Run("difference", func(t *testing.T) {
		p := openTab(t, file, "", screen{})
		p.press("d")
		p.is(`document.querySelector(".swipe .over").getBoundingClientRect().width > 50`, true)
		p.is(`location.hash`, "#view=swipe")
		p.press("d")
		p.is(`document.querySelector(".shots img").src.startsWith("data:image/png")`, true)
		p.is(`document.querySelector("#views .quiet").textContent`, "7.8 % of the pixels differ")
		p.press("d")
		p.is(`document.querySelectorAll(".shots figure").length`, 2)
	})
	t.Run("film", func(t *testing.T) {
		testutil.Leave(t, "TestBundleIsSelfContained plays a film")
		p := openTab(t, file, "", screen{})
		p.is(`document.querySelector("video").readyState > 0`, true)
		p.is(`Math.round(document.querySelector("video").currentTime)`, 3)
		p.press("k", "k")
		p.is(`Math.round(document.querySelector("video").currentTime)`, 1)
		p.is(`document.querySelectorAll(".chapters rect").length`, 4)
		p.js(`document.querySelector("video").addEventListener("play", () => { window.played = true })`)
		p.press(" ")
		p.is(`window.played`, true)                      // it may have ended before the test reads it
		p.is(`/^#step-[34]$/.test(location.hash)`, true) // the recording continued
		p.press(" ")
		p.is(`document.querySelector("video").paused`, true)
		p.js(`document.querySelector("video").currentTime = 0.5`) // by its own control
		p.is(`location.hash`, "#step-1")
		p.is(`document.querySelectorAll("[aria-current=step]").length`, 2) // in the list and on the strip
		p.is(`document.querySelector("video").textTracks[0].cues.length`, 4)
	})
	t.Run("dark", func(t *testing.T) {
		testutil.Leave(t, "the pages of runs are looked at in the dark")
		background := `getComputedStyle(document.documentElement).backgroundColor`
		openTab(t, file, "", screen{dark: true}).is(background, "rgb(18, 20, 23)")
		p := openTab(t, file, "", screen{})
		p.is(background, "rgb(246, 246, 244)")
		p.js(`document.getElementById("theme").click()`)
		p.is(background, "rgb(18, 20, 23)")
		p.is(`location.hash`, "#theme=dark")
		openTab(t, file, "#theme=light", screen{dark: true}).is(background, "rgb(246, 246, 244)")
	})
	t.Run("narrow", func(t *testing.T) {
		p := openTab(t, file, "", screen{width: 390, height: 844})
		p.is(`document.documentElement.scrollWidth <= 390`, true)
		p.is(`document.querySelector(".steps").getBoundingClientRect().top < `+
			`document.querySelector(".stage").getBoundingClientRect().top`, true)
		// the screenshots follow soon
		p.is(`document.querySelector("#timeline").getBoundingClientRect().height < innerHeight / 2`, true)
	})
	t.Run("accessible", func(t *testing.T) {
		testutil.Leave(t, "axe-core looks at a panel of the page in TestPanelsInABrowser")
		for _, s := range []screen{{}, {dark: true}, {width: 390, height: 844}} {
			openTab(t, file, "", s).accessible()
			openTab(t, file, "#step-2&view=swipe", s).accessible()
		}
	})
}

// TestPassedPageStartsAtItsFirstStep: of a failed test the failure matters, of a passed one the story from its start.
func TestPassedPageStartsAtItsFirstStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b bytes.Buffer
	if err := Pack(&b, PackPage{CaseResult: recorded(t, "pass"), Dir: dir}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, PackFile)
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	openTab(t, file, "", screen{}).is(`document.querySelector("#timeline [aria-current=step] .n").textContent`, "1")
}

// TestFirstAttemptSaysHowTheTestEnded: its own page says that it failed, and that the test passed after all.
func TestFirstAttemptSaysHowTheTestEnded(t *testing.T) {
	for final, want := range map[event.Result]string{
		event.Pass: "Attempt 1 of 2: the test passed in the end", event.Fail: "Attempt 1 of 2: the test ended as Failed",
		"": "",
	} {
		var b bytes.Buffer
		if err := Pack(&b, PackPage{CaseResult: recorded(t, "fail"), Attempt: 1, Of: 2, Final: final}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), `id="final"`); got != (want != "") || !strings.Contains(b.String(), want) {
			t.Errorf("%q: %v, want %q", final, got, want)
		}
	}
}

func TestPackWithoutItsFiles(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestForeignAndBrokenPacks writes pages without files")
	pack := failing(t, "Pay")
	alone := filepath.Join(t.TempDir(), "mailed.html")
	page, err := os.ReadFile(filepath.Join(pack, PackFile))
	if err != nil {
		t.Fatal(err)
	}
	// Only what Chromium itself says of missing files may be on the console, so the names are taken away.
	for _, folder := range []string{"./screenshots/", "../../" + greenRun + "/checkout/screenshots/"} {
		page = bytes.ReplaceAll(page, []byte(`"src":"`+folder), []byte(`"src":"data:,`))
	}
	write(t, alone, bytes.ReplaceAll(page, []byte(`"src":"./recording.mp4`), []byte(`"src":"data:,`)))
	p := openTab(t, alone, "#step-2", screen{})
	p.is(`[...document.querySelectorAll(".shot img")].filter(i => i.naturalWidth > 100).length > 0`, true)
	p.is(`document.querySelector("#recording").textContent.includes("cannot be played")`, true)
}

func TestBundleIsSelfContained(t *testing.T) {
	t.Parallel()
	pack := failing(t, "Pay")
	var b bytes.Buffer
	size, left, err := Bundle(t.Context(), &b, pack)
	if err != nil || size != int64(b.Len()) || len(left) > 0 {
		t.Fatal(size, b.Len(), left, err)
	}
	file := filepath.Join(t.TempDir(), "bundle.html")
	write(t, file, b.Bytes())
	p := openTab(t, file, "", screen{})
	p.is(`[...document.querySelectorAll(".shot img")].map(i => i.naturalWidth)`, []int{180, 180})
	p.is(`document.querySelector("video").readyState > 0`, true)
	p.press("k")
	p.is(`Math.round(document.querySelector("video").currentTime)`, 2)
	p.is(`document.querySelector(".files a").getAttribute("href").startsWith("data:")`, true)
	p.is(`[...document.querySelectorAll("a[href^='.']")].length`, 0)
}

const nasty = "</script><script>window.pwned=1</script><img src=x " +
	"onerror=window.pwned=1><!--\u2028\u202eevil\x00\x1b[31m`${window.pwned=1}`\" onmouseover=\"window.pwned=1"

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	pack := failing(t, nasty+strings.Repeat("A", 64<<10))
	if log, err := os.OpenFile(filepath.Join(pack, "logcat.txt"), os.O_APPEND|os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	} else if _, err := log.WriteString(logcat(3500_000_000, 7200_000_000_000, nasty) + strings.Repeat(nasty, 20_000) +
		"\n\xff\xfe"); err != nil || log.Close() != nil {
		t.Fatal(err)
	}
	if err := WritePack(t.Context(), pack,
		Options{Flaky: nasty, Slow: nasty,
			Attempts: []Past{{Run: nasty, Link: "javascript:window.pwned=1", Result: "<b>"}}}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(pack, PackFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 1<<20 || bytes.ContainsAny(page, "\x00\x1b\u202e\u2028") || bytes.Count(page, []byte("<script")) != 3 ||
		bytes.Contains(page, []byte("<img")) || bytes.Contains(page, []byte("javascript:")) {
		t.Errorf("%d bytes, %d scripts", len(page), bytes.Count(page, []byte("<script")))
	}
	p := openTab(t, filepath.Join(pack, PackFile), "", screen{})
	p.is(`document.querySelector(".log").textContent.includes("</script><script>window.pwned=1</script><img src=x `+
		`onerror=window.pwned=1><!--⟨U+2028⟩⟨U+202E⟩evil␀␛[31m")`, true)
	for range 5 {
		p.press("k")
	}
	p.is(`[typeof window.pwned, document.querySelectorAll("img[onerror], [onmouseover]").length, document.scripts.length]`,
		[]any{"undefined", 0, 3})
	p.is(`document.documentElement.scrollWidth <= 1440`, true)

	run, err := history.LoadRun(filepath.Dir(pack))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	index := openTab(t, filepath.Join(run.Dir, IndexFile), "", screen{})
	index.is(`document.querySelector(".causehead").textContent.includes("<script>")`, true)
	index.is(`[typeof window.pwned, document.scripts.length]`, []any{"undefined", 3})
}

func TestLongPackStillScrolls(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestLargeRunInABrowser lays out a part of a long list")
	reports := t.TempDir()
	pack := sample{run: thisRun, id: "long", steps: 5000, fails: 4900, shots: 300}.write(t, reports)
	if err := WritePack(t.Context(), pack, Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(pack, PackFile))
	if err != nil || info.Size() > 6<<20 {
		t.Fatal(info.Size(), err)
	}
	p := openTab(t, filepath.Join(pack, PackFile), "", screen{})
	p.is(`document.querySelectorAll("#timeline li").length`, 5000)
	p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-4900")
	// Rows that are far away are not laid out.
	p.is(`document.getElementById("row-10").firstChild.checkVisibility({contentVisibilityAuto: true})`, false)
	p.js(`document.getElementById("timeline").scrollTop = 0`)
	p.is(`document.getElementById("row-10").firstChild.checkVisibility({contentVisibilityAuto: true})`, true)
	p.js(`location.hash = "#step-2"`)
	p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-2")
	p.is(`document.body.textContent.includes("Previews of 200 of 300 screenshots are in this page; the others are `+
		`loaded from the pack when their step is selected.")`, true)
	p.is(`[...document.querySelectorAll(".shot img")].every(i => i.complete && i.naturalWidth === 180)`, true)
}

func TestPackWithoutSteps(t *testing.T) {
	t.Parallel()
	reports := t.TempDir()
	pack := filepath.Join(reports, thisRun, "torn")
	write(t, filepath.Join(pack, "events.ndjson"), []byte("{\"event\":1}\n"))
	if err := WritePack(t.Context(), pack, Options{}); err != nil {
		t.Fatal(err)
	}
	p := openTab(t, filepath.Join(pack, PackFile), "", screen{})
	p.is(`document.getElementById("none").textContent`, "This test has no steps.")
	p.is(`document.querySelector(".message").textContent.startsWith("the report is broken: its events cannot be read: ")`,
		true)
	p.press("j", "k", "d", "f", " ")
}
