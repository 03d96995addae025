package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	planFile = "plan.json"
	maxPlan  = 64 << 20
)

// WritePlan writes the planned cases to the run directory, so that a case that never started because the process died
// is not forgotten: LoadRun returns it as interrupted. The steps of the cases are not needed. Call it once, before the
// first case.
func WritePlan(d *pack.RunDir, cases []event.Case) error {
	data, err := json.Marshal(PlanFile{Format: format.Plan, Cases: cases})
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	if err := filetree.WriteFile(d.Path(), planFile, data); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

func readPlan(root *os.Root) ([]event.Case, error) {
	data, err := filetree.ReadCapped(root, planFile, maxPlan)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var file PlanFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil && json.Unmarshal(data, &file.Cases) == nil { // before the file had a format it was a list
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", planFile, err)
	}
	return file.Cases, format.Check(planFile, file.Format, format.Plan)
}

// PlanFile is plan.json: the cases that a run starts.
type PlanFile struct {
	Format string       `json:"format"`
	Cases  []event.Case `json:"cases"`
}

func neverStarted(c event.Case) RunCase {
	res := &event.CaseResult{Case: c, Result: event.Interrupted, Recording: event.Recording{Kind: event.NoRecording},
		Problem: &event.Problem{Message: "the run ended before this test started"}}
	for _, s := range c.Steps {
		res.Steps = append(res.Steps, event.StepResult{Step: s, Result: event.Unreached})
	}
	return RunCase{Key: CaseKey(c.Pack), CaseResult: res}
}
