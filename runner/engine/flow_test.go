package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/reporters"
)

// TestFlow runs control steps against the fake device, which shows "Go" and "Ready". told is what the report says of each leaf step:
// action, argument, verdict.
func TestFlow(t *testing.T) {
	const missing = "assert: {label: Missing, timeoutMs: 0}"
	for _, test := range []struct {
		name  string
		steps string
		want  reporters.Verdict
		told  string
	}{
		{"if takes the branch that holds", `
  - if: {cond: visible("Go"), then: [{tap: Go}], else: [{assert: Nothing}]}
  - assert: Ready`, reporters.Pass, "tap Go pass; assert Ready pass; assert Nothing skipped"},
		{"if takes the other branch", `
  - if: {cond: not visible("Go"), then: [{tap: Go}], else: [{assert: Ready}]}`, reporters.Pass, "assert Ready pass; tap Go skipped"},
		{"a condition that cannot be evaluated fails the test", `
  - if: {cond: "platform", then: [{tap: Go}]}`, reporters.Fail, `if {cond: platform} fail; tap Go unreached`},
		{"when leaves a step out", `
  - tap: {label: Go, when: platform == "web"}
  - assert: Ready`, reporters.Pass, `tap {label: Go, when: "platform == \"web\""} skipped; assert Ready pass`},
		{"repeat so many times", `
  - repeat: {times: 3, steps: [{tap: Go}]}`, reporters.Pass, "tap Go pass; tap Go pass; tap Go pass"},
		{"repeat while", `
  - set: {vars: {N: 0, M: 1}}
  - repeat: {while: N < 2, steps: [{set: {vars: {N: "${M}"}}}, {set: {vars: {M: 5}}}]}`, reporters.Pass,
			"set {vars: {N: 0, M: 1}} pass; set {vars: {N: 1}} pass; set {vars: {M: 5}} pass; set {vars: {N: 5}} pass; set {vars: {M: 5}} pass"},
		{"repeat that never ends is a failure", `
  - repeat: {while: visible("Go"), steps: [{log: again}]}`, reporters.Fail, strings.TrimSuffix(strings.Repeat("log again pass; ", 100), "; ")},
		{"forEach gives the variable back", `
  - set: {vars: {M: 1}}
  - forEach: {in: [Go, Ready], var: M, steps: [{assert: "${M}"}]}
  - log: ${M}`, reporters.Pass, "set {vars: {M: 1}} pass; assert Go pass; assert Ready pass; log 1 pass"},
		{"optional is a warning", `
  - assert: {label: Missing, timeoutMs: 0, optional: true}
  - tap: Go`, reporters.Pass, "assert {label: Missing, timeoutMs: 0, optional: true} warned; tap Go pass"},
		{"soft goes on and fails at the end", `
  - assert: {label: Missing, timeoutMs: 0, soft: true}
  - tap: Go`, reporters.Fail, "assert {label: Missing, timeoutMs: 0, soft: true} fail; tap Go pass"},
		{"retry that never succeeds fails, and its first tries are warnings", `
  - retry: {times: 2, steps: [{` + missing + `}]}
  - tap: Go`, reporters.Fail, "assert {label: Missing, timeoutMs: 0} warned; assert {label: Missing, timeoutMs: 0} fail; tap Go unreached"},
		{"try goes on behind a failure that it takes care of", `
  - try: {steps: [{` + missing + `}], onFailure: [{log: mended}], always: [{log: done}]}
  - tap: Go`, reporters.Pass, "assert {label: Missing, timeoutMs: 0} warned; log mended pass; log done pass; tap Go pass"},
		{"try without onFailure fails behind always", `
  - try: {steps: [{` + missing + `}], always: [{log: done}]}
  - tap: Go`, reporters.Fail, "assert {label: Missing, timeoutMs: 0} fail; log done pass; tap Go unreached"},
		{"group is its steps", `
  - group: {name: Both, steps: [{assert: Go}, {assert: Ready}]}`, reporters.Pass, "assert Go pass; assert Ready pass"},
		{"as saves a value with its type", `
  - extract: {label: Ready, as: word}
  - assertTrue: word == "Ready"
  - assertTrue: {expr: word == "Steady", timeoutMs: 0}`, reporters.Fail,
			`extract {label: Ready, as: word} pass; assertTrue word == "Ready" pass; assertTrue {expr: "word == \"Steady\"", timeoutMs: 0} fail`},
		{"assertNot holds on what is not there", `
  - assertNot: Missing`, reporters.Pass, "assertNot Missing pass"},
		{"assertNot fails on what stays", `
  - assertNot: {label: Ready, timeoutMs: 100}`, reporters.Fail, "assertNot {label: Ready, timeoutMs: 100} fail"},
		{"retries of a step are told as notes", `
  - assert: {label: Missing, timeoutMs: 0, retries: 2}`, reporters.Fail, "assert {label: Missing, timeoutMs: 0, retries: 2} fail"},
		{"screenshot false takes no picture", `
  - tap: {label: Go, screenshot: false}`, reporters.Pass, "tap {label: Go, screenshot: false} pass"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run(t, test.steps, &device{}, func(t *testing.T, s *sink, r *reporters.Result) {
				var told []string
				for _, step := range r.Steps {
					told = append(told, fmt.Sprintf("%s %s %s", step.Action, step.Args, step.Verdict))
				}
				if r.Verdict != test.want || strings.Join(told, "; ") != test.told {
					t.Errorf("verdict %s (%v)\ntold %s\nwant %s", r.Verdict, r.Problem, strings.Join(told, "; "), test.told)
				}
			})
		})
	}
}
