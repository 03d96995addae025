package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress checks that a phase prints its first line at once, what it does next within seconds, and something
// within every ten seconds.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := newProgress(&out, "")
		setup := p.start("setup", "looking")
		if out.String() != "[0 s] setup: looking\n" {
			t.Errorf("at once: %q", out.String())
		}
		setup.does("unpacking a")
		setup.does("unpacking b")
		time.Sleep(30 * time.Second)
		p.start("build", "compiling").end(nil, "tests")
		setup.end(nil, "")
		p.close()
		want := `[0 s] setup: looking
[8 s] setup: unpacking b
[18 s] setup: unpacking b … 18 s
[28 s] setup: unpacking b … 28 s
[30 s] build: compiling
[30 s] build: done in 0 s; next: tests
[30 s] setup: done in 30 s
`
		if out.String() != want {
			t.Errorf("got\n%swant\n%s", out.String(), want)
		}
	})
}

// TestStart checks that times count from the start of make, unless that is unknown, in the future or long ago.
func TestStart(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for text, want := range map[string]int64{"999990": 999_990, "": 1_000_000, "x": 1_000_000, "1000001": 1_000_000,
		"990000": 1_000_000} {
		if got := startOf(now, text); got.Unix() != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
}

func TestSetupLines(t *testing.T) {
	for line, want := range map[string]string{
		"+ env DEBIAN_FRONTEND=noninteractive /usr/bin/apt-get -q update":   "reading the lists of packages",
		"Need to get 93.4 MB of archives.":                                  "downloading packages (93.4 MB)",
		"Get:12 http://deb.example sid/main amd64 chromium amd64 1 [81 MB]": "downloading chromium (81 MB)",
		"Unpacking libx11-6:amd64 (2:1.8.4-2+deb12u2) ...":                  "unpacking libx11-6",
		"Setting up adb (1:29.0.6-28) ...":                                  "setting up adb",
		"fetching node@22.3 from registry.example":                          "downloading node@22.3 from the npm registry",
		"Reading package lists...":                                          "",
	} {
		if got, warning := setupLine(line); got != want || warning {
			t.Errorf("%q: %q %v", line, got, warning)
		}
	}
	if got, warning := setupLine("could not install chromium: exit status 100"); !warning || got == "" {
		t.Errorf("%q %v", got, warning)
	}
}

// TestDots reads the output of ginkgo byte by byte, in colors and without.
func TestDots(t *testing.T) {
	const green, plain = "\x1b[38;5;10m", "\x1b[0m"
	for _, c := range []struct{ name, input, want string }{
		{"passed", "Will run 3 of 4 specs\nRunning in parallel across 3 processes\n•S•\n•\n\nRan 3 of 4 Specs\nSUCCESS!\n",
			"Will run 3 of 4 specs\nRunning in parallel across 3 processes\n\n\n\nRan 3 of 4 Specs\nSUCCESS!\n"},
		{"in color", "Will run \x1b[1m3\x1b[0m of 4 specs\nRunning in parallel\n" + strings.Repeat(green+"•"+plain, 3) +
			"\n" + green + "Ran" + plain + " 3\nSee\n",
			"Will run \x1b[1m3\x1b[0m of 4 specs\nRunning in parallel\n\n" + green + "Ran" + plain + " 3\nSee\n"},
		{"a failure", "Will run 2 of 2 specs\nRunning in parallel\n•\n------\n• [FAILED] [1 s]\nPay\n------\nRan 2 of 2\n",
			"Will run 2 of 2 specs\nRunning in parallel\n\n------\n• [FAILED] [1 s]\n"},
		{"a summary", "Will run 2 of 3 specs\nRunning in parallel\n•SS\n•\n\n\nSummarizing 1 Failure:\n  [FAIL] a\n",
			"Will run 2 of 3 specs\nRunning in parallel\n\n\n\n\nSummarizing 1 Failure:\n  [FAIL] a\n"},
	} {
		var out strings.Builder
		var counts []int
		d := &dots{out: &out, on: func(done, all int) { counts = append(counts, done, all) }}
		for _, b := range []byte(c.input) {
			if n, err := d.Write([]byte{b}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		d.flush()
		if !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%s: got\n%q\nwant\n%q", c.name, out.String(), c.want)
		}
		if n := counts[len(counts)-1]; len(counts) != 2*n || counts[len(counts)-2] != n {
			t.Errorf("%s: %v", c.name, counts)
		}
	}
}

// events runs lines of go test -json through a tally and returns the texts that were printed.
func events(t *testing.T, count *tally, lines string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(lines) {
		var e testEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if text, _ := count.take(e); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// TestTally checks that a failure is printed at once with its output, that a package that crashes or does not compile
// counts as a failure, and that the end is estimated.
func TestTally(t *testing.T) {
	now := time.Unix(0, 0)
	count := newTally([]testPackage{{path: "m/a", name: "a"}, {path: "m/b", name: "b"}, {path: "m/c", name: "c"}},
		times{Wall: 100, Packages: map[string]float64{"a": 10, "b": 20, "c": 10}}, func() time.Time { return now })
	got := events(t, count, `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestX"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"    a_test.go:3: wrong\n"}
{"Action":"fail","Package":"m/a","Test":"TestX","Elapsed":0.5}
{"Action":"pass","Package":"m/a","Test":"TestY","Elapsed":0.1}
{"Action":"skip","Package":"m/a","Test":"TestZ","Elapsed":0}
`)
	if !slices.Equal(got, []string{"FAILED a TestX\n    a_test.go:3: wrong"}) {
		t.Errorf("%q", got)
	}
	now = now.Add(20 * time.Second)
	got = events(t, count, `{"Action":"fail","Package":"m/a","Elapsed":20}`)
	if !slices.Equal(got, []string{"FAILED a 20.0 s; 1 of 3 packages, 3 tests, 1 failed, about 1 min 10 s left"}) {
		t.Errorf("%q", got)
	}
	got = events(t, count, `{"Action":"start","Package":"m/b"}
{"Action":"output","Package":"m/b","Test":"TestCrash","Output":"about to crash\n"}
{"Action":"output","Package":"m/b","Output":"panic: out of range\n"}
{"Action":"fail","Package":"m/b","Elapsed":1}
{"ImportPath":"m/c","Action":"build-output","Output":"c.go:1: undefined: x\n"}
{"ImportPath":"m/c","Action":"build-fail"}
{"Action":"start","Package":"m/c"}
{"Action":"fail","Package":"m/c","Elapsed":0,"FailedBuild":"m/c"}
`)
	if len(got) != 3 || !strings.Contains(got[0], "panic: out of range\nwhile TestCrash was running:\nabout to crash") ||
		got[1] != "c.go:1: undefined: x" || !strings.HasPrefix(got[2], "FAILED c") {
		t.Errorf("%q", got)
	}
	if !count.failed() || !strings.HasSuffix(count.summary(), "\n1 passed, 3 failed, 1 skipped\n") ||
		!strings.Contains(count.summary(), "Failed:\n  a TestX\n  b\n  c\n") {
		t.Errorf("%s", count.summary())
	}
}

// TestCommittedTimes checks the file from which the first run on a machine estimates its end.
func TestCommittedTimes(t *testing.T) {
	var of times
	if err := json.Unmarshal(committedTimes, &of); err != nil || of.Wall <= 0 || len(of.Packages) < 50 {
		t.Errorf("%v, %v s, %d packages", err, of.Wall, len(of.Packages))
	}
}

// TestSuitesThatReadText checks that each suite that reads text in images has the tag by which make run leaves it out
// on a machine without tesseract.
func TestSuitesThatReadText(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.yaml", "*/*.yaml", "*/*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "suites", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	ocr, tag := regexp.MustCompile(`\bocr\b`), regexp.MustCompile(`(?m)^tags:.*\b`+pixels+`\b`)
	var reading int
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if ocr.Match(text) {
			if reading++; !tag.Match(text) {
				t.Errorf("%s reads text in images, but has no tag %q", file, pixels)
			}
		}
	}
	if reading == 0 {
		t.Error("no suite reads text in images")
	}
}

// TestPackagesThatNeedPrograms checks that packages with tests that start other programs wait for these, and
// that the committed times are those of packages.
func TestPackagesThatNeedPrograms(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	packages, err := listPackages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	need := map[string]bool{}
	for _, p := range packages {
		need[p.name] = p.needsTools
	}
	var committed times
	if err := json.Unmarshal(committedTimes, &committed); err != nil {
		t.Fatal(err)
	}
	for name := range committed.Packages { // the longest are started first: a moved package would come last
		if _, ok := need[name]; !ok && name != "." { // "." is the module itself
			t.Errorf("times.json names %s, which has no tests: rename it there, or copy bin/test-times.json", name)
		}
	}
	for name, want := range map[string]bool{"internal/toolchain": true, "internal/result/video": true,
		"internal/result/pack": true, "drivers/web": true, "cli": true, "farm/internal/queue": true,
		"reporters/internal/ctrf": true,
		"dsl/internal/expr":       false, "internal/pixels": false} {
		if got, ok := need[name]; ok && got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		} else if !ok {
			t.Errorf("%s is not a package with tests", name)
		}
	}
}
