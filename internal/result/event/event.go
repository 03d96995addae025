// Package event defines the events of a case and the Result that they add up to. A running case sends its events to a
// Sink; Fold turns them into a Result, from which every report is made. Secrets are removed here, before anything is
// written.
package event

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
)

// Result is how a case or a step ended.
type Result string

// The results. Unreached and Warned are for steps only. Unreached: the case ended before the step.
const (
	Pass        Result = "pass"
	Fail        Result = "fail"  // the app is wrong
	Error       Result = "error" // the device, the browser or the report is
	Skipped     Result = "skipped"
	Expected    Result = "expected" // of a case that is marked as a known failure: it failed
	Interrupted Result = "interrupted"
	Unreached   Result = "unreached"
	Warned      Result = "warned" // of a step: it failed, and the test allows that
)

// Good reports whether a run can succeed with a case that ended so: it passed, was skipped, or failed as expected.
func (v Result) Good() bool { return v == Pass || v == Skipped || v == Expected }

// Kind says what an Event reports.
type Kind string

// The kinds of events, in the order in which a case sends them.
const (
	CaseStarted Kind = "case_started" // Case is set
	StepStarted Kind = "step_started" // Step is set
	Attached    Kind = "attached"     // Attachment is set; Step when it belongs to one
	// Logged: Message is set, with something that a reader should know; Detail.Proof when it is the result of a tap
	Logged     Kind = "logged"
	StepEnded  Kind = "step_ended" // Step, Result, DurationMS; Problem unless it passed
	Surrounded Kind = "surrounded" // Step and Around: what else went wrong while a step ran that did not pass
	Identified Kind = "identified" // App, ScreenRead: what was tested, as the device reports it at the end
	CaseEnded  Kind = "case_ended" // Result, DurationMS; Problem unless it passed
	Recorded   Kind = "recorded"   // Recording; from the pack itself, after CaseEnded
	// Unkept: Problem is set; a file of the pack could not be written, so the result is at best an error
	Unkept Kind = "unkept"
)

// Event is one line of events.ndjson.
type Event struct {
	Format string    `json:"format,omitempty"` // of the file; the first event has it
	Time   time.Time `json:"time"`             // UTC
	Kind   Kind      `json:"event"`
	Pack   string    `json:"pack,omitempty"` // folder of the case, in a line for a reporter (--reporter)
	Case   *Case     `json:"case,omitempty"`
	Step   int       `json:"step,omitempty"` // from 1; 0: the event belongs to the whole case
	// of StepStarted: what Case.Steps lacks, because it was not known before
	Info       *Step       `json:"info,omitempty"`
	Result     Result      `json:"result,omitempty"`
	DurationMS int64       `json:"duration_ms,omitempty"`
	Problem    *Problem    `json:"problem,omitempty"`
	Detail     *Detail     `json:"detail,omitempty"` // of a step that acted
	Attachment *Attachment `json:"attachment,omitempty"`
	Recording  *Recording  `json:"recording,omitempty"`
	App        *App        `json:"app,omitempty"`
	// of Identified: a sentence that names what reads the screen of the device, and why no better method is used
	ScreenRead string     `json:"screen_read,omitempty"`
	Around     []Incident `json:"around,omitempty"`
	Message    string     `json:"message,omitempty"`
	// of Logged: something to fix on the device, which the terminal prints, too
	Warning bool `json:"warning,omitempty"`
	// of a test with several devices: the one, by its name in the test, that the event is about, unless it is the first
	// one or the step says it
	Device string `json:"device,omitempty"`
}

// Property is a name and a value that junit.xml says of a test.
type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Case is what is known of a case before its first step.
type Case struct {
	ID          string     `json:"id"`   // of the test
	Pack        string     `json:"pack"` // folder of the pack: the id, or id--android
	Name        string     `json:"name,omitempty"`
	Description string     `json:"description,omitempty"`
	Owner       string     `json:"owner,omitempty"`
	Links       []string   `json:"links,omitempty"`
	Properties  []Property `json:"properties,omitempty"` // for junit.xml
	Platform    Platform   `json:"platform"`
	Browser     string     `json:"browser,omitempty"` // as the case names it, for a test of pages
	Solver      string     `json:"solver"`            // "dsl"
	Needed      bool       `json:"needed,omitempty"`  // others need it: each shard with one of them runs it
	Fails       *Fails     `json:"fails,omitempty"`   // the test is known to fail; nil: it is not, or no more
	Tags        []string   `json:"tags,omitempty"`
	Place       source.Pos `json:"place"`
	// SHA-256 of the test's YAML source, in hex: the same hash is the same test
	Hash   string `json:"hash,omitempty"`
	Device string `json:"device,omitempty"`
	Model  string `json:"model,omitempty"`
	OS     string `json:"os,omitempty"` // of the device, with its version: "android 14"
	// URL of the page where a cloud shows the session of the device
	Session string `json:"session,omitempty"`
	// of a test with several devices: all of them; Device is the first one
	Devices []CaseDevice `json:"devices,omitempty"`
	Steps   []Step       `json:"steps"`
}

