package cli_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// slowTests writes tests that take a while.
func (l *lab) slowTests(n int, step string) {
	for i := range n {
		l.write(fmt.Sprintf("t%d.yaml", i), fmt.Sprintf("id: t%d\nplatform: android\nsteps:\n  - %s\n", i, step))
	}
}

// After --max-time no test starts: what did not run is skipped with the reason, the exit code is 3, and a rerun runs
// it.
func TestMaxTime(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.slowTests(3, "sleep: 3s")
	e := l.taproot("run", ".", "--max-time", "1s")
	e.exits(t, 3)
	has(t, "stdout", e.stdout, "not run, because the run had reached its limit of 1s (--max-time)")
	left := []string{} // on a busy machine, none may have started in time
	for name, result := range l.results() {
		if result == event.Skipped {
			left = append(left, name)
		}
	}
	if len(left) < 2 {
		t.Errorf("only %q were skipped", left)
	}
	has(t, "junit.xml", read(t, l.runs()[0], "junit.xml"), `<skipped message="not run, because the run had reached`)
	l.slowTests(3, "log: quick")
	l.taproot("run", ".", "--rerun-failed").exits(t, 0)
	results := l.results()
	for _, name := range left {
		if results[name] != event.Pass {
			t.Errorf("%s: %s", name, results[name])
		}
	}
	if len(results) != len(left) {
		t.Errorf("%v ran again, not %q", results, left)
	}
	g, program := goLab(t, 2)
	g.dir = t.TempDir()
	g.slowTests(6, "sleep: 2s")
	g.env = append(g.env, "TAPROOT_MAX_TIME=1s")
	g.ginkgo(program, "android").exits(t, 0)
	counts := map[string]int{}
	for _, result := range g.results() {
		counts[string(result)]++
	}
	if counts["skipped"] < 2 || counts["pass"]+counts["skipped"] != 6 {
		t.Error(counts)
	}
}

// Shards by time use the history, or a report; without either they have equal counts, and say so.
func TestShardByTime(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.slowTests(4, "log: quick")
	e := l.taproot("run", ".", "--shard", "1/2", "--shard-by", "time", "--reports", "first")
	e.exits(t, 0)
	has(t, "stderr", e.stderr, "shard 1/2: the run history has no time of these tests, so the shards have equal counts")
	l.write("t0.yaml", "id: t0\nplatform: android\nsteps:\n  - sleep: 3s\n")
	l.taproot("run", ".").exits(t, 0)
	e = l.taproot("run", "t1", "t0", "--shard", "2/2", "--shard-by", "time")
	e.exits(t, 0)
	has(t, "stderr", e.stderr, "shard 2/2 by time, from the run history: about")
	longest := regexp.MustCompile(`the longest shard takes [3-9]`)
	if !longest.MatchString(e.stderr) {
		t.Errorf("no time of t0 in %s", e.stderr)
	}
	runs := l.runs()[:1]
	report := runs[len(runs)-1]
	for _, by := range []string{"time=" + report, "time=" + filepath.Join(report, "run.json")} {
		var all []string
		for i := 1; i <= 2; i++ {
			e := l.taproot("run", ".", "--shard", fmt.Sprintf("%d/2", i), "--shard-by", by)
			e.exits(t, 0)
			has(t, "stderr", e.stderr, fmt.Sprintf("shard %d/2 by time, from", i))
			if !longest.MatchString(e.stderr) {
				t.Errorf("no time of t0 in %s", e.stderr)
			}
			all = append(all, fmt.Sprint(l.results()))
		}
		if got := strings.Join(all, " "); got != "map[t0:pass] map[t1:pass t2:pass t3:pass]" {
			t.Errorf("%s: %s", by, got)
		}
	}
	for _, args := range [][]string{{"--shard-by", "time"}, {"--shard", "1/2", "--shard-by", "luck"},
		{"--shard", "1/2", "--shard-by", "time=nowhere"}} {
		e := l.taproot(append([]string{"run", "."}, args...)...)
		e.exits(t, 2)
		if args[len(args)-1] == "time=nowhere" {
			has(t, "stderr", e.stderr, "shard-by time=nowhere: there is no such report")
		}
	}
}
