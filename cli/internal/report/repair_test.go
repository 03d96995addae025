package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/finding"
)

// TestOffer: a repair is applied only when it is accepted, to its line alone, and never to a line that has changed.
func TestOffer(t *testing.T) {
	t.Parallel()
	const before = "id: a\nsteps:\n  - tap: Pay  # now\n  - assert: Paid\n"
	r := finding.Repair{File: "a.yaml", Line: 3, Old: "- tap: Pay  # now", New: "- tap: Pay now  # now", Score: 90}
	for _, c := range []struct {
		input, file, want, says string
		all                     bool
	}{
		{"y\n", before, strings.Replace(before, "Pay ", "Pay now ", 1), "applied to a.yaml", false},
		{"", before, strings.Replace(before, "Pay ", "Pay now ", 1), "applied to a.yaml", true},
		{"n\n", before, before, "not applied", false},
		{"", before, before, "not applied", false},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a.yaml")
		if err := os.WriteFile(name, []byte(c.file), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, problems bytes.Buffer
		env := &process.Env{Dir: dir, Stdin: strings.NewReader(c.input), Stdout: &out, Stderr: &problems}
		applied, err := offer(env, []finding.Repair{r, r}, c.all)
		if err != nil || len(applied) > 0 != (c.file != c.want) || len(applied) > 0 && applied[1].Applied == "" {
			t.Error(applied, err, problems.String())
		}
		if n := strings.Count(out.String(), "score 90"); n != 1 {
			t.Errorf("it is shown %d times: %s", n, out.String())
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != c.want || !strings.Contains(out.String(), c.says) {
			t.Errorf("%q: %s\n%s %v", c.input, data, out.String(), err)
		}
		other := r
		other.New = "- tap: Pay later  # now"
		if c.all {
			if err := os.WriteFile(name, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			if applied, err := offer(env, []finding.Repair{r, other}, true); err != nil || len(applied) != 1 ||
				!strings.Contains(out.String(), "not applied: another repair has changed this line") {
				t.Errorf("two repairs of a line: %v %v %s", applied, err, out.String())
			}
		}
		changed := r
		changed.Old = "- tap: Buy"
		if _, err := offer(env, []finding.Repair{changed}, true); err == nil || !strings.Contains(problems.String(),
			"the line has changed since the run") {
			t.Errorf("a changed line: %v %s", err, problems.String())
		}
	}
}

// TestStudioPage: taproot studio --report shows a report of this project's folder of reports, and no other.
func TestStudioPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const run = "2026-03-04T05-06-07"
	for _, name := range []string{"reports/" + run + "/login", "reports/" + run + "/pay",
		"reports/2026-03-05T05-06-07/one", "other/" + run + "/login"} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "summary.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := &process.Env{Dir: dir, Environ: []string{"TAPROOT_REPORTS_DIR=" + filepath.Join(dir, "reports")}}
	for word, want := range map[string]string{run + "/login": "/studio/reports/" + run + "/login", run: "/studio/reports",
		"2026-03-05T05-06-07": "/studio/reports/2026-03-05T05-06-07/one", run + "/none": "", "nowhere": "",
		"other/" + run + "/login": ""} {
		if got, err := StudioPage(env, word); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v, want %q", word, got, err, want)
		}
	}
}
