package html

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// richRun makes a run of a test with groups, attempts, a network, a tree of elements, metrics, a trace and a history,
// and its pages.
func richRun(t testing.TB) (run string) {
	t.Helper()
	reports := t.TempDir()
	run = filepath.Join(reports, thisRun)
	var h strings.Builder
	for i := range 12 {
		v, step := event.Pass, 0
		if i == 4 || i > 9 {
			v, step = event.Fail, 5
		}
		line, err := json.Marshal(history.HistoryEntry{Run: fmt.Sprintf("2026-12-%02dT08-00-00", i+10), ID: "cart",
			Pack: "cart", Platform: "web", Result: v, DurationMS: int64(4000 + 300*i), Hash: strings.Repeat("c", 64),
			Step: step, Commit: fmt.Sprintf("%07x%033x", 0xabc000+i, i)})
		if err != nil {
			t.Fatal(err)
		}
		h.Write(append(line, '\n'))
	}
	write(t, filepath.Join(reports, "history.jsonl"), []byte(h.String()))
	write(t, filepath.Join(run, "environment.json"),
		[]byte(`{"taproot":"v1.4.0","options":["--parallel=2"],"os":"linux/amd64","commit":"0123456789abcdef",`+
			`"branch":"topic","dirty":true,"ci":"GitLab CI","job":"https://ci.example/7"}`))
	for _, name := range []string{"cart", "cart--attempt-2"} {
		richPack(t, filepath.Join(run, name), name)
	}
	loaded, err := history.LoadRun(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{WritePacks(t.Context(), loaded), WriteRun(t.Context(), loaded),
		WriteRuns(t.Context(), reports)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return run
}

func richPack(t testing.TB, dir, name string) {
	t.Helper()
	in := []string{"", "group Sign in", "group Sign in", "group Cart › forEach 1/2", "group Cart › forEach 2/2", "after"}
	s := sample{run: thisRun, id: name, steps: 6, fails: 5, text: "Pay"}
	events := s.events(t, dir)
	var out []event.Event
	for _, e := range events {
		switch {
		case e.Kind == event.CaseStarted:
			c := *e.Case
			c.ID, c.Platform, c.Hash, c.Name, c.Model, c.Device = "cart", "web", strings.Repeat("c", 64),
				"Pay for what is in the cart", "Chromium 140", "web-1"
			for i := range c.Steps {
				c.Steps[i].N = 0
			}
			e.Case = &c
		case e.Kind == event.StepStarted:
			info := events[0].Case.Steps[e.Step-1]
			info.In = in[e.Step-1]
			e.Info = &info
		case e.Kind == event.StepEnded && e.Problem != nil:
			p := *e.Problem
			p.Rejected = []string{`it says "TextView Pay", not "Button Pay"`, "the device says that it cannot be seen"}
			e.Problem = &p
		case e.Kind == event.Attached && e.Attachment.Kind == event.KindLog:
			e.Attachment = &event.Attachment{Path: "console.txt", Type: "text/plain", Kind: event.KindLog}
		case e.Kind == event.CaseEnded:
			out = append(out, event.Event{Time: e.Time, Kind: event.Surrounded, Step: 5, Around: []event.Incident{
				{At: at(4200), Kind: event.IncidentRequest, Text: "500 POST https://shop.example/api/pay", Cause: true},
				{At: at(4250), Kind: event.IncidentException,
					Text: "uncaught TypeError: total is undefined\n    at pay (app.js:31:5)", Cause: true}}},
				event.Event{Time: e.Time, Kind: event.Identified, App: &event.App{ID: "https://shop.example", Title: "Shop",
					Version: "2026.3"}})
		}
		out = append(out, e)
		if e.Kind == event.StepEnded && e.Problem != nil {
			for _, file := range []string{"artifacts/tree-05.json", "artifacts/metrics.json", "artifacts/trace.zip",
				"network.har"} {
				out = append(out, event.Event{Time: e.Time, Kind: event.Attached,
					Step: map[bool]int{true: 5}[strings.Contains(file, "tree")], Attachment: &event.Attachment{
						Path: file, Kind: event.KindArtifact}})
			}
		}
	}
	writeEvents(t, dir, addDOM(t, dir, out))
	write(t, filepath.Join(dir, "console.txt"), []byte(at(500)+" console log: hello\n"+at(2100)+" console warning: slow\n"+
		at(4250)+" uncaught: TypeError: total is undefined\n    at pay (app.js:31:5)\n"))
	write(t, filepath.Join(dir, "artifacts", "trace.zip"), []byte("PK"))
	write(t, filepath.Join(dir, "artifacts", "metrics.json"),
		[]byte(`{"samples":[{"at_ms":0,"app":"x","memory_kb":90000,"cpu_percent":3},{"at_ms":2500,"app":"x",`+
			`"memory_kb":120000,"cpu_percent":60},{"at_ms":5000,"app":"x","memory_kb":110000,"cpu_percent":20}]}`))
	write(t, filepath.Join(dir, "artifacts", "tree-05.json"),
		[]byte(`{"windows":[{"type":"body","bounds":{"Min":{"X":0,"Y":0},"Max":{"X":180,"Y":400}},"children":[
		{"type":"button","text":"TextView `+
			`Pay","id":"pay","clickable":true,"bounds":{"Min":{"X":20,"Y":200},"Max":{"X":160,"Y":240}}},
		{"type":"p","text":"Nothing in the cart","bounds":{"Min":{"X":20,"Y":300},"Max":{"X":160,"Y":320}}}]}]}`))
	write(t, filepath.Join(dir, "network.har"), harOf(t))
}

func at(ms int) string {
	return began.Add(time.Duration(ms) * time.Millisecond).Format("2006-01-02T15:04:05.000Z07:00")
}

func harOf(t testing.TB) []byte {
	t.Helper()
	var entries []string
	for i, r := range []struct {
		at, ms, status    int
		method, url, kind string
	}{{10, 120, 200, "GET", "https://shop.example/", "document"}, {140, 80, 200, "GET", "https://shop.example/app.js",
		"script"}, {150, 300, 404, "GET", "https://shop.example/img/<b>.png", "image"},
		{4100, 100, 500, "POST", "https://shop.example/api/pay", "fetch"},
		{4300, 40, -1, "GET", "https://tracker.example/p?q=" + strings.Repeat("x", 300), "fetch"}} {
		entries = append(entries,
			fmt.Sprintf(`{"startedDateTime":%q,"time":%d,"_resourceType":%q,"timings":{"blocked":-1,"wait":%d,"receive":2},
			"request":{"method":%q,"url":%q,"headers":[{"name":"accept","value":"*/*"}],"postData":{"text":"{\"total\":%d}"}},
			"response":{"status":%d,"headers":[{"name":"content-type","value":"text/plain"}],"_error":%q,"content":{"size":%d,`+
				`"mimeType":"text/plain"}}}`,
				at(r.at), r.ms, r.kind, r.ms-2, r.method, r.url, i, r.status,
				map[bool]string{true: "net::ERR_FAILED"}[r.status < 0],
				100*i))
	}
	return []byte(`{"log":{"entries":[` + strings.Join(entries, ",") + `]}}`)
}

func TestPanelsInABrowser(t *testing.T) {
	t.Parallel()
	run := richRun(t)
	file := filepath.Join(run, "cart--attempt-2", PackFile)
	t.Run("groups and rounds", func(t *testing.T) {
		p := openTab(t, file, "", screen{})
		p.is(textsOf("#timeline .grouphead .act"), []string{"group Sign in", "group Cart", "forEach 1/2", "forEach 2/2"})
		p.is(textsOf("#timeline .grouphead .time"), []string{"1.9 s", "1.9 s", "900 ms", "900 ms"})
		p.js(`document.querySelector(".grouphead").click()`)
		p.is(`[...document.querySelectorAll("#timeline li")].filter(e => !e.hidden).map(e => e.id || "group")`,
			[]string{"row-1", "group", "group", "group", "row-4", "group", "row-5", "row-6"})
		p.press("k", "k")
		p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-1") // what is folded is passed by
	})
	t.Run("tries", func(t *testing.T) {
		testutil.Leave(t, "tries are tabs in TestDOM")
		p := openTab(t, file, "", screen{})
		p.is(textsOf(".attempts li"), []string{"Attempt 1 ✗Failed 5.0 s", "Attempt 2 ✗Failed 5.0 s"})
		p.js(`document.querySelector(".attempts a").click()`)
		p.is(`document.querySelector('.attempts [aria-current="page"]').textContent.startsWith("Attempt 1")`, true)
	})
	t.Run("tries are tabs of one page", func(t *testing.T) {
		testutil.Leave(t, "tries are tabs in TestDOM")
		p := openTab(t, file, "#panel=network", screen{})
		p.is(`document.querySelector("h1 bdi").textContent`, "cart") // not the folder of an attempt
		p.js(`window.same = true`)
		p.js(`document.querySelector(".attempts a").focus()`)
		p.press("Enter")
		p.is(`location.hash + " " + document.activeElement.textContent.slice(0, 9) + " " + window.same`,
			"#panel=network&attempt=1 Attempt 1 true")
		p.is(`document.querySelectorAll(".grid tbody tr").length`, 5)
		p.js(`document.getElementById("tab-steps").click()`)
		p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-5")
		p.press("k")
		p.is(`document.querySelector("[aria-current=step]").parentNode.id`, "row-4") // no key counts twice
		p.is(`[...document.querySelectorAll("figure a")].map(a => a.href.split("/").slice(-3).join("/"))`,
			[]string{"cart/screenshots/03-tap.png", "cart/screenshots/04-tap.png"})
		p.is(`[...document.querySelectorAll("figure img")].every(i => i.complete && i.naturalWidth > 0)`, true)
		p.accessible()
		p.js(`document.querySelector(".attempts a").click()`)
		p.is(`location.hash + " " + document.querySelector("figure a").href.includes("cart--attempt-2") + " " + window.same`,
			" true true")
		again := openTab(t, file, "#step-2&attempt=1", screen{dark: true})
		again.is(`document.querySelector('.attempts [aria-current="page"]').textContent.slice(0, 9) + `+
			`document.querySelector("[aria-current=step]").parentNode.id`, "Attempt 1row-2")
		first := openTab(t, filepath.Join(run, "cart", PackFile), "", screen{})
		first.js(`document.querySelector(".attempts a").click()`)
		first.is(`location.pathname.split("/").slice(-2).join("/") + location.hash`, "cart--attempt-2/report.html#attempt=2")
	})
	t.Run("network", func(t *testing.T) {
		p := openTab(t, file, "#panel=network", screen{})
		p.is(textsOf(".grid tbody td:first-child"), []string{"200", "200", "404", "500", "failed"})
		p.is(textsOf("#tab-network .count"), []string{"3 failed"})
		p.js(`[...document.querySelectorAll("#panel .chip")].find(e => e.textContent === "Failed").click()`)
		p.is(textsOf(".grid tbody td:first-child"), []string{"404", "500", "failed"})
		p.is(`location.hash`, "#panel=network&nf=failed")
		p.js(`document.querySelectorAll(".address")[1].click()`)
		p.is(textsOf(".details dd"), []string{"*/*", "text/plain"})
		p.is(`document.querySelector(".details pre").textContent`, `{"total":3}`)
		p.js(`[...document.querySelectorAll(".grid .linkish")].find(e => e.textContent === "Step 5").click()`)
		p.is(`document.querySelector("#panel-steps").hidden + " " + `+
			`document.querySelector("[aria-current=step]").parentNode.id`, "false row-5")
		p.js(`location.hash = "#panel=network&nq=tracker"`)
		p.is(textsOf(".grid tbody td:first-child"), []string{"failed"})
	})
	t.Run("console", func(t *testing.T) {
		testutil.Leave(t, "TestAllFailuresInABrowser shows what the console said")
		p := openTab(t, file, "#panel=log&lf=bad", screen{})
		p.is(`document.querySelector("#tab-log").textContent`, "Console4")
		p.is(`document.querySelector("#panel pre").textContent.includes("uncaught: TypeError") && `+
			`!document.querySelector("#panel pre").textContent.includes("hello")`, true)
	})
	t.Run("elements", func(t *testing.T) {
		p := openTab(t, file, "#panel=elements", screen{})
		p.is(textsOf(".node.is-near .whynot"), []string{`it says "TextView Pay", not "Button Pay"`})
		p.js(`document.querySelector(".node.is-near").focus()`)
		p.is(`document.querySelector("#spot .line").getAttribute("y")`, "200")
		p.js(`[...document.querySelectorAll("#panel .chip")].find(e => e.textContent === "Near the target").click()`)
		p.is(`document.querySelectorAll(".node").length`, 1)
	})
	t.Run("since when", func(t *testing.T) {
		testutil.Leave(t, "the panel of the history says it, too")
		p := openTab(t, file, "", screen{})
		p.is(textsOf("#since"),
			[]string{"Since when? It first failed in run 2026-12-20T08-00-00 at commit 0abc00a00000…; 3 runs in a row"})
		p.is(textsOf("#isflaky"),
			[]string{"Flaky? Yes: changed between pass and fail 3 times in 13 runs, with the same test source; it failed in 4 " +
				"of 13 runs (31 %, 95 % interval 13–58 %)"})
	})
	t.Run("history", func(t *testing.T) {
		testutil.Leave(t, "the other panels")
		p := openTab(t, file, "#panel=history", screen{})
		p.is(`document.querySelectorAll("#panel tbody tr").length`, 13)
		p.is(textsOf("#panel > p"), []string{"This version of the test failed in 4 of 13 runs (31 %, 95 % interval 13–58 %).",
			"It first failed in run 2026-12-20T08-00-00 at commit 0abc00a00000…; 3 runs in a row."})
		p.is(textsOf("#panel .notes li"), []string{"step 5 failed in 4 of 13 runs (31 %, 95 % interval 13–58 %)"})
	})
	t.Run("environment", func(t *testing.T) {
		testutil.Leave(t, "the other panels")
		p := openTab(t, file, "#panel=environment", screen{})
		p.is(textsOf("#panel dt"), []string{"app", "device", "commit", "branch", "ci", "job", "os", "taproot", "options"})
		p.is(`document.querySelector("#panel dd a").href`, "https://ci.example/7")
		index := openTab(t, filepath.Join(run, IndexFile), "", screen{})
		index.is(`document.querySelector(".env").textContent.includes("0123456789abcdef (changed)")`, true)
	})
	t.Run("timeline", func(t *testing.T) {
		testutil.Leave(t, "the other panels")
		p := openTab(t, file, "#panel=timeline", screen{})
		p.is(textsOf(".lanename"), []string{"Set-up, end", "Steps", "Network", "Console", "Memory, up to 117 MB",
			"CPU, up to 60 %", "Scrub"})
		p.js(`(() => { const s = document.querySelector(".scrub"); s.focus(); s.value = 1500; s.dispatchEvent(new ` +
			`Event("input")) })()`)
		p.is(`document.querySelector("#panel .quiet .linkish").textContent`, "Step 2")
		p.is(textsOf(".lookat .text"), []string{"Before it", "After it"})
	})
	t.Run("a copy for somebody else", func(t *testing.T) {
		p := openTab(t, file, "", screen{})
		p.js(`navigator.clipboard.writeText = t => { window.copied = t; return Promise.resolve() }`)
		p.js(`document.getElementById("brief").click()`)
		for _, part := range []string{"### Failure 1 of 1", "suites/cart--attempt-2.yaml:10:5", "```yaml",
			"around it, +0.2 s, request: `500 POST https://shop.example/api/pay`", "not picked: it says",
			"commit: 0123456789abcdef (changed)", "uncaught: TypeError"} {
			p.is(`window.copied.includes(`+quoted(part)+`)`, true)
		}
	})
	t.Run("by the keyboard", func(t *testing.T) {
		testutil.Leave(t, "TestPackInABrowser goes by keys")
		p := openTab(t, file, "", screen{})
		p.js(`document.getElementById("tab-steps").focus()`)
		p.press("ArrowRight", "ArrowRight")
		p.is(`location.hash + " " + document.activeElement.id`, "#panel=network tab-network")
		p.press("ArrowLeft", "ArrowLeft")
		p.is(`document.getElementById("panel").hidden`, true)
	})
	t.Run("accessible", func(t *testing.T) {
		screens := []screen{{}, {dark: true}, {width: 390, height: 844, dark: true}, {width: 390, height: 844}}
		if testing.Short() {
			p := openTab(t, file, "", screens[1])
			p.turnTo("network")
			p.accessible()
			return
		}
		for n, s := range screens {
			p := openTab(t, file, "", s)
			for i, panel := range panelNames {
				if i%2 == n%2 {
					p.turnTo(panel)
					p.accessible()
				}
			}
		}
	})
}

// panelNames are all panels but the steps.
var panelNames = []string{"timeline", "network", "log", "dom", "elements", "history", "environment", "trace"}

// turnTo shows a panel of the page that is open, which its address names; "" are the steps.
func (p *tab) turnTo(panel string) {
	p.t.Helper()
	name, address := "steps", ""
	if panel != "" {
		name, address = panel, "panel="+panel
	}
	p.js(fmt.Sprintf("location.hash = %q", address))
	p.is(fmt.Sprintf(`document.getElementById("tab-%s").getAttribute("aria-selected")`, name), "true")
	if panel != "" {
		p.is(`document.querySelector("#panel h2") !== null`, true)
	}
}

func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""`
	}
	return b.String()
}

var shots = flag.String("shots", "", "folder that TestWidths puts a screenshot of every page and panel into")

// TestWidths: no page or panel is wider than its window, on a desk, a tablet and a phone, light and dark.
func TestWidths(t *testing.T) {
	t.Parallel()
	run, recorded := richRun(t), recordedPages(t)
	pages := map[string]string{"soft": filepath.Join(recorded, "soft", PackFile),
		"index": filepath.Join(recorded, IndexFile), "runs": filepath.Join(filepath.Dir(run), IndexFile),
		"cart": filepath.Join(run, "cart--attempt-2", PackFile)}
	for name, file := range pages {
		if testing.Short() && name != "cart" {
			continue
		}
		p, panels := openTab(t, file, "", screen{}), []string{""}
		sizes := []screen{{width: 1440, height: 900}, {width: 1024, height: 768}, {width: 390, height: 844}}
		switch {
		case name == "cart" && testing.Short(): // what grows widest
			panels = []string{"", "network", "timeline", "dom"}
		case name == "cart":
			panels = append(panels, panelNames...)
		}
		if testing.Short() {
			sizes = sizes[2:]
		}
		for i, s := range sizes {
			if err := p.SetViewportSize(s.width, s.height); err != nil {
				t.Fatal(err)
			}
			if err := p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: []*playwright.ColorScheme{
				playwright.ColorSchemeLight, playwright.ColorSchemeDark}[i%2]}); err != nil {
				t.Fatal(err)
			}
			for _, panel := range panels {
				if name == "cart" {
					p.turnTo(panel)
				}
				p.is(fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, s.width), true)
				if *shots == "" {
					continue
				}
				data, err := p.Screenshot()
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(*shots, fmt.Sprintf("%s-%s-%d.png", name, panel, s.width)), data)
			}
		}
	}
}

func TestFiltersInTheAddress(t *testing.T) {
	t.Parallel()
	dir := recordedPages(t)
	p := openTab(t, filepath.Join(dir, IndexFile), "#platform=web&slower=6", screen{})
	titles := `[...document.querySelectorAll(".row .rowname a, .row .rowname > bdi:first-child")].map(e => e.textContent)`
	p.is(titles, []string{"login-wrong", "soft"})
	p.is(`[...document.querySelectorAll("#picks select")].map(e => e.value).includes("web") && `+
		`document.querySelector(".seconds").value`, "6")
	p.js(`(() => { const s = document.querySelector(".seconds"); s.value = ""; s.dispatchEvent(new Event("input")) })()`)
	p.is(`location.hash`, "#platform=web")
	p.js(`(() => { const s = [...document.querySelectorAll("#picks select")].find(e => [...e.options].some(o => o.value ` +
		`=== "suites/soft.yaml")); s.value = "suites/soft.yaml"; s.dispatchEvent(new Event("change")) })()`)
	p.is(`location.hash`, "#platform=web&file=suites%2Fsoft.yaml")
	p.is(titles, []string{"soft"})
	p.inFull()
}

func TestSlowTests(t *testing.T) {
	t.Parallel()
	var page RunsPage
	for i := range 8 {
		run := fmt.Sprintf("2026-12-%02dT08-00-00", i+1)
		for pack, ms := range map[string]int64{"steady": 9000, "grows": int64(1000 + 1000*(i/5)), "quick": 10} {
			page.Entries = append(page.Entries, history.HistoryEntry{Run: run, ID: pack, Pack: pack, Result: event.Pass,
				DurationMS: ms})
		}
		page.Entries = append(page.Entries, history.HistoryEntry{Run: run, ID: "fails", Pack: "fails",
			Result: map[bool]event.Result{true: event.Fail, false: event.Pass}[i == 7], DurationMS: 20})
	}
	d := runsDataOf(page)
	if len(d.Slowest) != 4 || d.Slowest[0].Key != "steady" || len(d.Slower) != 1 ||
		d.Slower[0].Slower != "2.0 s, was 1.0 s (+100 %)" {
		t.Errorf("slowest %+v, slower %+v", d.Slowest, d.Slower)
	}
	if len(d.Tests) != 1 || d.Tests[0].Failing != "failed in 1 of 8 runs (12 %, 95 % interval 2–47 %)" {
		t.Errorf("%+v", d.Tests)
	}
}

// textsOf is the text of the elements that a selector picks.
func textsOf(selector string) string {
	return `[...document.querySelectorAll("` + selector + `")].map(e => e.textContent.replace(/\s+/g, " ").trim())`
}
