package plan_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// yaml is a test file with one step.
func yaml(id, platform string, more ...string) string {
	return fmt.Sprintf("id: %s\nplatform: %s\n%ssteps:\n  - tap: Go\n", id, platform, strings.Join(append(more, ""), "\n"))
}

// project makes a project from the files and returns its folder.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// packs plans and returns the names of the cases' packs.
func packs(t *testing.T, o plan.Options) []string {
	t.Helper()
	p, err := plan.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range p.Cases {
		names = append(names, c.Pack)
	}
	return names
}

func want(t *testing.T, got []string, names ...string) {
	t.Helper()
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

// fails plans and returns the error, which must contain all of the words.
func fails(t *testing.T, o plan.Options, words ...string) error {
	t.Helper()
	p, err := plan.Build(o)
	if err == nil {
		t.Fatalf("no error, but %d cases", len(p.Cases))
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q:\n%v", w, err)
		}
	}
	return err
}

func wantUsage(t *testing.T, err error) {
	t.Helper()
	var usage *plan.Usage
	if !errors.As(err, &usage) {
		t.Errorf("not an error of usage: %v", err)
	}
}

func sample(t *testing.T) string {
	return project(t, map[string]string{
		"suites/b.yaml":         yaml("b", "web", "tags: [smoke]"),
		"suites/a.yml":          yaml("a", "android", "tags: [smoke, slow]"),
		"suites/sub/c.yaml":     yaml("c", "both") + "---\n" + yaml("c2", "ios"),
		"suites/.hidden/x.yaml": "broken",
		"suites/testdata/x.yml": "broken",
		"suites/notes.txt":      "no test",
	})
}

func TestOrderDoesNotDependOnTheOrderOfArguments(t *testing.T) {
	dir := sample(t)
	args := []string{"suites/sub", "suites/b.yaml", "a"}
	for range 6 {
		want(t, packs(t, plan.Options{Dir: dir, Args: args}), "a", "b", "c--android", "c--ios", "c2")
		args = append(args[1:], args[0])
		if args[0] == "suites/sub" {
			slices.Reverse(args)
		}
	}
}

func TestWithoutArgumentsTheFolderSuitesIsTaken(t *testing.T) {
	dir := sample(t)
	want(t, packs(t, plan.Options{Dir: dir}), "a", "b", "c--android", "c--ios", "c2")
	want(t, packs(t, plan.Options{Dir: filepath.Join(dir, "suites", "sub")}), "c--android", "c--ios", "c2")
}

func TestFilters(t *testing.T) {
	dir := sample(t)
	for _, test := range []struct {
		name     string
		args     []string
		labels   string
		platform dsl.Platform
		want     []string
	}{
		{"by id", []string{"b"}, "", "", []string{"b"}},
		{"by id of the second document of a file", []string{"c2"}, "", "", []string{"c2"}},
		{"by file", []string{"suites/a.yml"}, "", "", []string{"a"}},
		{"by folder", []string{"suites/sub"}, "", "", []string{"c--android", "c--ios", "c2"}},
		{"by tag", nil, "smoke", "", []string{"a", "b"}},
		{"by tags", nil, "smoke && !slow", "", []string{"b"}},
		{"the platform is a label", nil, "ios", "", []string{"c--ios", "c2"}},
		{"by platform", nil, "", dsl.Android, []string{"a", "c--android"}},
		{"by everything", []string{"suites"}, "smoke", dsl.Web, []string{"b"}},
		{"nothing fits", nil, "nonesuch", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := plan.Options{Dir: dir, Args: test.args, Labels: test.labels, Platform: test.platform}
			want(t, packs(t, o), test.want...)
			if p, err := plan.Build(o); err != nil || len(p.Cases)+len(p.Left) < p.Tests {
				t.Errorf("%d cases and %d filtered of %d tests, %v", len(p.Cases), len(p.Left), p.Tests, err)
			}
		})
	}
	wantUsage(t, fails(t, plan.Options{Dir: dir, Labels: "a &&"}, "label filter"))
	wantUsage(t, fails(t, plan.Options{Dir: dir, Platform: "windows"}, "windows", "android, ios, web or mobile"))
}

