package reporters

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

const (
	planFile = "plan.json"
	maxPlan  = 64 << 20
)

// WritePlan keeps, in the run directory, which cases the run set out to do, so that one whose process died before it began is not
// forgotten: LoadRun gives it as interrupted. Their steps are not needed. Call it once, before the first case.
func WritePlan(d *RunDir, cases []Case) error {
	data, err := json.Marshal(cases)
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	if err := WriteFile(d.Path(), planFile, data); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

func readPlan(root *os.Root) ([]Case, error) {
	data, err := readCapped(root, planFile, maxPlan)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var cases []Case
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", planFile, err)
	}
	return cases, nil
}

func neverBegan(c Case) RunCase {
	res := &Result{Case: c, Verdict: Interrupted, Recording: Recording{Kind: NoRecording},
		Problem: &Problem{Message: "the run ended before this test began"}}
	for _, s := range c.Steps {
		res.Steps = append(res.Steps, StepResult{Step: s, Verdict: Unreached})
	}
	return RunCase{Key: CaseKey(c.Pack), Result: res}
}
