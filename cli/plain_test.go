package cli_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// Tests of package testing get devices without Ginkgo, and leave packs with the results that specs would have, in one
// run.
func TestPlainGoTests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		phones  int
		code    int
		results map[string]event.Result // by pack
		words   []string                // of the output
	}{
		{"TestPasses", 1, 0, map[string]event.Result{"testpasses": "pass"}, nil},
		{"TestFailsInAStep", 1, 1, map[string]event.Result{"testfailsinastep": "fail"},
			[]string{"plain.go:35: ", "plain.go:35:2: fail: \"Paymants\" did not appear", "pack:"}},
		{"TestFailsBeside", 1, 1, map[string]event.Result{"testfailsbeside": "fail"}, []string{"two is not three"}},
		{"TestPanics", 1, 2, map[string]event.Result{"testpanics": "fail"}, []string{"boom"}},
		{"TestSkips", 1, 0, map[string]event.Result{"testskips": "skipped"}, []string{"not today"}},
		{"TestOneAfterTheOther", 1, 0, map[string]event.Result{"testoneaftertheother-one": "pass",
			"testoneaftertheother-two": "pass"}, nil},
		{"TestAtOnce", 2, 0, map[string]event.Result{"testatonce-one": "pass", "testatonce-two": "pass"}, nil},
		{"TestPage", 0, 0, map[string]event.Result{"testpage": "pass"}, nil},
		{"TestPasses", 0, 1, map[string]event.Result{"testpasses": "error"}, []string{"no Android device is attached"}},
		{"TestSpecOutside", 0, 0, nil, []string{"refused: ", "devicetest.New(t)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.phones == 1 && test.code == 0 || test.name == "TestFailsBeside" || test.name == "TestPage" {
				testutil.Leave(t, "specs have the same results in TestSpecsInGo")
			}
			t.Parallel()
			l := newLab(t, test.phones)
			l.env = append(l.env, "TAPROOT_NO_VIDEO=true", "TAPROOT_REQUIRE_DEVICES=true")
			l.dir = filepath.Join(projectRoot(t), "cli", "testdata", "plainsuite")
			ended := l.start("plainsuite.test", "-test.v", "-test.run", "^"+test.name+"$").wait()
			ended.exits(t, test.code)
			has(t, "go test", ended.stdout+ended.stderr, test.words...)
			l.quiet()
			if test.results == nil {
				return
			}
			run := l.loaded()
			got := map[string]event.Result{}
			for _, c := range run.Cases {
				got[c.Pack] = c.CaseResult.Result
			}
			if len(got) != len(test.results) || len(l.runs()) != 1 {
				t.Errorf("packs %v in %d runs", got, len(l.runs()))
			}
			for pack, want := range test.results {
				if got[pack] != want {
					t.Errorf("%s: %q, want %q; all: %v", pack, got[pack], want, got)
				}
			}
		})
	}
}

// go test -run TestSuite/ID runs only this test, and reports an error when there is none.
func TestGoTestRunsOne(t *testing.T) {
	t.Parallel()
	for i, test := range []struct {
		run   string
		code  int
		packs []string
		words []string
	}{
		{"TestSuite/yaml-1", 0, []string{"yaml-1"}, nil},
		{"^TestSuite$/^yaml-[12]$", 0, []string{"yaml-1", "yaml-2"}, nil},
		{"TestSuite/yaml-rows--row-2", 0, []string{"yaml-rows--row-2"}, nil},
		{"TestSuite/go_passes$", 0, []string{"go-passes"}, nil},
		{"TestSuite/yaml-x", 1, nil, []string{"no test was run", `did you mean "yaml-`}},
		{"TestSuite/(", 1, nil, []string{"missing closing"}},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			if len(test.packs) == 1 && test.packs[0] != "go-passes" {
				testutil.Leave(t, "two tests and a spec are chosen so")
			}
			t.Parallel()
			l, program := goLab(t, 1)
			ended := l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter=yaml || passes", "-test.run", test.run).wait()
			ended.exits(t, test.code)
			has(t, "go test", ended.stdout+ended.stderr, test.words...)
			var packs []string
			if test.packs != nil {
				for _, c := range l.loaded().Cases {
					packs = append(packs, c.Pack)
				}
			}
			slices.Sort(packs)
			if !slices.Equal(packs, test.packs) {
				t.Errorf("packs %q, want %q", packs, test.packs)
			}
		})
	}
}