func TestBothGivesOneCaseOnEachPlatform(t *testing.T) {
	p, err := plan.Build(plan.Options{Dir: sample(t), Args: []string{"c"}})
	if err != nil || len(p.Cases) != 2 {
		t.Fatalf("%v, %v", p, err)
	}
	for i, platform := range []dsl.Platform{dsl.Android, dsl.IOS} {
		c := p.Cases[i]
		if c.Platform != platform || c.Pack != "c--"+string(platform) || !slices.Contains(c.Labels, string(platform)) ||
			len(c.Labels) != 1 {
			t.Errorf("case %d: %s, pack %s, labels %v", i, c.Platform, c.Pack, c.Labels)
		}
		if !filepath.IsAbs(c.Dir) || filepath.Base(c.Dir) != "sub" {
			t.Errorf("folder %s", c.Dir)
		}
	}
}

func TestFolderOfACaseIsAbsoluteWhereverTheRunBegan(t *testing.T) {
	t.Chdir(sample(t))
	for _, dir := range []string{".", "suites/.."} {
		p, err := plan.Build(plan.Options{Dir: dir, Args: []string{"b"}})
		if err != nil || len(p.Cases) != 1 || !filepath.IsAbs(p.Cases[0].Dir) || p.Cases[0].Test.Pos.File != "suites/b.yaml" {
			t.Errorf("%s: %+v, %v", dir, p, err)
		}
	}
}

func TestDuplicateIDsIgnoringCaseNameBothPlaces(t *testing.T) {
	dir := project(t, map[string]string{"suites/one.yaml": yaml("login", "web"), "suites/two.yaml": yaml("LogIn", "web")})
	fails(t, plan.Options{Dir: dir}, "suites/one.yaml:1:5", "suites/two.yaml:1:5", `"LogIn" is taken`)
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"login"}}), "login")
}

// TestIDThatTwoFilesHaveIsNoChoice: which of them would run depended on the order of the files.
func TestIDThatTwoFilesHaveIsNoChoice(t *testing.T) {
	dir := project(t, map[string]string{"suites/one.yaml": yaml("login", "web"), "suites/two.yaml": yaml("login", "web")})
	fails(t, plan.Options{Dir: dir, Args: []string{"login"}}, "suites/one.yaml:1:5", "suites/two.yaml:1:5")
}

func TestUnknownID(t *testing.T) {
	dir := project(t, map[string]string{"suites/login.yaml": yaml("login", "web"), "suites/bad.yaml": "id: x"})
	wantUsage(t, fails(t, plan.Options{Dir: dir, Args: []string{"logni"}}, `"logni"`, `did you mean "login"?`,
		"suites/bad.yaml could not be read as a test"))
	err := fails(t, plan.Options{Dir: dir, Args: []string{"bad"}}, "suites/bad.yaml:")
	if usage := new(plan.Usage); errors.As(err, &usage) {
		t.Errorf("a broken file is taken for an error of usage: %v", err)
	}
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"login"}}), "login")
}

func TestWrongArguments(t *testing.T) {
	dir := project(t, map[string]string{"suites/login.yaml": yaml("login", "web"), "empty/notes.txt": ""})
	for arg, words := range map[string]string{
		"suites/nope.yaml": "there is no such file",
		"nope.yml":         "there is no such file",
		"a/b":              "there is no such file",
		"empty":            "there is no test",
		"-x":               "write flags before",
		"":                 "names no test", // not: everything
	} {
		wantUsage(t, fails(t, plan.Options{Dir: dir, Args: []string{arg}}, arg, words))
	}
}

func TestAllErrorsOfAllFilesAreReported(t *testing.T) {
	dir := project(t, map[string]string{
		"suites/1-bad.yaml":   "id: one\nplatform: web\nsteps:\n  - tapp: Go\n  - asert: Go\n",
		"suites/2-good.yaml":  yaml("good", "web"),
		"suites/3-again.yaml": yaml("GOOD", "web"),
		"suites/4-vars.yaml":  "id: four\nplatform: web\nsteps:\n  - tap: ${MISSING}\n",
		"suites/5-bad.yaml":   "id: five\nplatform: web\nstep: []\n",
	})
	err := fails(t, plan.Options{Dir: dir, Args: []string{"suites/5-bad.yaml", "suites"}},
		"suites/1-bad.yaml:4:5", "suites/1-bad.yaml:5:5", "suites/3-again.yaml:1:5", "suites/4-vars.yaml:4:10",
		"suites/5-bad.yaml:3:1")
	if strings.Index(err.Error(), "1-bad") > strings.Index(err.Error(), "5-bad") {
		t.Errorf("not in the order of the files:\n%v", err)
	}
}

