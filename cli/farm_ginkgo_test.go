package cli_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ginkgoOnFarm checks that a Ginkgo suite on a farm runs its YAML tests as on this machine: same order, results, folder
// and exit code.
func ginkgoOnFarm(t *testing.T, f *farm) {
	files := map[string]string{"a.yaml": "id: a\nplatform: android\nsteps:\n  - assert: {label: Login, timeoutMs: 2000}\n",
		"z.yaml": "id: z\nplatform: android\nsteps:\n  - assert: {label: Login, timeoutMs: 2000}\n",
		"bad.yaml": "id: bad\nplatform: android\nretries: 1\nsteps:\n  - assert: {label: Login, timeoutMs: 2000}\n  - " +
			"assert: {label: Nowhere, timeoutMs: 0}\n",
		"no.yaml":      "id: no\nplatform: android\nskip: not today\nsteps:\n  - assert: Login\n",
		"taproot.yaml": "order: [z, bad]\n"}
	var codes [2]int
	var order, left, results [2][]string
	for i := range 2 {
		l, program := goLab(t, 1-i)
		l.dir = t.TempDir()
		for name, text := range files {
			l.write(name, text)
		}
		if i == 1 {
			l.env = append(l.env, "TAPROOT_HUB="+f.serve.url, "TAPROOT_API_KEY="+f.key)
		}
		out := l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter=android").wait()
		codes[i] = out.code
		if len(l.runs()) != 1 {
			t.Fatalf("%d runs: %+v", len(l.runs()), out)
		}
		run := l.loaded()
		order[i], left[i] = startedPacks(run), filesOf(t, l.runs()[0])
		for _, c := range run.Cases {
			problem := ""
			if c.CaseResult.Problem != nil {
				problem, _, _ = strings.Cut(c.CaseResult.Problem.Message, "\n")
			}
			results[i] = append(results[i], fmt.Sprintf("%s %s %s steps %d", c.Pack, c.CaseResult.Result, problem,
				len(c.CaseResult.Steps)))
		}
		has(t, "Ginkgo", out.stdout, "bad.yaml:6:5: fail: ", "Ran 3 of")
	}
	if codes[0] != 1 || codes[1] != 1 {
		t.Errorf("exit codes: here %d, on the farm %d", codes[0], codes[1])
	}
	if !slices.Equal(order[0][:3], []string{"z", "bad--attempt-2", "a"}) {
		t.Errorf("order: %q", order[0])
	}
	for what, got := range map[string][2][]string{"order": order, "files": left, "results": results} {
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%s here:\n%s\n\non the farm:\n%s", what, strings.Join(got[0], "\n"), strings.Join(got[1], "\n"))
		}
	}
}
