package cli_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// busy is a time in which a case used a device.
type busy struct {
	device, pack string
	from, to     time.Time
}

// intervals lists when the phones were used.
func intervals(packs []*packOf) map[string][]busy {
	of := map[string][]busy{}
	for _, p := range packs {
		from, to := p.interval()
		of[p.device()] = append(of[p.device()], busy{p.device(), p.dir, from, to})
	}
	for _, list := range of {
		slices.SortFunc(list, func(a, b busy) int { return a.from.Compare(b.from) })
	}
	return of
}

// takesTurns checks that no device was used by two cases at once, and that all phones were used.
func takesTurns(t *testing.T, packs []*packOf, phones ...string) {
	t.Helper()
	of := intervals(packs)
	for _, serial := range phones {
		if len(of[serial]) == 0 {
			t.Errorf("%s was never used", serial)
			continue
		}
		for i, b := range of[serial][1:] {
			if before := of[serial][i]; b.from.Before(before.to) {
				t.Errorf("%s was used by %s until %s, and by %s from %s", serial, before.pack, before.to, b.pack, b.from)
			}
		}
	}
}

// together checks that two phones were busy at the same time.
func together(t *testing.T, packs []*packOf, one, other string) {
	t.Helper()
	of := intervals(packs)
	for _, a := range of[one] {
		for _, b := range of[other] {
			if a.from.Before(b.to) && b.from.Before(a.to) {
				return
			}
		}
	}
	t.Errorf("%s and %s were never busy at the same time: %v", one, other, of)
}

// Two runs that start in the same second use two run directories and share the phones, one case per phone at a time.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	tests := []string{"a", "b", "c"}
	if testing.Short() {
		tests = tests[:2]
	}
	for _, id := range tests {
		l.write(id+".yaml", "id: "+id+
			"\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n  - assert: Payments\n")
	}
	one, two := l.start("taproot", "run", ".", "--no-video"), l.start("taproot", "run", ".", "--no-video")
	one.wait().exits(t, 0)
	two.wait().exits(t, 0)
	runs := l.runs()
	if len(runs) != 2 {
		t.Fatalf("run directories: %q", runs)
	}
	var packs []*packOf
	for _, run := range runs {
		var ids []string
		for _, dir := range packsOf(t, run) {
			p := checkPack(t, dir)
			packs, ids = append(packs, p), append(ids, p.ID)
		}
		if !slices.Equal(ids, tests) {
			t.Errorf("%s holds %q", run, ids)
		}
	}
	takesTurns(t, packs, "SIM1", "SIM2")
	l.quiet()
}

// Ginkgo's parallel processes and taproot run have the same effect: one run directory, both phones in use, each with
// one case at a time, equal summaries.
func TestGinkgo(t *testing.T) {
	testutil.Leave(t, "TestGinkgoInParallel and TestGinkgoAndTaprootRunChooseTheSame look at a smaller suite")
	t.Parallel()
	useBrowser(t)
	// with three processes, two always use phones
	const labels = "android && (smoke || waiting) || web && smoke && login"
	l := recordingLab(t, 2)
	l.dir = projectRoot(t)
	run := l.start("go", "tool", "ginkgo", "--vet=off", "--ldflags=-s -w", "--procs=3", "--no-color", "--label-filter",
		labels, "./suites").wait()
	run.exits(t, 0)
	has(t, "Ginkgo", run.stdout, "Running in parallel across 3 processes")
	byGinkgo := l.checked()
	takesTurns(t, byGinkgo, "SIM1", "SIM2")
	together(t, byGinkgo, "SIM1", "SIM2")

	l.reports += "-cli"
	l.env = append(l.env, "TAPROOT_REPORTS_DIR="+l.reports)
	l.taproot("run", "suites", "--label-filter", labels).exits(t, 0)
	byCLI := l.checked()
	takesTurns(t, byCLI, "SIM1", "SIM2")
	together(t, byCLI, "SIM1", "SIM2")
	if len(byCLI) != len(byGinkgo) || len(byCLI) != 6 {
		t.Fatalf("%d packs by Ginkgo, %d by taproot run", len(byGinkgo), len(byCLI))
	}
	for i, p := range byCLI {
		a, b := byGinkgo[i].summary, p.summary
		if a.ID != b.ID || a.Result != b.Result || a.Steps != b.Steps || a.Passed != b.Passed || a.Failed != b.Failed ||
			a.Screenshots != b.Screenshots || !slices.Equal(withoutElements(a.Artifacts), withoutElements(b.Artifacts)) {
			t.Errorf("by Ginkgo %+v, by taproot run %+v", a, b)
		}
	}
}

// withoutElements removes the DOM snapshots of pages: one is saved whenever the page has changed since the last one,
// which varies for an animated page.
func withoutElements(artifacts []string) []string {
	return slices.DeleteFunc(slices.Clone(artifacts), func(name string) bool { return strings.HasPrefix(name, "dom-") })
}

// checked reads the packs of the only run, in the order of their names.
func (l *lab) checked() []*packOf {
	l.t.Helper()
	var packs []*packOf
	for _, dir := range l.packs() {
		packs = append(packs, checkPack(l.t, dir))
	}
	slices.SortFunc(packs, func(a, b *packOf) int { return cmp.Compare(filepath.Base(a.dir), filepath.Base(b.dir)) })
	return packs
}