func TestUndefinedVariablesAreFoundBeforeAnythingRuns(t *testing.T) {
	dir := project(t, map[string]string{
		"suites/a.yaml": "id: a\nplatform: web\nvars: {USER: \"${TEST_USER}\"}\nsteps:\n  - tap: ${USER}\n  - tap: " +
			"${PASSWORD}\n",
		"suites/b.yaml": yaml("b", "android"),
	})
	env := map[string]string{}
	o := plan.Options{Dir: dir, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	fails(t, o, "suites/a.yaml:3", "TEST_USER")
	env["TEST_USER"] = "ada"
	fails(t, o, "suites/a.yaml:6:10", "${PASSWORD}")
	o.Vars = map[string]string{"PASSWORD": "lovelace"}
	want(t, packs(t, o), "a", "b")
	o.Vars = nil
	o.Platform = dsl.Android // a test that is not run may lack its variables
	want(t, packs(t, o), "b")
}

func TestWrongVariableNameIsReportedOnce(t *testing.T) {
	err := fails(t, plan.Options{Dir: sample(t), Vars: map[string]string{"1X": "y"}}, `"1X"`)
	if n := strings.Count(err.Error(), "1X"); n != 1 {
		t.Errorf("told %d times:\n%v", n, err)
	}
}

func TestExcludeAndNamingTheExcluded(t *testing.T) {
	dir := project(t, map[string]string{
		"suites/taproot.yaml":          "exclude: [failing, \"**/*.draft.yaml\"]\n",
		"suites/good.yaml":             yaml("good", "web"),
		"suites/x.draft.yaml":          yaml("draft", "web"),
		"suites/failing/bad.yaml":      yaml("bad", "web"),
		"suites/failing/y.draft.yaml":  yaml("draft2", "web"),
		"suites/failing/deep/bad.yaml": yaml("deep", "web"),
		"more/more.yaml":               yaml("more", "web"),
	})
	for _, test := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"good"}},
		{[]string{"suites"}, []string{"good"}},
		{[]string{"suites/failing"}, []string{"bad", "deep"}},
		{[]string{"suites/failing/deep"}, []string{"deep"}},
		{[]string{"suites/failing/y.draft.yaml"}, []string{"draft2"}},
		{[]string{"bad", "draft"}, []string{"bad", "draft"}},
		// The taproot.yaml that is nearest to a file applies, also when the walk started above it.
		{[]string{"."}, []string{"more", "good"}},
	} {
		want(t, packs(t, plan.Options{Dir: dir, Args: test.args}), test.want...)
	}
}

func TestBrokenConfigIsAnError(t *testing.T) {
	dir := project(t, map[string]string{"suites/taproot.yaml": "exlude: [x]\n", "suites/good.yaml": yaml("good", "web")})
	fails(t, plan.Options{Dir: dir}, "suites/taproot.yaml:1:1", "exclude")
	fails(t, plan.Options{Dir: dir, Args: []string{"."}}, "suites/taproot.yaml:1:1")
}

// TestPrefersID: the nearest taproot.yaml says how elements are named.
func TestPrefersID(t *testing.T) {
	dir := project(t, map[string]string{"taproot.yaml": "preferSelector: id\n", "suites/a.yaml": yaml("a", "web"),
		"words/taproot.yaml": "preferSelector: text\n", "wrong/taproot.yaml": "preferSelector: xpath\n"})
	for folder, want := range map[string]bool{".": true, "suites": true, "words": false} {
		if got, err := plan.PrefersID(filepath.Join(dir, folder)); got != want || err != nil {
			t.Errorf("%s: %t, %v", folder, got, err)
		}
	}
	if _, err := plan.PrefersID(filepath.Join(dir, "wrong")); err == nil ||
		!strings.Contains(err.Error(), `taproot.yaml:1:17: "preferSelector" cannot be "xpath"`) {
		t.Errorf("%v", err)
	}
}

func TestOneFileNamedTwiceIsOne(t *testing.T) {
	dir := sample(t)
	abs := filepath.Join(dir, "suites", "b.yaml")
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"b", "suites/b.yaml", abs, "suites/sub/../b.yaml", "b",
		"./suites/b.yaml"}}), "b")
}

