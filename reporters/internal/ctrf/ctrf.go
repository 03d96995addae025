// Package ctrf turns a run into ctrf.json, a report in the Common Test Report Format.
package ctrf

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// FileName is the name of the report in the folder of a run.
const FileName = "ctrf.json"

const (
	specVersion = "0.0.0"
	maxText     = 4000 // runes of a text that readers display
	maxFailures = 10   // of one test, in its message
)

// The format refuses unknown fields: Taproot's own are under extra.taproot.
type report struct {
	Format      string  `json:"reportFormat"`
	SpecVersion string  `json:"specVersion"`
	ReportID    string  `json:"reportId"`
	RunID       string  `json:"runId"`
	Timestamp   string  `json:"timestamp,omitempty"`
	GeneratedBy string  `json:"generatedBy"`
	Results     results `json:"results"`
	Extra       extra   `json:"extra"`
}

type extra struct {
	Taproot any `json:"taproot"`
}

type results struct {
	Tool        tool         `json:"tool"`
	Summary     summary      `json:"summary"`
	Tests       []test       `json:"tests"`
	Environment *environment `json:"environment,omitempty"`
}

// environment uses the names of the format for the values that it defines.
type environment struct {
	BuildURL   string `json:"buildUrl,omitempty"`
	Commit     string `json:"commit,omitempty"`
	BranchName string `json:"branchName,omitempty"`
	OSPlatform string `json:"osPlatform,omitempty"`
}

type tool struct {
	Name string `json:"name"`
}

type summary struct {
	Tests    int   `json:"tests"`
	Passed   int   `json:"passed"`
	Failed   int   `json:"failed"`
	Skipped  int   `json:"skipped"`
	Pending  int   `json:"pending"`
	Other    int   `json:"other"`
	Flaky    int   `json:"flaky"`
	Start    int64 `json:"start"`
	Stop     int64 `json:"stop"`
	Duration int64 `json:"duration"`
}

