package html

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

const (
	maxCauses       = 500     // of a run's page
	maxCauseShots   = 40      // causes with a screenshot
	maxCauseBytes   = 1 << 20 // of all these screenshots
	causeSide       = 240
	maxRowHistory   = 10
	maxRowText      = 160
	maxUncheckedRow = 999
)

// RunPage is the input of the page of a run.
type RunPage struct {
	Run *history.Run
	Dir string // of the run, with the screenshots of its causes; without it there are none
	Up  string // URL of the page of all runs; "": not linked
}

// Run writes the page of a run: its tests, and the causes for which some did not pass. Its size and its cost grow
// linearly with the number of tests.
func Run(w io.Writer, in RunPage) error {
	data := runDataOf(in)
	if err := render(w, view{Kind: "run", Title: sign(data.Result) + " Run " + data.Name, D: data}); err != nil {
		return fmt.Errorf("make page of run %s: %w", in.Run.Name, err)
	}
	return nil
}

type runData struct {
	Page    string            `json:"page"`
	Name    string            `json:"name"`
	Result  event.Result      `json:"result"`
	Up      string            `json:"up,omitempty"`
	Started string            `json:"started,omitempty"`
	Took    string            `json:"took"` // from the first test's start to the last one's end
	Sum     string            `json:"sum"`  // of all tests
	Counts  history.RunCounts `json:"counts"`
	Causes  []causeData       `json:"causes,omitempty"`
	Words   []string          `json:"words"` // texts of many rows: platforms, devices, files
	Rows    []rowData         `json:"rows"`
	Notes   []string          `json:"notes,omitempty"`
	Folds   []foldData        `json:"-"`
	Env     []factData        `json:"-"`
}

type causeData struct {
	Headline string       `json:"headline"`
	Result   event.Result `json:"result"`
	Tests    int          `json:"tests"`
	Small    string       `json:"small,omitempty"` // a data URL
	Alt      string       `json:"alt,omitempty"`
}

// rowData is a test. Names are short and default values are left out, because there may be ten thousand rows.
type rowData struct {
	Result   string   `json:"v"` // first character
	Title    string   `json:"t"`
	Name     string   `json:"n,omitempty"`
	Link     string   `json:"l,omitempty"`
	Platform int      `json:"p,omitempty"` // of Words, from 1
	Device   int      `json:"d,omitempty"`
	File     int      `json:"f,omitempty"`
	Line     int      `json:"i,omitempty"`
	MS       int64    `json:"m"`
	Cause    int      `json:"c,omitempty"` // of Causes, from 1
	Steps    int      `json:"s,omitempty"`
	Step     int      `json:"e,omitempty"` // of the problem
	Warnings int      `json:"u,omitempty"`
	History  string   `json:"h,omitempty"` // a character for each earlier run, oldest first
	Flaky    string   `json:"y,omitempty"`
	Slow     string   `json:"w,omitempty"`
	Tags     []string `json:"g,omitempty"`
	Broken   string   `json:"b,omitempty"`
	Own      string   `json:"o,omitempty"` // the first line of the problem, if it differs from that of the cause
	More     int      `json:"j,omitempty"` // failures after the first
	Split    string   `json:"x,omitempty"` // results of the same test in other browsers
}

// splits returns, for each case of a test with different results in different browsers, its results in the other
// browsers.
func splits(run *history.Run) map[int]string {
	groups := map[string][]int{}
	for i := range run.Cases {
		c := &run.Cases[i]
		if browser := c.CaseResult.Case.Browser; browser != "" {
			key := strings.Join(slices.DeleteFunc(strings.Split(c.Key, "--"), func(part string) bool { return part == browser }),
				"--")
			groups[key] = append(groups[key], i)
		}
	}
	told := map[int]string{}
	for _, group := range groups {
		for _, i := range group {
			var others []string
			for _, o := range group {
				if a, b := run.Cases[i].CaseResult, run.Cases[o].CaseResult; a.Case.Browser != b.Case.Browser &&
					a.Result != b.Result {
					others = append(others, fmt.Sprintf("%s in %s", b.Result, cmp.Or(b.Case.Model, b.Case.Browser)))
				}
			}
			if len(others) > 0 {
				told[i] = strings.Join(others, ", ")
			}
		}
	}
	return told
}

// resultCode is the character of a result in rows: its first one, and x for expected.
func resultCode(v event.Result) string {
	if v == event.Expected {
		return "x"
	}
	return string(result(v))[:1]
}

