package history

import (
	_ "embed"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// RunFormat names the format of run.json, which run.schema.json describes. It changes with every incompatible change.
const RunFormat = format.Run

// RunSchema is the JSON Schema of run.json.
//
//go:embed run.schema.json
var RunSchema string

// runJSON is run.json.
type runJSON struct {
	Format      string        `json:"format"`
	Run         string        `json:"run"`
	Result      event.Result  `json:"result"`
	ExitCode    int           `json:"exit_code"`
	Started     string        `json:"started,omitempty"`
	Ended       string        `json:"ended,omitempty"`
	DurationMS  int64         `json:"duration_ms"`
	Choice      *Choice       `json:"choice,omitempty"`
	Environment *Environment  `json:"environment,omitempty"`
	Cases       RunCounts     `json:"cases"`
	Results     []caseJSON    `json:"results"`
	Warnings    []warningJSON `json:"warnings"`
	Notes       []string      `json:"notes,omitempty"`
}

type caseJSON struct {
	ID         string                `json:"id"`
	Title      string                `json:"title"`
	Name       string                `json:"name,omitempty"`
	Pack       string                `json:"pack,omitempty"`
	Page       string                `json:"page,omitempty"`
	Platform   string                `json:"platform"`
	Device     string                `json:"device,omitempty"`
	Model      string                `json:"model,omitempty"`
	Session    string                `json:"session,omitempty"`
	OS         string                `json:"os,omitempty"`
	App        *event.App            `json:"app,omitempty"`
	Tags       []string              `json:"tags,omitempty"`
	Place      string                `json:"place,omitempty"`
	Hash       string                `json:"hash,omitempty"`
	Result     event.Result          `json:"result"`
	Fails      *pack.SummaryFails    `json:"fails,omitempty"`
	Started    string                `json:"started,omitempty"`
	DurationMS int64                 `json:"duration_ms"`
	Steps      stepsJSON             `json:"steps"`
	Problem    *pack.SummaryProblem  `json:"problem,omitempty"`
	Problems   []pack.SummaryProblem `json:"problems,omitempty"`
	Broken     string                `json:"broken,omitempty"`
	Attempts   []attemptJSON         `json:"attempts,omitempty"`
	Flaky      string                `json:"flaky,omitempty"`
	Slow       string                `json:"slow,omitempty"`
	History    *historyJSON          `json:"history,omitempty"`
}

type stepsJSON struct {
	Total       int `json:"total"`
	Passed      int `json:"passed"`
	Failed      int `json:"failed"`
	Errored     int `json:"errored"`
	Skipped     int `json:"skipped"`
	Interrupted int `json:"interrupted"`
	Unreached   int `json:"unreached"`
}

type attemptJSON struct {
	Pack       string       `json:"pack"`
	Result     event.Result `json:"result"`
	DurationMS int64        `json:"duration_ms"`
	Message    string       `json:"message,omitempty"`
}

type historyJSON struct {
	Results  []event.Result `json:"results"`
	MedianMS int64          `json:"median_ms,omitempty"`
	P95MS    int64          `json:"p95_ms,omitempty"`
	Flips    int            `json:"flips"`
}

type warningJSON struct {
	Case  string `json:"case"`
	Step  int    `json:"step,omitempty"`
	What  string `json:"what"`
	Place string `json:"place,omitempty"`
	Text  string `json:"text,omitempty"`
}

// RunJSON returns the bytes of run.json.
func RunJSON(r *Run) []byte {
	out := runJSON{Format: RunFormat, Run: r.Name, Result: r.Result(), ExitCode: r.ExitCode(),
		Started: pack.RFC3339(r.Started),
		Ended:   pack.RFC3339(r.Ended), DurationMS: r.Duration.Milliseconds(), Cases: r.Count(), Results: []caseJSON{},
		Warnings: []warningJSON{}, Notes: r.Notes, Environment: r.Env}
	if !r.Choice.Empty() {
		out.Choice = &r.Choice
	}
	for i := range r.Cases {
		out.Results = append(out.Results, caseOf(&r.Cases[i]))
	}
	for _, u := range r.Warnings() {
		out.Warnings = append(out.Warnings, warningJSON{Case: u.Case.Title(), Step: u.Step, What: u.What,
			Place: u.Place, Text: u.Text})
	}
	data, err := pack.MarshalIndent(out)
	if err != nil {
		return nil // cannot happen: every field can be encoded
	}
	return data
}

func caseOf(c *RunCase) caseJSON {
	res := c.CaseResult
	n := res.Count()
	out := caseJSON{ID: res.Case.ID, Title: c.Title(), Name: res.Case.Name, Pack: c.Pack, Page: c.Page,
		Platform: string(res.Case.Platform),
		Device:   res.Case.Device, Model: res.Case.Model, OS: res.Case.OS, App: res.App, Tags: res.Case.Tags,
		Session: res.Case.Session,
		Place:   res.Case.Place.String(), Hash: res.Case.Hash,
		Result: res.Result, Started: pack.RFC3339(res.Started), DurationMS: res.Duration.Milliseconds(),
		Steps:  stepsJSON{n.Total, n.Passed, n.Failed, n.Errored, n.Skipped, n.Interrupted, n.Unreached},
		Broken: c.Broken, Flaky: c.Flaky(), Slow: c.Slow()}
	sum := pack.Summarize(res)
	out.Problem, out.Problems, out.Fails = sum.Problem, sum.Problems, sum.Fails
	for _, t := range c.Attempts {
		out.Attempts = append(out.Attempts, attemptJSON{Pack: t.Pack, Result: t.CaseResult.Result,
			DurationMS: t.CaseResult.Duration.Milliseconds(),
			Message:    attemptMessage(t)})
	}
	if len(c.Trend.Recent) > 0 {
		h := historyJSON{MedianMS: ms(c.Trend.Median), P95MS: ms(c.Trend.P95), Flips: c.Trend.Flips}
		for _, e := range c.Trend.Recent {
			h.Results = append(h.Results, e.Result)
		}
		out.History = &h
	}
	return out
}

func attemptMessage(t Attempt) string {
	if t.CaseResult.Result == event.Pass {
		return ""
	}
	return problemText(t.CaseResult.Problem)
}

func ms(d time.Duration) int64 { return d.Milliseconds() }