// CaseDevice is one of several devices of a case.
type CaseDevice struct {
	Name     string   `json:"name"` // in the test
	Platform Platform `json:"platform"`
	Browser  string   `json:"browser,omitempty"`
	ID       string   `json:"id,omitempty"`
	Model    string   `json:"model,omitempty"`
	OS       string   `json:"os,omitempty"`
}

// DeviceFile is the name of a file of the pack for one of several devices: the first one has the name itself, bob has
// recording-bob.mp4.
func (c Case) DeviceFile(name, device string) string {
	if device == "" || len(c.Devices) == 0 || c.Devices[0].Name == device {
		return name
	}
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + device + ext
}

// NamedDevice returns one of several devices of the case; nil: it has none of this name.
func (c Case) NamedDevice(name string) *CaseDevice {
	i := slices.IndexFunc(c.Devices, func(d CaseDevice) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Devices[i]
}

// Fails marks a test that is known to fail.
type Fails struct {
	Because string     `json:"because"`
	Until   string     `json:"until,omitempty"` // the last day of the mark, as 2027-01-31; empty: it has none
	Place   source.Pos `json:"place"`
}

// String describes the mark in a line: "SHOP-123, until 2027-01-31".
func (f Fails) String() string {
	if f.Until == "" {
		return f.Because
	}
	return f.Because + ", until " + f.Until
}

// Judge returns the result of a case with the mark, and its reason: a failure is expected, and a pass is a failure. Any
// other result stays.
func (f *Fails) Judge(v Result, p *Problem) (Result, *Problem) {
	switch {
	case f == nil:
	case v == Fail:
		known := Problem{Message: "no reason was given"}
		if p != nil {
			known = *p
		}
		known.Message = "known failure (" + f.String() + "): " + known.Message
		return Expected, &known
	case v == Pass:
		return Fail, &Problem{Kind: UnexpectedPass, Message: "the test passes, but it is marked as failing (" + f.String() +
			"): remove the mark at " + f.Place.String()}
	}
	return v, p
}

// App is the tested app, as far as it is known.
type App struct {
	ID      string `json:"id,omitempty"`    // package, bundle or the origin of the page
	Title   string `json:"title,omitempty"` // of the page
	Version string `json:"version,omitempty"`
}

// String names it in a line: "com.example.shop 1.4.2".
func (a *App) String() string {
	if a == nil {
		return ""
	}
	return strings.Join(strings.Fields(a.Title+" "+a.ID+" "+a.Version), " ")
}

// Step is one leaf step of a case as it is written in the YAML file.
type Step struct {
	N      int        `json:"n"` // from 1; 0 in Case.Steps when only the run decides which steps come in which order
	Action string     `json:"action"`
	Name   string     `json:"name,omitempty"`
	Args   string     `json:"args"` // one line of YAML flow style, variables filled in
	Place  source.Pos `json:"place"`
	Source string     `json:"source,omitempty"` // the line of the file
	In     string     `json:"in,omitempty"`     // what it was run in: "forEach 2/3 › group Cart"
	Device string     `json:"device,omitempty"` // of several, by its name in the test
}

// Problem is why a step or a case did not pass.
type Problem struct {
	Message    string   `json:"message"` // one sentence: what was expected, what was found
	Expected   string   `json:"expected,omitempty"`
	Actual     string   `json:"actual,omitempty"`
	Candidates []string `json:"candidates,omitempty"` // the nearest elements, best first
	Rejected   []string `json:"rejected,omitempty"`   // why each of Candidates was not picked, where that is known
	Assertion  bool     `json:"assertion,omitempty"`  // an assertion failed
	Stack      string   `json:"stack,omitempty"`      // of a panic, or the system's report of the app's crash
	Kind       string   `json:"kind,omitempty"`       // machine-readable: element_not_found, ambiguous_element, …
}

// The kinds of problems that callers distinguish.
const (
	NotFound      = "element_not_found"
	Ambiguous     = "ambiguous_element"
	NotActionable = "element_not_actionable"
	NoApp         = "app_not_found"
	AppCrashed    = "app_crashed"
	DeviceLost    = "device_lost" // or the browser
	Unsupported   = "unsupported"
	Refused       = "forbidden"
	NoPage        = "no_page"       // the step needs an open page
	OutOfTime     = "out_of_time"   // the run had reached its limit before the case
	NeedsNotMet   = "needs_not_met" // a test that it needs did not pass
	// UnexpectedPass: the test passed, although it is marked as a known failure.
	UnexpectedPass = "unexpected_pass"
	BadFile        = "invalid_file" // a file that the step names is missing, not allowed, or of the wrong type
)

// Detail is the proof of an action: what was matched, how, and where it was touched.
type Detail struct {
	Matched string  `json:"matched,omitempty"` // description of the element
	Tier    string  `json:"tier,omitempty"`
	Bounds  *[4]int `json:"bounds,omitempty"` // left, top, right, bottom, pixels
	Point   *[2]int `json:"point,omitempty"`  // where it was touched
	// of a tap: one of the Proof constants; ": " and the element at the touched point follow where it is known
	Proof       string   `json:"proof,omitempty"`
	ScreenReads int      `json:"screen_reads,omitempty"` // how often the screen was read
	Notes       []string `json:"notes,omitempty"`        // worth knowing about the step
	Warnings    []string `json:"warnings,omitempty"`     // warnings: what a pass does not verify
	// the text was typed into a password field: a recorder of the step leaves it out
	Secret bool `json:"-"`

	Troubles []string `json:"troubles,omitempty"` // of the page during the step: console errors, failed requests

	Model    *ModelUse `json:"model,omitempty"`    // what the requests to an AI model cost
	Compared *Compared `json:"compared,omitempty"` // how the screen differs from its baseline
}

// ProofKind is Proof without the element that was hit: one of the Proof constants, or "".
func (d *Detail) ProofKind() string {
	if d == nil {
		return ""
	}
	kind, _, _ := strings.Cut(d.Proof, ":")
	return kind
}

// ModelUse counts a step's requests to an AI model.
type ModelUse struct {
	Name             string `json:"name"`
	Calls            int    `json:"calls"`
	Replayed         int    `json:"replayed"` // responses reused from an earlier run: they cost nothing
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
}

// Compared is the evidence of a comparison of images. The paths are those of artifacts, empty when there is none.
type Compared struct {
	Name       string  `json:"name"`
	Expected   string  `json:"expected,omitempty"`
	Actual     string  `json:"actual,omitempty"`
	Difference string  `json:"difference,omitempty"`
	Pixels     int     `json:"pixels"`
	Percent    float64 `json:"percent"`
}

// The results of a tap on an element.
const (
	ProofHit      = "hit"       // it was stationary and not covered; where screenshots were compared, the screen changed
	ProofOccluded = "occluded"  // another element covered it: it was not tapped
	ProofMoved    = "moved"     // it was moving: it was not tapped
	ProofNoEffect = "no-effect" // it was hit, and nothing on the screen changed
)

// Attachment is a file of the pack.
type Attachment struct {
	Path string `json:"path"` // in the pack, with slashes
	Type string `json:"type"` // media type
	Kind string `json:"kind"` // screenshot, failure, moment, recording, log, artifact, dom
	// of a test with several devices: the one that the file is of, when it is not that of its step
	Device string `json:"device,omitempty"`

	At time.Time `json:"-"` // of its event; set by Fold
}

// The kinds of attachments.
const (
	KindScreenshot = "screenshot" // after a step
	KindFailure    = "failure"    // a screenshot taken because an assertion failed
	KindMoment     = "moment"     // a screenshot of another device of the test, taken because a step failed
	KindRecording  = "recording"
	KindLog        = "log"
	KindArtifact   = "artifact"
	KindDOM        = "dom" // the elements of the page after a step, as gzipped JSON; steps that changed nothing share one
)

// Recording describes how recording.mp4 was made.
type Recording struct {
	Kind string `json:"kind"`          // native, slideshow, none
	Why  string `json:"why,omitempty"` // why it is not native
}

// The kinds of recordings.
const (
	NativeRecording = "native"    // recorded by the device or the browser
	SlideShow       = "slideshow" // of the step screenshots, each shown until the next one
	NoRecording     = "none"
)
