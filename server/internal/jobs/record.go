package jobs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters"
)

// State is the progress of a run.
type State string

// The states of a run, in their order. It is queued until the first of its cases has started.
const (
	Queued  State = "queued"
	Running State = "running"
	Ended   State = "ended"
)

// Record describes a run.
type Record struct {
	ID       string       `json:"id" doc:"Also the name of its folder among the reports." example:"2026-03-04T05-06-07"`
	State    State        `json:"state" enum:"queued,running,ended"`
	Result   event.Result `json:"result,omitempty" enum:"pass,fail,error,skipped,expected,interrupted" doc:"After the end."`
	By       string       `json:"by,omitempty" doc:"The credential that asked for it."`
	Created  time.Time    `json:"created,omitzero"`
	Started  time.Time    `json:"started,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"`
	Cases    []Case       `json:"cases" nullable:"false"`
	Why      string       `json:"why,omitempty" doc:"Why it waits." example:"all 2 devices that suit it are in use"`
	Problems []string     `json:"problems,omitempty" nullable:"false" doc:"Errors outside of the tests."`
}

// Case describes a case of a run.
type Case struct {
	Pack       string       `json:"pack" doc:"The name of its folder in the run: /reports/{run}/{pack}."`
	Test       string       `json:"test" doc:"The id of the test."`
	Platform   dsl.Platform `json:"platform,omitempty" enum:"android,ios,web"`
	State      State        `json:"state" enum:"queued,running,ended"`
	Result     event.Result `json:"result,omitempty" enum:"pass,fail,error,skipped,expected,interrupted"`
	Device     string       `json:"device,omitempty"`
	Why        string       `json:"why,omitempty" doc:"Why a case waits on a farm. At most ten cases of a run have it."`
	DurationMS int64        `json:"duration_ms,omitempty"`
	Problem    string       `json:"problem,omitempty"`
}

// ErrUnknown means that the run does not exist.
var ErrUnknown = errors.New("there is no such run")

// maxRunFile limits the size of run.json.
const maxRunFile = 32 << 20

// onDisk reads the record of a run that is not in memory.
func onDisk(folder, id string) (Record, error) {
	if !pack.IsRunName(id) {
		return Record{}, ErrUnknown
	}
	dir := filepath.Join(folder, id)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return Record{}, ErrUnknown
	}
	if err != nil {
		return Record{}, err
	}
	r := Record{ID: id, State: Ended, Cases: []Case{}, By: readRequest(dir).By}
	if created, err := time.Parse("2006-01-02T15-04-05", id); err == nil {
		r.Created = created
	}
	if r.fromRunFile(dir) {
		return r, nil
	}
	alive := pack.Alive(dir)
	if alive || !r.fromRunFile(dir) { // it may have ended since the check
		r.fromPacks(dir, alive)
	}
	return r, nil
}

// fromRunFile takes the result from the run.json of a finished run.
func (r *Record) fromRunFile(dir string) bool {
	var file struct {
		Format  string       `json:"format"`
		Result  event.Result `json:"result"`
		Started time.Time    `json:"started"`
		Ended   time.Time    `json:"ended"`
		Results []struct {
			ID, Pack, Device string
			Platform         dsl.Platform
			Result           event.Result
			DurationMS       int64 `json:"duration_ms"`
			Problem          *struct{ Message string }
		} `json:"results"`
	}
	if readJSON(filepath.Join(dir, reporters.RunFile), &file) != nil {
		return false
	}
	if err := format.Check(reporters.RunFile, file.Format, history.RunFormat); err != nil {
		r.Result = event.Error
		r.Problems = append(r.Problems, err.Error())
		return true
	}
	r.Result, r.Started, r.Ended = file.Result, file.Started, file.Ended
	for _, c := range file.Results {
		one := Case{Pack: c.Pack, Test: c.ID, Platform: c.Platform, State: Ended, Result: c.Result, Device: c.Device,
			DurationMS: c.DurationMS}
		if c.Problem != nil {
			one.Problem = c.Problem.Message
		}
		r.Cases = append(r.Cases, one)
	}
	return true
}

// fromPacks creates the record of a run without run.json from its plan and its packs: another process runs it, or was
// killed.
func (r *Record) fromPacks(dir string, alive bool) {
	run, err := history.LoadRun(dir)
	if err != nil {
		r.Problems = append(r.Problems, "its packs cannot be read")
		run = &history.Run{}
	}
	for _, c := range run.Cases {
		r.Cases = append(r.Cases, caseOf(c, alive))
	}
	r.Started = run.Started
	if alive {
		if r.State = Running; !slices.ContainsFunc(r.Cases, func(c Case) bool { return c.State != Queued }) {
			r.State = Queued
		}
		return
	}
	r.Ended, r.Result = run.Ended, event.Interrupted
	if len(r.Cases) > 0 {
		r.Result = overallResult(r.Cases)
	}
	r.Problems = append(r.Problems, "the run was interrupted: it has no "+reporters.RunFile)
}

// caseOf converts a case of the history. Its pack is not complete while the case runs.
func caseOf(c history.RunCase, alive bool) Case {
	res := c.CaseResult
	one := Case{Pack: res.Case.Pack, Test: res.Case.ID, Platform: res.Case.Platform, State: Ended, Result: res.Result,
		Device:     res.Case.Device,
		DurationMS: res.Duration.Milliseconds()}
	switch {
	case alive && res.Result == event.Interrupted && c.Pack == "":
		one.State, one.Result = Queued, ""
	case alive && res.Result == event.Interrupted:
		one.State, one.Result = Running, ""
	case res.Problem != nil:
		one.Problem = res.Problem.Message
	}
	return one
}

func readJSON(path string, to any) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRunFile {
		return errors.New("not a file that can be read")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}
