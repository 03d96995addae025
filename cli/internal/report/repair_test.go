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
		if err := offer(env, []finding.Repair{r}, c.all); err != nil {
			t.Error(err, problems.String())
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != c.want || !strings.Contains(out.String(), c.says) {
			t.Errorf("%q: %s\n%s %v", c.input, data, out.String(), err)
		}
		changed := r
		changed.Old = "- tap: Buy"
		if err := offer(env, []finding.Repair{changed}, true); err == nil || !strings.Contains(problems.String(),
			"the line has changed since the run") {
			t.Errorf("a changed line: %v %s", err, problems.String())
		}
	}
}
