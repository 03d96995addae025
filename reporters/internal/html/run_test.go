package html

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// large is a run of n tests, each of which has its own message when it fails.
func large(n int, bad func(i int) bool) *history.Run {
	run := &history.Run{Name: thisRun, Started: began, Duration: time.Hour}
	for i := range n {
		id := fmt.Sprintf("feature-%03d-case-%05d", i%300, i)
		res := &event.CaseResult{
			Case: event.Case{ID: id, Pack: id, Name: fmt.Sprintf("Somebody does the thing number %d in the shop", i),
				Platform: "android", Model: fmt.Sprintf("Phone %d", i%8), Tags: []string{"smoke", "shop"},
				Place: source.Pos{File: fmt.Sprintf("suites/feature-%03d.yaml", i%300), Line: 1, Col: 1}},
			Result: event.Pass, Duration: time.Duration(i) * time.Millisecond,
		}
		for s := 1; s <= 5; s++ {
			res.Steps = append(res.Steps, event.StepResult{Step: event.Step{N: s, Action: "tap"}, Result: event.Pass})
		}
		if bad(i) {
			res.Result, res.ProblemStep = event.Fail, 5
			res.Problem = &event.Problem{Message: fmt.Sprintf("%q did not appear within 3s; %s",
				strings.Repeat(string(rune('a'+i%26)), 1+i%700), strings.Repeat("the screen shows much ", 50))}
			res.Steps[4].Result, res.Steps[4].Problem = event.Fail, res.Problem
		}
		c := history.RunCase{Pack: id, Key: id, CaseResult: res, Page: id + "/report.html"}
		for range 20 {
			c.Trend.Recent = append(c.Trend.Recent, history.HistoryEntry{Result: event.Pass})
		}
		run.Cases = append(run.Cases, c)
	}
	return run
}

func TestLargeRunIsSmall(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(int) bool{"some fail": func(i int) bool { return i%20 == 0 },
		"all fail": func(int) bool { return true }} {
		t.Run(name, func(t *testing.T) {
			if name == "some fail" {
				testutil.Leave(t, "where all fail, the page is larger")
			}
			n, most := 10_000, 3<<20
			if testing.Short() {
				n, most = n/2, most/2
			}
			var b bytes.Buffer
			if err := Run(&b, RunPage{Run: large(n, bad)}); err != nil {
				t.Fatal(err)
			}
			if b.Len() > most {
				t.Errorf("%d bytes", b.Len())
			}
		})
	}
}

func TestLargeRunInABrowser(t *testing.T) {
	t.Parallel()
	n := 10_000
	if testing.Short() {
		n = 1_400
	}
	p := largeTab(t, n)
	p.is(`document.getElementById("count").textContent`, fmt.Sprint(n, " tests"))
	p.is(`document.querySelectorAll(".row").length < 1000`, true)
	if err := p.Locator("#filter").PressSequentially("case-0132"); err != nil {
		t.Fatal(err)
	}
	p.is(`document.getElementById("count").textContent`, fmt.Sprintf("10 of %d tests", n))
	p.is(`document.querySelectorAll(".row").length`, 10)
	p.is(`location.hash`, "#q=case-0132")
	if err := p.Locator("#filter").Fill(""); err != nil {
		t.Fatal(err)
	}
	p.is(`document.getElementById("count").textContent`, fmt.Sprint(n, " tests"))
	// More rows come as the page is scrolled.
	p.js(`scrollTo(0, document.body.scrollHeight)`)
	p.is(`document.querySelectorAll(".row").length > 250`, true)
}

// filtered returns how long the browser takes from a key until the fitting rows of a run are drawn, at its fastest.
func filtered(t testing.TB, p *tab, rounds int) (fastest float64) {
	t.Helper()
	for i := range rounds {
		took := number(p.js(fmt.Sprintf(`new Promise(done => {
			const input = document.getElementById("filter"), count = document.getElementById("count"), began = performance.now();
			new MutationObserver((_, o) => { o.disconnect(); document.body.offsetHeight; done(performance.now() - began); }`+
			`).observe(count, {childList: true, characterData: true, subtree: true});
			input.value = "case-0%%d%%d".replace(/%%d%%d/, %q); input.dispatchEvent(new Event("input")) })`,
			fmt.Sprintf("%02d", 10+i))))
		if i == 0 || took < fastest {
			fastest = took
		}
	}
	return fastest
}

func largeTab(t testing.TB, n int) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), IndexFile)
	var b bytes.Buffer
	if err := Run(&b, RunPage{Run: large(n, func(i int) bool { return i%20 == 0 })}); err != nil {
		t.Fatal(err)
	}
	write(t, file, b.Bytes())
	return openTab(t, file, "", screen{})
}