func TestLinks(t *testing.T) {
	dir := sample(t)
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	link("suites", "linked")             // a folder that is named is followed
	link("b.yaml", "suites/z-b.yaml")    // two names of one file are one
	link("../elsewhere", "suites/loop")  // a folder below is not followed
	link("../suites", "suites/self")     // which would never end
	link("../other.txt", "suites/d.yml") // a file anywhere is
	if err := os.WriteFile(filepath.Join(dir, "other.txt"), []byte(yaml("d", "web")), 0o644); err != nil {
		t.Fatal(err)
	}
	all := []string{"a", "b", "d", "c--android", "c--ios", "c2"}
	want(t, packs(t, plan.Options{Dir: dir}), all...)
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"linked"}}), all...)
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"linked", "suites", "suites/z-b.yaml"}}), all...)
	for _, args := range [][]string{{"suites/z-b.yaml", "suites/b.yaml"}, {"suites/b.yaml", "suites/z-b.yaml"}} {
		p, err := plan.Build(plan.Options{Dir: dir, Args: args})
		if err != nil || len(p.Cases) != 1 || p.Cases[0].Test.Pos.File != "suites/b.yaml" {
			t.Errorf("%v: %+v, %v", args, p, err)
		}
	}
	link("nowhere", "suites/gone.yaml")
	fails(t, plan.Options{Dir: dir}, "suites/gone.yaml")
}

func TestSuitesMayBeALink(t *testing.T) {
	dir := project(t, map[string]string{"tests/a.yaml": yaml("a", "web")})
	if err := os.Symlink("tests", filepath.Join(dir, "suites")); err != nil {
		t.Fatal(err)
	}
	want(t, packs(t, plan.Options{Dir: dir}), "a")
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"a"}}), "a")
}

func TestHugeAndNestedFilesAreErrors(t *testing.T) {
	dir := project(t, map[string]string{
		"suites/huge.yaml": strings.Repeat("#", dsl.MaxFileSize+1),
		"suites/deep.yaml": strings.Repeat("[", 5000),
	})
	fails(t, plan.Options{Dir: dir}, "suites/huge.yaml", "suites/deep.yaml")
}

// generated makes a project of n test files of ten steps.
func generated(tb testing.TB, n int) string {
	files := map[string]string{}
	for i := range n {
		var steps strings.Builder
		for n := range 5 {
			fmt.Fprintf(&steps, "  - tap: {label: \"Row ${USER} %d\", below: Header}\n  - assert: Welcome, ${USER}\n", n)
		}
		files[fmt.Sprintf("suites/%02d/test-%05d.yaml", i%20, i)] = fmt.Sprintf(
			"id: test-%05d\nplatform: web\ntags: [t%d]\nvars: {USER: ada}\nsteps:\n%s", i, i%7, steps.String())
	}
	return project(tb, files)
}

func planAll(tb testing.TB, dir string, n int) {
	p, err := plan.Build(plan.Options{Dir: dir, Labels: "!t3"})
	if err != nil || p.Tests != n || len(p.Cases)+len(p.Left) != n {
		tb.Fatalf("%+v, %v", p, err)
	}
}

// BenchmarkPlan parses, validates and plans 1,000 and 10,000 test files in one run, and reports how much more one of
// 10,000 costs than one of 1,000: 1 is linear.
func BenchmarkPlan(b *testing.B) {
	perTest := map[int]float64{}
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := generated(b, n)
			b.ReportAllocs()
			for b.Loop() {
				planAll(b, dir, n)
			}
			perTest[n] = float64(b.Elapsed().Microseconds()) / float64(b.N*n)
			b.ReportMetric(perTest[n], "µs/test")
			if n == 10_000 && perTest[1000] > 0 {
				b.ReportMetric(perTest[n]/perTest[1000], "times-of-1000")
			}
		})
	}
}

// TestPlanningGrowsLinearly counts work in allocations, which do not depend on the machine.
func TestPlanningGrowsLinearly(t *testing.T) {
	few, many := generated(t, 60), generated(t, 600)
	a := testing.AllocsPerRun(1, func() { planAll(t, few, 60) })
	b := testing.AllocsPerRun(1, func() { planAll(t, many, 600) })
	if b > a*11 {
		t.Errorf("600 tests need %.0f allocations and 60 need %.0f: %.1f times as many", b, a, b/a)
	}
}

