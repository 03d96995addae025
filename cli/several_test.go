package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

const (
	severalPhones = "devices:\n  alice: {platform: android}\n  carol: {platform: android}\n"
	launchesList  = "{launch: {package: com.example.list, force: true}}"
	neverThere    = "{assert: {label: Never there, timeout: 100s}}"
)

// several writes a test with two phones, and if a page is named with one in the browser.
func (l *lab) several(id, page, steps string) {
	l.t.Helper()
	devices := severalPhones
	if page != "" {
		devices += "  bob: {platform: web}\n"
		steps = strings.ReplaceAll(steps, "PAGE", page)
	}
	l.write(id+".yaml", "id: "+id+"\n"+devices+steps)
}

// stepsOf describes the steps of a pack: device, action and result, sorted.
func stepsOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, err := event.ReadEvents(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range event.Fold(events).Steps {
		list = append(list, fmt.Sprintf("%s %s %s", s.Device, s.Action, s.Result))
	}
	slices.Sort(list)
	return list
}

// Two phones and a page, one after another and at once: one report with a lane for each.
func TestSeveralDevices(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	site := webtest.New(t)
	l := recordingLab(t, 2)
	l.several("talk", site.Page("list.html"), `before:
  - on: {carol: [`+launchesList+`]}
steps:
  - launch: {package: com.example.list, force: true}
  - on: {bob: [{openBrowser: {url: 'PAGE'}}, {webEval: {script: "1 + 1", as: two}}]}
  - on:
      alice: [{assert: Payments}, {set: {seen: "yes"}}]
      bob: [{webEval: {script: document.title, as: title}}]
      carol: [{assert: Payments}]
  - assertTrue: two == 2 && seen == "yes" && title != ""
`)
	e := l.taproot("run", "talk.yaml", "-v")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "carol: launch {package: com.example.list", "✓ PASS talk · alice SIM", ", carol SIM",
		", bob web-1 · ")
	dir := l.packs()[0]
	has(t, "run.md", read(t, dir, "run.md"), "| # | Device | Action |", "- device bob: web, ", "recording-bob.mp4",
		"recording-carol.mp4")
	for _, name := range []string{"recording.mp4", "recording-carol.mp4", "recording-bob.mp4", "logcat.txt",
		"logcat-carol.txt", "console-bob.txt", "network-bob.har", "artifacts/trace-bob.zip"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	summary := read(t, dir, "summary.json")
	has(t, "summary.json", summary, `"devices": [`, `"name": "alice"`, `"recording": "recording-carol.mp4"`)
	has(t, "the page", read(t, dir, "report.html"), `"devices":[{"name":"alice","platform":"android"`)
	if got := stepsOf(t, dir); len(got) != 9 || got[0] != "alice assert pass" || got[len(got)-1] != "carol launch pass" {
		t.Errorf("steps %q", got)
	}
	l.quiet()
	l.free()
}

// What the devices must be is known before anything runs; too few of them are named.
func TestSeveralDevicesThatAreNotThere(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.several("pair", "", "steps:\n  - on: {carol: ["+launchesList+"]}\n")
	l.write("one.yaml", passesOnPhone)
	e := l.taproot("run", "pair.yaml")
	e.exits(t, 3)
	has(t, "stdout", e.stdout, "- SKIPPED pair: the test needs 2 devices at once, and not all are attached: carol: "+
		"no further android device suits it, and SIM1 is for alice")
	l.taproot("run", "pair.yaml", "--require-devices").exits(t, 3)
	e = l.taproot("run", "pair.yaml", "--device", "SIM1")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "--device SIM1: the test pair names its devices itself (alice, carol)")
	e = l.taproot("run", ".", "--platform", "web")
	has(t, "stderr", e.stderr, "none of the 2 tests fits the filters")
	e = l.taproot("run", "pair.yaml", "--keep")
	has(t, "stderr", e.stderr+e.stdout, "the test needs 2 devices at once, and not all are attached: carol: no further")
	l.taproot("close", "--all")
	l.write("bad.yaml", "id: bad\n"+severalPhones+"steps:\n  - on: {dora: [{tap: x}]}\n")
	e = l.taproot("validate", "bad.yaml")
	has(t, "validate", e.stderr+e.stdout, `bad.yaml:6:10: the test has no device "dora"`)
}

