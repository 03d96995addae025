package studio_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestPreferredSelectors: the taproot.yaml of the file's folder decides which selector comes first and is recorded.
func TestPreferredSelectors(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "a plan reads what is preferred")
	l := newLab(t)
	if err := errors.Join(os.Mkdir(filepath.Join(l.dir, "ids"), 0o755),
		os.WriteFile(filepath.Join(l.dir, "ids", "taproot.yaml"), []byte("preferSelector: id\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"ids/t.yaml": "tap: {id: sign_in}", "t.yaml": "tap: Sign in"} {
		p := l.open(l.link("/studio/devices/"+l.phone.Serial()+"?file="+file), 1440, false)
		p.connected()
		p.must(p.Locator("#what").Fill("com.example.login"))
		p.must(p.Locator("#launching button").Click())
		p.place(`"Sign in"`)
		p.must(p.Locator("#record").Click())
		p.click(`"Sign in"`)
		p.writes(want)
		p.must(p.Context().Close())
	}
}

// TestFilesOfTheTest: a run resolves paths from the folder of the test, as a run of the saved file does.
func TestFilesOfTheTest(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "a run of a file is tested by itself")
	l := newLab(t)
	for name, text := range map[string]string{
		"suites/login/fill.yaml":  "steps:\n  - input: {into: E-mail, text: \"${WHO}\"}\n",
		"suites/login/people.csv": "WHO\nada\n", "suites/login/taproot.yaml": "vars: {APP: com.example.login}\n"} {
		file := filepath.Join(l.dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()+"?file=suites/login/t.yaml"), 1440, false)
	p.connected()
	p.edits("id: x\nplatform: android\ndata: people.csv\nsteps:\n  - launch: ${APP}\n  - run: fill.yaml\n  - assert: " +
		"{text: " +
		"ada}\n")
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		what, _ := p.Locator("#outcome").TextContent()
		t.Errorf("the test does not pass: %s; %s", what, said)
	}
	for _, outside := range []string{"../t.yaml", "suites/login/people.csv"} {
		p.must(p.Locator("#file").Fill(outside))
		p.must(p.Locator("#run-all").Click())
		p.sees(`#outcome:has-text("name a file of this project")`)
		p.must(p.Locator("#file").Fill("t.yaml")) // outside of the suite
		p.must(p.Locator("#run-all").Click())
		p.sees(`#outcome:not(:has-text("name a file of this project")):not(:has-text("Running"))`)
		if what, _ := p.Locator("#outcome").TextContent(); !strings.Contains(what, `"fill.yaml" cannot be run`) {
			t.Errorf("elsewhere: %s", what)
		}
	}
}
