package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/client"
)

// runState is the result of run_test and get_report.
type runState struct {
	Run    string      `json:"run"`
	State  string      `json:"state"`            // running or done
	Result string      `json:"result,omitempty"` // the worst of all tests, when done
	Dir    string      `json:"dir,omitempty"`
	Steps  string      `json:"steps,omitempty"` // how many ended, while running
	Last   string      `json:"last,omitempty"`
	Tests  []testState `json:"tests,omitempty"`
	Weak   string      `json:"weak,omitempty"` // how many assertions cannot fail, and the lines of some
	Next   string      `json:"next,omitempty"` // what to call
}

// testState is one case of a run.
type testState struct {
	ID      string   `json:"id"`
	Device  string   `json:"device,omitempty"`
	Result  string   `json:"result"`
	Ms      int64    `json:"duration_ms"`
	Steps   int      `json:"steps"`
	Passed  int      `json:"steps_passed"`
	Failed  int      `json:"steps_failed"`
	Place   string   `json:"place,omitempty"` // where the test did not pass
	Message string   `json:"message,omitempty"`
	Near    []string `json:"nearest,omitempty"`
	Repair  string   `json:"repair,omitempty"` // the line to write where the test did not find its element
	Report  string   `json:"report,omitempty"`
}

// getReportArgs are those of the tool get_report.
type getReportArgs struct {
	Run    string `json:"run,omitempty" minLength:"1" doc:"A run's id. Default: the newest run."`
	Test   string `json:"test,omitempty" minLength:"1" doc:"Only this test of the run."`
	As     string `json:"as,omitempty" enum:"summary,markdown,yaml" default:"summary" doc:"yaml: what this session did, as a test; no run is needed."`
	WaitMs int    `json:"wait_ms,omitempty" minimum:"0" maximum:"600000" default:"45000" doc:"How long to wait for a run that is under way."`
	Stop   bool   `json:"stop,omitempty" doc:"Ends the run first."`
}

func getReport(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	a := c.args.(getReportArgs)
	if a.As == "yaml" {
		return c.sessionTest(a)
	}
	run := c.server.runs.find(a.Run)
	if run == nil && a.Run == "" {
		run = c.newest()
	}
	if run == nil && a.Stop {
		return nil, &client.Refusal{What: "this session started no such run, so it cannot stop it",
			Try: "get_report without stop"}
	}
	if run == nil {
		return c.stored(a)
	}
	if a.Stop {
		run.cancel(errors.New("the client stopped the run"))
	}
	if err := c.await(ctx, run, time.Duration(a.WaitMs)*time.Millisecond); err != nil {
		return nil, err
	}
	state, err := run.summary()
	if err != nil {
		return nil, err
	}
	if a.As == "markdown" && state.State == "done" {
		return c.markdown(run.dir, a.Test)
	}
	if state.State == "done" {
		state.found(run.dir)
	}
	if err := state.only(a.Test); err != nil {
		return nil, err
	}
	return structured(state)
}

// maxWeakLines is how many weak assertions a report names.
const maxWeakLines = 3

// found adds what the run has found in its reports: weak assertions and repairs, in a few bytes.
func (s *runState) found(dir string) {
	weak, repairs := history.Findings(dir)
	for _, r := range repairs {
		for i := range s.Tests {
			if s.Tests[i].ID == r.Evidence.Pack {
				s.Tests[i].Repair = fmt.Sprintf("%s:%d: %s (score %d)", r.File, r.Line, r.New, r.Score)
				if r.Applied != "" {
					s.Tests[i].Repair += ", applied"
				}
			}
		}
	}
	if weak == nil || weak.Weak == 0 {
		return
	}
	s.Weak = fmt.Sprintf("%d of %d assertions cannot fail", weak.Weak, weak.Assertions)
	for i, f := range weak.Findings {
		if i == maxWeakLines {
			s.Weak += ", …"
			break
		}
		s.Weak += fmt.Sprintf(", %s:%d", f.File, f.Line)
	}
}

// sessionTest returns the actions of the session as a test.
func (c *call) sessionTest(a getReportArgs) (*mcp.CallToolResult, error) {
	if a.Run != "" || a.Test != "" || a.Stop {
		return nil, &client.Refusal{What: "as: yaml is about this session, not about a run",
			Try: `get_report {as: "yaml"} alone`}
	}
	yaml, err := c.Journal.YAML("", time.Now())
	if err != nil {
		return nil, err
	}
	return text(yaml), nil
}

// newest returns the newest run that the session started, or nil.
func (c *call) newest() *testRun {
	c.server.runs.mu.Lock()
	defer c.server.runs.mu.Unlock()
	var last *testRun
	for _, r := range c.server.runs.byID {
		if last == nil || r.id > last.id {
			last = r
		}
	}
	return last
}