// After --keep, commands use the device of the failed step, and --device names another one by its name in the test.
func TestSeveralDevicesStayOpen(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	defer l.taproot("close", "--all")
	l.several("keeps", "", "steps:\n  - on: {alice: ["+launchesList+"], carol: ["+launchesList+"]}\n"+
		"  - on: {carol: [{assert: {label: Not there, timeout: 500ms}}]}\n")
	e := l.taproot("run", "keeps.yaml", "--keep")
	e.exits(t, 1)
	has(t, "the failure", e.stdout+e.stderr, "ok: step 1", "fail: step 2", "commands use carol (SIM2)",
		"--device alice is for another one")
	taps := func() (n [2]int) { return [2]int{len(l.phones[0].Taps()), len(l.phones[1].Taps())} }
	before := taps()
	l.taproot("tap", "Twice").exits(t, 0)
	if got := taps(); got[0] != before[0] || got[1] == before[1] {
		t.Errorf("the tap after the failure: taps %v, before %v", got, before)
	}
	before = taps()
	l.taproot("tap", "Twice", "--device", "alice").exits(t, 0)
	if got := taps(); got[0] == before[0] || got[1] != before[1] {
		t.Errorf("the tap on alice: taps %v, before %v", got, before)
	}
	e = l.taproot("run", "keeps.yaml", "--from", "2")
	has(t, "from a step", e.stdout+e.stderr, "from step 2", "fail: step 2", "commands use carol (SIM2)")
	l.taproot("close", "--all")
	l.free()
}

// TestSeveralDevicesInTheirBrowsers: the pages of a test are in the browsers that it names, also when they stay open.
// --browser is for the others.
func TestSeveralDevicesInTheirBrowsers(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "runner/internal/live and runner/internal/plan TestBrowsersOfSeveralDevices")
	useBrowser(t)
	site := webtest.New(t)
	l := newLab(t, 0)
	defer l.taproot("close", "--all")
	write := func(alice, bob, check string) {
		opens := "[{openBrowser: '" + site.Page("list.html") + "'}, {webEval: {script: navigator.userAgent, as: %s}}]\n"
		l.write("pages.yaml", "id: pages\ndevices:\n  alice: {platform: web"+alice+"}\n  bob: {platform: web"+bob+"}\n"+
			"steps:\n  - on:\n      alice: "+fmt.Sprintf(opens, "first")+"      bob: "+fmt.Sprintf(opens, "second")+
			"  - assertTrue: '"+check+"'\n")
	}
	const one, other = `first contains "Firefox" && !(second contains "Firefox")`,
		`second contains "Firefox" && !(first contains "Firefox")`
	write("", ", browser: firefox", other)
	l.taproot("run", "pages.yaml", "--keep").exits(t, 0)
	write(", browser: firefox", "", one)
	l.taproot("run", "pages.yaml", "--from", "1").exits(t, 0)
	l.taproot("close", "--all")
	l.taproot("run", "pages.yaml").exits(t, 0)
	write("", ", browser: chromium", one)
	l.taproot("run", "pages.yaml", "--browser", "firefox").exits(t, 0)
	l.free()
}

