package history

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// layRun makes a run of recorded packs: those of testdata/run under their names, those of testdata/events under their
// tests'.
func layRun(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "2026-03-04T05-06-07")
	files, err := filepath.Glob("testdata/run/*.ndjson")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		layPack(t, dir, strings.TrimSuffix(filepath.Base(file), ".ndjson"), file)
	}
	for name, pack := range map[string]string{"pass": "login-ok", "fail": "login-wrong", "error": "phone-lost",
		"interrupted": "killed"} {
		layPack(t, dir, pack, eventtest.File(name))
	}
	return dir
}

func layPack(t testing.TB, run, pack, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	eventtest.Put(t, filepath.Join(run, pack, event.EventsFile), string(data))
}

func loadRun(t testing.TB, dir string) *Run {
	t.Helper()
	run, err := LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func find(t testing.TB, r *Run, key string) *RunCase {
	t.Helper()
	i := slices.IndexFunc(r.Cases, func(c RunCase) bool { return c.Key == key })
	if i < 0 {
		t.Fatalf("no case %s", key)
	}
	return &r.Cases[i]
}

// withHistory adds earlier runs: login flips with its hash unchanged, checkout was always slow and right.
func withHistory(t testing.TB, dir string) {
	t.Helper()
	var b strings.Builder
	for i := range 12 {
		v, took := event.Pass, 900+i
		if i%3 == 2 {
			v = event.Fail
		}
		fmt.Fprintf(&b,
			`{"run":"2026-02-%02dT01-02-03","id":"login","pack":"login","platform":"web","result":%q,"duration_ms":%d,`+
				`"hash":"%s"}`+"\n",
			i+1, v, took, strings.Repeat("b", 64))
		fmt.Fprintf(&b,
			`{"run":"2026-02-%02dT01-02-03","id":"checkout","pack":"checkout--android","platform":"android","result":"pass",`+
				`"duration_ms":%d,"hash":"%s"}`+"\n",
			i+1, took, strings.Repeat("a", 64))
	}
	eventtest.Put(t, filepath.Join(filepath.Dir(dir), historyFile), b.String())
}

func TestRunGolden(t *testing.T) {
	t.Parallel()
	dir := layRun(t)
	withHistory(t, dir)
	eventtest.Put(t, filepath.Join(dir, "login-ok", event.RunFile), "x")
	eventtest.Put(t, filepath.Join(dir, "checkout--android", event.PageFile), "x")
	eventtest.Put(t, filepath.Join(dir, planFile),
		`[{"id":"login-ok","pack":"login-ok"},{"id":"late","pack":"late--row-2","platform":"web",`+
			`"place":{"file":"suites/zz.yaml","line":3,"col":1}}]`)
	eventtest.Put(t, filepath.Join(dir, environmentFile),
		`{"taproot":"v1.2.3","options":["--parallel=2"],"os":"linux/amd64","commit":"0123abc","branch":"topic",`+
			`"dirty":true,"ci":"GitLab CI","job":"https://ci.example/7"}`)
	run := loadRun(t, dir)
	testutil.Golden(t, "golden/run.json", RunJSON(run))
	testutil.Golden(t, "golden/summary.md", RunSummary(run, PageOptions{}))
	if run.Result() != event.Interrupted || run.ExitCode() != 130 {
		t.Error(run.Result(), run.ExitCode())
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(RunSchema))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("run.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("run.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{RunJSON(run), RunJSON(&Run{Name: "x"}),
		RunJSON(&Run{Name: "x", Choice: Choice{"a", "web", "2026-03-04T05-06-06", "1/2", 2, new(int64), true, "firefox"}})} {
		got, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(got); err != nil {
			t.Error(err)
		}
	}
}

func TestLoadRunOdd(t *testing.T) {
	t.Parallel()
	dir := layRun(t)
	for name, text := range map[string]string{
		"no-pack/file": "x", ".hidden/events.ndjson": "x", "not a pack/events.ndjson": "x", "index.html": "x",
		"lost/.work/x": "x", "empty/events.ndjson": "",
		"unkept/summary.json": `{"id":"unkept","result":"error","problem":{"message":"the report could not be kept: no ` +
			`space"}}`,
		"huge/summary.json": "{", "assets/style.css": "x", "worse/events.ndjson": lines2(t, "pass"),
		"worse/summary.json": `{"result":"pass","id":"login-ok"}`,
	} {
		eventtest.Put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	layPack(t, dir, "unkept", eventtest.File("pass"))
	outside := t.TempDir()
	eventtest.Put(t, filepath.Join(outside, event.EventsFile), lines2(t, "pass"))
	if err := os.Symlink(outside, filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, event.EventsFile),
		filepath.Join(dir, "evil", event.EventsFile)); err != nil {
		t.Fatal(err)
	}
	run := loadRun(t, dir)
	got := map[string]event.Result{}
	for _, c := range run.Cases {
		got[c.Key] = c.CaseResult.Result
		if c.CaseResult.Result != event.Pass && c.CaseResult.Problem == nil {
			t.Errorf("%s: no problem", c.Key)
		}
	}
	want := map[string]event.Result{"broken": event.Error, "checkout--android": event.Fail,
		"checkout--ios": event.Skipped, "crash": event.Fail, "hostile": event.Fail, "soft": event.Fail,
		"killed": event.Interrupted, "login": event.Pass,
		"login-ok": event.Pass, "login-wrong": event.Fail, "phone-lost": event.Error,
		"lost": event.Error, "empty": event.Interrupted, "unkept": event.Error, "huge": event.Error, "evil": event.Error,
		"worse": event.Pass}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if c := find(t, run, "unkept"); !strings.Contains(c.CaseResult.Problem.Message, "no space") ||
		c.CaseResult.Case.Pack != "unkept" {
		t.Errorf("%+v", c.CaseResult.Problem)
	}
	if c := find(t, run, "evil"); !strings.Contains(c.Broken, "not a regular file") {
		t.Errorf("%+v", c)
	}
	if _, err := LoadRun(filepath.Join(dir, "none")); err == nil {
		t.Error("a run that is not there")
	}
	eventtest.Put(t, filepath.Join(dir, planFile), "not json")
	if again := loadRun(t, dir); len(again.Notes) != 1 || len(again.Cases) != len(run.Cases) {
		t.Errorf("%q", again.Notes)
	}
}

func lines2(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(eventtest.File(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	d := newRun(t)
	p := newPack(t, d, "began", pack.PackOptions{})
	c := eventtest.Case("began")
	eventtest.Emit(t, p, event.Event{Kind: event.CaseStarted, Case: &c},
		event.Event{Kind: event.CaseEnded, Result: event.Pass})
	if _, err := p.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := WritePlan(d, []event.Case{eventtest.Case("began"), eventtest.Case("late")}); err != nil {
		t.Fatal(err)
	}
	run := loadRun(t, d.Path())
	late := find(t, run, "late")
	if n := run.Count(); n.Total != 2 || n.Passed != 1 || n.Interrupted != 1 || late.Pack != "" ||
		len(late.CaseResult.Steps) != 3 {
		t.Errorf("%+v, %+v", n, late)
	}
	if l := run.Warnings(); len(l) != 4 || l[0].What != "unreached" || l[3].What != "interrupted" {
		t.Errorf("%+v", l)
	}
	if h := run.History(); len(h) != 1 || h[0].Pack != "began" {
		t.Errorf("%+v", h)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		results []event.Result
		want    event.Result
		code    int
	}{
		{nil, event.Skipped, 3}, {[]event.Result{event.Skipped}, event.Skipped, 3},
		{[]event.Result{event.Pass, event.Skipped}, event.Pass, 0}, {[]event.Result{event.Pass, event.Error},
			event.Error, 3},
		{[]event.Result{event.Error, event.Fail, event.Pass}, event.Fail, 1},
		{[]event.Result{event.Fail, event.Interrupted}, event.Interrupted, 130},
	} {
		r := &Run{}
		for _, v := range c.results {
			r.Cases = append(r.Cases, RunCase{Pack: "x", Key: "x", CaseResult: &event.CaseResult{Result: v}})
		}
		if r.Result() != c.want || r.ExitCode() != c.code {
			t.Errorf("%v: %s, %d", c.results, r.Result(), r.ExitCode())
		}
	}
}

func TestCaseNames(t *testing.T) {
	t.Parallel()
	for pack, want := range map[string][3]string{
		"login":                      {"login", "1", "login"},
		"login--attempt-2":           {"login", "2", "login"},
		"login--android--attempt-10": {"login--android", "10", "login (android)"},
		"login--android--row-2--attempt-2--rep-3": {"login--android--row-2--rep-3", "2", "login (android, row 2, rep 3)"},
		"login--attempt-x":                        {"login--attempt-x", "1", "login (attempt-x)"},
		"attempt-2":                               {"attempt-2", "1", "attempt-2"},
	} {
		c := RunCase{Key: CaseKey(pack), CaseResult: &event.CaseResult{Case: event.Case{ID: packID(pack)}}}
		if got := [3]string{c.Key, fmt.Sprint(attemptOf(pack)), c.Title()}; got != want {
			t.Errorf("%s: %q", pack, got)
		}
	}
}

func TestFlaky(t *testing.T) {
	t.Parallel()
	dir := layRun(t)
	withHistory(t, dir)
	run := loadRun(t, dir)
	login := find(t, run, "login")
	if login.Flaky() != "passed on attempt 2" || login.Trend.Flips != 8 {
		t.Errorf("%q, %d flips", login.Flaky(), login.Trend.Flips)
	}
	paid := find(t, run, "checkout--android")
	if paid.Flaky() != "" || paid.Trend.Flips != 1 {
		t.Errorf("one change is flaky: %q, %+v", paid.Flaky(), paid.Trend)
	}
	if paid.Trend.Median != 905*time.Millisecond || paid.Trend.P95 != 911*time.Millisecond || paid.Slow() != "" {
		t.Errorf("%+v, %q", paid.Trend, paid.Slow())
	}
	paid.CaseResult.Result = event.Pass
	if paid.Slow() != "took 6.8s, usually 905ms" {
		t.Errorf("%q", paid.Slow())
	}
	login.Attempts = nil
	if want := "changed between pass and fail 8 times in 13 runs, with the same test source"; login.Flaky() != want {
		t.Errorf("%q", login.Flaky())
	}
	// With another hash it is another test.
	login.CaseResult.Case.Hash = "c"
	if got := trend(login.Trend.Recent, login); got.Flips != 0 {
		t.Errorf("%d flips of another test", got.Flips)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	dir := layRun(t)
	root := filepath.Dir(dir)
	file := filepath.Join(root, historyFile)
	eventtest.Put(t, file, "not json\n{\"run\":\"../../x\",\"pack\":\"a\",\"result\":\"pass\"}\n"+
		strings.Repeat("x", maxHistoryLine+10)+
		"\n{\"run\":\"2026-01-01T00-00-00\",\"id\":\"login\",\"pack\":\"login\",\"result\":\"pa")
	run := loadRun(t, dir)
	for range 3 {
		if err := AppendHistory(run); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"run":"2026-03-04T05-06-07"`); n != len(run.Cases) {
		t.Errorf("%d lines of %d cases", n, len(run.Cases))
	}
	if !strings.Contains(string(data),
		`{"format":"taproot.history/1","run":"2026-03-04T05-06-07","id":"login","pack":"login--attempt-2","platform":"web","result":"pass",`+
			`"duration_ms":800,"hash":"`+strings.Repeat("b", 64)+`","attempts":2}`) {
		t.Errorf("%s", data)
	}
	// What changed is added, and counts once.
	find(t, run, "killed").CaseResult.Result = event.Error
	if err := AppendHistory(run); err != nil {
		t.Fatal(err)
	}
	later := &Run{Dir: filepath.Join(root, "2026-03-05T00-00-00"), Name: "2026-03-05T00-00-00",
		Cases: []RunCase{{Pack: "killed", Key: "killed", CaseResult: &event.CaseResult{Result: event.Pass}}}}
	later.addTrends()
	if got := later.Cases[0].Trend.Recent; len(got) != 1 || got[0].Result != event.Error {
		t.Errorf("%+v", got)
	}
	// This run itself, and later ones, are not its history.
	run.addTrends()
	if got := find(t, run, "killed").Trend.Recent; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestHistoryBounded(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const limit = 20_000
	for i := range 400 {
		r := &Run{Name: fmt.Sprintf("2026-01-01T%02d-%02d-00", i/60, i%60),
			Cases: []RunCase{
				{Pack: "a", Key: "a", CaseResult: &event.CaseResult{Case: event.Case{ID: "a"}, Result: event.Pass}}}}
		if err := appendHistory(root, r, limit); err != nil {
			t.Fatal(err)
		}
	}
	info, err := root.Stat(historyFile)
	if err != nil || info.Size() > limit+200 || info.Size() < limit/3 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	var last string
	n := 0
	if err := eachEntry(root, func(e HistoryEntry) { n++; last = e.Run }); err != nil || last != "2026-01-01T06-39-00" {
		t.Error(n, last, err)
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	runs := []string{"2026-01-01T00-00-00", "2026-01-02T00-00-00", "2026-01-03T00-00-00"}
	for _, run := range runs {
		if err := os.Mkdir(filepath.Join(root, run), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		if got, err := FindRun(root, "latest"); err != nil || filepath.Base(got) != want {
			t.Errorf("latest is %s, %v; want %s", got, err, want)
		}
	}
	check(runs[2]) // no pointer: the newest
	for _, i := range []int{1, 0} {
		if err := PointLatest(filepath.Join(root, runs[i])); err != nil {
			t.Fatal(err)
		}
		check(runs[1]) // a run that ends late does not hide a later one
	}
	if to, err := os.Readlink(filepath.Join(root, latestLink)); err != nil || to != runs[1] {
		t.Error(to, err)
	}
	if err := os.RemoveAll(filepath.Join(root, runs[1])); err != nil {
		t.Fatal(err)
	}
	check(runs[2])
	if err := PointLatest(filepath.Join(root, runs[0])); err != nil { // it led nowhere
		t.Fatal(err)
	}
	check(runs[0])
	for _, name := range []string{"../x", "2026-01-09T00-00-00", "notes"} {
		if got, err := FindRun(root, name); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	// A link that leads elsewhere is not followed, a folder of the user is left alone.
	if err := os.Remove(filepath.Join(root, latestLink)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(root, latestLink)); err != nil {
		t.Fatal(err)
	}
	check(runs[2])
	if err := os.Remove(filepath.Join(root, latestLink)); err != nil {
		t.Fatal(err)
	}
	eventtest.Put(t, filepath.Join(root, latestLink, "mine"), "x")
	if err := PointLatest(filepath.Join(root, runs[2])); err == nil {
		t.Error("somebody's folder was replaced")
	}
	eventtest.Put(t, filepath.Join(root, latestText), runs[0]+"\n")
	check(runs[0])
	if _, err := FindRun(filepath.Join(root, "none"), ""); err == nil {
		t.Error("a run of nowhere")
	}
	for _, name := range eventtest.Names(t, root) {
		if strings.HasPrefix(name, ".aside") {
			t.Errorf("%s is left over", name)
		}
	}
}

// Within a limit the page is cut at whole parts, and says so.
func TestSummaryLimit(t *testing.T) {
	t.Parallel()
	run := loadRun(t, layRun(t))
	whole := RunSummary(run, PageOptions{})
	for limit := 1000; limit < len(whole)+2000; limit += 777 {
		page := RunSummary(run, PageOptions{Limit: limit, NoLinks: true})
		if len(page) > limit {
			t.Errorf("limit %d: %d bytes", limit, len(page))
		}
		if strings.Count(string(page), "```")%2 != 0 {
			t.Errorf("limit %d cuts a block", limit)
		}
		if strings.Contains(string(page), "](") && !strings.Contains(string(page), `\](`) {
			t.Errorf("limit %d: there is a link", limit)
		}
	}
}

func BenchmarkLoadRun(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "2026-03-04T05-06-07")
			text := lines2(b, "fail")
			for i := range n {
				eventtest.Put(b, filepath.Join(dir, fmt.Sprintf("case-%05d", i), event.EventsFile), text)
			}
			for b.Loop() {
				run := loadRun(b, dir)
				if RunJSON(run) == nil || RunSummary(run, PageOptions{}) == nil {
					b.Fatal("nothing was made")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/test")
		})
	}
}