// TestFilterGrowsNoFasterThanTheRun: ten times as many tests take at most ten times as long to filter, and some slack.
func TestFilterGrowsNoFasterThanTheRun(t *testing.T) {
	testutil.Leave(t, "TestLargeRunInABrowser filters")
	small, all := filtered(t, largeTab(t, 1_000), 8), filtered(t, largeTab(t, 10_000), 8)
	t.Logf("1,000 tests: %.0f ms, 10,000 tests: %.0f ms, %.1f times as long", small, all, all/small)
	if all > 15*small {
		t.Errorf("10,000 tests take %.1f times as long as 1,000", all/small)
	}
}

// filterLimit is what the filter of a run of 10,000 tests may take, in milliseconds.
const filterLimit = 400

// BenchmarkFilter prints how long the filter of a run of 10,000 tests takes in Chromium, and how large its page is; it
// fails when even the fastest of twenty is above the limit.
func BenchmarkFilter(b *testing.B) {
	var page bytes.Buffer
	if err := Run(&page, RunPage{Run: large(10_000, func(i int) bool { return i%20 == 0 })}); err != nil {
		b.Fatal(err)
	}
	p := largeTab(b, 10_000)
	fastest := 0.0
	for b.Loop() {
		fastest = filtered(b, p, 20)
	}
	b.ReportMetric(fastest, "filter-ms")
	b.ReportMetric(float64(page.Len())/(1<<20), "page-MiB")
	if fastest > filterLimit {
		b.Errorf("the filter takes %.0f ms, and the limit is %d ms", fastest, filterLimit)
	}
}

