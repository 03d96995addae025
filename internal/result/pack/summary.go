package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
)

// Summary is summary.json: the eight fields of the specification, then Taproot's own.
type Summary struct {
	ID          string       `json:"id"`
	Result      event.Result `json:"result"`
	DurationMS  int64        `json:"duration_ms"`
	Steps       int          `json:"steps"` // leaf steps, executed and unreached
	StepsPassed int          `json:"steps_passed"`
	StepsFailed int          `json:"steps_failed"` // failed and errored
	Screenshots int          `json:"screenshots"`
	Artifacts   []string     `json:"artifacts"` // names in artifacts/, sorted

	Format           string           `json:"format"`
	Name             string           `json:"name,omitempty"`
	Platform         string           `json:"platform"`
	Device           string           `json:"device,omitempty"`
	Model            string           `json:"model,omitempty"`
	Session          string           `json:"session,omitempty"` // URL of the page where a cloud shows it
	Tags             []string         `json:"tags,omitempty"`
	Fails            *SummaryFails    `json:"fails,omitempty"`
	Place            string           `json:"place,omitempty"` // of the test: file:line:col
	Started          string           `json:"started,omitempty"`
	Ended            string           `json:"ended,omitempty"`
	StepsSkipped     int              `json:"steps_skipped"`
	StepsInterrupted int              `json:"steps_interrupted"`
	StepsUnreached   int              `json:"steps_unreached"`
	StepsWarned      int              `json:"steps_warned,omitempty"`
	Problem          *SummaryProblem  `json:"problem,omitempty"`
	Problems         []SummaryProblem `json:"problems,omitempty"` // all of them, Problem first
	Recording        event.Recording  `json:"recording"`
	Notes            []string         `json:"notes,omitempty"`
	ScreenRead       string           `json:"screen_read,omitempty"` // what read the screen of the device

	Devices []SummaryDevice `json:"devices,omitempty"` // of a test with several; Device is the first one's id
}

// SummaryDevice is one of several devices of a case.
type SummaryDevice struct {
	Name      string `json:"name"` // in the test
	Platform  string `json:"platform"`
	ID        string `json:"id,omitempty"`
	Model     string `json:"model,omitempty"`
	Recording string `json:"recording,omitempty"` // path in the pack
}

func summaryDevices(r *event.CaseResult) []SummaryDevice {
	var list []SummaryDevice
	for _, d := range r.Case.Devices {
		s := SummaryDevice{Name: d.Name, Platform: string(d.Platform), ID: d.ID, Model: d.Model}
		name := r.Case.DeviceFile(event.RecordingFile, d.Name)
		if slices.ContainsFunc(r.Attachments, func(a event.Attachment) bool { return a.Path == name }) {
			s.Recording = name
		}
		list = append(list, s)
	}
	return list
}

// SummaryFails is the mark of a test as a known failure.
type SummaryFails struct {
	Because string `json:"because"`
	Until   string `json:"until,omitempty"` // the last day, as 2027-01-31
	Place   string `json:"place,omitempty"` // file:line:col
}

// SummaryProblem is why a case did not pass.
type SummaryProblem struct {
	Step       int              `json:"step,omitempty"`  // from 1; 0: not of a step
	Place      string           `json:"place,omitempty"` // file:line:col
	Message    string           `json:"message"`
	Expected   string           `json:"expected,omitempty"`
	Actual     string           `json:"actual,omitempty"`
	Candidates []string         `json:"candidates,omitempty"`
	Screenshot string           `json:"screenshot,omitempty"` // path in the pack
	Around     []event.Incident `json:"around,omitempty"`     // what else went wrong while the step ran
}

// Summarize returns the content of summary.json.
func Summarize(r *event.CaseResult) Summary {
	n := r.Count()
	s := Summary{
		Format: format.Summary,
		ID:     r.Case.ID, Result: r.Result, DurationMS: r.Duration.Milliseconds(), Steps: n.Total, StepsPassed: n.Passed,
		StepsFailed: n.Failed + n.Errored, Screenshots: len(r.Screenshots()), Artifacts: r.Artifacts(),
		Name: r.Case.Name, Platform: string(r.Case.Platform), Device: r.Case.Device, Model: r.Case.Model, Tags: r.Case.Tags,
		Session: r.Case.Session,
		Place:   r.Case.Place.String(), Started: RFC3339(r.Started), Ended: RFC3339(r.Ended),
		StepsSkipped: n.Skipped, StepsInterrupted: n.Interrupted, StepsUnreached: n.Unreached, StepsWarned: n.Warned,
		Recording: r.Recording, Notes: r.Notes, ScreenRead: r.ScreenRead,
	}
	s.Devices = summaryDevices(r)
	if f := r.Case.Fails; f != nil {
		s.Fails = &SummaryFails{Because: f.Because, Until: f.Until, Place: f.Place.String()}
	}
	if s.Artifacts == nil {
		s.Artifacts = []string{}
	}
	slices.Sort(s.Artifacts)
	if r.Problem != nil {
		s.Problems = summaryProblems(r)
	}
	if len(s.Problems) > 0 {
		s.Problem = &s.Problems[0]
	}
	return s
}

func summaryProblems(r *event.CaseResult) []SummaryProblem {
	var list []SummaryProblem
	for _, f := range r.Failures() {
		p := f.Problem
		s := SummaryProblem{Place: f.Place.String(), Message: p.Message, Expected: p.Expected, Actual: p.Actual,
			Candidates: p.Candidates,
			Screenshot: f.Screenshot}
		if f.Step != nil {
			s.Step, s.Around = f.Step.N, f.Step.Around
		}
		list = append(list, s)
	}
	return list
}

// SummaryJSON returns the bytes of summary.json.
func SummaryJSON(r *event.CaseResult) []byte {
	data, err := MarshalIndent(Summarize(r))
	if err != nil {
		return nil // cannot happen: every field can be encoded
	}
	return data
}

func MarshalIndent(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

func RFC3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

const maxSummary = 4 << 20

func ReadSummaryFile(root *os.Root) (Summary, error) {
	var s Summary
	data, err := filetree.ReadCapped(root, event.SummaryFile, maxSummary)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s cannot be read: %w", event.SummaryFile, err)
	}
	return s, format.Check(event.SummaryFile, s.Format, format.Summary)
}
