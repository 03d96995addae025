package html

import (
	"github.com/taproot-dev/taproot/internal/result/event"
)

// The data of a page, as its script reads it. Every text in it is the result of shown.
type packData struct {
	Page        string         `json:"page"`
	ID          string         `json:"id"`
	Pack        string         `json:"pack"`
	Attempt     int            `json:"attempt,omitempty"` // of several, from 1
	Name        string         `json:"name,omitempty"`
	Result      event.Result   `json:"result"`
	Platform    string         `json:"platform,omitempty"`
	Device      string         `json:"device,omitempty"`
	Model       string         `json:"model,omitempty"`
	Tags        []string       `json:"tags,omitempty"`
	Run         string         `json:"run,omitempty"`
	Up          string         `json:"up,omitempty"`
	Started     string         `json:"started,omitempty"`
	Took        string         `json:"took"`
	Place       string         `json:"place,omitempty"`
	Problem     *problemData   `json:"problem,omitempty"`
	Headline    string         `json:"headline,omitempty"`
	At          int            `json:"at,omitempty"`       // the step of the problem
	Failures    []failureData  `json:"failures,omitempty"` // all that went wrong, when it is more than one thing
	Around      *incidentData  `json:"around,omitempty"`   // the likely cause around the problem's step
	Cause       *CauseLink     `json:"cause,omitempty"`
	Flaky       string         `json:"flaky,omitempty"`
	Slow        string         `json:"slow,omitempty"`
	Steps       []*stepData    `json:"steps"`
	Warnings    []warningData  `json:"warnings,omitempty"`
	Recording   *recordingData `json:"recording,omitempty"`
	NoRecording string         `json:"noRecording,omitempty"`
	Log         *logData       `json:"log,omitempty"`
	Devices     []deviceData   `json:"devices,omitempty"` // of a test with several
	CostOf      string         `json:"costOf,omitempty"`  // the app that Cost is of
	OS          string         `json:"os,omitempty"`
	Environment []factData     `json:"environment,omitempty"`
	Story       *storyData     `json:"story,omitempty"`
	Past        []pastRow      `json:"past,omitempty"` // earlier runs and this one, oldest first
	Net         *netData       `json:"net,omitempty"`
	Elements    *elementsData  `json:"elements,omitempty"`
	DOM         []string       `json:"dom,omitempty"` // elements of pages: gzipped JSON of domPage, in base64
	// elements that other steps saw: gzipped JSON of elementsData, in base64
	Trees       []string          `json:"trees,omitempty"`
	Series      []seriesData      `json:"series,omitempty"`    // what the app cost over time
	Trace       string            `json:"trace,omitempty"`     // URL of Playwright's trace
	StartedAt   string            `json:"startedAt,omitempty"` // RFC 3339
	AttemptTabs []attemptTab      `json:"-"`
	Nth, Of     int               `json:"-"`               // which attempt, of how many
	Final       event.Result      `json:"-"`               // the result of the last attempt, when this is an earlier one
	Length      int64             `json:"length"`          // ms from the case's start to its end
	Brief       string            `json:"brief,omitempty"` // the failure as Markdown
	Cost        []costData        `json:"cost,omitempty"`
	Files       []fileData        `json:"files,omitempty"`
	Green       *greenData        `json:"green,omitempty"`
	History     []pastData        `json:"-"`
	Attempts    []pastData        `json:"-"`
	Remarks     []string          `json:"remarks,omitempty"` // what this page lacks of the pack
	Inlined     map[string]string `json:"inlined,omitempty"` // URL of a file → its bytes, in a bundle
}

