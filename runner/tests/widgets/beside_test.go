package widgets_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// What is aimed at: how many times as long as plain Playwright it may take in the median, and where a far row is
// scrolled to.
const aimMedian, aimFar = 1.3, 2.0

// BenchmarkBesidePlaywright does the same in the widgets of ten libraries by Taproot and by a script of plain
// Playwright, in turns, and prints how long the whole processes took, next to the aims. Taproot writes its report with
// a screenshot of each step meanwhile; the scripts write nothing. It fails where one of both does not get to the end;
// times say nothing on a machine that is busy otherwise.
func BenchmarkBesidePlaywright(b *testing.B) {
	served, sides := newSite(b, "testdata/small"), newSides(b)
	// by library: a benchmark may be run more than once
	rows, all, far := map[string]string{}, map[string]float64{}, map[string]float64{}
	for _, name := range sides.names {
		b.Run(name, func(b *testing.B) {
			var ours, theirs []time.Duration
			for range b.N {
				ours = append(ours, sides.run(b, sides.ours(name, served.URL)))
				theirs = append(theirs, sides.run(b, sides.theirs(name, served.URL)))
			}
			mine, other := median(ours), median(theirs)
			ratio := mine.Seconds() / other.Seconds()
			b.ReportMetric(mine.Seconds(), "s")
			b.ReportMetric(other.Seconds(), "s-playwright")
			b.ReportMetric(ratio, "ratio")
			rows[name] = fmt.Sprintf("%-12s %7.2f s %9.2f s %6.2f\n", name, mine.Seconds(), other.Seconds(), ratio)
			all[name] = ratio
			if sides.scrolls(b, name) {
				far[name] = ratio
			}
		})
	}
	table := fmt.Sprintf("%-12s %9s %11s %6s\n", "library", "Taproot", "Playwright", "ratio")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		table += rows[name]
	}
	if len(all) > 0 {
		table += fmt.Sprintf("in the median %.2f (aim %.1f)", median(slices.Collect(maps.Values(all))), aimMedian)
	}
	if len(far) > 0 {
		table += fmt.Sprintf("; where a far row is scrolled to at most %.2f (aim %.1f)",
			slices.Max(slices.Collect(maps.Values(far))), aimFar)
	}
	b.Log("\n" + table)
}

// sides is what both need.
type sides struct {
	dir     string
	names   []string
	taproot string
	setup   *toolchain.PlaywrightSetup
}

func newSides(b *testing.B) sides {
	b.Helper()
	s := sides{dir: filepath.Join("testdata", "beside"), taproot: filepath.Join(b.TempDir(), "taproot")}
	var err error
	if s.setup, err = toolchain.Playwright(b.Context(), toolchain.System()); err != nil {
		b.Fatal(err)
	}
	if said, err := exec.CommandContext(b.Context(), "go", "build", "-o", s.taproot,
		"github.com/taproot-dev/taproot").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, said)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*.yaml"))
	if err != nil || len(files) < 10 {
		b.Fatalf("%d flows in %s: %v", len(files), s.dir, err)
	}
	for _, file := range files {
		s.names = append(s.names, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	return s
}

func (s sides) ours(name, site string) *exec.Cmd {
	return exec.Command(s.taproot, "run", "--quiet", "--no-video", "--no-trace", "--no-dom", "--var", "SITE="+site,
		"--reports", filepath.Join(filepath.Dir(s.taproot), "reports"), filepath.Join(s.dir, name+".yaml"))
}

func (s sides) theirs(name, site string) *exec.Cmd {
	cmd := exec.Command(s.setup.Node, filepath.Join(s.dir, name+".cjs"))
	cmd.Env = append(os.Environ(), "SITE="+site, "BESIDE_PLAYWRIGHT="+filepath.Join(s.setup.Driver, "package"),
		"BESIDE_CHROMIUM="+s.setup.Headless,
		fmt.Sprintf("BESIDE_SANDBOX=%t", s.setup.Sandbox))
	return cmd
}

// run runs a command to its end, which must be good, and returns the time that it took.
func (s sides) run(b *testing.B, cmd *exec.Cmd) time.Duration {
	b.Helper()
	began := time.Now()
	if said, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, said)
	}
	return time.Since(began)
}

// scrolls reports whether a far row is scrolled to.
func (s sides) scrolls(b *testing.B, name string) bool {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name+".yaml"))
	if err != nil {
		b.Fatal(err)
	}
	return strings.Contains(string(text), "scrollTo")
}

func median[T time.Duration | float64](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