// A test that fails, a phone that is pulled, an interrupt and a time limit: the right result, and all devices are free.
func TestSeveralDevicesWithFaults(t *testing.T) {
	withSignals(t)
	t.Parallel()
	waiting := "steps:\n  - on: {alice: [" + launchesList + "], carol: [" + launchesList + "]}\n" +
		"  - on:\n      timeout: 90s\n      alice: [" + neverThere + ", {tap: Payments}]\n      carol: [" + neverThere + "]\n"
	both := "  - on: {alice: [" + launchesList + "], carol: [" + launchesList + "]}\n"
	pull := func(l *lab, _ *child) { l.phones[1].Disconnect() }
	type fault struct {
		name, steps string
		fault       func(l *lab, run *child)
		code        int
		says        []string
		want        []string // of the parallel steps
	}
	for _, c := range testutil.Few(2, []fault{
		{"failure", strings.Replace(waiting, "carol: ["+neverThere, "carol: [{assert: {label: Not there, timeout: 1s}}", 1),
			nil, 1, []string{"✗ FAIL failure · ", `"Not there" did not appear within 1s`},
			[]string{"alice assert interrupted", "alice tap unreached", "carol assert fail"}},
		{"pulled", waiting, pull, 3, []string{"! ERROR pulled · ", " (SIM2): "}, nil},
		{"pulled-before", "before:\n" + both + "  - on: {carol: [" + neverThere + "]}\nsteps:\n" + both, pull, 3,
			[]string{"! ERROR pulled-before · ", "carol (SIM2): "}, nil},
		{"pulled-after", "steps:\n" + both + "after:\n  - on: {carol: [" + neverThere + "]}\n", pull, 3,
			[]string{"! ERROR pulled-after · ", "carol (SIM2): "}, nil},
		{"interrupt", waiting, func(_ *lab, run *child) { _ = run.cmd.Process.Signal(syscall.SIGINT) }, 130,
			[]string{"■ INTERRUPTED interrupt ", "the run was interrupted"},
			[]string{"alice assert interrupted", "alice tap unreached", "carol assert interrupted"}},
		{"limit", strings.Replace(waiting, "timeout: 90s", "timeout: 2s", 1), nil, 1,
			[]string{"✗ FAIL limit · ", "the on took longer than 2s"}, nil},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := recordingLab(t, 2)
			l.several(c.name, "", c.steps)
			run := l.start("taproot", "run", c.name+".yaml")
			if c.fault != nil {
				l.untilStep(c.name, 3)
				if strings.Count(c.steps, neverThere) == 2 { // at once
					l.untilStep(c.name, 4)
				}
				c.fault(l, run)
			}
			end := run.wait()
			end.exits(t, c.code)
			has(t, "stdout", end.stdout, c.says...)
			dir := l.packs()[0]
			if got := stepsOf(t, dir); c.want != nil && !slices.Equal(slices.DeleteFunc(got, func(s string) bool {
				return strings.HasSuffix(s, "launch pass")
			}), c.want) {
				t.Errorf("steps %q, want %q", got, c.want)
			}
			if c.name == "failure" {
				has(t, "run.md", read(t, dir, "run.md"), "stopped: carol failed in step ", "alice at that time:")
			}
			switch {
			case c.fault == nil || c.code == 130: // recordings are finished after an interrupt
				wholeMovies(t, dir, "recording.mp4", "recording-carol.mp4")
			default: // the other phone is away
				wholeMovies(t, dir, "recording.mp4")
			}
			l.free()
			l.whole()
		})
	}
}

// wholeMovies checks that recordings were finished: the table of their frames is written last.
func wholeMovies(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, line := range strings.Split(read(t, dir, "run.md"), "\n") {
		if strings.Contains(line, "recording") {
			t.Log(line)
		}
	}
	for _, name := range names {
		if movie := read(t, dir, name); !strings.Contains(movie, "ftyp") || !strings.Contains(movie, "moov") {
			t.Errorf("%s: %d bytes, which is not a whole recording", name, len(movie))
		}
	}
}

// The recipe, several times at once with itself: no deadlock, and each test has its own devices.
func TestSeveralDevicesManyTimes(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 3)
	server := filepath.Join(l.tmp, "chat")
	if out, err := exec.Command("go", "build", "-o", server, "../suites/pages/chat").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(server, "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	site := strings.TrimSpace(strings.TrimPrefix(line, "chat at "))
	l.write("chat.yaml", read(t, repository, "suites", "recipes", "yours", "several-devices.yaml"))
	times := 50
	if testing.Short() {
		times = 3
	}
	e := l.taproot("run", "chat.yaml", "--repeat", fmt.Sprint(times), "--randomize", "-e", "SITE="+site)
	e.exits(t, 0)
	has(t, "stdout", e.stdout, fmt.Sprintf("%d passed in ", times))
	l.ownDevices()
	l.free()
}

// ownDevices checks that no two tests of a run had a phone at the same time.
func (l *lab) ownDevices() {
	l.t.Helper()
	type use struct {
		pack        string
		from, until time.Time
	}
	uses := map[string][]use{}
	for _, dir := range l.packs() {
		f, err := os.Open(filepath.Join(dir, "events.ndjson"))
		if err != nil {
			l.t.Fatal(err)
		}
		events, err := event.ReadEvents(f)
		if err != nil {
			l.t.Fatal(err)
		}
		_ = f.Close()
		r := event.Fold(events)
		seen, devices := map[string]bool{}, r.Case.Devices
		if len(devices) == 0 {
			devices = []event.CaseDevice{{ID: r.Case.Device}}
		}
		for _, d := range devices {
			if d.ID == "" || seen[d.ID] {
				l.t.Errorf("%s: device %q of %+v", r.Case.Pack, d.ID, r.Case.Devices)
			}
			seen[d.ID] = true
			uses[d.ID] = append(uses[d.ID], use{r.Case.Pack, r.Started, r.Ended})
		}
	}
	for id, list := range uses {
		slices.SortFunc(list, func(a, b use) int { return a.from.Compare(b.from) })
		for i := 1; i < len(list); i++ {
			if list[i].from.Before(list[i-1].until) {
				l.t.Errorf("%s: %s began before %s ended", id, list[i].pack, list[i-1].pack)
			}
		}
	}
}