func TestRunInABrowser(t *testing.T) {
	t.Parallel()
	pack := failing(t, "Pay")
	dir := filepath.Dir(pack)
	reports := filepath.Dir(dir)
	sample{run: thisRun, id: "other--attempt-2", steps: 2}.write(t, reports)
	sample{run: thisRun, id: "other", steps: 2, fails: 1}.write(t, reports)
	sample{run: thisRun, id: "third", steps: 4, fails: 4}.write(t, reports)
	for _, name := range []string{redRun, greenRun, thisRun} {
		run, err := history.LoadRun(filepath.Join(reports, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := history.AppendHistory(run); err != nil {
			t.Fatal(err)
		}
		if err := WritePacks(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if err := WriteRun(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteRuns(t.Context(), reports); err != nil {
		t.Fatal(err)
	}
	t.Run("run", func(t *testing.T) {
		p := openTab(t, filepath.Join(dir, IndexFile), "", screen{})
		p.is(`[...document.querySelectorAll(".row a")].map(e => e.getAttribute("href"))`,
			[]string{"./checkout/report.html#step-4", "./third/report.html#step-4", "./other--attempt-2/report.html"})
		p.press("f")
		p.is(`document.getElementById("count").textContent`, "2 of 3 tests")
		p.is(`location.hash`, "#only=f")
		p.press("f")
		p.js(`document.querySelector("[data-chip=flaky]").click()`)
		p.is(`[...document.querySelectorAll(".row a")].map(e => e.textContent)`, []string{"other"})
		p.js(`location.hash = "#cause=1"`)
		p.is(`document.querySelectorAll(".row").length`, 1)
		p.js(`location.hash = "#sort=slow"`)
		p.is(`[...document.querySelectorAll(".row a")].map(e => e.textContent)`, []string{"checkout", "third", "other"})
		p.press("j", "Enter")
		p.is(`document.querySelector("h1 bdi").textContent`, "checkout")
		p.is(`location.hash`, "#step-4")
	})
	t.Run("runs", func(t *testing.T) {
		p := openTab(t, filepath.Join(reports, IndexFile), "", screen{})
		p.is(`[...document.querySelectorAll("#runs a")].map(e => e.textContent)`,
			[]string{"2026-12-31 23:59:50", "2026-12-30 08:00:00", "2026-12-29 08:00:00"})
		p.is(`[...document.querySelectorAll("#rows .rowname a")].map(e => e.textContent)`,
			[]string{"other", "third", "checkout"})
		p.press("f")
		p.is(`[...document.querySelectorAll("#rows .rowname a")].map(e => e.textContent)`, []string{"other"})
		p.js(`document.querySelector("#runs a").click()`)
		p.is(`document.querySelector("h1 bdi").textContent`, "Run "+thisRun)
		p.js(`document.querySelector("a.up").click()`)
		p.is(`document.querySelector("h1").textContent`, "Test runs")
	})
	t.Run("accessible", func(t *testing.T) {
		screens := []screen{{}, {dark: true}, {width: 390, height: 844}}
		if testing.Short() {
			screens = []screen{{width: 390, height: 844, dark: true}}
		}
		for _, s := range screens {
			p := openTab(t, filepath.Join(dir, IndexFile), "", s)
			p.is(`document.documentElement.scrollWidth <= innerWidth`, true)
			p.accessible()
			if testing.Short() {
				break
			}
			p = openTab(t, filepath.Join(reports, IndexFile), "", s)
			p.is(`document.documentElement.scrollWidth <= innerWidth`, true)
			p.accessible()
		}
	})
}

// The check that the tests of accessibility rely on does find something.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "axe-core is pinned by its sum")
	file := filepath.Join(t.TempDir(), "bad.html")
	write(t, file, []byte(`<!doctype html><p style="color:#ccc">pale</p><img src="data:,">`))
	p := openTab(t, file, "", screen{})
	script, err := chromiumtest.Axe()
	if err != nil {
		t.Fatal(err)
	}
	p.js(script + "\n;0")
	if n, ok := p.js(`axe.run(document).then(r => r.violations.length)`).(int); !ok || n < 3 {
		t.Errorf("axe found %d", n)
	}
}

func TestForeignAndBrokenPacks(t *testing.T) {
	t.Parallel()
	reports := t.TempDir()
	run := filepath.Join(reports, thisRun)
	good := sample{run: thisRun, id: "good", steps: 2, fails: 2}.write(t, reports)
	if err := os.WriteFile(filepath.Join(good, "screenshots", "01-tap.png"), []byte("\x89PNG\r\n\x1a\nnot really"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(good, "screenshots", "02-tap.png")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(run, "torn", "events.ndjson"), []byte("{\"event\":\"case_started\"\n{}\n"))
	write(t, filepath.Join(run, "empty", "notes.txt"), []byte("hello"))
	write(t, filepath.Join(run, "odd", "summary.json"), []byte(`{"id":"odd","result":"<script>","duration_ms":-5}`))
	// The earlier run's pack is a link to a folder outside, and its history names one.
	outside := sample{run: "x", id: "good", steps: 2}.write(t, t.TempDir())
	if err := os.MkdirAll(filepath.Join(reports, greenRun), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(reports, greenRun, "good")); err != nil {
		t.Fatal(err)
	}
	for _, pack := range []string{"good", "torn", "empty", "odd"} {
		if err := WritePack(t.Context(), filepath.Join(run, pack), Options{}); err != nil {
			t.Fatal(pack, err)
		}
	}
	page, err := os.ReadFile(filepath.Join(good, PackFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 2 screenshots cannot be read."} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if bytes.Contains(page, []byte(greenRun)) {
		t.Error("a link was followed out of the reports")
	}
	for pack, want := range map[string]string{"torn": "its events cannot be read", "empty": "its events cannot be read",
		"odd": "its events cannot be read"} {
		page, err := os.ReadFile(filepath.Join(run, pack, PackFile))
		if err != nil || !bytes.Contains(page, []byte(want)) || bytes.Contains(page, []byte("class=\"top v-pass\"")) {
			t.Errorf("%s: %v", pack, err)
		}
	}
	write(t, filepath.Join(reports, "history.jsonl"),
		[]byte("{\"run\":\"../x\",\"pack\":\"y\",\"result\":\"pass\"}\nnot json\n"+
			"{\"run\":\""+redRun+"\",\"pack\":\"good\",\"result\":\"<b>\"}\n"))
	loaded, err := history.LoadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := WritePacks(t.Context(), loaded); err != nil {
		t.Error(err)
	}
	if err := WriteRun(t.Context(), loaded); err != nil {
		t.Error(err)
	}
	if err := WriteRuns(t.Context(), reports); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(run, "*", ".*"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

func TestPageIsNotWrittenThroughALink(t *testing.T) {
	t.Parallel()
	reports, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	write(t, outside, []byte("mine"))
	pack := sample{run: thisRun, id: "good", steps: 1}.write(t, reports)
	if err := os.Symlink(outside, filepath.Join(pack, PackFile)); err != nil {
		t.Fatal(err)
	}
	if err := WritePack(t.Context(), pack, Options{}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := os.ReadFile(filepath.Join(pack, PackFile)); err != nil ||
		!bytes.Contains(data, []byte("<!doctype html>")) {
		t.Error(err)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		run := large(n, func(i int) bool { return i%20 == 0 })
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			size := 0
			for b.Loop() {
				var out bytes.Buffer
				if err := Run(&out, RunPage{Run: run}); err != nil {
					b.Fatal(err)
				}
				size = out.Len()
			}
			b.ReportMetric(float64(size), "bytes/page")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/test")
		})
	}
}

func BenchmarkPack5000(b *testing.B) {
	reports := b.TempDir()
	pack := sample{run: thisRun, id: "long", steps: 5000, fails: 4900, shots: 300}.write(b, reports)
	for b.Loop() {
		if err := WritePack(b.Context(), pack, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
