package plan_test

import (
	"slices"
	"testing"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// TestPitfallRepeatedFileIsReported: a file that a list names twice runs once, and not in silence.
func TestPitfallRepeatedFileIsReported(t *testing.T) {
	dir := sample(t)
	got := plan.Repeated(dir, []string{"suites/b.yaml", "suites", "./suites/sub/../b.yaml", "b", "other", "b"})
	if !slices.Equal(got, []string{"./suites/sub/../b.yaml", "b"}) {
		t.Errorf("repeated: %v", got)
	}
}