// stored reads a run of another process from the folder of reports.
func (c *call) stored(a getReportArgs) (*mcp.CallToolResult, error) {
	if a.Run != "" && a.Run != "latest" && !pack.IsRunName(a.Run) {
		return nil, &client.Refusal{What: fmt.Sprintf("%q is not the id of a run", phrase.LimitRunes(a.Run, 80)),
			Try: "run_test returns one; without run it is the newest"}
	}
	dir, err := history.FindRun(c.server.conf.Runner.Reports, a.Run)
	if err != nil {
		return nil, &client.Refusal{What: err.Error(),
			Try: "run_test runs a test; get_report {as: yaml} returns this session as a test"}
	}
	if a.As == "markdown" {
		return c.markdown(dir, a.Test)
	}
	run, err := history.LoadRun(dir)
	if err != nil {
		return nil, err
	}
	state := runState{Run: run.Name, State: "done", Dir: run.Dir}
	worst := event.Pass
	for _, one := range run.Cases {
		state.Tests = append(state.Tests, stateOf(one.CaseResult, filepath.Join(run.Dir, one.Pack)))
		worst = worse(worst, one.CaseResult.Result)
	}
	if len(run.Cases) == 0 {
		return nil, &client.Refusal{What: "the run " + run.Name + " has no report yet", Try: "call again when it has ended"}
	}
	state.Result = string(worst)
	state.found(run.Dir)
	if err := state.only(a.Test); err != nil {
		return nil, err
	}
	return structured(state)
}

// markdown returns run.md of one test, or of all tests of a run.
func (c *call) markdown(dir, test string) (*mcp.CallToolResult, error) {
	run, err := history.LoadRun(dir)
	if err != nil {
		return nil, err
	}
	var pages, ids []string
	for _, one := range run.Cases {
		ids = append(ids, one.Key)
		if test == "" || test == one.Key || test == one.Pack || test == one.CaseResult.Case.ID {
			pages = append(pages, string(markdown.RunMarkdown(one.CaseResult)))
		}
	}
	if len(pages) == 0 {
		return nil, noSuchTest(run.Name, test, ids)
	}
	all := strings.Join(pages, "\n")
	if r := []rune(all); len(r) > client.MaxText {
		all = string(r[:client.MaxText-100]) + "\n… cut: name one test, or read run.md in " + run.Dir + "\n"
	}
	return text(all), nil
}

// summary returns the state of a run.
func (r *testRun) summary() (runState, error) {
	state := runState{Run: r.id, Dir: r.dir}
	select {
	case <-r.done:
	default:
		ended, steps, last, _ := r.state()
		state.State, state.Last, state.Steps = "running", last, fmt.Sprintf("%d of %d", ended, max(steps, ended))
		state.Next = fmt.Sprintf("get_report {run: %q} waits for the result; {stop: true} ends it", r.id)
		return state, nil
	}
	r.mu.Lock()
	outcomes, problem := r.outcomes, r.problem
	r.mu.Unlock()
	state.State = "done"
	worst := event.Pass
	for _, o := range outcomes {
		t := testState{ID: o.Case.Pack, Result: string(o.Result())}
		if o.CaseResult != nil {
			t = stateOf(o.CaseResult, o.Dir)
			t.Result = string(o.Result())
		}
		if o.Err != nil {
			t.Message = strings.TrimSpace(t.Message + " " + o.Err.Error())
		}
		worst = worse(worst, o.Result())
		state.Tests = append(state.Tests, t)
	}
	state.Result = string(worst)
	if worst != event.Pass {
		problem = nil // the tests' own results are worse
	}
	return state, problem
}

// only reduces the summary of a finished run to one test.
func (s *runState) only(test string) error {
	if test == "" || s.State != "done" {
		return nil
	}
	var ids []string
	for _, t := range s.Tests {
		ids = append(ids, t.ID)
	}
	s.Tests = slices.DeleteFunc(s.Tests, func(t testState) bool {
		return t.ID != test &&
			!strings.HasPrefix(t.ID, test+"--")
	})
	if len(s.Tests) == 0 {
		return noSuchTest(s.Run, test, ids)
	}
	return nil
}

func noSuchTest(run, test string, ids []string) error {
	return &client.Refusal{What: fmt.Sprintf("the run %s has no test %q", run, phrase.LimitRunes(test, 80)),
		Try: "its tests are " + strings.Join(ids, ", ")}
}

// stateOf summarizes a case.
func stateOf(r *event.CaseResult, dir string) testState {
	s := pack.Summarize(r)
	t := testState{ID: r.Case.Pack, Device: s.Device, Result: string(s.Result), Ms: s.DurationMS, Steps: s.Steps,
		Passed: s.StepsPassed, Failed: s.StepsFailed, Report: dir}
	if t.ID == "" {
		t.ID = s.ID
	}
	if p := s.Problem; p != nil {
		t.Place, t.Message, t.Near = p.Place, p.Message, p.Candidates
	}
	return t
}

// worse returns the result that decides: a fail weighs more than an error, as in exit codes.
func worse(a, b event.Result) event.Result {
	order := []event.Result{event.Expected, event.Pass, event.Skipped, event.Error, event.Fail, event.Interrupted}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