func runDataOf(in RunPage) *runData {
	run := in.Run
	d := &runData{Page: "run", Name: shown(run.Name, maxLabel), Result: run.Result(), Up: in.Up,
		Started: clock(run.Started),
		Took:    took(run.Duration), Counts: run.Count(),
		Notes: shownAll(run.Notes, maxLabel), Folds: foldsOf(run), Words: []string{}, Rows: []rowData{}}
	words := map[string]int{}
	word := func(s string) int {
		if s == "" {
			return 0
		}
		if words[s] == 0 {
			d.Words = append(d.Words, shown(s, maxRowText))
			words[s] = len(d.Words)
		}
		return words[s]
	}
	for i := range run.Cases {
		d.Rows = append(d.Rows, row(&run.Cases[i], word))
	}
	for i, text := range splits(run) {
		d.Rows[i].Split = shown(text, maxRowText)
	}
	var sum time.Duration
	for i := range run.Cases {
		sum += run.Cases[i].CaseResult.Duration
	}
	d.Sum = took(sum)
	for _, f := range run.Env.Facts() {
		fact := factData{Name: f[0], Value: shown(f[1], maxLabel)}
		if f[0] == "job" {
			fact.Link = f[1]
		}
		d.Env = append(d.Env, fact)
	}
	for _, name := range run.Logs {
		d.Env = append(d.Env, factData{Name: "log", Value: shown(name, maxLabel), Link: link(name)})
	}
	causes := Causes(run)
	for _, c := range causes {
		for _, i := range c.Cases {
			d.Rows[i].Cause = min(c.N, maxCauses)
			if own := causeLine(run.Cases[i].CaseResult); own != c.Headline {
				d.Rows[i].Own = shown(own, maxRowText)
			}
			d.Rows[i].More = max(len(run.Cases[i].CaseResult.Failures())-1, 0)
		}
	}
	for i := range run.Cases {
		if res := run.Cases[i].CaseResult; res.Result == event.Expected {
			d.Rows[i].Own = shown(causeLine(res), maxRowText)
		}
	}
	d.Causes = causesOf(in, causes)
	return d
}

func row(c *history.RunCase, word func(string) int) rowData {
	res := c.CaseResult
	r := rowData{
		Result: resultCode(res.Result), Title: shown(c.Title(), maxRowText), Name: shown(res.Case.Name, maxRowText),
		Platform: word(string(res.Case.Platform)),
		File:     word(res.Case.Place.File), Line: res.ProblemPos().Line, MS: res.Duration.Milliseconds(),
		Steps: len(res.Steps),
		Step:  res.ProblemStep,
		Flaky: shown(c.Flaky(), maxRowText), Slow: shown(c.Slow(), maxRowText), Broken: shown(c.Broken, maxRowText),
	}
	device := res.Case.Model
	if device == "" {
		device = res.Case.Device
	}
	r.Device = word(device)
	if c.Page != "" {
		r.Link = link(c.Page)
	}
	for _, tag := range res.Case.Tags[:min(len(res.Case.Tags), 10)] {
		r.Tags = append(r.Tags, shown(tag, 40))
	}
	n := res.Count()
	r.Warnings = min(n.Skipped+n.Unreached, maxUncheckedRow)
	recent := c.Trend.Recent
	for _, e := range recent[max(0, len(recent)-maxRowHistory):] {
		r.History += resultCode(e.Result)
	}
	return r
}

// causesOf returns the causes, each with a screenshot. The last one combines all causes beyond the limit.
func causesOf(in RunPage, causes []Cause) []causeData {
	var root *os.Root
	if in.Dir != "" {
		if opened, err := os.OpenRoot(in.Dir); err == nil {
			root = opened
			defer root.Close() // nothing was written
		}
	}
	var out []causeData
	bytes := 0
	for i, c := range causes {
		if i >= maxCauses {
			last := &out[maxCauses-1]
			last.Tests += len(c.Cases)
			last.Headline = "all other causes, of one test or a few each"
			last.Small = ""
			continue
		}
		d := causeData{Headline: shown(c.Headline, maxRowText), Result: result(c.Result), Tests: len(c.Cases)}
		if root != nil && i < maxCauseShots && bytes < maxCauseBytes {
			d.Small, d.Alt = causeShot(root, in.Run, c)
			bytes += len(d.Small)
		}
		out = append(out, d)
	}
	return out
}

// causeShot returns the screenshot of the first test that has one.
func causeShot(root *os.Root, run *history.Run, c Cause) (small, alt string) {
	for _, i := range c.Cases[:min(len(c.Cases), 3)] {
		test := &run.Cases[i]
		shot, ok := test.CaseResult.ProblemScreenshot()
		if !ok || test.Pack == "" || before(test.CaseResult) {
			continue
		}
		img, err := decode(root, path.Join(test.Pack, shot.Path))
		if err != nil {
			continue
		}
		if small, err = preview(img, causeSide); err == nil {
			return small, "The screen when " + shown(test.Title(), maxRowText) + " stopped"
		}
	}
	return "", ""
}

// before reports whether a test ended before its own app was started: the screen then shows what the previous test
// left.
func before(res *event.CaseResult) bool {
	s := res.Step(res.ProblemStep)
	if s == nil || s.Action != "launch" && s.Action != "openBrowser" && s.Action != "install" {
		return false
	}
	if p := res.Problem; p != nil && p.Kind == event.AppCrashed {
		return false
	}
	for _, earlier := range res.Steps {
		if earlier.N < s.N && earlier.Result == event.Pass {
			return false
		}
	}
	return true
}

// causeLinks returns the cause of each case of a run.
func causeLinks(run *history.Run) map[int]*CauseLink {
	out := map[int]*CauseLink{}
	for _, c := range Causes(run) {
		for _, i := range c.Cases {
			out[i] = &CauseLink{N: c.N, Others: len(c.Cases) - 1, Link: fmt.Sprintf("../%s#cause=%d", IndexFile,
				min(c.N, maxCauses))}
		}
	}
	return out
}

// tryless is the name of a pack without the number of its attempt.
func tryless(pack string) string {
	parts := strings.Split(pack, "--")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "attempt-") }), "--")
}