type test struct {
	ID          string       `json:"id"`
	TestID      string       `json:"testId"`
	Name        string       `json:"name"`
	Status      string       `json:"status"`
	RawStatus   string       `json:"rawStatus"`
	Duration    int64        `json:"duration"`
	Start       int64        `json:"start,omitempty"`
	Stop        int64        `json:"stop,omitempty"`
	Suite       []string     `json:"suite,omitempty"`
	Message     string       `json:"message,omitempty"`
	Trace       string       `json:"trace,omitempty"`
	Snippet     string       `json:"snippet,omitempty"`
	Line        int          `json:"line,omitempty"`
	FilePath    string       `json:"filePath,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Type        string       `json:"type"`
	Browser     string       `json:"browser,omitempty"`
	Device      string       `json:"device,omitempty"`
	Retries     int          `json:"retries,omitempty"`
	Flaky       bool         `json:"flaky,omitempty"`
	Attempts    []attempt    `json:"retryAttempts,omitempty"`
	Steps       []step       `json:"steps,omitempty"`
	Attachments []attachment `json:"attachments,omitempty"`
	Extra       extra        `json:"extra"`
}

type attempt struct {
	Attempt  int    `json:"attempt"`
	Status   string `json:"status"`
	Duration int64  `json:"duration"`
	Message  string `json:"message,omitempty"`
	Line     int    `json:"line,omitempty"`
	Extra    extra  `json:"extra"`
}

type step struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Extra  extra  `json:"extra"`
}

type attachment struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Path        string `json:"path"` // relative to ctrf.json
}

// caseExtra is extra.taproot of a test.
type caseExtra struct {
	Result   event.Result          `json:"result"`
	Fails    *pack.SummaryFails    `json:"fails,omitempty"` // the mark as a known failure
	Pack     string                `json:"pack,omitempty"`
	Platform string                `json:"platform"`
	Place    string                `json:"place,omitempty"` // of the problem, otherwise of the test
	Hash     string                `json:"hash,omitempty"`
	OS       string                `json:"os,omitempty"`
	App      *event.App            `json:"app,omitempty"`
	Expected string                `json:"expected,omitempty"`
	Actual   string                `json:"actual,omitempty"`
	Nearest  []string              `json:"nearest,omitempty"`
	Problems []pack.SummaryProblem `json:"problems,omitempty"` // all of them, the message's first
	Flaky    string                `json:"flaky,omitempty"`
	Slow     string                `json:"slow,omitempty"`
	Notes    []string              `json:"notes,omitempty"`
}

type stepExtra struct {
	Result     event.Result `json:"result"`
	Place      string       `json:"place,omitempty"`
	DurationMS int64        `json:"duration_ms"`
	Message    string       `json:"message,omitempty"`
}

// Write returns the bytes of ctrf.json. The format has no status for an error or an interrupted test, which are failed,
// nor for a known failure, which is skipped: rawStatus distinguishes them.
func Write(r *history.Run) ([]byte, error) {
	n := r.Count()
	out := report{Format: "CTRF", SpecVersion: specVersion, ReportID: uuid("run", r.Name), RunID: r.Name,
		GeneratedBy: "taproot",
		Extra: extra{struct {
			Result      event.Result         `json:"result"`
			Cases       history.RunCounts    `json:"cases"`
			Environment *history.Environment `json:"environment,omitempty"`
		}{r.Result(), n, r.Env}}}
	out.Results = results{Tool: tool{"taproot"}, Tests: []test{}, Summary: summary{Tests: n.Total, Passed: n.Passed,
		Failed: n.Failed + n.Errored + n.Interrupted, Skipped: n.Skipped + n.Expected,
		Duration: r.Duration.Milliseconds()}}
	if e := r.Env; e != nil {
		out.Results.Environment = &environment{BuildURL: e.Job, Commit: e.Commit, BranchName: e.Branch, OSPlatform: e.OS}
	}
	if !r.Started.IsZero() {
		out.Timestamp = r.Ended.UTC().Format("2006-01-02T15:04:05.000Z07:00")
		out.Results.Summary.Start = r.Started.UnixMilli()
		out.Results.Summary.Stop = out.Results.Summary.Start + out.Results.Summary.Duration
	}
	for i := range r.Cases {
		t := testOf(&r.Cases[i])
		if t.Flaky {
			out.Results.Summary.Flaky++
		}
		out.Results.Tests = append(out.Results.Tests, t)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("write %s: %w", FileName, err)
	}
	return b.Bytes(), nil
}

func testOf(c *history.RunCase) test {
	res := c.CaseResult
	t := test{ID: uuid("case", c.Key), TestID: c.Key, Name: c.FullName(), Status: status(res.Result),
		RawStatus: string(res.Result),
		Duration:  res.Duration.Milliseconds(), Suite: folders(res.Case.Place.File), Line: res.Case.Place.Line,
		FilePath: res.Case.Place.File,
		Tags:     res.Case.Tags, Type: "e2e", Retries: len(c.Attempts)}
	if !res.Started.IsZero() {
		t.Start = res.Started.UnixMilli()
		t.Stop = t.Start + t.Duration // whole milliseconds: two rounded times may be one more apart
	}
	device := strings.TrimSpace(res.Case.Model + " " + res.Case.Device)
	if res.Case.Platform == "web" {
		t.Browser = device
	} else {
		t.Device = device
	}
	e := caseExtra{Result: res.Result, Fails: pack.Summarize(res).Fails,
		Pack: c.Pack, Platform: string(res.Case.Platform), Place: res.ProblemPlace(),
		Hash: res.Case.Hash, OS: res.Case.OS, App: res.App,
		Flaky: c.Flaky(), Slow: c.Slow(), Notes: res.Notes}
	if p := res.Problem; p != nil && res.Result != event.Pass {
		t.Message, t.Trace = located(res), p.Stack
		e.Expected, e.Actual, e.Nearest, e.Problems = p.Expected, p.Actual, p.Candidates, pack.Summarize(res).Problems
		if s := res.Step(res.ProblemStep); s != nil && s.Source != "" {
			t.Snippet = markdown.VisibleLines(markdown.Excerpt(s.Place, s.Source, s.Action), maxText)
		}
	}
	t.Extra = extra{e}
	for i, try := range c.Attempts {
		t.Attempts = append(t.Attempts, attemptOf(i+1, try))
		// The format's flaky means that the test passed after it had failed; Taproot's, over several runs, is in extra.
		t.Flaky = t.Flaky || res.Result == event.Pass && try.CaseResult.Result != event.Pass
	}
	for _, s := range res.Steps {
		t.Steps = append(t.Steps, stepOf(s))
	}
	for _, a := range res.Attachments {
		if a.Kind == event.KindDOM { // the report page shows it
			continue
		}
		t.Attachments = append(t.Attachments, attachment{Name: path.Base(a.Path), ContentType: a.Type,
			Path: path.Join(c.Pack, a.Path)})
	}
	return t
}

func attemptOf(n int, try history.Attempt) attempt {
	a := attempt{Attempt: n, Status: status(try.CaseResult.Result),
		Duration: max(0, try.CaseResult.Duration.Milliseconds()),
		Extra:    extra{map[string]string{"result": string(try.CaseResult.Result), "pack": try.Pack}}}
	if try.CaseResult.Result != event.Pass {
		a.Message, a.Line = located(try.CaseResult), try.CaseResult.ProblemPos().Line
	}
	return a
}

func stepOf(s event.StepResult) step {
	e := stepExtra{Result: s.Result, Place: s.Place.String(), DurationMS: s.Duration.Milliseconds()}
	if s.Problem != nil {
		e.Message = s.Problem.Message
	}
	name := strings.TrimSpace(s.Action + " " + s.Args)
	if s.Name != "" {
		name = s.Name
	}
	return step{Name: name, Status: status(s.Result), Extra: extra{e}}
}

func status(v event.Result) string {
	switch v {
	case event.Pass:
		return "passed"
	case event.Skipped, event.Expected:
		return "skipped"
	case event.Warned:
		return "other"
	case event.Unreached:
		return "pending"
	}
	return "failed"
}

// located returns all that went wrong, a line each.
func located(res *event.CaseResult) string {
	list := res.Failures()
	if len(list) == 0 {
		return "no reason was given"
	}
	var lines []string
	for _, f := range list[:min(len(list), maxFailures)] {
		lines = append(lines, f.Located())
	}
	if more := event.AndMore(len(list) - maxFailures); more != "" {
		lines = append(lines, more)
	}
	return markdown.VisibleLines(strings.Join(lines, "\n"), maxText)
}

// folders are those above a file.
func folders(file string) []string {
	dir := strings.Trim(path.Dir(strings.ReplaceAll(file, `\`, "/")), "/.")
	if dir == "" {
		return nil
	}
	return strings.Split(dir, "/")
}

// uuid is the same for the same name, in every run and on every machine (RFC 9562, version 8).
func uuid(kind, name string) string {
	h := sha256.Sum256([]byte("taproot " + kind + " " + name))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