// Tests that were sent lie nowhere; an id is never taken for the folder of the same name.
func TestSentTests(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "suites", "login"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]string{"a.yaml": "login", "login/b.yaml": "other"} {
		if err := os.WriteFile(filepath.Join(dir, "suites", name),
			[]byte("id: "+id+"\nplatform: web\nsteps:\n  - log: hello\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sent := plan.Source{Name: "request.yaml", Text: []byte("id: sent\nplatform: web\nsteps:\n  - log: hello\n")}
	p, err := plan.Build(plan.Options{Dir: filepath.Join(dir, "suites"), IDs: []string{"login"},
		Inline: []plan.Source{sent}})
	if err != nil || len(p.Cases) != 2 || p.Cases[0].Pack != "login" && p.Cases[1].Pack != "login" {
		t.Fatalf("%+v, %v", p, err)
	}
	sent.Text = []byte("id: sent\nsteps:\n  - tapp: x\n")
	if _, err := plan.Build(plan.Options{Dir: dir, Inline: []plan.Source{sent}}); err == nil ||
		!strings.Contains(err.Error(), `request.yaml:3:5: unknown action "tapp"`) {
		t.Errorf("%v", err)
	}
}

// With all browsers, a test that names none is a case in each that is installed and does not refuse it; one that others
// need, in one.
func TestAllBrowsers(t *testing.T) {
	dir := t.TempDir()
	text := "id: both\nbrowsers: [chromium, firefox]\nsteps: [{openBrowser: a.html}]\n---\n" +
		"id: plain\nsteps: [{openBrowser: a.html}, {assert: Hi}]\n---\n" +
		"id: swiped\nsteps: [{openBrowser: a.html}, {swipe: up}]\n---\n" +
		"id: own\nsteps: [{openBrowser: {url: a.html, browser: firefox}}]\n---\n" +
		"id: needed\nsteps: [{openBrowser: a.html}, {set: {x: 1}}]\n---\n" +
		"id: needs\nneeds: needed\nsteps: [{openBrowser: a.html}]\n---\n" +
		"id: phone\nplatform: android\nsteps: [{tap: Hi}]\n"
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := plan.Options{Dir: dir, Args: []string{"a.yaml"}, Browser: plan.AllBrowsers,
		Browsers: []string{dsl.Chromium, dsl.Firefox, dsl.WebKit}}
	p, err := plan.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range p.Cases {
		got = append(got, c.Pack+" "+c.Browser)
	}
	if want := []string{"both--chromium chromium", "both--firefox firefox", "plain--chromium chromium",
		"plain--firefox firefox", "plain--webkit webkit", "swiped--chromium chromium", "own firefox", "needed ",
		"needs--chromium chromium", "needs--firefox firefox", "needs--webkit webkit", "phone "}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(p.Warnings) != 2 || !strings.Contains(p.Warnings[1].Msg, "swiped is not run in WebKit: swipe") {
		t.Errorf("%v", p.Warnings)
	}
	o.Labels = "webkit"
	want(t, packs(t, o), "plain--webkit", "needed", "needs--webkit")
	o.Labels, o.Browsers = "", []string{dsl.Chromium}
	want(t, packs(t, o), "both--chromium", "both--firefox", "plain", "swiped", "own", "needed", "needs", "phone")
	o.Browsers = nil
	wantUsage(t, fails(t, o, "browser all", "not on a farm"))
}

// A test that names browsers is a case in each; --browser is for tests that name none.
func TestBrowsersGiveACaseEach(t *testing.T) {
	dir := t.TempDir()
	text := "id: both\nbrowsers: [chromium, firefox]\nsteps: [{openBrowser: a.html}]\n---\nid: one\nbrowsers: firefox\n" +
		"steps: " +
		"[{openBrowser: a.html}]\n---\n" +
		"id: none\nsteps: [{openBrowser: a.html}, {setDarkMode: true}]\n---\nid: own\nsteps: [{openBrowser: {url: a.html, " +
		"browser: firefox}}]\n"
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Options{Dir: dir, Args: []string{"a.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range p.Cases {
		got = append(got, c.Pack+" "+c.Browser)
	}
	if want := []string{"both--chromium chromium", "both--firefox firefox", "one firefox", "none ",
		"own firefox"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	want(t, packs(t, plan.Options{Dir: dir, Args: []string{"a.yaml"}, Labels: "firefox"}), "both--firefox", "one")
	wantUsage(t, fails(t, plan.Options{Dir: dir, Args: []string{"a.yaml"}, Browser: "netscape"}, "netscape",
		"chromium, firefox or webkit, or all"))
	fails(t, plan.Options{Dir: dir, Args: []string{"a.yaml"}, Browser: dsl.Firefox},
		"setDarkMode does not work in Firefox",
		"colorScheme in openBrowser")
}