type problemData struct {
	Message    string   `json:"message"`
	Headline   string   `json:"headline,omitempty"`
	Expected   string   `json:"expected,omitempty"`
	Actual     string   `json:"actual,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	Rejected   []string `json:"rejected,omitempty"` // why each was not picked
	Boxes      [][]int  `json:"boxes,omitempty"`    // of the candidates with known bounds; null for the others
	Stack      string   `json:"stack,omitempty"`
}

// attemptTab is one attempt of the test.
type attemptTab struct {
	N      int
	Result event.Result
	Took   string
	Link   string
	Here   int // it is a tab of this page: N
	Now    bool
}

// factData is one fact about the environment of the run.
type factData struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Link  string `json:"link,omitempty"`
}

// storyData describes the results of a test in earlier runs, in words.
type storyData struct {
	Rate  string   `json:"rate"`
	Flaky string   `json:"-"` // whether it is, in words
	Steps []string `json:"steps,omitempty"`
	First string   `json:"first,omitempty"`
}

// pastRow is a run in the history of a test.
type pastRow struct {
	Run    string       `json:"run"`
	Result event.Result `json:"result"`
	MS     int64        `json:"ms"`
	Link   string       `json:"link,omitempty"`
	Commit string       `json:"commit,omitempty"`
	Now    bool         `json:"now,omitempty"`
}

// seriesData is a curve over the time of the case.
type seriesData struct {
	Name   string       `json:"name"`
	Unit   string       `json:"unit"`
	Points [][2]float64 `json:"points"` // ms since the case started, value
}

// failureData is a line of the list of what went wrong.
type failureData struct {
	Step    int    `json:"step,omitempty"`
	Place   string `json:"place,omitempty"`
	Message string `json:"message"`
	Around  string `json:"around,omitempty"` // what can be its cause
	Small   string `json:"-"`                // preview, a data URL
}

// incidentData is something that went wrong around a step.
type incidentData struct {
	Offset string `json:"offset"`
	Kind   string `json:"kind"`
	Text   string `json:"text"` // its first line
	More   string `json:"more,omitempty"`
	Cause  bool   `json:"cause,omitempty"`
}

type stepData struct {
	N           int            `json:"n"`
	Action      string         `json:"action,omitempty"`
	Name        string         `json:"name,omitempty"`
	Args        string         `json:"args,omitempty"`
	Place       string         `json:"place,omitempty"`
	File        int            `json:"file,omitempty"` // identifies the file
	Line        int            `json:"line,omitempty"`
	Col         int            `json:"col,omitempty"`   // where the step starts in its line, in runes from 1
	Caret       int            `json:"caret,omitempty"` // runes to mark
	In          []string       `json:"in,omitempty"`    // blocks that it runs in, the outermost first
	Around      []incidentData `json:"around,omitempty"`
	Source      string         `json:"source,omitempty"`
	Result      event.Result   `json:"result"`
	MS          int64          `json:"ms,omitempty"`
	Begin       int64          `json:"begin,omitempty"` // ms since the case started
	Took        string         `json:"took,omitempty"`
	Problem     *problemData   `json:"problem,omitempty"`
	Matched     string         `json:"matched,omitempty"`
	Tier        string         `json:"tier,omitempty"`
	Bounds      *[4]int        `json:"bounds,omitempty"`
	Point       *[2]int        `json:"point,omitempty"`
	Proof       string         `json:"proof,omitempty"`
	ScreenReads int            `json:"screenReads,omitempty"`
	Notes       []string       `json:"notes,omitempty"`
	Troubles    []string       `json:"troubles,omitempty"`
	Device      string         `json:"device,omitempty"` // of several, by its name in the test
	Shots       []*shotData    `json:"shots,omitempty"`
	Moments     []*shotData    `json:"moments,omitempty"` // what other devices of the test showed when it failed
	Files       []fileData     `json:"files,omitempty"`
	Log         *stepLog       `json:"log,omitempty"`
	Tree        int            `json:"tree,omitempty"` // which of packData.Trees it saw, from 1; −1: it did not fit
	// which of packData.DOM the page was after it, from 1; −1: it did not fit
	DOM      int           `json:"dom,omitempty"`
	Cue      *float64      `json:"cue,omitempty"` // seconds into the recording
	Compared *comparedData `json:"compared,omitempty"`
	Green    *shotData     `json:"green,omitempty"`
	Diff     *difference   `json:"diff,omitempty"`
	NoDiff   string        `json:"noDiff,omitempty"`
}

type shotData struct {
	Src     string `json:"src"`
	W       int    `json:"w,omitempty"`
	H       int    `json:"h,omitempty"`
	Small   string `json:"small,omitempty"` // preview, a data URL
	Failure bool   `json:"failure,omitempty"`
	Missing string `json:"missing,omitempty"` // why it cannot be shown
	Device  string `json:"device,omitempty"`  // of a moment

	path string
}

type fileData struct {
	Path string `json:"path"`
	Src  string `json:"src"`
}

type recordingData struct {
	Src   string `json:"src"`
	Kind  string `json:"kind"`
	Why   string `json:"why,omitempty"`
	Exact bool   `json:"exact"`
}

type logData struct {
	Name   string `json:"name"`
	Src    string `json:"src"`
	How    string `json:"how,omitempty"`
	Why    string `json:"why,omitempty"`
	Lines  int    `json:"lines"`
	Before int    `json:"before,omitempty"`
}

type greenData struct {
	Run  string `json:"run"`
	Link string `json:"link"`
}

type pastData struct {
	Run    string
	Result event.Result
	Took   string
	Link   string
}

type warningData struct {
	Step int    `json:"step,omitempty"`
	To   int    `json:"to,omitempty"` // last step, of several
	What string `json:"what"`         // skipped, unreached, interrupted, note
	Text string `json:"text,omitempty"`
}
