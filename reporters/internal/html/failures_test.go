package html

import (
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// recordedPages lays the run of all recorded events with its pages.
func recordedPages(t testing.TB) (dir string) {
	t.Helper()
	dir = runtest.Lay(t, append(runtest.Glob(t, "history/testdata/run/*.ndjson"),
		runtest.Glob(t, "event/testdata/events/*.ndjson")...)...)
	run, err := history.LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{WritePacks(t.Context(), run), WriteRun(t.Context(), run),
		WriteRuns(t.Context(), filepath.Dir(dir))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAllFailuresInABrowser(t *testing.T) {
	t.Parallel()
	dir := recordedPages(t)
	t.Run("soft steps", func(t *testing.T) {
		p := openTab(t, filepath.Join(dir, "soft", PackFile), "", screen{})
		p.is(`[...document.querySelectorAll(".banner .failures li")].map(e => e.textContent)`,
			[]string{"Step 2 \"Total 12.00\" did not appear within 2s suites/soft.yaml:6:5",
				"Step 3 \"In stock\" did not appear within 2s suites/soft.yaml:7:5",
				"Step 5 \"Paid\" did not appear within 2s suites/soft.yaml:9:5 around it: 500 POST http://shop.example/pay"})
		p.is(`document.querySelectorAll(".banner .failures img").length`, 3)
		p.js(`document.querySelector('.failures a[href="#step-5"]').click()`)
		p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-5")
		p.is(`[...document.querySelectorAll(".incidents .kind")].map(e => e.textContent)`,
			[]string{"console", "request", "exception"})
		p.is(`document.querySelector(".incidents .cause-line .code").textContent`, "500 POST http://shop.example/pay")
		p.is(`document.querySelector(".yaml .hit .caret").textContent`, "assert")
		p.inFull()
	})
	t.Run("many soft steps", func(t *testing.T) {
		testutil.Leave(t, "three soft steps")
		reports := t.TempDir()
		pack := sample{run: thisRun, id: "many", steps: 9, soft: 9, text: "Pay"}.write(t, reports)
		if err := WritePack(t.Context(), pack, Options{}); err != nil {
			t.Fatal(err)
		}
		p := openTab(t, filepath.Join(pack, PackFile), "", screen{})
		const inside = `document.querySelector(".banner .more").lastElementChild.getBoundingClientRect().bottom <= ` +
			`document.querySelector(".banner").getBoundingClientRect().bottom`
		p.is(`document.querySelector(".banner .more summary").textContent`, "and 5 more")
		p.is(`document.querySelector(".banner .more summary").getBoundingClientRect().bottom <= `+
			`document.querySelector(".banner").getBoundingClientRect().bottom`, true)
		p.js(`document.querySelector(".banner .more").open = true`)
		p.is(inside, true)
		read, err := history.LoadRun(filepath.Dir(pack))
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteRun(t.Context(), read); err != nil {
			t.Fatal(err)
		}
		run := openTab(t, filepath.Join(filepath.Dir(pack), IndexFile), "", screen{})
		p.is(`document.querySelectorAll(".banner .failures li").length`, 9)
		run.is(`document.querySelector(".rowmsg").textContent.includes("and 8 more")`, true)
	})
	t.Run("the cause is on the first screen", func(t *testing.T) {
		p := openTab(t, filepath.Join(dir, "crash", PackFile), "", screen{})
		p.is(`document.querySelector(".banner .around").textContent`, "Around the failure crash FATAL EXCEPTION: main +0.2 s")
		p.is(`document.querySelector(".banner .around").getBoundingClientRect().bottom < 300`, true)
	})
	t.Run("this run is among the squares", func(t *testing.T) {
		testutil.Leave(t, "TestRunInABrowser walks through the pages of runs")
		p := openTab(t, filepath.Join(dir, IndexFile), "", screen{})
		p.is(`document.querySelectorAll(".row").length === document.querySelectorAll(".row .sq.now").length`, true)
		p.is(`document.querySelector(".meta").textContent.includes("wall time 14.0 s") && `+
			`document.querySelector(".meta").textContent.includes("sum of tests ")`, true)
		all := openTab(t, filepath.Join(filepath.Dir(dir), IndexFile), "", screen{})
		all.is(`document.querySelector(".meta span").textContent`, "1 run")
		all.is(`document.querySelector("#runs .time").textContent.startsWith("sum of tests ")`, true)
	})
}

// Numbers covered the texts that they number, wide screenshots were below each other, and the strip did not show the
// failing step.
func TestScreenshotsInABrowser(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestPackInABrowser shows fewer pictures")
	reports := t.TempDir()
	pack := sample{run: thisRun, id: "long", steps: 60, fails: 55, text: "Pay"}.write(t, reports)
	if err := WritePack(t.Context(), pack, Options{}); err != nil {
		t.Fatal(err)
	}
	p := openTab(t, filepath.Join(pack, PackFile), "", screen{})
	p.is(`(() => { const s = document.getElementById("strip").getBoundingClientRect(), b = `+
		`document.querySelector(".thumb[aria-current]").getBoundingClientRect(); return b.left >= s.left && b.right <= `+
		`s.right })()`, true)
	p.is(`(() => { const t = document.querySelector(".marks .tag"), r = document.querySelector(".marks .near .line"); `+
		`return +t.getAttribute("cx") + +t.getAttribute("r") <= +r.getAttribute("x") || +t.getAttribute("cy") - `+
		`+t.getAttribute("r") >= +r.getAttribute("y") + +r.getAttribute("height") || +t.getAttribute("cx") - `+
		`+t.getAttribute("r") >= +r.getAttribute("x") + +r.getAttribute("width") || +t.getAttribute("cy") + `+
		`+t.getAttribute("r") <= +r.getAttribute("y") })()`, true)
	if err := p.SetViewportSize(390, 844); err != nil {
		t.Fatal(err)
	}
	p.is(`document.documentElement.scrollWidth <= 390`, true) // sixty screenshots in a row do not widen the page
}
