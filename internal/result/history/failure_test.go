package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Of several soft steps that failed, only the first could be read.
func TestFailuresOfSoftSteps(t *testing.T) {
	t.Parallel()
	run := loadRun(t, layRun(t))
	res := find(t, run, "soft").CaseResult
	var got [][2]string
	for _, f := range res.Failures() {
		got = append(got, [2]string{f.Place.String(), f.Screenshot})
	}
	want := [][2]string{{"suites/soft.yaml:6:5", "screenshots/02-step-failed.png"},
		{"suites/soft.yaml:7:5", "screenshots/03-step-failed.png"},
		{"suites/soft.yaml:9:5", "screenshots/05-step-failed.png"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s := pack.Summarize(res)
	if len(s.Problems) != 3 || s.Problem.Step != 2 || s.Problems[2].Step != 5 || len(s.Problems[2].Around) != 3 {
		t.Errorf("%+v", s.Problems)
	}
	if cause := res.Step(5).LikelyCause(); cause == nil || cause.Kind != event.IncidentRequest ||
		cause.Offset(res.Step(5)) != "−0.1 s" {
		t.Errorf("%+v", cause)
	}
	md := string(markdown.RunMarkdown(res))
	for _, line := range []string{"\"Total 12.00\" did", "step 3, 2 of 3", "step 5, 3 of 3",
		"**Around the failure** `500 POST http://shop.example/pay`", "−0.2 s, console"} {
		if !strings.Contains(md, line) {
			t.Errorf("run.md lacks %q:\n%s", line, md)
		}
	}
	if len(find(t, run, "login-ok").CaseResult.Failures()) != 0 {
		t.Error("failures of a test that passed")
	}
}
